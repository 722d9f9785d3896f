// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an NVDLA's cycles depend on besides its program: the memory behind it and its host.
#include <algorithm>
#include <cstdint>

#include <nvdlac/base/units.hpp>
#include <nvdlac/cost/coefficients.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/convolution.hpp>

namespace nvdlac::cost {

// A memory that answers reads and takes writes at the same time and in order. Latencies are cycles
// of NVDLA's clock, from a request that leaves NVDLA to its answer.
struct memory {
  std::uint64_t width = 8;          // bytes a cycle, of reads and of writes each
  std::uint64_t read_latency = 64;
  std::uint64_t write_latency = 20;
  std::uint64_t outstanding = 256;  // reads in flight, of an atom each
  std::uint64_t data_turns = 1;     // of CDMA's data at MCIF's arbiter, for each of its weights

  constexpr bool operator==(const memory&) const = default;
};

// The memory that the configuration was made for, as register programs set its arbiter.
constexpr memory memory_of(const hw::spec& s) {
  return {.width = s.dram.width_bits / 8, .read_latency = s.dram.latency,
          .write_latency = measured.write_latency, .outstanding = measured.outstanding,
          .data_turns = layer::data_turns};
}

// When a layer's registers are written. Ahead: into the free register group while the layer before
// it runs, enabled when all that it depends on is done; so do the public firmware, register traces
// and register programs. Serial: when the layer before it is done.
enum class order : std::uint8_t { ahead, serial };

struct host {
  cost::order order = cost::order::ahead;
  std::uint64_t access = 0;     // cycles of one register access
  std::uint64_t interrupt = 0;  // cycles from a layer's end to the first access that follows it

  constexpr bool operator==(const host&) const = default;
};

// The bus between the units and the memory, seen by one client: cycles of so many atoms.
class bus {
 public:
  constexpr bus(const hw::spec& s, const memory& m)
      : atom_(s.memory_atom),
        width_(std::max<std::uint64_t>(1, std::min<std::uint64_t>(m.width,
                                                                  s.dram.width_bits / 8))),
        round_trip_(m.read_latency + measured.round_trip),
        outstanding_(std::max<std::uint64_t>(1, m.outstanding)) {}

  constexpr std::uint64_t cycles(std::uint64_t atoms) const {
    return std::max(ceil_div(atoms * atom_, width_), ceil_div(atoms * round_trip_, outstanding_));
  }
  constexpr std::uint64_t atom() const { return atom_; }
  constexpr std::uint64_t width() const { return width_; }

 private:
  std::uint64_t atom_, width_, round_trip_, outstanding_;
};

}  // namespace nvdlac::cost
