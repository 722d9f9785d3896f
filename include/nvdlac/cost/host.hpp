// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who programs NVDLA, of whom a program's cycles depend: how long an access to a register takes,
// and which accesses and waits stand between the layers.
#include <cstdint>

#include <nvdlac/layer/engine.hpp>

namespace nvdlac::cost {

// When a layer's registers are written. Ahead: into the free register group while the layer before
// it runs, enabled when all that it depends on is done; so do the public firmware, register traces
// and register programs. Serial: when the layer before it is done.
enum class order : std::uint8_t { ahead, serial };

// Times in cycles of NVDLA's clock.
struct host {
  cost::order order = cost::order::ahead;
  double access = 0;            // of a register's write
  double read = 0;              // of a read, with its answer
  std::uint64_t interrupt = 0;  // from a layer's end to the first access that follows it

  constexpr bool operator==(const host&) const = default;
};

// A test bench at the CSB port of NVIDIA's RTL, which reads and clears the interrupts' status
// behind each interrupt. Measured: nv_small and nv_large of nvdla/hw (master) under Verilator,
// 1,000 writes 2,250 cycles, 100 reads 1,900, and 21 from an interrupt to the next access.
inline constexpr host test_bench{.access = 2.25, .read = 19, .interrupt = 21};

// A step of a host, in its order: `count` accesses, a wait for what an engine or CDMA does in a
// register group, where the registers of the program's next layer begin, or the start of an engine.
struct host_step {
  enum class kind : std::uint8_t { write, read, wait, fetched, layer, start };

  kind what = kind::write;
  layer::engine_number engine = layer::engine_number::none;  // of `wait` and `start`
  std::uint8_t group = 0;                                    // of `wait` and `fetched`
  std::uint32_t count = 1;                                   // of `write` and `read`

  constexpr bool operator==(const host_step&) const = default;
};

}  // namespace nvdlac::cost
