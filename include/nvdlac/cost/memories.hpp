// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/version.hpp>

namespace nvdlac::cost {

// The memories behind an NVDLA, as a prediction is told of them.

// The secondary memory behind CVIF, a port of its own: nothing waits for DRAM there. In the public
// RTL of the master tree CVIF is a second MCIF (NV_NVDLA_nocif.v), so it is modelled as that one
// is.
struct cvsram {
  std::uint64_t bytes = 0;          // that a program may use; 0: none
  std::uint64_t width = 8;          // bytes a cycle, of reads and of writes each
  std::uint64_t read_latency = 64;
  std::uint64_t write_latency = 20;
  std::uint64_t outstanding = 256;  // reads in flight, of a beat of its interface each
  // Weights may stand there: who programs NVDLA loads them before the first run, as those of DRAM.
  bool weights = false;

  constexpr bool operator==(const cvsram&) const = default;
};

// Kernels that come ahead of their layer: none, as in a loadable; those that the program names, as
// programs do that write registers; or as many as there is time for, which such programs will name.
enum class kernels_ahead : std::uint8_t { none, as_named, as_there_is_time };

// A memory that answers reads and takes writes at the same time and in order. Latencies are cycles
// of NVDLA's clock, from a request that leaves NVDLA to its answer.
struct memory {
  std::uint64_t width = 8;          // bytes a cycle, of reads and of writes each
  std::uint64_t read_latency = 64;
  std::uint64_t write_latency = 20;
  std::uint64_t outstanding = 256;  // reads in flight, of a beat of its interface each
  std::uint64_t data_turns = 1;     // of CDMA's data at MCIF's arbiter, for each of its weights
  cost::kernels_ahead weights_ahead = kernels_ahead::as_named;
  cost::cvsram cvsram{};            // beside it

  constexpr std::uint64_t read_latency_of(bool of_cvsram) const {
    return of_cvsram ? cvsram.read_latency : read_latency;
  }
  constexpr std::uint64_t write_latency_of(bool of_cvsram) const {
    return of_cvsram ? cvsram.write_latency : write_latency;
  }
  constexpr bool operator==(const memory&) const = default;
};

}  // namespace nvdlac::cost
