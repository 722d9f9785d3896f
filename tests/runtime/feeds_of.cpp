// SPDX-License-Identifier: Apache-2.0
// Tensors of the user for inputs that a program reads in another order than the file has.
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/user_inputs.hpp>

using namespace nvdlac;

namespace {

using values = std::vector<std::int8_t>;

values fed(const runtime::binding& to, const net::float_tensor& x) {
  const auto feeds = runtime::feeds_of(std::vector{x}, {to});
  return std::get<net::int8_tensor>(feeds.at(0)).values;
}

runtime::binding bound(net::shape cube, net::file_tensor form) {
  return {.name = "x", .shape = cube, .in_file = {std::move(form)},
          .surface = {.precision = hw::precision::int8}};
}

}  // namespace

TEST_CASE("tensors of the file's shape are in its order") {
  const auto flat = bound({1, 2, 3}, {.name = "x", .shape = {1, 6}});
  CHECK(fed(flat, {{6, 1, 1}, {1, 2, 3, 4, 5, 6}}) == values{1, 2, 3, 4, 5, 6});
  CHECK(fed(flat, {{1, 2, 3}, {1, 2, 3, 4, 5, 6}}) == values{1, 2, 3, 4, 5, 6});
  CHECK_THROWS_AS(fed(flat, {{1, 3, 2}, {1, 2, 3, 4, 5, 6}}), error);

  // Two tokens of three features, which are the channels.
  const auto tokens =
      bound({3, 2, 1}, {.name = "x", .shape = {1, 2, 3}, .walk = {{2, 1}, {3, 2}}});
  CHECK(fed(tokens, {{2, 3, 1}, {1, 2, 3, 4, 5, 6}}) == values{1, 4, 2, 5, 3, 6});
  CHECK(fed(tokens, {{3, 2, 1}, {1, 2, 3, 4, 5, 6}}) == values{1, 2, 3, 4, 5, 6});
  const auto square =
      bound({2, 2, 1}, {.name = "x", .shape = {1, 2, 2}, .walk = {{2, 1}, {2, 2}}});
  CHECK(fed(square, {{2, 2, 1}, {1, 2, 3, 4}}) == values{1, 3, 2, 4});
}

TEST_CASE("a picture with channels last is given with channels first") {
  const auto picture =
      bound({2, 2, 2}, {.name = "x", .shape = {1, 2, 2, 2}, .walk = {{4, 1}, {2, 4}}});
  CHECK(fed(picture, {{2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}}) == values{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("values beyond the program's numbers are told in the user's units") {
  // (pixel - 100) / 50 stands in the network itself: a number is worth 0.02 behind it.
  runtime::binding x{.name = "x", .shape = {1, 1, 3}, .scale = 0.02,
                     .pixels = quantised::pixels{{100}, {0, 1, 0}}, .picture = true,
                     .surface = {.precision = hw::precision::int8}};
  const auto told = [&](std::vector<float> values, std::vector<std::uint8_t> bytes) {
    std::vector<runtime::excess> all;
    runtime::count_excess(all, {"p", {{"p", std::move(values), std::move(bytes)}}}, {x});
    const auto problems = runtime::problems_of(all);
    return problems.empty() ? std::string() : problems[0].reason;
  };
  CHECK(told({0, 128, 227}, {0, 128, 227}).empty());
  CHECK(told({0, 250, 240}, {0, 250, 240}) ==
        "2 values of 1 input lie beyond what the calibration saw and became the largest number: "
        "250 where the program reaches 227 at most");
  // The user's own preprocessing is in the values.
  x.preprocessing = net::preprocessing{.mean = {100}, .scale = {0.02}};
  CHECK(told({-2, 3, 2.8F}, {0, 250, 240}) ==
        "2 values of 1 input lie beyond what the calibration saw and became the largest number: "
        "3 where the program reaches 2.54 at most");
  x.pixels.reset();
  x.picture = false;
  CHECK(told({-2, 3, 2.5F}, {}) ==
        "1 value of 1 input lies beyond what the calibration saw and became the largest number: "
        "3 where the program reaches 2.55 at most");
}
