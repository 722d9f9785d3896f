// SPDX-License-Identifier: Apache-2.0
// Interrupts, CFGROM, and what a lenient device tolerates.
#include <doctest/doctest.h>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "movers.hpp"

using namespace nvdlac;
using namespace movers;

TEST_CASE("interrupts are set, masked and cleared") {
  constexpr auto mask = hw::address<full, "GLB.S_INTR_MASK">;
  constexpr auto set = hw::address<full, "GLB.S_INTR_SET">;
  sim::device<nv_full> d;
  CHECK(d.read(mask) == 0);
  d.write(set, 0xffffffff);
  CHECK(d.read(interrupts) == 0x3f03ff);
  CHECK(d.interrupt());
  d.write(mask, 0xffffffff);
  CHECK(d.read(mask) == 0x3f03ff);
  CHECK_FALSE(d.interrupt());  // the mask acts on the line, not on the status
  CHECK(d.read(interrupts) == 0x3f03ff);
  d.write(interrupts, 0x3f03fe);
  CHECK(d.read(interrupts) == 1);
  d.write(mask, 0x3f03fe);
  CHECK(d.interrupt());
}

TEST_CASE("CFGROM is the public RTL's, in every configuration the one of nv_small") {
  static_assert(sim::cfgrom(nv_small::spec).word(0) == 0x10001);
  static_assert(sim::cfgrom(nv_small::spec).word(0x20) == 0x400);   // CIF_BASE_MEM_ADDR_WIDTH
  static_assert(sim::cfgrom(nv_small::spec).word(0x38) == 8);       // CDMA_BASE_ATOMIC_C
  static_assert(sim::cfgrom(nv_large::spec).word(0x38) == 64);
  static_assert(sim::cfgrom(nv_large::spec).word(0x48) == 64);      // CDMA_BASE_CBUF_BANK_WIDTH
  sim::device<nv_small> d;
  std::uint32_t sum = 0;
  for (std::uint32_t a = 0; a < 0x200; a += 4) sum = sum * 31 + d.read(a);
  CHECK(sum == 0xd01ebc05);  // of the words of the public ROM
  d.write(0, 5);
  CHECK(d.read(0) == 0x10001);
  sim::device<nv_large> large;
  for (std::uint32_t a = 0; a < 0x200; a += 4) CHECK(large.read(a) == d.read(a));
}

TEST_CASE("what a lenient device tolerates") {
  constexpr auto width = hw::address<full, "SDP.D_DATA_CUBE_WIDTH">;
  sim::device<nv_full> strict, d({.lenient = true});
  CHECK(d.read(0xfff0) == 0);
  d.write(0xfff0, 1);
  CHECK(d.take_warnings().size() == 2);
  d.write(hw::address<full, "SDP.D_DST_LINE_STRIDE">, 0x1007);
  CHECK(d.read(hw::address<full, "SDP.D_DST_LINE_STRIDE">) == 0x1000);
  CHECK_THROWS_WITH_AS(strict.write(hw::address<full, "SDP.D_DST_LINE_STRIDE">, 0x1007),
                       doctest::Contains("0x1007 is not a multiple of 0x20"), error);
  program::convolution_registers<nv_full>({}).write(d);
  const auto before = d.read(width);
  program::enable(d, {"SDP", "SDP"});
  d.write(width, before + 1);
  CHECK(d.read(width) == before);
  const auto warnings = d.take_warnings();
  REQUIRE(warnings.size() == 3);
  CHECK(warnings[1] == "SDP.D_OP_ENABLE: group 0 is already enabled");
  CHECK(warnings[2] == "SDP.D_DATA_CUBE_WIDTH: written while group 0 is enabled");
  CHECK(d.take_warnings().empty());

  sim::device<nv_small> small({.lenient = true});
  constexpr auto launch_small = hw::address<hw::register_map::small, "BDMA.CFG_LAUNCH0">;
  small.write(launch_small, 1);
  CHECK(small.read(launch_small) == 0);
  CHECK(small.take_warnings().size() == 2);
}
