// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/hw/delivery.hpp>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_medium_1024_full.hpp>
#include <nvdlac/hw/configurations/nv_medium_512.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>
#include <nvdlac/hw/configurations/nv_small_256_full.hpp>

#include <doctest/doctest.h>

using namespace nvdlac;

// CACC_DBUF_DEPTH of the RTL as its own tools generate it.
static_assert(hw::delivery_buffer(nv_small::spec) == 16);
static_assert(hw::delivery_buffer(nv_small_256::spec) == 32);
static_assert(hw::delivery_buffer(nv_small_256_full::spec) == 32);
static_assert(hw::delivery_buffer(nv_medium_512::spec) == 32);
static_assert(hw::delivery_buffer(nv_medium_1024_full::spec) == 64);
static_assert(hw::delivery_buffer(nv_large::spec) == 64);

TEST_CASE("a convolution that the delivery buffer holds beside another's end confuses CACC") {
  CHECK(hw::confuses_delivery(nv_small::spec, 15, 100));
  CHECK_FALSE(hw::confuses_delivery(nv_small::spec, 16, 100));
  CHECK(hw::confuses_delivery(nv_large::spec, 63, 100));
  CHECK_FALSE(hw::confuses_delivery(nv_large::spec, 64, 100));
  CHECK_FALSE(hw::confuses_delivery(nv_full::spec, 1, 1));  // of the other branch
  // Its own MACs take longer than what was before can stay in the buffer.
  CHECK_FALSE(hw::confuses_delivery(nv_small::spec, 2, hw::longest_delivery));
}

TEST_CASE("atoms and cycles of a layer follow from pixels and kernel groups") {
  using enum hw::precision;
  CHECK(hw::delivered_atoms(nv_small::spec, int8, 5, 16) == 10);
  CHECK(hw::delivered_atoms(nv_small::spec, int8, 5, 17) == 15);
  CHECK(hw::delivered_atoms(nv_large::spec, int8, 49, 32) == 49);
  CHECK(hw::mac_cycles(nv_small::spec, int8, 5, 9, 3) == 2 * 3 * 8);  // 8 weights in 8 cycles
  CHECK(hw::mac_cycles(nv_small::spec, int8, 20, 8, 3) == 3 * 20);
}
