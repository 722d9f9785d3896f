// SPDX-License-Identifier: Apache-2.0
// BDMA, Rubik and what of the bus is not a matter of layers.
#include <doctest/doctest.h>

#include <nvdlac/hw/configurations.hpp>

#include "program.hpp"

using namespace nvdlac;

namespace {

constexpr auto full = hw::register_map::full;
constexpr auto status = hw::address<full, "BDMA.STATUS">;
constexpr auto interrupts = hw::address<full, "GLB.S_INTR_STATUS">;

using buffer = std::vector<std::uint8_t>;

buffer counting(std::size_t n) {
  buffer b(n);
  for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  return b;
}
buffer read(const sim::memory& ram, std::uint64_t at, std::size_t n) {
  buffer b(n);
  ram.read(at, b);
  return b;
}

// A copy of 2 surfaces of 3 lines of 64 bytes, from gaps to dense.
program::registers<nv_full> copy_registers() {
  program::registers<nv_full> r;
  r.bytes("BDMA.CFG_SRC_ADDR_LOW", 0x1000).bytes("BDMA.CFG_DST_ADDR_LOW", 0x8000)
      .count("BDMA.CFG_LINE.SIZE", 2).set("BDMA.CFG_CMD.SRC_RAM_TYPE", 1)
      .set("BDMA.CFG_CMD.DST_RAM_TYPE", 0).count("BDMA.CFG_LINE_REPEAT.NUMBER", 3)
      .count("BDMA.CFG_SURF_REPEAT.NUMBER", 2).bytes("BDMA.CFG_SRC_LINE", 96)
      .bytes("BDMA.CFG_SRC_SURF", 320).bytes("BDMA.CFG_DST_LINE", 64)
      .bytes("BDMA.CFG_DST_SURF", 192);
  return r;
}

void queue(sim::device<nv_full>& d) { d.write(hw::address<full, "BDMA.CFG_OP">, 1); }
void launch(sim::device<nv_full>& d, bool second = false) {
  d.write(second ? hw::address<full, "BDMA.CFG_LAUNCH1"> : hw::address<full, "BDMA.CFG_LAUNCH0">,
          1);
}

program::registers<nv_full> rubik(std::uint32_t mode, std::uint32_t precision, std::uint32_t width,
                                  std::uint32_t height, std::uint32_t in, std::uint32_t out) {
  program::registers<nv_full> r;
  r.set("RBK.D_MISC_CFG.RUBIK_MODE", mode).set("RBK.D_MISC_CFG.IN_PRECISION", precision)
      .set("RBK.D_DAIN_RAM_TYPE", 1).set("RBK.D_DAOUT_RAM_TYPE", 1)
      .count("RBK.D_DATAIN_SIZE_0.DATAIN_WIDTH", width)
      .count("RBK.D_DATAIN_SIZE_0.DATAIN_HEIGHT", height)
      .count("RBK.D_DATAIN_SIZE_1.DATAIN_CHANNEL", in)
      .count("RBK.D_DATAOUT_SIZE_1.DATAOUT_CHANNEL", out)
      .bytes("RBK.D_DAIN_ADDR_LOW", 0x1000).bytes("RBK.D_DAOUT_ADDR_LOW", 0x20000);
  return r;
}

}  // namespace

TEST_CASE("BDMA queues, launches and interrupts") {
  sim::device<nv_full> d;
  const auto in = counting(1024);
  d.dram().write(0x1000, in);
  CHECK(d.read(status) == 0x114);  // 20 free slots, idle
  copy_registers().write(d);
  CHECK(d.read(status) == 0x114);
  queue(d);
  CHECK(d.read(status) == 0x013);  // one operation waits
  CHECK(d.cvsram().pages_in_use() == 0);
  copy_registers().bytes("BDMA.CFG_SRC_ADDR_LOW", 0x1020).bytes("BDMA.CFG_DST_ADDR_LOW", 0x9000)
      .write(d);
  queue(d);
  launch(d, true);
  CHECK(d.read(status) == 0x114);
  CHECK(d.read(interrupts) == 0x80);
  CHECK(d.run_until_interrupt());
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t y = 0; y < 3; ++y)
      for (std::size_t o = 0; o < 2; ++o) {
        const auto from = in.begin() + static_cast<std::ptrdiff_t>(s * 320 + y * 96 + o * 32);
        CHECK(read(d.cvsram(), 0x8000 + o * 0x1000 + s * 192 + y * 64, 64) ==
              buffer(from, from + 64));
      }
  d.write(interrupts, 0x80);
  CHECK_FALSE(d.run_until_interrupt());

  for (int i = 0; i < 20; ++i) queue(d);
  CHECK(d.read(status) == 0);
  CHECK_THROWS_WITH_AS(queue(d), doctest::Contains("BDMA.CFG_OP: all 20 slots"), error);
  d.reset();
  CHECK(d.read(status) == 0x114);
}

TEST_CASE("rules of BDMA") {
  const std::pair<const char*, std::uint32_t> broken[]{{"BDMA.CFG_DST_LINE", 32},
                                                       {"BDMA.CFG_DST_SURF", 32},
                                                       {"BDMA.CFG_SRC_ADDR_HIGH", 0xffffffff},
                                                       {"BDMA.CFG_LINE_REPEAT", 0xffffff}};
  for (const auto& [where, value] : broken) {
    CAPTURE(where);
    sim::device<nv_full> d({.elements = 1 << 20});
    auto r = copy_registers();
    if (std::string_view(where) == "BDMA.CFG_SRC_ADDR_HIGH") r.bytes("BDMA.CFG_SRC_ADDR_LOW",
                                                                     0xffffffe0);
    r.bytes(where, value).write(d);
    CHECK_THROWS_AS(queue(d), error);
    CHECK(d.read(status) == 0x114);
  }
  sim::device<nv_full> strict, lenient({.lenient = true});
  CHECK_THROWS_WITH_AS(launch(strict), doctest::Contains("no operation"), error);
  launch(lenient);
  CHECK(lenient.read(status) == 0x314);  // busy for ever
  CHECK(lenient.take_warnings().size() == 1);
}

TEST_CASE("Rubik splits and merges") {
  for (const std::uint32_t precision : {0u, 1u, 2u}) {
    const std::uint32_t element = precision == 0 ? 1 : 2, lanes = 32 / element;
    const std::uint32_t width = 37, height = 3, channels = 2 * lanes + 5;
    const auto row = static_cast<std::uint32_t>(align_up(width * element, 32));
    sim::device<nv_full> d;
    const auto in = counting(std::size_t{width} * height * 32 * 3);
    d.dram().write(0x1000, in);
    rubik(1, precision, width, height, channels, channels)
        .bytes("RBK.D_DAIN_LINE_STRIDE", width * 32)
        .bytes("RBK.D_DAIN_SURF_STRIDE", width * 32 * height)
        .bytes("RBK.D_DAOUT_LINE_STRIDE", row).bytes("RBK.D_DAOUT_PLANAR_STRIDE", row * height)
        .write(d);
    program::enable(d, {"RBK"});
    CHECK(d.read(interrupts) == 0x100);
    for (std::uint32_t c = 0; c < channels; ++c)
      for (std::uint32_t y = 0; y < height; ++y) {
        const auto plane = read(d.dram(), 0x20000 + (c * height + y) * row, row);
        for (std::uint32_t i = 0; i < row; ++i) {
          const auto x = i / element;
          const auto expected =
              x >= width ? 0
                         : in[((c / lanes * height + y) * width + x) * 32 +
                              c % lanes * element + i % element];
          REQUIRE(plane[i] == expected);
        }
      }
    d.reset();  // group 0 is next again
    rubik(2, precision, width, height, channels, channels)
        .bytes("RBK.D_DAIN_ADDR_LOW", 0x20000).bytes("RBK.D_DAOUT_ADDR_LOW", 0x80000)
        .bytes("RBK.D_DAIN_LINE_STRIDE", row).bytes("RBK.D_DAIN_PLANAR_STRIDE", row * height)
        .bytes("RBK.D_DAOUT_LINE_STRIDE", width * 32)
        .bytes("RBK.D_DAOUT_SURF_STRIDE", width * 32 * height)
        .write(d);
    program::enable(d, {"RBK"});
    auto expected = in;
    for (std::size_t i = 0; i < in.size(); ++i)  // the lanes beyond the last channel
      if (i / (width * 32 * height) * lanes + i % 32 / element >= channels) expected[i] = 0;
    CHECK(read(d.dram(), 0x80000, in.size()) == expected);
    CHECK(d.read(interrupts) == 0x100);
  }
}

TEST_CASE("Rubik alternates between its register groups") {
  constexpr auto pointer = hw::address<full, "RBK.S_POINTER">;
  constexpr auto enable = hw::address<full, "RBK.D_OP_ENABLE">;
  sim::device<nv_full> d;
  const auto r = rubik(1, 0, 4, 1, 8, 8).bytes("RBK.D_DAOUT_PLANAR_STRIDE", 32);
  r.write(d);
  d.write(pointer, 1);
  r.write(d);
  d.write(enable, 1);  // group 1, but the turn is group 0's
  CHECK(d.read(hw::address<full, "RBK.S_STATUS">) == 2 << 16);
  CHECK(d.waiting() == "RBK");
  CHECK_FALSE(d.run_until_interrupt());
  d.write(pointer, 0);
  d.write(enable, 1);
  CHECK(d.read(interrupts) == 0x300);
  CHECK(d.read(pointer) == 0);
  CHECK(d.read(hw::address<full, "RBK.S_STATUS">) == 0);
}

TEST_CASE("rules of Rubik") {
  const auto contract = [] {
    auto r = rubik(0, 0, 5, 3, 256, 64);
    r.count("RBK.D_DECONV_STRIDE.DECONV_X_STRIDE", 2)
        .count("RBK.D_DECONV_STRIDE.DECONV_Y_STRIDE", 2).bytes("RBK.D_DAIN_LINE_STRIDE", 160)
        .bytes("RBK.D_DAIN_SURF_STRIDE", 480).bytes("RBK.D_CONTRACT_STRIDE_0", 960)
        .bytes("RBK.D_CONTRACT_STRIDE_1", 640).bytes("RBK.D_DAOUT_LINE_STRIDE", 320)
        .bytes("RBK.D_DAOUT_SURF_STRIDE", 1920);
    return r;
  };
  {
    sim::device<nv_full> d;
    contract().write(d);
    REQUIRE_NOTHROW(program::enable(d, {"RBK"}));
  }
  const std::pair<const char*, std::uint32_t> broken[]{
      {"RBK.D_MISC_CFG", 3},           {"RBK.D_MISC_CFG", 0x300},
      {"RBK.D_CONTRACT_STRIDE_0", 480}, {"RBK.D_CONTRACT_STRIDE_1", 160},
      {"RBK.D_DAOUT_LINE_STRIDE", 288}, {"RBK.D_DAOUT_SURF_STRIDE", 0},
      {"RBK.D_DAIN_ADDR_HIGH", 0xffffffff}};
  for (const auto& [where, value] : broken) {
    CAPTURE(where);
    sim::device<nv_full> d;
    auto r = contract();
    if (value == 0xffffffff) r.bytes("RBK.D_DAIN_ADDR_LOW", 0xffffff00);
    r.bytes(where, value).write(d);
    CHECK_THROWS_WITH_AS(program::enable(d, {"RBK"}), doctest::Contains("RBK.D_"), error);
    CHECK(d.waiting().empty());
  }
}

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

TEST_CASE("CFGROM tells the configuration") {
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

TEST_CASE("layers tell what they did") {
  std::vector<sim::layer_record> layers;
  const auto listen = [&](auto& d) {
    d.on_layer([&](const sim::layer_record& r) { layers.push_back(r); });
  };
  const program::convolution c{.width = 6, .height = 5, .channels = 16, .kernels = 12};
  sim::device<nv_small> small;
  listen(small);
  program::convolution_registers<nv_small>(c).write(small);
  program::start_convolution(small);
  REQUIRE(layers.size() == 1);
  const auto& l = layers[0];
  CHECK(l.units == "CONV SDP");
  CHECK(l.in.width == 6);
  CHECK(l.in.channels == 16);
  CHECK(l.out.height == 5);
  CHECK(l.out.channels == 12);
  CHECK(l.macs == 6 * 5 * 12 * 9 * 16);
  CHECK(l.of(sim::client::cdma_dat).read[0] == 6 * 5 * 16);
  CHECK(l.of(sim::client::cdma_wt).read[0] == align_up(12 * 9 * 16, 128));
  CHECK(l.of(sim::client::sdp).written[0] == 6 * 5 * 16);
  CHECK(l.total().read[1] + l.total().written[1] == 0);

  layers.clear();
  program::pooling p{.width = 8, .height = 6, .channels = 20, .out_width = 4, .out_height = 3,
                     .method = 1};
  program::pdp_registers<nv_small>(p).write(small);
  program::enable(small, {"PDP_RDMA", "PDP"});
  REQUIRE(layers.size() == 1);
  CHECK(layers[0].units == "PDP");
  CHECK(layers[0].of(sim::client::pdp_rdma).read[0] == 8 * 6 * 24);
  CHECK(layers[0].of(sim::client::pdp).written[0] == 4 * 3 * 24);
  CHECK(layers[0].macs == 0);

  layers.clear();
  sim::device<nv_full> full;
  listen(full);
  copy_registers().write(full);
  queue(full);
  launch(full);
  rubik(1, 1, 5, 2, 17, 17).bytes("RBK.D_DAIN_SURF_STRIDE", 320)
      .bytes("RBK.D_DAIN_LINE_STRIDE", 160).bytes("RBK.D_DAOUT_LINE_STRIDE", 32)
      .bytes("RBK.D_DAOUT_PLANAR_STRIDE", 64).write(full);
  program::enable(full, {"RBK"});
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].units == "BDMA");
  CHECK(layers[0].of(sim::client::bdma).read[0] == 384);
  CHECK(layers[0].of(sim::client::bdma).written[1] == 384);
  CHECK(layers[1].units == "RBK");
  CHECK(layers[1].in.precision == hw::precision::int16);
  CHECK(layers[1].of(sim::client::rubik).read[0] == 5 * 2 * 2 * 32);
  CHECK(layers[1].of(sim::client::rubik).written[0] == 17 * 2 * 32);
}
