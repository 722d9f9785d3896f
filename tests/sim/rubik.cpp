// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "movers.hpp"

using namespace nvdlac;
using namespace movers;

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
  {
    sim::device<nv_full> d;
    contract().count("RBK.D_DATAIN_SIZE_0.DATAIN_WIDTH", 4097).write(d);
    CHECK_THROWS_WITH_AS(program::enable(d, {"RBK"}),
                         doctest::Contains("8194 pixels are more than 8192"), error);
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
