// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "movers.hpp"

using namespace nvdlac;
using namespace movers;

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
  sim::device<nv_full> both;
  copy_registers().write(both);
  queue(both);
  copy_registers().set("BDMA.CFG_CMD.DST_RAM_TYPE", 1).write(both);
  CHECK_THROWS_WITH_AS(queue(both), doctest::Contains("goes to one memory"), error);
  sim::device<nv_full> strict, lenient({.lenient = true});
  CHECK_THROWS_WITH_AS(launch(strict), doctest::Contains("no operation"), error);
  launch(lenient);
  CHECK(lenient.read(status) == 0x314);  // busy for ever
  CHECK(lenient.take_warnings().size() == 1);
}
