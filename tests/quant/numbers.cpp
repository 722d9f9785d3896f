// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/quantised/numbers.hpp>

using namespace nvdlac;

TEST_CASE("numbers saturate where those of the hardware end") {
  const net::float_tensor x{{1, 1, 3}, {-3, 0.5F, 3}};
  CHECK(
      std::get<net::int8_tensor>(quantised::numbers_of(x, 1 / 64.0, hw::precision::int8)).values ==
      std::vector<std::int8_t>{-128, 32, 127});
  CHECK(std::get<net::tensor<std::int16_t>>(
            quantised::numbers_of(x, 1 / 16384.0, hw::precision::int16)).values ==
        std::vector<std::int16_t>{-32768, 8192, 32767});
}
