// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <examples/custom_configuration/my_soc.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/least_lanes.hpp>

#include "../shared.hpp"

using namespace nvdlac;

namespace {

static_assert(hw::hardware<nv_small> && hw::hardware<my_soc>);
static_assert(contains<nv_full, hw::published> && !contains<my_soc, hw::published>);
static_assert(hw::published::size == 7);
static_assert(nv_small::spec.cbuf() == bytes{128 * 1024});
static_assert(nv_large::spec.cbuf() == bytes{512 * 1024});
static_assert(nv_full::spec.cbuf() == bytes{512 * 1024});
static_assert(my_soc::spec.cbuf() == bytes{64 * 1024});
static_assert(nv_full::spec.kernel_group(hw::precision::fp16) == 16);

// The rule that nv_small breaks after `change`; empty if none.
template <class Base = nv_small, class Change>
std::string broken(Change change) {
  auto s = Base::spec;
  change(s);
  try {
    hw::validate(s);
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("configurations: they are those of the reference table") {
  const auto path = shared_path("reference/configurations.csv");
  if (!path) return;
  std::ifstream in(*path);
  const auto cells = [&] {
    std::string line, cell;
    std::vector<std::string> all;
    std::getline(in, line);
    for (std::istringstream parts(line); std::getline(parts, cell, ',');) all.push_back(cell);
    return all;
  };
  const auto heads = cells();
  std::map<std::string, std::map<std::string, std::string>> rows;
  for (auto row = cells(); !row.empty(); row = cells())
    for (std::size_t i = 0; i < heads.size(); ++i) rows[row[0]][heads[i]] = row[i];
  CHECK(rows.size() == hw::published::size);
  for_each(hw::published{}, [&](auto t) {
    using Hw = typename decltype(t)::type;
    const hw::spec& s = Hw::spec;
    const std::string name(type_name<Hw>());
    CAPTURE(name);
    REQUIRE(rows.count(name) == 1);
    auto& row = rows[name];
    const auto number = [&](const char* head) {
      CAPTURE(head);
      return row[head].empty() ? 0u : static_cast<std::uint32_t>(std::stoul(row[head]));
    };
    const auto yes = [&](const char* head) { return row[head] == "yes"; };
    CHECK(s.mac_atomic_c == number("mac_atomic_c"));
    CHECK(s.mac_atomic_k == number("mac_atomic_k"));
    CHECK(s.memory_atom == number("memory_atom_bytes"));
    CHECK(s.cbuf_banks == number("cbuf_banks"));
    if (s.map == hw::register_map::small) CHECK(s.cbuf_entry == number("cbuf_entry_bytes"));
    CHECK(s.cbuf_bank().n == number("cbuf_entry_bytes") * number("cbuf_entries_per_bank"));
    CHECK(s.sdp_bs_bn_throughput == number("sdp_bs_bn_throughput"));
    CHECK(s.sdp_ew_throughput == number("sdp_ew_throughput"));
    CHECK(s.sdp_lut == yes("sdp_lut"));
    CHECK(s.pdp_throughput == number("pdp_cdp_throughput"));
    CHECK(s.cdp_throughput == number("pdp_cdp_throughput"));
    CHECK(s.weight_compression == yes("weight_compression"));
    CHECK(s.winograd == yes("winograd"));
    CHECK(s.batch == yes("batch"));
    CHECK(s.bdma == yes("bdma"));
    CHECK(s.rubik == yes("rubik"));
    CHECK(s.has_sram() == yes("secondary_memory"));
    CHECK(s.dram == hw::memory_interface{number("dram_width_bits"), number("dram_burst"),
                                         number("dram_latency")});
    CHECK(s.sram == hw::memory_interface{number("sram_width_bits"), number("sram_burst"),
                                         number("sram_latency")});
    CHECK(s.address_bits == number("address_bits"));
    CHECK((s.map == hw::register_map::full) == (row["register_map"] == "full"));
    CHECK(s.data_types.int16 == (row["data_types"] == "int8+int16+fp16"));
  });
}

TEST_CASE("configurations: each rule names itself") {
  using hw::spec;
  CHECK(broken([](spec&) {}) == "");
  CHECK(broken([](spec& s) { s.data_types.int8 = false; }).find("int8") != std::string::npos);
  const auto names = [](const std::string& rule, const char* what) {
    CAPTURE(rule);
    CAPTURE(what);
    CHECK(rule.starts_with("nvdlac: "));
    CHECK(rule.find(what) != std::string::npos);
  };
  names(broken([](spec& s) { s.memory_atom = 12; }), "memory_atom");
  names(broken([](spec& s) { s.memory_atom = hw::least_lanes / 2; }), "memory_atom");
  names(broken([](spec& s) { s.mac_atomic_k = hw::least_lanes / 2; }), "mac_atomic_k");
  names(broken([](spec& s) { s.memory_atom = 0; }), "memory_atom");
  names(broken([](spec& s) { s.memory_atom = 16; }), "mac_atomic_c");
  names(broken([](spec& s) { s.mac_atomic_c = 24; }), "mac_atomic_c");
  names(broken([](spec& s) { s.mac_atomic_c = s.cbuf_entry = 64; }), "4 memory atoms");
  names(broken([](spec& s) { s.mac_atomic_k = 0; }), "mac_atomic_k");
  names(broken<nv_large>([](spec& s) { s.mac_atomic_k = 16; }), "multiple of memory_atom");
  names(broken([](spec& s) { s.cbuf_banks = 1; }), "cbuf_banks");
  names(broken([](spec& s) { s.cbuf_banks = 33; }), "at most 32");
  names(broken<nv_full>([](spec& s) { s.cbuf_banks = 32; }), "at most 16");
  names(broken<nv_full>([](spec& s) { s.cbuf_banks = 2; }), "third CBUF bank");
  names(broken([](spec& s) { s.cbuf_entry = 4; }), "multiple of memory_atom");
  names(broken([](spec& s) { s.cbuf_entry = 16; }), "cbuf_entry");
  names(broken([](spec& s) { s.cbuf_entry = 0; }), "cbuf_entry");
  names(broken([](spec& s) { s.cbuf_entries_per_bank = 100; }), "cbuf_entries_per_bank");
  names(broken<nv_large>([](spec& s) { s.cbuf_entries_per_bank = 16; }), "CBUF bank must hold");
  names(broken([](spec& s) { s.sdp_bs_bn_throughput = 0; }), "sdp_bs_bn_throughput");
  names(broken([](spec& s) { s.sdp_ew_throughput = 2; }), "must not exceed");
  names(broken([](spec& s) { s.sdp_lut = true; }), "sdp_lut needs the EW unit");
  names(broken([](spec& s) { s.pdp_throughput = 3; }), "pdp_throughput");
  names(broken([](spec& s) { s.cdp_throughput = 16; }), "cdp_throughput");
  names(broken([](spec& s) { s.dram = {}; }), "dram");
  names(broken([](spec& s) { s.dram.width_bits = 96; }), "64, 128, 256 or 512");
  names(broken([](spec& s) { s.dram.burst = 3; }), "burst");
  names(broken([](spec& s) { s.dram.latency = 0; }), "latency");
  names(broken<nv_large>([](spec& s) { s.dram.width_bits = 64; }), "multiple of memory_atom");
  names(broken([](spec& s) { s.sram.burst = 1; }), "sram");
  names(broken([](spec& s) { s.address_bits = 40; }), "address_bits");
  names(broken([](spec& s) { s.data_types.fp16 = true; }), "full register map only");
  names(broken<nv_full>([](spec& s) { s.data_types.fp16 = false; }), "both or neither");
  names(broken<nv_full>([](spec& s) { s.address_bits = 32; }), "64 address_bits");
  names(broken([](spec& s) { s.bdma = true; }), "bdma");
  names(broken([](spec& s) { s.rubik = true; }), "atoms of 32 bytes");
  CHECK(broken([](spec& s) { s.pdp_throughput = s.cdp_throughput = 0; }) == "");
}
