// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/hw/post_extension.hpp>

#include <nvdlac/hw/nv_full.hpp>
#include <nvdlac/hw/nv_small.hpp>

#include <doctest/doctest.h>

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
static_assert(!hw::takes_kernel_lines(nv_full::spec, 3, 12, 4));

TEST_CASE("The lines of a step are a block of channels, and fit the shift register") {
  for (const auto& s : {nv_small::spec, nv_full::spec})
    for (std::uint64_t width = 1; width <= 16; ++width)
      for (std::uint64_t channels : {1, 3, 4})
        for (std::uint64_t stride = 1; stride <= 8; ++stride)
          for (std::uint64_t height = 1; height <= 8; ++height) {
            const std::uint64_t line = width * channels;
            const auto lines = hw::most_kernel_lines(s, height, line, stride * channels);
            CAPTURE(height);
            CAPTURE(line);
            REQUIRE(hw::takes_kernel_lines(s, lines, line, stride * channels));
            // Twice as many are too many for the kernel or for the hardware.
            CHECK((lines >= height || !hw::takes_kernel_lines(s, 2 * lines, line,
                                                              stride * channels)));
          }
}
