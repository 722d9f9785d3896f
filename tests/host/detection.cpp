// SPDX-License-Identifier: Apache-2.0
// Detections of single-shot detectors.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <nvdlac/host/detection.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/registry.hpp>

#include "../import/files.hpp"

using namespace nvdlac;

namespace {

// Three boxes, of which the first two overlap by 0.6, with a background and two classes.
host::ssd_detections three_boxes() {
  return {.priors = {0, 0, 0.5F, 0.5F, 0, 0, 0.5F, 0.3F, 0.5F, 0.5F, 1, 1},
          .classes = 3, .kept = 4, .least_score = 0.25F, .most_overlap = 0.45F};
}
const net::float_tensor no_offsets{{12, 1, 1}, std::vector<float>(12, 0.0F)};
const net::float_tensor scores{{3, 3, 1}, {0.0F, 0.75F, 0.3F, 0.0F, 0.8F, 0.1F, 0.9F, 0.2F, 0.7F}};

template <class Op>
std::vector<float> rows(const host::ssd_detections& how, const net::float_tensor& told,
                        const net::float_tensor& of_classes) {
  Op op;
  static_cast<host::ssd_detections&>(op) = how;
  // As a loadable keeps it.
  const auto call = host::call_of(op);
  const net::float_tensor* const in[]{&told, &of_classes};
  return host::standard().get(call.layer).evaluate_checked(call.parameters, in).values;
}

}  // namespace

TEST_CASE("boxes that overlap a better one of their class are no detections") {
  const auto how = three_boxes();
  // Class 1: the second box; class 2: the third, then the first.
  CHECK(rows<host::ssd_labels>(how, no_offsets, scores) ==
        std::vector<float>{0, 1, 0, 2, 0, 2, 0, 0});
  CHECK(rows<host::ssd_scores>(how, no_offsets, scores) ==
        std::vector<float>{0.8F, 0.7F, 0.3F, 0});
  CHECK(rows<host::ssd_boxes>(how, no_offsets, scores) ==
        std::vector<float>{0, 0, 0.5F, 0.3F, 0.5F, 0.5F, 1, 1, 0, 0, 0.5F, 0.5F, 0, 0, 0, 0});
  auto all = how;
  all.most_overlap = 0.65F;
  CHECK(rows<host::ssd_scores>(all, no_offsets, scores) ==
        std::vector<float>{0.8F, 0.75F, 0.7F, 0.3F});
  // The best of all classes are kept, and stand by classes.
  all.kept = 3;
  CHECK(rows<host::ssd_scores>(all, no_offsets, scores) == std::vector<float>{0.8F, 0.75F, 0.7F});
  auto few = how;
  few.candidates = 1;
  CHECK(rows<host::ssd_scores>(few, no_offsets, scores) == std::vector<float>{0.8F, 0.7F, 0, 0});
}

TEST_CASE("boxes are told by their corners, or by their centres and sizes") {
  host::ssd_detections how{.priors = {0.25F, 0.25F, 0.75F, 1}, .variances = {0.5F, 0.5F, 2, 2},
                           .classes = 1, .background = -1};
  const net::float_tensor told{{4, 1, 1}, {0.5F, -0.25F, 0.125F, 0}};
  const net::float_tensor sure{{1, 1, 1}, {1}};
  CHECK(rows<host::ssd_boxes>(how, told, sure) == std::vector<float>{0.5F, 0.125F, 1, 1});
  how.code = host::box_code::corners_by_size;
  CHECK(rows<host::ssd_boxes>(how, told, sure) ==
        std::vector<float>{0.375F, 0.15625F, 0.875F, 1});
  how.code = host::box_code::centre_and_size;
  const auto b = rows<host::ssd_boxes>(how, told, sure);
  CHECK(b[0] == doctest::Approx(0.625 - 0.25 * std::exp(0.25)));
  CHECK(b[1] == doctest::Approx(0.53125 - 0.375));
  CHECK(b[2] == doctest::Approx(0.625 + 0.25 * std::exp(0.25)));
  how.clipped = true;
  how.priors = {0.5F, 0.5F, 1, 1};
  CHECK(rows<host::ssd_boxes>(how, told, sure)[2] == 1);
}

TEST_CASE("of boxes for each class, each class has its own") {
  host::ssd_detections how{.priors = {0, 0, 0.5F, 0.5F}, .classes = 2, .background = -1, .kept = 2,
                           .shared = false};
  const net::float_tensor told{{8, 1, 1}, {0, 0, 0, 0, 0.25F, 0.25F, 0.25F, 0.25F}};
  const net::float_tensor both{{2, 1, 1}, {0.5F, 0.25F}};
  CHECK(rows<host::ssd_boxes>(how, told, both) ==
        std::vector<float>{0, 0, 0.5F, 0.5F, 0.25F, 0.25F, 0.75F, 0.75F});
}

TEST_CASE("inputs that do not fit the prior boxes are refused") {
  auto how = three_boxes();
  const auto refused = [&](const net::float_tensor& a, const net::float_tensor& b) {
    return complaints([&] { (void)rows<host::ssd_boxes>(how, a, b); });
  };
  CHECK(mentions(refused(scores, scores), "for 3 prior boxes and 3 classes it takes 12 numbers of "
                                          "boxes and 9 scores, not 9 and 9"));
  how.variances = {1};
  CHECK(mentions(refused(no_offsets, scores), "12 numbers of prior boxes and 1 of their"));
  how.variances.clear();
  how.background = 3;
  CHECK(mentions(refused(no_offsets, scores), "the background 3"));
}

TEST_CASE("boxes without an area do not overlap") {
  CHECK(host::overlap_of({0, 0, 1, 1}, {0, 0, 1, 1}) == 1);
  CHECK(host::overlap_of({0, 0, 1, 1}, {0.5F, 0, 1, 1}) == 0.5F);
  CHECK(host::overlap_of({0, 0, 0, 1}, {0, 0, 0, 1}) == 0);
  CHECK(host::overlap_of({0, 0, 1, 1}, {1, 1, 2, 2}) == 0);
}
