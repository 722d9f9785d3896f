// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/lower/hidden_table.hpp>

#include <cstdint>

#include <doctest/doctest.h>

#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/net/convolution.hpp>

using namespace nvdlac;

namespace {

constexpr bool hides(const hw::spec& s, std::int32_t channels, std::int32_t kernels,
                     std::int32_t kernel, std::int32_t groups = 1) {
  const net::window w{.kernel_h = kernel, .kernel_w = kernel};
  return lower::hides_a_table(s, {.kernels = kernels, .window = w, .groups = groups},
                              {channels, 28, 28}, {kernels, 28, 28});
}

}  // namespace

TEST_CASE("products are looked up in small maps, and in large ones where they are many") {
  // nv_large takes 8 cycles for an atom of the table and 2 for each product and its second operand.
  CHECK(lower::looks_up_for_less(nv_large::spec, {4, 6, 6}, 2));
  CHECK(!lower::looks_up_for_less(nv_large::spec, {64, 56, 56}, 2));
  CHECK(lower::looks_up_for_less(nv_large::spec, {64, 56, 56}, 4));
  CHECK(!lower::looks_up_for_less(nv_large::spec, {4, 6, 6}, 1));
  CHECK(!lower::looks_up_for_less(nv_small::spec, {4, 6, 6}, 9));  // no table
}

TEST_CASE("functions without need of a table are looked up where the MACs hide it") {
  // nv_large: 32 results take 8 cycles by the table, 3 without it and 4 more in two passes of SDP.
  // A step of 64 channels takes one.
  CHECK(!hides(nv_large::spec, 64, 96, 1));
  CHECK(!hides(nv_large::spec, 192, 32, 1));
  CHECK(hides(nv_large::spec, 256, 32, 1));
  CHECK(hides(nv_large::spec, 16, 96, 3));
  CHECK(hides(nv_large::spec, 96, 96, 3, 96));  // depthwise
  CHECK(hides(nv_full::spec, 96, 96, 5, 96));
  // An image of 3 channels has 27 taps, which one step takes.
  CHECK(!hides(nv_large::spec, 3, 16, 3));
  // With one element a cycle for the table and two without it, passes lose whatever the MACs need.
  CHECK(hides(nv_small_256_full::spec, 16, 96, 1));
  // The next convolution waits until 49 pixels have left CACC, but on nv_full.
  constexpr net::window five{.kernel_h = 5, .kernel_w = 5};
  constexpr net::shape map{96, 7, 7};
  CHECK(!lower::hides_a_table(nv_large::spec,
                              {.kernels = 96, .window = five, .groups = 96}, map, map));
  CHECK(lower::hides_a_table(nv_full::spec,
                             {.kernels = 96, .window = five, .groups = 96}, map, map));
  // The MACs of a few pixels wait for their weights.
  CHECK(lower::hides_a_table(nv_large::spec, {.kernels = 1280}, {576, 1, 1}, {1280, 1, 1}));
  // No table, no look-up.
  CHECK(!hides(nv_small::spec, 512, 512, 3));
}
