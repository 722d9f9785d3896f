// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nvdlac/layer/traffic.hpp>

namespace nvdlac::cost {

// What a layer cannot be faster than: the MACs, the memory's width, the way from CACC to SDP, the
// unit itself, or the reads that it has in flight. None: it hands on what another layer limits, or
// the host computes it.
enum class limit : std::uint8_t { none, mac, memory, output, unit, latency };
inline constexpr std::size_t limits = 6;

constexpr std::string_view name_of(limit l) {
  constexpr std::array<std::string_view, limits> names{"-",      "MAC",  "memory",
                                                       "output", "unit", "latency"};
  return names[static_cast<std::size_t>(l)];
}

// Where a layer loses most of the cycles beyond its bound: before the first MAC, until its data and
// weights are there; between the MACs, for later weights or for the way to SDP; or behind the last
// one, until all is written. Layers of other units wait for the memory's answers.
enum class wait : std::uint8_t { none, load, compute, drain, memory };

constexpr std::string_view name_of(wait w) {
  constexpr std::array<std::string_view, 5> names{"-", "load", "compute", "drain", "memory"};
  return names[static_cast<std::size_t>(w)];
}

// A hardware layer on the timeline. In cycles from the program's start.
struct layer_cycles {
  std::uint64_t start = 0;    // enabled
  std::uint64_t loaded = 0;   // the first MAC works; of other units: start
  std::uint64_t computed = 0; // the last MAC has worked; of other units: done
  std::uint64_t done = 0;     // the interrupt
  layer::client_traffic moved{};     // bytes
  std::uint64_t mac_cycles = 0;      // with data for the MACs
  std::uint64_t bound = 0;           // cycles that it needs at least
  limit limited_by = limit::none;    // what that bound is

  constexpr std::uint64_t cycles() const { return done - start; }
  constexpr std::uint64_t load() const { return loaded - start; }
  constexpr std::uint64_t compute() const { return computed - loaded; }
  constexpr std::uint64_t drain() const { return done - computed; }
  constexpr std::uint64_t waiting() const {
    return limited_by == limit::none ? 0 : cycles() - std::min(cycles(), bound);
  }
  constexpr wait waits_in() const {
    if (waiting() == 0) return wait::none;
    if (mac_cycles == 0) return wait::memory;
    const auto stalls = compute() - std::min(compute(), bound);
    return load() >= std::max(stalls, drain()) ? wait::load
           : stalls >= drain()                 ? wait::compute : wait::drain;
  }
  constexpr bool operator==(const layer_cycles&) const = default;
};

}  // namespace nvdlac::cost
