// SPDX-License-Identifier: Apache-2.0
// Tensors of the user for inputs that a program reads in another order than the file has.
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/runtime/infer.hpp>

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
