// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/runtime/device.hpp>
#include <nvdlac/runtime/operation_meter.hpp>

using namespace nvdlac;

namespace {

constexpr auto map = nv_full::spec.map;

// Registers in two groups.
struct two_groups {
  std::map<std::string, std::uint32_t> group{};  // of each unit
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> values{};

  emit::dma_address allocate(std::uint64_t, bool) { return {}; }
  void load(const emit::dma_address&, std::span<const std::uint8_t>) {}
  void fetch(const emit::dma_address&, std::span<std::uint8_t>) {}
  std::uint32_t& at(std::uint32_t address) {
    return values[{address, group[std::string(hw::find(map, address)->unit)]}];
  }
  std::uint32_t read(std::uint32_t address) { return at(address); }
  void write(std::uint32_t address, std::uint32_t value) {
    const auto& r = *hw::find(map, address);
    if (r.name == "S_POINTER") group[std::string(r.unit)] = value & 1;
    else at(address) = value;
  }
  bool wait(std::chrono::milliseconds) { return true; }
  void reset() {}
};
static_assert(runtime::register_device<two_groups>);

std::uint32_t address(const char* name) { return hw::find(map, name)->address; }

struct measured : two_groups {
  runtime::operation_meter meter{map, runtime::register_port(*this), std::chrono::seconds(1)};
  std::vector<std::map<std::string, std::uint32_t>> all{};

  void begin() {
    meter.measure([&](runtime::measured_operation m) {
      all.emplace_back();
      for (const auto& c : m.counters) all.back()[c.name] = c.value;
    });
  }
  // An operation of a unit in a group that writes these registers, and its counters after it.
  void run(const std::string& unit, std::uint32_t in,
           const std::vector<std::pair<const char*, std::uint32_t>>& registers,
           const std::vector<std::pair<const char*, std::uint32_t>>& counters) {
    const auto operation = all.size();
    meter.write(address((unit + ".S_POINTER").c_str()), in);
    for (const auto& [name, value] : registers) meter.write(address(name), value);
    meter.programmed(operation);
    meter.started(operation);
    for (const auto& [name, value] : counters) values[{address(name), in}] = value;
    meter.interrupted();
    meter.ended(operation);
  }
};

}  // namespace

TEST_CASE("of a counter that its unit never clears an operation has what it added") {
  measured m;
  // Counts of layers before, the last of which was in group 1.
  m.values[{address("CDP_RDMA.D_PERF_READ_STALL"), 0}] = 40;
  m.values[{address("CDP_RDMA.D_PERF_READ_STALL"), 1}] = 100;
  m.begin();
  const std::vector<std::pair<const char*, std::uint32_t>> some{{"CDP_RDMA.D_DATA_FORMAT", 0}};
  for (const auto& [group, count] : {std::pair{0u, 107u}, {1u, 107u}, {0u, 150u}})
    m.run("CDP_RDMA", group, some, {{"CDP_RDMA.D_PERF_READ_STALL", count}});
  REQUIRE(m.all.size() == 3);
  CHECK(m.all[0].at("CDP_RDMA.D_PERF_READ_STALL") == 7);
  CHECK(m.all[1].at("CDP_RDMA.D_PERF_READ_STALL") == 0);
  CHECK(m.all[2].at("CDP_RDMA.D_PERF_READ_STALL") == 43);
}

TEST_CASE("the counter of a part of SDP's RDMA that a layer does without is not told") {
  measured m;
  m.begin();
  constexpr std::array parts{"M", "B", "N", "E"};
  for (std::size_t used = 0; used < parts.size(); ++used) {
    const std::uint32_t off[] = {used != 0, used != 1, used != 2, used != 3};
    m.run("SDP_RDMA", used % 2,
          {{"SDP_RDMA.D_FEATURE_MODE_CFG", off[0]}, {"SDP_RDMA.D_BRDMA_CFG", off[1]},
           {"SDP_RDMA.D_NRDMA_CFG", off[2]}, {"SDP_RDMA.D_ERDMA_CFG", off[3]}},
          {{"SDP_RDMA.D_PERF_MRDMA_READ_STALL", 1}, {"SDP_RDMA.D_PERF_BRDMA_READ_STALL", 2},
           {"SDP_RDMA.D_PERF_NRDMA_READ_STALL", 3}, {"SDP_RDMA.D_PERF_ERDMA_READ_STALL", 4}});
    for (std::size_t part = 0; part < parts.size(); ++part)
      CHECK(m.all.back().contains(std::string("SDP_RDMA.D_PERF_") + parts[part] +
                                  "RDMA_READ_STALL") == (part == used));
  }
  CHECK(m.all[2].at("SDP_RDMA.D_PERF_NRDMA_READ_STALL") == 3);
}

TEST_CASE("hits of SDP's table are told of a layer with EW alone") {
  measured m;
  m.begin();
  for (const std::uint32_t bypass : {0u, 1u})
    m.run("SDP", bypass, {{"SDP.D_DP_EW_CFG", bypass}},
          {{"SDP.D_PERF_LUT_LE_HIT", 9}, {"SDP.D_PERF_OUT_SATURATION", 4}});
  CHECK(m.all[0].at("SDP.D_PERF_LUT_LE_HIT") == 9);
  CHECK(!m.all[1].contains("SDP.D_PERF_LUT_LE_HIT"));
  CHECK(m.all[1].at("SDP.D_PERF_OUT_SATURATION") == 4);
}
