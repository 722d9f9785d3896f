// SPDX-License-Identifier: Apache-2.0
// The layers at the end of a detector that select by values.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <nvdlac/host/expectation.hpp>
#include <nvdlac/host/gather.hpp>
#include <nvdlac/host/non_max_suppression.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/host/top_k.hpp>

#include "../import/files.hpp"

using namespace nvdlac;

namespace {

using numbers = std::vector<float>;

// As a loadable keeps it.
template <class Op>
net::float_tensor computed(const Op& op, const std::vector<net::float_tensor>& inputs) {
  const auto call = host::call_of(op);
  std::vector<const net::float_tensor*> in;
  for (const auto& t : inputs) in.push_back(&t);
  return host::standard().get(call.layer).evaluate_checked(call.parameters, in);
}

// Corners y, x, y, x; the first two overlap by 0.6, the last is the first with its corners swapped.
const net::float_tensor boxes{{4, 4, 1}, {0, 0, 1, 1, 0, 0, 0.6F, 1, 2, 2, 3, 3, 1, 1, 0, 0}};
const net::float_tensor scores{{2, 4, 1}, {0.5F, 0.9F, 0.2F, 0.5F, 0.1F, 0.1F, 0.8F, 0.3F}};

}  // namespace

TEST_CASE("boxes are selected that no better one of their class overlaps") {
  host::non_max_suppression op{.most = 2, .least_score = 0.1F, .most_overlap = 0.55F};
  CHECK(computed(op, {boxes, scores}).values ==
        numbers{0, 0, 1, 0, 0, 2, 0, 1, 2, 0, 1, 3});
  op.most_overlap = 0.6F;  // the overlap may be as large
  CHECK(computed(op, {boxes, scores}).values ==
        numbers{0, 0, 1, 0, 0, 0, 0, 1, 2, 0, 1, 3});
  op.least_score = 0.6F;
  const auto few = computed(op, {boxes, scores});
  CHECK(few.shape == net::shape{1, 4, 3});
  CHECK(few.values == numbers{0, 0, 1, 0, 1, 2, -1, -1, -1, -1, -1, -1});
  // Centres and sizes: 1 of 3 columns in common.
  op = {.most = 2, .by_centre = true, .most_overlap = 0.4F};
  const net::float_tensor centres{{2, 4, 1}, {1, 1, 2, 2, 2, 1, 2, 2}}, both{{1, 2, 1}, {1, 2}};
  CHECK(computed(op, {centres, both}).values == numbers{0, 0, 1, 0, 0, 0});
  op.most_overlap = 0.3F;
  CHECK(computed(op, {centres, both}).values == numbers{0, 0, 1, -1, -1, -1});
  CHECK(op.counts_to(std::vector{net::shape{2, 4, 1}, net::shape{5, 2, 1}}) == 4);
  const net::float_tensor three{{3, 1, 1}, {1, 2, 3}};
  CHECK(mentions(complaints([&] { (void)computed(op, {centres, three}); }),
                 "its boxes have 8 numbers and 3 scores"));
}

TEST_CASE("the best of an axis come first, of equal ones the first") {
  const net::float_tensor x{{2, 3, 1}, {1, 5, 5, 3, -2, 4}};
  host::top_k values;
  values.axes = {false, true, false};
  values.count = 2;
  host::places_of_top_k places;
  places.axes = values.axes;
  places.count = 2;
  CHECK(computed(values, {x}).values == numbers{5, 5, 4, 3});
  CHECK(computed(places, {x}).values == numbers{1, 2, 2, 0});
  values.least = places.least = true;
  CHECK(computed(values, {x}).values == numbers{1, 5, -2, 3});
  CHECK(computed(places, {x}).values == numbers{0, 1, 1, 0});
  places.axes = values.axes = host::over_channels;
  places.count = values.count = 1;
  CHECK(computed(values, {x}).values == numbers{1, -2, 4});
  CHECK(computed(places, {x}).values == numbers{0, 1, 1});
  CHECK(places.counts_to(std::vector{x.shape}) == 1);
  values.count = 3;
  CHECK(mentions(complaints([&] { (void)computed(values, {x}); }), "the best 3 of 2"));
}

TEST_CASE("elements are gathered at computed places") {
  const net::float_tensor x{{1, 3, 2}, {0, 1, 2, 3, 4, 5}}, places{{2, 1, 1}, {2, -1}};
  host::gather rows;
  rows.sizes = {3};
  rows.block = 2;
  rows.target = {1, 2, 2};
  CHECK(computed(rows, {x, places}).values == numbers{4, 5, 4, 5});
  rows.absent = true;  // a place below 0 is none
  CHECK(computed(rows, {x, places}).values == numbers{4, 5, 0, 0});
  host::gather pairs;  // one place has two numbers
  pairs.sizes = {3, 2};
  pairs.target = {1, 1, 1};
  CHECK(computed(pairs, {x, net::float_tensor{{2, 1, 1}, {1, 1}}}).values == numbers{3});
  host::gather each;  // places of its own for each row
  each.outer = 3;
  each.sizes = {2};
  each.own_places = true;
  each.target = {3, 1, 1};
  CHECK(computed(each, {x, net::float_tensor{{3, 1, 1}, {1, 0, 1}}}).values == numbers{1, 2, 5});
  host::gather_elements elements;
  elements.size = 3;
  elements.inner = 2;
  CHECK(computed(elements, {x, net::float_tensor{{1, 2, 2}, {2, 0, 1, 1}}}).values ==
        numbers{4, 1, 2, 3});
  CHECK(mentions(complaints([&] {
          (void)computed(rows, {x, net::float_tensor{{2, 1, 1}, {0, 3}}});
        }), "it takes element 3 of 3"));
}

TEST_CASE("an expectation is the mean of values by a softmax") {
  const host::expectation op{.values = {0, 1, 2}};
  const net::float_tensor x{{3, 1, 2}, {0, 5, 0, 5, 0, 5 + std::log(2.0F)}};
  const auto y = computed(op, {x});
  CHECK(y.shape == net::shape{1, 1, 2});
  CHECK(y.values[0] == doctest::Approx(1));
  CHECK(y.values[1] == doctest::Approx((0.25 + 1)));
  CHECK(mentions(complaints([&] { (void)computed(op, {net::float_tensor{{2, 1, 1}, {1, 2}}}); }),
                 "3 values for 2 probabilities"));
}
