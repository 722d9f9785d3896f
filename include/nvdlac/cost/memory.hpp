// SPDX-License-Identifier: Apache-2.0
#pragma once
// The memory behind an NVDLA, on which its cycles depend besides its program.
#include <algorithm>
#include <array>
#include <cstdint>

#include <nvdlac/base/units.hpp>
#include <nvdlac/cost/coefficients.hpp>
#include <nvdlac/cost/memories.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/traffic.hpp>

namespace nvdlac::cost {

// The bytes of CVSRAM that a program may use unless it is said: as much as NVIDIA's compiler
// takes for the CVSRAM of a configuration (`localCvsramSize` in its profile). No specification
// has a size.
inline constexpr std::uint64_t usual_cvsram = 1 << 20;

// The secondary memory that the configuration was made for, of so many bytes.
constexpr cost::cvsram cvsram_of(const hw::spec& s, std::uint64_t size) {
  return {.bytes = size, .width = s.sram.width_bits / 8, .read_latency = s.sram.latency,
          .write_latency = measured.write_latency, .outstanding = measured.outstanding};
}

// The memory that the configuration was made for, as register programs set its arbiter, with the
// secondary one of the specification, if it has one, or with another one.
constexpr memory memory_of(const hw::spec& s, const cost::cvsram& beside) {
  return {.width = s.dram.width_bits / 8, .read_latency = s.dram.latency,
          .write_latency = measured.write_latency, .outstanding = measured.outstanding,
          .data_turns = layer::data_turns, .cvsram = beside};
}
constexpr memory memory_of(const hw::spec& s) {
  return memory_of(s, s.has_sram() ? cvsram_of(s, 0) : cost::cvsram{});
}

// The bus between the units and one of the memories, seen by one client: cycles of so many atoms.
class bus {
 public:
  constexpr bus(const hw::spec& s, const memory& m, bool of_cvsram = false)
      : atom_(s.memory_atom),
        round_trip_(m.read_latency_of(of_cvsram) + measured.round_trip),
        is_alone_(m.cvsram.bytes == 0) {
    const std::uint64_t beat = (of_cvsram ? s.sram : s.dram).width_bits / 8;
    const std::uint64_t given = of_cvsram ? m.cvsram.width : m.width;
    const std::uint64_t beats = of_cvsram ? m.cvsram.outstanding : m.outstanding;
    width_ = std::max<std::uint64_t>(1, std::min(given, beat));
    outstanding_ = std::max<std::uint64_t>(1, beats * std::max<std::uint64_t>(1, beat / atom_));
  }

  // Atoms of a stream, between others that are requested before and behind.
  constexpr std::uint64_t cycles(std::uint64_t atoms) const {
    return std::max(ceil_div(atoms * atom_, width_), ceil_div(atoms * round_trip_, outstanding_));
  }
  // Atoms that are requested when none is in flight: the first ones need not wait for others.
  constexpr std::uint64_t cycles_alone(std::uint64_t atoms) const {
    const auto rounds = atoms == 0 ? 0 : (atoms - 1) / outstanding_;
    const auto last = ceil_div((atoms - rounds * outstanding_) * atom_, width_);
    return std::max(ceil_div(atoms * atom_, width_), rounds * round_trip_ + last);
  }
  // Atoms that come in so many cycles while the layer before computes, by the width alone: too many
  // where the memory is far away. The requests in flight limit them as well where there are two
  // memories and the layer is a pass whose data are there, so that only weights come.
  constexpr std::uint64_t ahead(std::uint64_t cycles, bool only_weights) const {
    const auto by_width = cycles * width_ / atom_;
    if (is_alone_ || !only_weights) return by_width;
    return std::min(by_width, cycles * outstanding_ / round_trip_);
  }
  constexpr std::uint64_t atom() const { return atom_; }
  constexpr std::uint64_t width() const { return width_; }

 private:
  std::uint64_t atom_, width_ = 1, round_trip_;
  std::uint64_t outstanding_ = 1;  // reads in flight, of an atom each
  bool is_alone_;                  // there is no other memory
};

// Cycles in which both memories, beside each other, move what is read and what is written.
constexpr std::uint64_t moving(const hw::spec& s, const memory& m,
                               const std::array<layer::traffic, 2>& by_memory) {
  std::uint64_t most = 0;
  for (const bool of_cvsram : {false, true}) {
    const auto& moved = by_memory[of_cvsram ? 1 : 0];
    const auto atoms = std::max(ceil_div(moved.read, s.memory_atom),
                                ceil_div(moved.written, s.memory_atom));
    if (atoms != 0) most = std::max(most, bus(s, m, of_cvsram).cycles(atoms));
  }
  return most;
}
constexpr void add(std::array<layer::traffic, 2>& to, const layer::client_traffic& moved) {
  for (const bool of_cvsram : {false, true}) {
    to[of_cvsram ? 1 : 0].read += moved.read(of_cvsram);
    to[of_cvsram ? 1 : 0].written += moved.written_to(of_cvsram);
  }
}

}  // namespace nvdlac::cost
