// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/multipliers.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace nvdlac;

TEST_CASE("an int8 is the nearest, half away from zero") {
  for (int halves = -600; halves <= 600; ++halves) {
    const double x = halves / 2.0;
    for (const double near : {x, std::nextafter(x, 1000), std::nextafter(x, -1000)}) {
      CAPTURE(near);
      CHECK(quant::round8(near) == std::clamp(std::round(near), -127.0, 127.0));
    }
  }
  CHECK(quant::round8(1e300) == 127);
  CHECK(quant::round8(-1e300) == -127);
}
