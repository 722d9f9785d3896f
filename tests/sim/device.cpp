// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "program.hpp"

using namespace nvdlac;

namespace {

constexpr auto map = hw::register_map::small;
constexpr auto status = hw::address<map, "GLB.S_INTR_STATUS">;

void set_producer(sim::device<nv_small>& d, std::uint32_t group) {
  for (const auto* unit : {"CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC", "SDP"})
    d.write(hw::find(map, text(unit, ".S_POINTER"))->address, group);
}

std::vector<std::uint8_t> content(const sim::memory& m, std::uint64_t address, std::size_t n) {
  std::vector<std::uint8_t> v(n);
  m.read(address, v);
  return v;
}

// 1x1 on one pixel of 8 channels: kernel k has the weight k + 1 in every channel.
program::convolution small_layer() {
  return {.width = 1, .height = 1, .channels = 8, .kernels = 8, .kernel = 1, .pad = 0};
}

void load_small_layer(sim::device<nv_small>& d, const program::convolution& c) {
  const std::vector<std::uint8_t> in{1, 2, 3, 4, 5, 6, 7, 0xf6};  // the sum is 18
  d.dram().write(c.input, in);
  std::vector<std::uint8_t> weights;
  for (std::uint8_t k = 1; k <= 8; ++k) weights.insert(weights.end(), 8, k);
  d.dram().write(c.weights, weights);
}

const std::vector<std::uint8_t> small_result{18, 36, 54, 72, 90, 108, 126, 127};

}  // namespace

TEST_CASE("a layer runs when the last of its units is enabled") {
  sim::device<nv_small> d;
  const auto c = small_layer();
  load_small_layer(d, c);
  program::convolution_registers<nv_small>(c).write(d);
  program::enable(d, {"SDP", "CACC", "CMAC_A", "CMAC_B", "CSC"});
  CHECK(d.waiting() == "CSC CMAC_A CMAC_B CACC SDP");
  CHECK(d.read(hw::address<map, "SDP.S_STATUS">) == 1);
  CHECK(d.read(hw::address<map, "SDP.D_OP_ENABLE">) == 1);
  CHECK_FALSE(d.run());
  CHECK(d.read(status) == 0);
  CHECK(d.read(hw::address<map, "CDMA.S_CBUF_FLUSH_STATUS">) == 1);
  program::enable(d, {"CDMA"});
  CHECK(d.waiting().empty());
  CHECK(content(d.dram(), c.output, 8) == small_result);
  CHECK(d.read(hw::address<map, "SDP.S_STATUS">) == 0);
  CHECK(d.read(hw::address<map, "SDP.D_OP_ENABLE">) == 0);
  CHECK(d.read(hw::address<map, "SDP.S_POINTER">) == 1u << 16);

  // SDP, CDMA's data and weights, CACC, all of group 0.
  CHECK(d.read(status) == (1u | 1u << 16 | 1u << 18 | 1u << 20));
  CHECK(d.interrupt());
  d.write(hw::address<map, "GLB.S_INTR_MASK">, 0x00150000);
  CHECK(d.interrupt());
  d.write(status, 1);
  CHECK_FALSE(d.interrupt());
  CHECK(d.read(status) == 0x00150000);
  d.write(hw::address<map, "GLB.S_INTR_SET">, 0x10);
  CHECK(d.interrupt());
  d.write(status, 0xffffffff);
  CHECK(d.read(status) == 0);
}

TEST_CASE("the other group waits until its turn") {
  sim::device<nv_small> d;
  auto first = small_layer(), second = first;
  second.output = 0x300000;
  second.truncate = 1;
  load_small_layer(d, first);
  program::convolution_registers<nv_small>(first).write(d);
  program::enable(d, {"SDP", "CACC", "CMAC_A", "CMAC_B", "CSC"});
  set_producer(d, 1);
  program::convolution_registers<nv_small>(second).write(d);
  program::start_convolution(d);
  CHECK(d.read(hw::address<map, "CSC.S_STATUS">) == (1u | 2u << 16));
  CHECK(d.read(hw::address<map, "CDMA.S_STATUS">) == 2u << 16);
  CHECK(d.read(hw::address<map, "CACC.D_CLIP_CFG">) == 1);
  CHECK(d.read(status) == 0);
  set_producer(d, 0);
  CHECK(d.read(hw::address<map, "CACC.D_CLIP_CFG">) == 0);
  program::enable(d, {"CDMA"});
  CHECK(d.waiting().empty());
  CHECK(content(d.dram(), first.output, 8) == small_result);
  CHECK(content(d.dram(), second.output, 8) ==
        std::vector<std::uint8_t>{9, 18, 27, 36, 45, 54, 63, 72});
  CHECK((d.read(status) & 3) == 3);
  CHECK(d.read(hw::address<map, "SDP.S_POINTER">) == 0);  // producer 0, consumer 0 again
}

TEST_CASE("results that CACC saturates are counted") {
  // 131072 products of -128 * -128 are one more than 32 bits hold, of -128 * 127 they are not.
  constexpr std::uint32_t elements = 4 * 4 * 8192;
  const program::convolution c{.width = 4, .height = 4, .channels = 8192, .kernels = 1,
                               .kernel = 4, .pad = 0};
  for (const bool saturates : {true, false}) {
    sim::device<nv_large> d;
    d.dram().fill(c.input, elements, 0x80);
    d.dram().fill(c.weights, elements, saturates ? 0x80 : 0x7f);
    program::convolution_registers<nv_large>(c).write(d);
    program::start_convolution(d);
    CHECK(d.read(hw::address<map, "CACC.D_OUT_SATURATION">) == (saturates ? 1 : 0));
    CHECK(content(d.dram(), c.output, 2) ==
          std::vector<std::uint8_t>{static_cast<std::uint8_t>(saturates ? 0x7f : 0x80), 0});
  }
}

TEST_CASE("a reader with nothing to read ends by itself") {
  sim::device<nv_small> d;
  program::registers<nv_small> r;
  r.set("SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE", 1)
      .set("SDP_RDMA.D_BRDMA_CFG.BRDMA_DISABLE", 1)
      .set("SDP_RDMA.D_NRDMA_CFG.NRDMA_DISABLE", 1)
      .write(d);
  program::enable(d, {"SDP_RDMA"});
  CHECK(d.waiting().empty());
}

// The public firmware does not write it.
TEST_CASE("PDP's reader reads whatever its flying mode says") {
  for (const bool off : {false, true}) {
    sim::device<nv_small> d;
    const program::pooling p{.width = 2, .height = 2, .out_width = 1, .out_height = 1,
                             .kernel = 2, .stride = 1};
    d.dram().write(p.input, std::vector<std::uint8_t>(32, 0xfb));
    program::pdp_registers<nv_small>(p).set("PDP_RDMA.D_FLYING_MODE", off).write(d);
    program::enable(d, {"PDP_RDMA", "PDP"});
    CHECK(d.waiting().empty());
    CHECK(content(d.dram(), p.output, 8) == std::vector<std::uint8_t>(8, 0xfb));
  }
}

TEST_CASE("pooling: padding does not win, averages round twice") {
  sim::device<nv_small> d;
  program::pooling p{.width = 2, .height = 2, .out_width = 3, .out_height = 3, .kernel = 2,
                     .stride = 1, .pad_left = 1, .pad_top = 1, .pad_right = 1, .pad_bottom = 1};
  std::vector<std::uint8_t> in(32, 0xfb);  // -5
  d.dram().write(p.input, in);
  program::pdp_registers<nv_small>(p).write(d);
  program::enable(d, {"PDP", "PDP_RDMA"});
  CHECK(content(d.dram(), p.output, 72) == std::vector<std::uint8_t>(72, 0xfb));
  CHECK(d.read(status) == 1u << 4);

  p.method = 0;
  for (const auto* unit : {"PDP", "PDP_RDMA"})
    d.write(hw::find(map, text(unit, ".S_POINTER"))->address, 1);
  program::pdp_registers<nv_small>(p).write(d);
  program::enable(d, {"PDP_RDMA", "PDP"});
  const auto out = content(d.dram(), p.output, 72);
  CHECK(out[0] == 0xfe);   // -5/4: -2.5 to -3, -1.5 to -2
  CHECK(out[8] == 0xfd);   // -10/4: -5, -2.5 to -3
  CHECK(out[32] == 0xfb);  // -20/4
}

TEST_CASE("reset forgets all but the memories") {
  sim::device<nv_small> d;
  const auto c = small_layer();
  load_small_layer(d, c);
  program::convolution_registers<nv_small>(c).write(d);
  program::enable(d, {"SDP", "CSC"});
  d.reset();
  CHECK(d.waiting().empty());
  CHECK(d.read(hw::address<map, "CDMA.D_WEIGHT_BYTES">) == 0);
  program::convolution_registers<nv_small>(c).write(d);
  program::start_convolution(d);
  CHECK(content(d.dram(), c.output, 8) == small_result);
}

TEST_CASE("memory: sparse, zero at first, bounded") {
  sim::memory m("m", 32, 1 << 20);
  const std::vector<std::uint8_t> data{1, 2, 3, 4};
  m.write(sim::memory::page_size - 2, data);
  CHECK(content(m, sim::memory::page_size - 3, 6) == std::vector<std::uint8_t>{0, 1, 2, 3, 4, 0});
  CHECK(m.pages_in_use() == 2);
  m.fill(0, std::uint64_t{1} << 32, 0);  // zeros need no new pages
  CHECK(m.pages_in_use() == 2);
  CHECK(content(m, sim::memory::page_size, 1)[0] == 0);
  m.write(0xfffffffc, data);
  CHECK(m.contains(0xffffffff, 1));
  CHECK_FALSE(m.contains(0xffffffff, 2));
  CHECK_FALSE(m.contains(0x100000000, 1));
  CHECK_THROWS_WITH_AS(m.write(0xfffffffd, data), doctest::Contains("beyond"), error);
  CHECK_THROWS_AS(content(m, ~std::uint64_t{0}, 2), error);
  CHECK_THROWS_WITH_AS(m.fill(0, 1 << 24, 1), doctest::Contains("more than"), error);
  sim::memory wide;
  wide.write(~std::uint64_t{0} - 3, data);
  CHECK(content(wide, ~std::uint64_t{0}, 1)[0] == 4);
}

TEST_CASE("an arbiter's weight of 0 is a client that waits for ever") {
  const auto address = hw::address<map, "MCIF.CFG_RD_WEIGHT_1">;
  sim::device<nv_small> strict;
  strict.write(address, 0x01010101);
  const char* reason =
      "MCIF.CFG_RD_WEIGHT_1.RD_WEIGHT_SDP_N: 0, by which its client is never served";
  CHECK_THROWS_WITH_AS(strict.write(address, 0x01010001), reason, error);
  strict.write(address, 0x01000101);  // nv_small has no SDP_E
  strict.write(hw::address<map, "MCIF.CFG_RD_WEIGHT_2">, 0x00000101);  // nor what is reserved

  sim::device<nv_small> lenient({.lenient = true});
  lenient.write(address, 0x00010101);
  CHECK(lenient.take_warnings().size() == 1);
}
