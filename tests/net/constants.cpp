// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/quantised/convolution.hpp>

using namespace nvdlac::quantised;
using nvdlac::net::constants, nvdlac::net::only_size;
using weights = constants<std::int8_t>;

namespace {

constexpr std::array<std::int8_t, 3> table{1, 2, 3};

constexpr weights referring = table;
static_assert(referring.known() && referring.size() == 3 && referring[2] == 3);
static_assert(referring.data() == table.data());
constexpr weights one{7};
static_assert(one.known() && one.size() == 1 && one[0] == 7);
constexpr weights elsewhere = only_size{5};
static_assert(!elsewhere.known() && elsewhere.size() == 5 && elsewhere.begin() == elsewhere.end());
constexpr weights none;
static_assert(none.known() && none.empty());
// Nothing can be kept of an array that is gone after the statement.
static_assert(!std::is_constructible_v<weights, std::array<std::int8_t, 3>>);

}  // namespace

TEST_CASE("constants are equal if their values are, wherever these are") {
  CHECK(weights(std::vector<std::int8_t>{1, 2, 3}) == referring);
  CHECK(weights{1, 2, 3} == referring);
  CHECK(weights(std::vector<std::int8_t>{7}) == one);
  CHECK(elsewhere == weights(only_size{5}));
  CHECK(elsewhere != weights{1, 2, 3, 4, 5});
  CHECK(referring != one);
}

TEST_CASE("to change constants makes them their own") {
  weights w = referring;
  w[0] = 9;
  w.push_back(4);
  CHECK(w == weights{9, 2, 3, 4});
  CHECK(table[0] == 1);
  weights single{7};
  single.push_back(8);
  CHECK(single == weights{7, 8});
  weights copied = w;
  for (auto& v : copied) v = 0;
  CHECK(w[0] == 9);
  weights at_once = referring;
  at_once.changeable()[1] = 5;
  CHECK(at_once == weights{1, 5, 3});
  CHECK(table[1] == 2);
}

TEST_CASE("what is somewhere else cannot be computed with") {
  const convolution op{.weights = only_size{1}, .bias = {1}, .multiplier = {1}};
  const nvdlac::net::int8_tensor x{{1, 1, 1}, {1}};
  const nvdlac::net::int8_tensor* const in[] = {&x};
  CHECK_THROWS_WITH_AS(op.evaluate<std::int8_t>(in), "weights: the values are somewhere else",
                       nvdlac::error);
}
