// SPDX-License-Identifier: Apache-2.0
// Detections as TensorFlow Lite defines them.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/post_process.hpp>
#include <nvdlac/host/registry.hpp>

#include "../import/files.hpp"

using namespace nvdlac;

namespace {

using numbers = std::vector<float>;

// Three boxes, of which the first two overlap by 0.6, with a background and two classes.
host::post_process three_boxes() {
  return {.anchors = {0.25F, 0.25F, 0.5F, 0.5F, 0.15F, 0.25F, 0.3F, 0.5F, 0.75F, 0.75F, 0.5F, 0.5F},
          .scales = {10, 10, 5, 5}, .classes = 2, .most = 3, .least_score = 0.25F,
          .most_overlap = 0.45F};
}
const net::float_tensor as_anchors{{12, 1, 1}, numbers(12, 0.0F)};
const net::float_tensor scores{{3, 3, 1}, {0.0F, 0.75F, 0.3F, 0.0F, 0.8F, 0.1F, 0.9F, 0.2F, 0.7F}};

template <class Op>
numbers rows(const host::post_process& how, const net::float_tensor& told,
             const net::float_tensor& of_classes) {
  Op op;
  static_cast<host::post_process&>(op) = how;
  // As a loadable keeps it.
  const auto call = host::call_of(op);
  const net::float_tensor* const in[]{&told, &of_classes};
  return host::standard().get(call.layer).evaluate_checked(call.parameters, in).values;
}

void check(const host::post_process& how, const net::float_tensor& of_classes,
           const numbers& labels, const numbers& best, float count) {
  CHECK(rows<host::post_processed_classes>(how, as_anchors, of_classes) == labels);
  CHECK(rows<host::post_processed_scores>(how, as_anchors, of_classes) == best);
  CHECK(rows<host::post_processed_count>(how, as_anchors, of_classes) == numbers{count});
}

}  // namespace

TEST_CASE("boxes compete by their best class") {
  auto how = three_boxes();
  check(how, scores, {0, 1, 0}, {0.8F, 0.7F, 0}, 2);
  const auto boxes = rows<host::post_processed_boxes>(how, as_anchors, scores);
  CHECK(numbers(boxes.begin(), boxes.begin() + 8) ==
        numbers{0, 0, 0.3F, 0.5F, 0.5F, 0.5F, 1, 1});
  CHECK(numbers(boxes.begin() + 8, boxes.end()) == numbers(4, 0.0F));
  how.most_overlap = 0.65F;
  check(how, scores, {0, 0, 1}, {0.8F, 0.75F, 0.7F}, 3);
  how.most = 1;
  check(how, scores, {0}, {0.8F}, 1);
  // A score may be the least one; of equal ones the first box wins.
  how = three_boxes();
  how.least_score = 0.7F;
  check(how, scores, {0, 1, 0}, {0.8F, 0.7F, 0}, 2);
  const net::float_tensor equal{{3, 2, 1}, {0.5F, 0.5F, 0.5F, 0.5F, 0.5F, 0.75F}};
  how.least_score = 0;
  check(how, equal, {1, 0, 0}, {0.75F, 0.5F, 0}, 2);
}

TEST_CASE("a box has its best classes in as many rows") {
  auto how = three_boxes();
  how.classes_of_box = 2;
  check(how, scores, {0, 1, 1, 0, 0, 0}, {0.8F, 0.1F, 0.7F, 0.2F, 0, 0}, 2);
  // Rows of classes that there are not are left.
  how.classes_of_box = 3;
  how.most = 2;
  check(how, scores, {0, 1, 0, 1, 0, 0}, {0.8F, 0.1F, 0, 0.7F, 0.2F, 0}, 2);
}

TEST_CASE("boxes compete in each class apart") {
  auto how = three_boxes();
  how.by_class = true;
  check(how, scores, {0, 1, 1}, {0.8F, 0.7F, 0.3F}, 3);
  how.most_of_class = 1;
  check(how, scores, {0, 1, 0}, {0.8F, 0.7F, 0}, 2);
  how.classes_of_box = 2;
  check(how, scores, {0, 1, 0, 0, 0, 0}, {0.8F, 0.7F, 0, 0, 0, 0}, 2);
}

TEST_CASE("boxes are told relative to anchors, with numbers behind them that are no part of them") {
  host::post_process how{.anchors = {0.5F, 0.25F, 0.5F, 0.25F}, .scales = {10, 5, 2, 4}};
  const net::float_tensor told{{5, 1, 1}, {1, -2, 0.5F, -0.5F, 7}}, sure{{1, 1, 1}, {1}};
  const auto b = rows<host::post_processed_boxes>(how, told, sure);
  const double y = 0.55, x = 0.15, h = 0.25 * std::exp(0.25), w = 0.125 * std::exp(-0.125);
  CHECK(b[0] == doctest::Approx(y - h));
  CHECK(b[1] == doctest::Approx(x - w));
  CHECK(b[2] == doctest::Approx(y + h));
  CHECK(b[3] == doctest::Approx(x + w));
}

TEST_CASE("what their ranges follow from") {
  host::post_processed_boxes op;
  static_cast<host::post_process&>(op) = three_boxes();
  CHECK(op.bound(std::vector{100.0, 1.0}) == doctest::Approx(2));
  CHECK(op.bound(std::vector{0.0, 1.0}) == doctest::Approx(1));
  host::post_processed_scores of_scores;
  CHECK(of_scores.bound(std::vector{100.0, 0.75}) == 0.75);
}

TEST_CASE("options and inputs that cannot be are refused") {
  auto how = three_boxes();
  const auto refused = [&](const net::float_tensor& of_classes) {
    return complaints([&] { (void)rows<host::post_processed_boxes>(how, as_anchors, of_classes); });
  };
  CHECK(mentions(refused(as_anchors),
                 "for 3 anchors and 2 classes it takes four numbers or more of each box and 2 or 3 "
                 "scores of each, not 12 and 12"));
  how.anchors[6] = -1;
  CHECK(mentions(refused(scores), "its anchor 1 has the height -1"));
  how = three_boxes();
  how.scales[2] = 0;
  CHECK(mentions(refused(scores), "a scale of its boxes is 0"));
  how = three_boxes();
  how.most_overlap = 0;
  CHECK(mentions(refused(scores), "at most 0, which is not between 0 and 1"));
  how.most_overlap = 0.5F;
  how.most = 0;
  CHECK(mentions(refused(scores), "it keeps 0 boxes"));
  how.anchors.clear();
  CHECK(mentions(refused(scores), "its anchors have 0 numbers"));
}
