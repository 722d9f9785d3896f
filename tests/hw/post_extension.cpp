// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/hw/capacity.hpp>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

using namespace nvdlac;

// nv_full's MAC array takes 64 elements: 3 x 3 pixels of 4 channels have 12 in a line.
static_assert(hw::most_kernel_lines(nv_full::spec, 3, 12, 4) == 4);
static_assert(hw::most_kernel_lines(nv_full::spec, 2, 12, 4) == 2);
static_assert(hw::most_kernel_lines(nv_full::spec, 1, 12, 4) == 1);
// 7 x 7 of 4 channels: two lines are 56 elements; 11 x 11 of 4 have 44 in one.
static_assert(hw::most_kernel_lines(nv_full::spec, 7, 28, 8) == 2);
static_assert(hw::most_kernel_lines(nv_full::spec, 11, 44, 16) == 1);
// A step to the right moves 64 elements at most.
static_assert(hw::most_kernel_lines(nv_full::spec, 3, 12, 32) == 2);
static_assert(hw::most_kernel_lines(nv_full::spec, 3, 12, 64) == 1);
// nv_small's takes 8.
static_assert(hw::most_kernel_lines(nv_small::spec, 3, 3, 1) == 2);
static_assert(hw::most_kernel_lines(nv_small::spec, 5, 5, 1) == 1);
// NVIDIA's RTL of nv_small computes with the wrong lines where they stand further apart.
static_assert(hw::most_kernel_lines(nv_small::spec, 2, 4, 4) == 2);
static_assert(hw::most_kernel_lines(nv_small::spec, 2, 4, 8) == 1);
static_assert(hw::most_kernel_lines(nv_small::spec, 4, 1, 2) == 4);
static_assert(hw::most_kernel_lines(nv_small::spec, 4, 1, 3) == 2);
static_assert(!hw::takes_kernel_lines(nv_full::spec, 3, 12, 4));

TEST_CASE("a step takes as many lines as the MAC array and the shift register hold") {
  for (const auto& s : {nv_small::spec, nv_full::spec})
    for (std::uint64_t width = 1; width <= 16; ++width)
      for (const std::uint64_t channels : {1u, 3u, 4u})
        for (std::uint64_t stride = 1; stride <= 8; ++stride)
          for (std::uint64_t height = 1; height <= 8; ++height) {
            const std::uint64_t line = width * channels, step = stride * channels;
            const std::uint64_t hold = s.mac_atomic_c / std::max(line, step);
            const auto wanted = hold >= 4 && height > 2 ? 4u : hold >= 2 && height > 1 ? 2u : 1u;
            CAPTURE(line);
            CAPTURE(step);
            CAPTURE(height);
            CHECK(hw::most_kernel_lines(s, height, line, step) == wanted);
          }
}
