// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/tensor.hpp>

using namespace nvdlac;

TEST_CASE("a shape that no tensor has is an error") {
  CHECK(net::float_tensor{{2, 3, 4}}.values.size() == 24);
  CHECK(net::float_tensor{{2, 0, 4}}.values.empty());
  static_assert(net::int8_tensor{{2, 1, 1}}.values.size() == 2);
  const auto refused = [](net::shape s, const char* why) {
    CHECK_THROWS_WITH_AS((void)net::float_tensor{s}, why, error);
    CHECK_THROWS_WITH_AS((void)net::int8_tensor{s}, why, error);
  };
  refused({-1, 2, 2}, "no tensor is -1x2x2");
  refused({-1, -2, 2}, "no tensor is -1x-2x2");
  refused({1 << 30, 1 << 30, 16}, "no tensor is 1073741824x1073741824x16");
  refused({INT32_MAX, INT32_MAX, INT32_MAX}, "no tensor is 2147483647x2147483647x2147483647");
}
