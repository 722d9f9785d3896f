// SPDX-License-Identifier: Apache-2.0
// The UIO device over a board that is not there.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <tuple>
#include <vector>

#include <sys/time.h>

#include <nvdlac/hw/registers.hpp>
#include <nvdlac/runtime/uio.hpp>

#include "simulated_board.hpp"

using namespace std::chrono_literals;
using nvdlac::runtime::uio;

namespace {

constexpr auto map = nvdlac::hw::register_map::small;
constexpr auto version = nvdlac::hw::address<map, "GLB.S_NVDLA_HW_VERSION">,
               mask = nvdlac::hw::address<map, "GLB.S_INTR_MASK">,
               set = nvdlac::hw::address<map, "GLB.S_INTR_SET">,
               status = nvdlac::hw::address<map, "GLB.S_INTR_STATUS">,
               clip = nvdlac::hw::address<map, "SDP.D_CVT_OFFSET">;

using clock = std::chrono::steady_clock;

std::vector<std::uint8_t> numbers(std::size_t n, std::uint8_t first) {
  std::vector<std::uint8_t> all(n);
  std::iota(all.begin(), all.end(), first);
  return all;
}

}  // namespace

TEST_CASE("registers of the board") {
  const simulated_board board;
  if (!board) return;
  uio d("uio0");
  CHECK(d.name() == "uio0 (nvdla)");
  CHECK(d.read(0) == 0x10001);  // of CFGROM
  CHECK(d.read(version) == 0x303031);
  for (const std::uint32_t v : {0x12345678u, 0u, 0xffffffffu}) {
    d.write(clip, v);
    CHECK(d.read(clip) == v);
  }
}

TEST_CASE("an interrupt ends the wait, and none does not") {
  const simulated_board board;
  if (!board) return;
  uio d("uio0");
  d.write(mask, 0);
  CHECK_FALSE(d.wait(0ms));
  auto begin = clock::now();
  CHECK_FALSE(d.wait(50ms));
  CHECK(clock::now() - begin >= 50ms);
  for (int i = 0; i < 3; ++i) {
    d.write(set, 1);
    CHECK(d.wait(10s));
    CHECK(d.read(status) == 1);
    d.write(status, 1);
    CHECK_FALSE(d.wait(1ms));
  }
  // An interrupt that is not cleared raises the line again.
  d.write(set, 1);
  CHECK(d.wait(10s));
  CHECK(d.wait(10s));
  CHECK(board.state().interrupts == 5);
}

TEST_CASE("a layer takes its time") {
  const simulated_board board("nv_small,layer=60000");
  if (!board) return;
  uio d("uio0");
  const auto begin = clock::now();
  d.write(set, 1);
  CHECK(d.read(status) == 0);
  CHECK(d.wait(10s));
  CHECK(d.read(status) == 1);
  CHECK(clock::now() - begin >= 60ms);
}

TEST_CASE("a late interrupt is waited for") {
  const simulated_board board("nv_small", "late=60");
  if (!board) return;
  uio d("uio0");
  const auto begin = clock::now();
  CHECK_FALSE(d.wait(0ms));
  d.write(set, 1);
  CHECK_FALSE(d.wait(1ms));
  CHECK(d.read(status) == 1);
  CHECK(d.wait(10s));
  CHECK(clock::now() - begin >= 60ms);
}

TEST_CASE("a signal of the program's does not end the wait") {
  const simulated_board board("nv_small,layer=100000");
  if (!board) return;
  uio d("uio0");
  struct sigaction seen {}, before {};
  static volatile std::sig_atomic_t signals = 0;
  seen.sa_handler = [](int) { signals = signals + 1; };
  ::sigaction(SIGALRM, &seen, &before);
  const itimerval every{.it_interval = {0, 10'000}, .it_value = {0, 10'000}}, never{};
  ::setitimer(ITIMER_REAL, &every, nullptr);
  const auto begin = clock::now();
  CHECK_FALSE(d.wait(50ms));
  CHECK(clock::now() - begin >= 50ms);
  d.write(set, 1);
  CHECK(d.wait(10s));
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  CHECK(signals > 2);
}

TEST_CASE("a lost interrupt does not end the wait") {
  const simulated_board board("nv_small", "lost=2");
  if (!board) return;
  uio d("uio0");
  d.write(set, 1);
  CHECK(d.wait(10s));
  d.write(status, 1);
  d.write(set, 1);
  CHECK_FALSE(d.wait(20ms));
  CHECK(d.read(status) == 1);
  CHECK(board.state().lost_interrupts == 1);
}

TEST_CASE("memory that NVDLA sees, with caches of every kind") {
  for (const auto& [kind, fault, synced] :
       {std::tuple{"nv_small", "", true}, std::tuple{"nv_small", "caches", true},
        std::tuple{"nv_small,coherent", "", false}, std::tuple{"nv_small,uncached", "", false},
        std::tuple{"nv_small,older", "caches", true}}) {
    CAPTURE(kind);
    CAPTURE(fault);
    const simulated_board board(kind, fault);
    if (!board) return;
    uio d("uio0");
    const auto at = d.allocate(1000, true);
    CHECK(at.address == 0x60000000);
    for (const std::uint64_t from : {0u, 3u, 64u, 130u}) {
      const auto sent = numbers(500, static_cast<std::uint8_t>(from));
      std::vector<std::uint8_t> got(500);
      d.load({at.address + from, true}, sent);
      d.fetch({at.address + from, true}, got);
      CHECK(got == sent);
    }
    CHECK((board.state().synced_for_device > 0) == synced);
    CHECK((board.state().synced_for_cpu > 0) == synced);
  }
}

TEST_CASE("what the board lacks is an error when the device is opened") {
  for (const auto& [fault, reason, remedy] :
       {std::tuple{"no-interrupt", "its interrupt cannot be unmasked", "interrupts"},
        std::tuple{"short=0x100000", "bytes cannot be mapped", ""},
        std::tuple{"unaligned", "not the address of a page", "multiples of 0x1000"}}) {
    const simulated_board board("nv_small", fault);
    if (!board) return;
    const auto p = problem_of([] { uio("uio0"); });
    CHECK_MESSAGE(has(p.reason, reason), fault);
    CHECK_MESSAGE(has(p.remedy, remedy), fault);
  }
  const simulated_board board;
  CHECK(has(problem_of([] { uio("uio1"); }).reason, "no UIO device 'uio1'"));
  CHECK(has(problem_of([] { uio("uio0,memory=udmabuf9"); }).reason, "no buffer 'udmabuf9'"));
}

TEST_CASE("a device may be opened again and again, and nothing is left open") {
  const simulated_board board;
  if (!board) return;
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  uio("uio0").write(clip, 1);
  const auto before = open_files();
  for (int i = 0; i < 50; ++i) {
    uio d("uio0,cvsram=0x50000000+0x80000");
    CHECK(d.read(clip) == 1);  // the board is the same
    CHECK(d.allocate(0x80000, false).address == 0x50000000);
    CHECK(has(problem_of([] { uio("uio0"); }).reason, "in use"));
    CHECK(has(problem_of([] { uio("uio9"); }).reason, "no UIO device"));
  }
  CHECK(open_files() == before);
}
