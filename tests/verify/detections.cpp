// SPDX-License-Identifier: Apache-2.0
// Detections are compared as sets: rows of equal scores may stand in any order, and one that is
// missed moves none of the others.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/host/detection.hpp>
#include <nvdlac/host/non_max_suppression.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/post_process.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/report/verification.hpp>
#include <nvdlac/report/verification_json.hpp>
#include <nvdlac/verify/comparison.hpp>
#include <nvdlac/verify/detections.hpp>

using namespace nvdlac;
using verification::detection_set;

namespace {

using rows = std::vector<std::vector<float>>;

data::array array_of(const rows& all) {
  data::array a{{1, 1, all.size(), all.front().size()}};
  for (const auto& r : all) a.values.insert(a.values.end(), r.begin(), r.end());
  return a;
}

const detection_set whole{.of = detection_set::form::whole, .outputs = {0}};
// Picture, class, score, box; two of equal scores, and an empty row.
const std::vector<float> cat{0, 3, 0.9F, 0.1F, 0.1F, 0.4F, 0.5F},
    dog{0, 7, 0.5F, 0.5F, 0.5F, 0.9F, 0.9F}, bird{0, 3, 0.5F, 0.6F, 0.1F, 0.8F, 0.3F},
    fox{0, 7, 0.4F, 0.0F, 0.6F, 0.2F, 0.8F}, none(7, 0);

double snr_of(const std::vector<data::array>& reference, const std::vector<data::array>& found) {
  verification::comparison c;
  c.add(reference[0].values, found[0].values);
  return c.snr();
}

}  // namespace

TEST_CASE("rows of equal scores may be swapped") {
  const std::vector<data::array> reference{array_of({cat, dog, bird, none})};
  auto found = std::vector{array_of({cat, bird, dog, none})};
  CHECK(snr_of(reference, found) < 10);
  const auto counts = whole.align(reference, found);
  CHECK(found == reference);
  CHECK(counts.matched == 3);
  CHECK(counts.missed + counts.extra == 0);
  CHECK(counts.overlap == 1);
  CHECK(counts.box_error == 0);
}

TEST_CASE("detections that are missed or extra are counted, with their scores") {
  const std::vector<data::array> reference{array_of({cat, dog, bird, none})};
  auto near = cat;  // a little to the right
  near[2] = 0.8F;
  near[3] = 0.15F;
  auto found = std::vector{array_of({near, bird, fox, none})};
  const auto counts = whole.align(reference, found);
  CHECK(counts.matched == 2);
  CHECK(counts.missed == 1);
  CHECK(counts.best_missed == 0.5F);
  CHECK(counts.extra == 1);
  CHECK(counts.best_extra == 0.4F);
  CHECK(counts.box_error == doctest::Approx(0.05));
  CHECK(counts.score_error == doctest::Approx(0.1));
  CHECK(counts.overlap == doctest::Approx(25.0 / 30));
  // The extra one stands where the float network has none.
  CHECK(found[0] == array_of({near, none, bird, fox}));
  // Without such a row it stands in the place of one that is missed.
  const std::vector<data::array> full{array_of({cat, dog})};
  auto other = std::vector{array_of({fox, cat})};
  CHECK(whole.align(full, other).extra == 1);
  CHECK(other[0] == array_of({cat, fox}));
  // It is another detection where it is of another class.
  auto as_dog = std::vector{array_of({cat, none})};
  as_dog[0].values[1] = 7;
  CHECK(whole.align({array_of({cat, none})}, as_dog).matched == 0);
}

TEST_CASE("each detection is beside the nearest of its class") {
  const std::vector<verification::detection> expected{
      {.row = 0, .label = 1, .score = 0.6F, .box = {0, 0, 1, 1}},
      {.row = 1, .label = 1, .score = 0.9F, .box = {0.1F, 0, 1.1F, 1}}};
  const std::vector<verification::detection> given{
      {.row = 0, .label = 1, .score = 0.9F, .box = {0.1F, 0, 1.1F, 1}},
      {.row = 1, .label = 1, .score = 0.6F, .box = {0, 0, 1, 1}}};
  const auto pairs = verification::paired(expected, given);
  CHECK(pairs == std::vector<std::pair<std::size_t, std::size_t>>{{1, 0}, {0, 1}});
  // Boxes without an area are the same only where they are.
  const std::vector<verification::detection> point{{.label = 1, .box = {0.5F, 0.5F, 0.5F, 0.5F}}};
  CHECK(verification::paired(point, point).size() == 1);
  auto beside = point;
  beside[0].box.left = beside[0].box.right = 0.6F;
  CHECK(verification::paired(point, beside).empty());
}

TEST_CASE("boxes, classes and scores of one set are brought in order together") {
  const detection_set apart{.of = detection_set::form::apart, .outputs = {0, 2, 1}};
  const auto of = [](std::vector<float> boxes, std::vector<float> scores,
                     std::vector<float> classes) {
    return std::vector<data::array>{{{1, 2, 4}, std::move(boxes)},
                                    {{1, 2}, std::move(scores)},
                                    {{1, 2}, std::move(classes)},
                                    {{1}, {2}}};
  };
  const auto reference = of({0, 0, 1, 1, 2, 2, 3, 3}, {0.5F, 0.5F}, {4, 5});
  auto found = of({2, 2, 3, 3, 0, 0, 1, 1}, {0.5F, 0.5F}, {5, 4});
  CHECK(apart.align(reference, found).matched == 2);
  CHECK(found == reference);
}

TEST_CASE("selected boxes are compared by where they are") {
  detection_set selected{.of = detection_set::form::selected, .outputs = {0},
                         .boxes = quantised::graph::id{0}};
  const std::vector<float> boxes{0, 0, 1, 1, 0.1F, 0, 1.1F, 1, 5, 5, 6, 6};
  const std::vector<data::array> reference{array_of({{0, 0, 0}, {0, 1, 2}, {-1, -1, -1}})};
  auto found = std::vector{array_of({{0, 1, 2}, {0, 0, 1}, {-1, -1, -1}})};
  const auto counts = selected.align(reference, found, boxes);
  CHECK(counts.matched == 2);
  CHECK_FALSE(counts.scored);
  CHECK(counts.overlap < 0.9F);
  CHECK(found[0] == array_of({{0, 0, 1}, {0, 1, 2}, {-1, -1, -1}}));
  // Where the boxes are not known, the numbers are compared.
  auto by_number = std::vector{array_of({{0, 1, 2}, {0, 0, 1}, {-1, -1, -1}})};
  CHECK(selected.align(reference, by_number).matched == 1);
  auto wrong = std::vector{array_of({{0, 1, std::nanf("")}, {0, 0, 9}, {-1, -1, -1}})};
  CHECK(selected.align(reference, wrong, boxes).matched == 0);
}

namespace {

quantised::on_host call(const net::on_host& op, net::shape target) {
  return {.call = op.call, .layer = op.layer, .target = target};
}

}  // namespace

TEST_CASE("outputs of the host's detectors are found as sets") {
  quantised::graph g;
  const auto boxes = g.add("boxes", quantised::input{.shape = {1, 6, 4}});
  const auto scores = g.add("scores", quantised::input{.shape = {1, 2, 6}});
  std::vector<net::file_output> outputs;
  const auto give = [&](quantised::graph::id n, std::vector<std::int32_t> shape) {
    g[n].output = true;
    const auto place = static_cast<std::int32_t>(outputs.size());
    outputs.push_back({.form = {.name = g[n].name, .shape = std::move(shape), .place = place},
                       .parts = {{.tensor = outputs.size()}}});
  };
  const auto add = [&](const char* name, const net::on_host& op, net::shape target) {
    return g.add(name, call(op, target), {boxes, scores});
  };
  const auto labels = add("labels", host::on_host(host::ssd_labels{}), {1, 5, 2}),
             of_labels = add("of", host::on_host(host::ssd_scores{}), {1, 5, 1}),
             corners = add("corners", host::on_host(host::ssd_boxes{}), {1, 5, 4});
  give(g.add("detections", quantised::concat{}, {labels, of_labels, corners}), {1, 1, 5, 7});
  give(add("nms", host::on_host(host::non_max_suppression{.by_centre = true}), {1, 3, 3}), {3, 3});
  give(add("classes", host::on_host(host::post_processed_classes{}), {1, 5, 1}), {1, 5});
  give(add("corners_2", host::on_host(host::post_processed_boxes{}), {1, 5, 4}), {1, 5, 4});
  give(add("count", host::on_host(host::post_processed_count{}), {1, 1, 1}), {1});
  const auto without_scores = verification::detection_sets_of(g, outputs);
  CHECK(without_scores.size() == 2);
  give(add("scores_2", host::on_host(host::post_processed_scores{}), {1, 5, 1}), {1, 5});
  const auto sets = verification::detection_sets_of(g, outputs);
  REQUIRE(sets.size() == 3);
  CHECK(sets[0].of == detection_set::form::whole);
  CHECK(sets[1].of == detection_set::form::selected);
  CHECK(sets[1].boxes == boxes);
  CHECK(sets[1].by_centre);
  CHECK(sets[2].of == detection_set::form::apart);
  CHECK(sets[2].outputs == std::vector<std::size_t>{3, 2, 5});
}

TEST_CASE("a report says how detections are matched, and JSON has it") {
  verification::report r{.network = "net"};
  r.outputs.push_back({"y", {1, 1, 4, 7}});
  r.programs.push_back({.configuration = "nv_small"});
  r.programs[0].outputs.resize(1);
  verification::input_report one{.name = "a"};
  one.programs.resize(1);
  auto& c = one.programs[0].outputs.emplace_back();
  c.add({1, 2}, {1, 2});
  c.detections = verification::detection_counts{.matched = 2, .missed = 1, .best_missed = 0.3F,
                                                .box_error = 0.01F, .score_error = 0.02F,
                                                .overlap = 0.9F};
  r.add(one);
  one.programs[0].outputs[0].detections->missed = 0;
  r.add(one);
  const auto text = report::to_text(r);
  CHECK_MESSAGE(text.find("output 'y': 4 of 5 detections matched, 1 missed (score 0.3 at most), 0 "
                          "extra, boxes overlap by 90 % at least and are off by 0.01 at most, "
                          "scores by 0.02; error at most 0") != std::string::npos,
                text);
  const auto json = report::to_json(r);
  const auto& found = json.at("configs")[0].at("outputs")[0].at("detections");
  CHECK(found.at("matched") == 4);
  CHECK(found.at("missed") == 1);
  CHECK(found.at("least_overlap") == doctest::Approx(0.9));
  CHECK(json.at("configs")[0].at("each")[1].at("outputs")[0].at("detections").at("missed") == 0);
}
