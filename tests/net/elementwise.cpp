// SPDX-License-Identifier: Apache-2.0
// Operators of two inputs, real and in integers.
#include <array>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/standard_operators.hpp>
#include <nvdlac/quantised/operators.hpp>

using namespace nvdlac;
using net::float_tensor;
using net::int8_tensor;
using net::shape;

namespace {

const float_tensor a{{2, 1, 2}, {1, -2, 3, -4}}, b{{2, 1, 2}, {-5, 6, 1, -8}},
    each{{2, 1, 1}, {10, 2}};

template <class Op>
std::vector<float> real(const Op& op, const float_tensor& x, const float_tensor& y) {
  return op.evaluate(std::array{&x, &y}).values;
}
template <class Op>
std::vector<int> integers(const Op& op, const std::vector<std::int8_t>& x,
                          const std::vector<std::int8_t>& y) {
  const auto n = static_cast<std::int32_t>(x.size()), m = static_cast<std::int32_t>(y.size());
  const int8_tensor first{{2, 1, n / 2}, x}, second{{2, 1, m / 2}, y};
  const auto z = op.template evaluate<std::int8_t>(std::array{&first, &second}).values;
  return {z.begin(), z.end()};
}
using reals = std::vector<float>;
using ints = std::vector<int>;

}  // namespace

TEST_CASE("shapes are equal, or one is a value for each channel") {
  const auto fits = [](shape x, shape y) { return net::fit_elementwise(std::array{x, y}); };
  CHECK(fits({2, 3, 4}, {2, 3, 4}).value() == shape{2, 3, 4});
  CHECK(fits({2, 3, 4}, {2, 1, 1}).value() == shape{2, 3, 4});
  CHECK(fits({2, 1, 1}, {2, 3, 4}).value() == shape{2, 3, 4});
  CHECK(fits({2, 3, 4}, {1, 3, 4}).broken == net::rule::inputs_of_different_shapes);
  CHECK(fits({2, 3, 4}, {2, 1, 4}).broken == net::rule::inputs_of_different_shapes);
  // The hardware's first input has the shape of the result.
  CHECK(quantised::add{}.fit(std::array{shape{2, 1, 1}, shape{2, 3, 4}}).broken ==
        net::rule::inputs_of_different_shapes);
  CHECK(quantised::multiply{}.fit(std::array{shape{2, 3, 4}, shape{2, 1, 1}}).ok());
}

TEST_CASE("real sums, products and extrema") {
  CHECK(real(net::add{}, a, b) == reals{-4, 4, 4, -12});
  CHECK(real(net::add{.relu = true}, a, b) == reals{0, 4, 4, 0});
  CHECK(real(net::add{.coefficients = {1, -1}}, a, b) == reals{6, -8, 2, 4});
  CHECK(real(net::add{.coefficients = {0.5F, 2}}, each, a) == reals{7, 1, 7, -7});
  CHECK(real(net::multiply{}, a, b) == reals{-5, -12, 3, 32});
  CHECK(real(net::multiply{.relu = true}, a, each) == reals{10, 0, 6, 0});
  CHECK(real(net::extremum{}, a, b) == reals{1, 6, 3, -4});
  CHECK(real(net::extremum{.kind = net::extremum_kind::minimum}, a, b) == reals{-5, -2, 1, -8});
  CHECK(real(net::extremum{.kind = net::extremum_kind::minimum, .relu = true}, each, a) ==
        reals{1, 0, 2, 0});
  CHECK(real(net::elementwise_prelu{}, a, b) == reals{1, -12, 3, 32});
  CHECK(net::elementwise_prelu{}.fit(std::array{each.shape, a.shape}).broken ==
        net::rule::inputs_of_different_shapes);
}

TEST_CASE("integer sums, products and extrema") {
  using namespace quantised;
  const std::vector<std::int8_t> x{100, -100, 3, -128}, y{50, 5, -7, -128};
  CHECK(integers(add{.multiplier = -3, .operand_shift = 2, .out = {0, -1, 1}}, x, y) ==
        ints{50, -128, 19, 64});
  CHECK(integers(multiply{.out = {0, 1, 6}}, x, y) == ints{78, -8, 0, 127});
  CHECK(integers(multiply{.relu = true, .out = {0, 1, 6}}, x, y) == ints{78, 0, 0, 127});
  CHECK(integers(multiply{.out = {0, 3, 7}}, x, {7, -1}) == ints{16, -16, 0, 3});
  CHECK(integers(extremum{.multiplier = 2, .operand_shift = 3, .out = {0, 1, 3}}, x, y) ==
        ints{50, 5, 1, -32});
  CHECK(integers(extremum{.kind = net::extremum_kind::minimum, .multiplier = 2,
                          .operand_shift = 3, .relu = true, .out = {0, 1, 3}}, x, y) ==
        ints{25, 0, 0, 0});
  CHECK(integers(elementwise_prelu{.multiplier = 4, .shift = 3, .out = {0, 1, 2}}, x, y) ==
        ints{100, -63, 3, 127});
  CHECK(elementwise_prelu{.shift = 64}.fit(std::array{shape{1, 1, 1}, shape{1, 1, 1}}).broken ==
        net::rule::shift_above_its_range);
  CHECK(extremum{.operand_shift = 25}.fit(std::array{shape{1, 1, 1}, shape{1, 1, 1}}).broken ==
        net::rule::shift_above_its_range);
}
