// SPDX-License-Identifier: Apache-2.0
#pragma once
// The cycles that no program of a network of integers can do without.
#include <algorithm>
#include <cstdint>

#include <nvdlac/cost/memory.hpp>
#include <nvdlac/cost/timeline.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::cost {

// Cycles by what hardware has to do whatever the layers, their order and their memory are:
struct lower_bound {
  // the products of all convolutions in full steps of all MACs, but for taps that meet padding
  // alone, and no faster than the cells take weights;
  std::uint64_t mac = 0;
  // all results at the rate of the way from CACC to SDP, or of SDP;
  std::uint64_t output = 0;
  // each weight once, what CDMA and SDP have to read of each tensor once, and each tensor that is
  // read, or that is an output, written once, all of them without a byte between.
  std::uint64_t memory = 0;

  constexpr std::uint64_t cycles() const { return std::max({mac, output, memory}); }
  // The first of those that are as much, and none where nothing has to be done.
  constexpr limit limited_by() const {
    if (cycles() == 0) return limit::none;
    return cycles() == mac ? limit::mac : cycles() == output ? limit::output : limit::memory;
  }
  constexpr bool operator==(const lower_bound&) const = default;
};

// Bounds a program of so many pictures at once. Not counted are latencies, the host, layers of PDP
// and CDP beside the memory that they need, and moves.
lower_bound lower_bound_of(const quantised::graph& g, const hw::spec& s, const memory& m,
                           std::int32_t pictures = 1);

}  // namespace nvdlac::cost

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/cost/lower_bound.ipp>
#endif
