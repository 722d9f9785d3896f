// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdint>
#include <span>

#include <doctest/doctest.h>

#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/runtime/simulated.hpp>
#include <nvdlac/verify/self_test.hpp>

using namespace nvdlac;

namespace {

// A simulator of which one register keeps a bit.
template <class Hw>
struct faulty : runtime::simulated<Hw> {
  faulty(std::uint32_t address, std::uint32_t stuck)
      : runtime::simulated<Hw>(sim::settings{}), address_(address), stuck_(stuck) {}
  std::uint32_t read(std::uint32_t address) {
    const auto value = runtime::simulated<Hw>::read(address);
    return address == address_ ? value | stuck_ : value;
  }
  std::uint32_t address_, stuck_;
};

}  // namespace

TEST_CASE(
    "registers of all configurations read what is written, and as after power-on at the end") {
  const auto check = []<class Hw>(Hw) {
    runtime::simulated<Hw> d(sim::settings{});
    CHECK(verification::check_registers(Hw::spec, runtime::register_port(d)).empty());
    CHECK(d.read(hw::address<Hw::spec.map, "CDMA.D_BANK">) == 0);
  };
  check(nv_small{});
  check(nv_large{});
  check(nv_full{});
}

TEST_CASE("a register that keeps a bit is named, and so is what is no NVDLA") {
  constexpr auto bank = hw::address<nv_small::spec.map, "CDMA.D_BANK">;
  faulty<nv_small> stuck(bank, 1);
  const auto found = verification::check_registers(nv_small::spec, runtime::register_port(stuck));
  REQUIRE(found.size() == 1);
  CHECK(found[0].reason.starts_with("CDMA.D_BANK reads 0x"));
  faulty<nv_small> nothing(0, 0xffffffff);
  const auto none = verification::check_registers(nv_small::spec, runtime::register_port(nothing));
  REQUIRE(none.size() == 1);
  CHECK(none[0].reason.find("is 0xffffffff, not 0x10001") != std::string::npos);
  faulty<nv_small> other(0x38, 64);
  CHECK(verification::check_registers(nv_small::spec, runtime::register_port(other)).size() == 1);
}

TEST_CASE("each configuration has a network for every unit, precision and memory") {
  CHECK(verification::unit_tests_of(nv_small::spec).size() == 4);
  CHECK(verification::unit_tests_of(nv_large::spec).size() == 6);
  CHECK(verification::unit_tests_of(nv_full::spec).size() == 9);
}
