// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/runtime/uio.hpp>

#include "linux_tree.hpp"
#include "problem_of.hpp"

namespace runtime = nvdlac::runtime;

namespace {

runtime::uio_options options_of(const linux_tree& linux, std::string_view text = "uio0") {
  auto o = runtime::uio_options::parse(text);
  o.root = linux.root();
  return o;
}
nvdlac::problem problem_of_board(const linux_tree& linux, std::string_view text) {
  return problem_of([&] { runtime::uio(options_of(linux, text)); });
}

std::vector<std::uint8_t> some_bytes(std::size_t n) {
  std::vector<std::uint8_t> all(n);
  std::iota(all.begin(), all.end(), std::uint8_t{1});
  return all;
}

}  // namespace

TEST_CASE("a board is told in words") {
  const auto usual = runtime::uio_options::parse("uio0");
  CHECK(usual.device == "uio0");
  CHECK(usual.registers.number == 0);
  CHECK_FALSE(std::get<runtime::udmabuf>(usual.memory).name.has_value());
  const auto all = runtime::uio_options::parse(
      "nvdla,registers=map1,memory=0x60000000+256M,cvsram=0x50000000+512K,offset=-0x40000000");
  CHECK(all.device == "nvdla");
  CHECK(all.registers.number == 1);
  CHECK(std::get<runtime::reserved_region>(all.memory).address == 0x60000000);
  CHECK(std::get<runtime::reserved_region>(all.memory).size == 256u << 20);
  CHECK(all.cvsram->size == 512u << 10);
  CHECK(all.offset == -0x40000000);
  CHECK(std::get<runtime::udmabuf>(runtime::uio_options::parse("uio0,memory=udmabuf1").memory)
            .name == "udmabuf1");
  CHECK(std::get<runtime::device_map>(runtime::uio_options::parse("uio0,memory=map2").memory)
            .number == 2);
  for (const char* wrong :
       {"", "../mem", "uio0,memory", "uio0,memory=", "uio0,memory=0x6000+", "uio0,colour=1",
        "uio0,memory=0x60000000+0", "uio0,memory=0xffffffffffffffff+2", "uio0,registers=1",
        "uio0,cvsram=udmabuf0", "uio0,offset=far", "uio0,memory=a/b", "uio0,memory=1+99999999999G",
        "uio0,,offset=1"})
    CHECK_MESSAGE(has(problem_of([&] { runtime::uio_options::parse(wrong); }).reason,
                        "is nothing that a UIO device is told"), wrong);
  CHECK(has(problem_of([] { runtime::uio_options::parse("uio0,memory=1+"); }).remedy,
              "ADDRESS+SIZE"));
}

TEST_CASE("registers are those of the map") {
  const linux_tree linux;
  runtime::uio board(options_of(linux));
  CHECK(board.name() == "uio0 (nvdla)");
  board.write(0x1004, 0x12345678);
  CHECK(board.read(0x1004) == 0x12345678);
  CHECK(linux.read(linux.root() / "dev/uio0").substr(0x1004, 4) == "\x78\x56\x34\x12");
  for (const std::uint32_t beyond : {0x20000u, 0x2u, 0xfffffffcu})
    CHECK(has(problem_of([&] { board.read(beyond); }).reason, "is beyond map0"));
}

TEST_CASE("a map that begins within its page") {
  const linux_tree linux;
  SUBCASE("as newer kernels tell it") {
    linux.add_map("uio0", 0, "0xa0000000", "0x20000", "0x400");
    runtime::uio board(options_of(linux));
    board.write(0x1fbfc, 7);
    CHECK(linux.read(linux.root() / "dev/uio0")[0x1fffc] == 7);
    CHECK_THROWS_AS(board.write(0x1fc00, 7), nvdlac::error);
  }
  SUBCASE("as older ones do") {
    linux.add_map("uio0", 0, "0xa0000400", "0x1000", "0x400");
    runtime::uio board(options_of(linux));
    board.write(0xffc, 7);
    CHECK(linux.read(linux.root() / "dev/uio0")[0x13fc] == 7);
    CHECK_THROWS_AS(board.write(0x1000, 7), nvdlac::error);
  }
}

TEST_CASE("memory is handed out in pages, and its end is told") {
  const linux_tree linux;
  runtime::uio board(options_of(linux));
  const auto a = board.allocate(100, true), b = board.allocate(4097, true),
             c = board.allocate(1, true);
  CHECK(a == nvdlac::emit::dma_address{0x60000000, true});
  CHECK(b.address == 0x60001000);
  CHECK(c.address == 0x60003000);
  const auto p = problem_of([&] { board.allocate(1 << 20, true); });
  CHECK(has(p.file, "udmabuf0"));
  CHECK(has(p.reason, "has 1048576 bytes, of which 1032192 are left, and 1048576 are asked for"));
  CHECK(has(p.remedy, "udmabuf0=BYTES"));
  CHECK(board.allocate(1032192, true).address == 0x60004000);
  CHECK_THROWS_AS(board.allocate(1, true), nvdlac::error);
  CHECK(has(problem_of([&] { board.allocate(1, false); }).remedy, "cvsram=ADDRESS+SIZE"));
}

TEST_CASE("bytes go to memory and come back, and the lines around them are synced") {
  const linux_tree linux;
  runtime::uio board(options_of(linux));
  const auto sent = some_bytes(1000);
  const auto at = board.allocate(5000, true);
  const nvdlac::emit::dma_address inside{at.address + 70, true};
  board.load(inside, sent);
  // From the line that begins at 64 to that which ends at 1088, to the device.
  CHECK(linux.read(linux.sys("u-dma-buf/udmabuf0/sync_for_device")) == "0x0000004000000405");
  // The last line, which has other bytes too, from the device before.
  CHECK(linux.read(linux.sys("u-dma-buf/udmabuf0/sync_for_cpu")) == "0x0000040000000049");
  std::vector<std::uint8_t> got(1000);
  board.fetch(inside, got);
  CHECK(got == sent);
  CHECK(linux.read(linux.sys("u-dma-buf/udmabuf0/sync_for_cpu")) == "0x0000004000000409");
  const auto beyond = nvdlac::emit::dma_address{0x60100000 - 999, true};
  CHECK(has(problem_of([&] { board.load(beyond, sent); }).reason, "are not in it"));
  CHECK(has(problem_of([&] { board.fetch({0x5fffffff, true}, got); }).reason,
              "are not in it"));
}

TEST_CASE("nothing is synced where caches are coherent or off") {
  const linux_tree linux;
  const auto buffer = linux.sys("u-dma-buf/udmabuf0");
  std::filesystem::remove(buffer / "sync_for_device");
  std::filesystem::remove(buffer / "sync_for_cpu");
  CHECK(has(problem_of_board(linux, "uio0").file, "sync_for_device"));
  SUBCASE("coherent") { linux.write(buffer / "dma_coherent", "1"); }
  SUBCASE("off") { linux.write(buffer / "sync_mode", "5"); }
  runtime::uio board(options_of(linux));
  const auto at = board.allocate(100, true);
  const auto sent = some_bytes(100);
  std::vector<std::uint8_t> got(100);
  board.load(at, sent);
  board.fetch(at, got);
  CHECK(got == sent);
}

TEST_CASE("regions and offsets") {
  const linux_tree linux;
  linux.add_device("mem", 0x200000);
  auto o = options_of(linux, "uio0,memory=0x100000+64K,cvsram=0x180000+4096,offset=0x40000000");
  std::optional<runtime::uio> board(std::in_place, std::move(o));
  const auto at = board->allocate(64 << 10, true), near = board->allocate(4096, false);
  CHECK(at.address == 0x40100000);
  CHECK(near == nvdlac::emit::dma_address{0x180000, false});
  // Each word of a map without cache is copied; heads and tails are not words.
  for (std::uint64_t from : {0u, 1u, 5u})
    for (std::size_t size : {0u, 1u, 7u, 8u, 9u, 64u, 1003u}) {
      const auto sent = some_bytes(size);
      std::vector<std::uint8_t> got(size);
      board->load({at.address + from, true}, sent);
      board->fetch({at.address + from, true}, got);
      CHECK(got == sent);
    }
  board->load(near, some_bytes(4096));
  const auto file = linux.read(linux.root() / "dev/mem");
  CHECK(file[0x180000] == 1);
  CHECK(file[0x100005 + 1002] == static_cast<char>(some_bytes(1003).back()));

  board.reset();
  CHECK(has(problem_of_board(linux, "uio0,memory=0x100800+64K").reason,
            "not the address of a page"));
  CHECK(has(problem_of_board(linux, "uio0,memory=0x1000+64K,offset=-0x2000").reason, "is none"));
}

TEST_CASE("memory of another map of the device") {
  const linux_tree linux;
  linux.add_map("uio0", 1, "0x70000000", "0x1000");
  linux.add_device("uio0", 0x40000);
  {
    runtime::uio board(options_of(linux, "uio0,memory=map1"));
    CHECK(board.allocate(4096, true).address == 0x70000000);
    CHECK_THROWS_AS(board.allocate(1, true), nvdlac::error);
  }
  CHECK(has(problem_of_board(linux, "uio0,memory=map0").reason, "cannot be its memory too"));
}

TEST_CASE("a device has one user at a time") {
  const linux_tree linux;
  linux.add_uio("uio1", "nvdla1");
  {
    const runtime::uio first(options_of(linux));
    CHECK(has(problem_of_board(linux, "uio0").reason, "is in use by another program"));
    const auto p = problem_of_board(linux, "uio1");
    CHECK(has(p.file, "udmabuf0"));
    CHECK(has(p.remedy, "memory=udmabuf1"));
  }
  const runtime::uio again(options_of(linux));
}

TEST_CASE("two regions of memory do not meet") {
  const linux_tree linux;
  linux.add_uio("uio1", "nvdla1");
  linux.add_device("mem", 0x200000);
  const runtime::uio first(options_of(linux, "uio0,memory=0x100000+64K"));
  CHECK(has(problem_of_board(linux, "uio1,memory=0x10f000+64K").reason, "is in use by another"));
  const runtime::uio second(options_of(linux, "uio1,memory=0x110000+64K"));
}

TEST_CASE("a device that moves keeps all that it has") {
  const linux_tree linux;
  runtime::uio first(options_of(linux));
  const auto at = first.allocate(10, true);
  auto second = std::move(first);
  second.load(at, some_bytes(10));
  second.write(0, 5);
  CHECK(second.read(0) == 5);
  CHECK(second.allocate(1, true).address == 0x60001000);
}

TEST_CASE("what a board lacks is named") {
  const linux_tree linux;
  CHECK(has(problem_of_board(linux, "uio0,registers=map3").reason,
              "has no map3: it has map0 (range0), 131072 bytes at 0xa0000000"));
  linux.write(linux.sys("u-dma-buf/udmabuf0/phys_addr"), "0x60000800");
  CHECK(has(problem_of_board(linux, "uio0").reason, "not the address of a page"));
  linux.write(linux.sys("u-dma-buf/udmabuf0/phys_addr"), "0xfffffffffff80000");
  CHECK(has(problem_of_board(linux, "uio0").reason, "is none"));
  linux.add_map("uio0", 0, "0xa0000000", "0");
  CHECK(has(problem_of_board(linux, "uio0").remedy, "reg"));
  std::filesystem::remove(linux.root() / "dev/uio0");
  CHECK(has(problem_of_board(linux, "uio0").remedy, "udev"));
}

TEST_CASE("a reset is the board's own, or an error") {
  const linux_tree linux;
  CHECK(has(problem_of([&] { runtime::uio(options_of(linux)).reset(); }).remedy,
              "uio_options::reset"));
  auto o = options_of(linux);
  int resets = 0;
  o.reset = [&] { ++resets; };
  runtime::uio(std::move(o)).reset();
  CHECK(resets == 1);
}
