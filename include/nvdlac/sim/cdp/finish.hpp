// SPDX-License-Identifier: Apache-2.0
#pragma once
// CDP in int8 in three steps: squares, their sums, and from these to results by table entries,
// products and the output converter.
#include <array>
#include <cstddef>

#include <nvdlac/arithmetic/cdp.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// The elements of one pixel, a multiple of 8. An entry holds what the table says to a sum: the
// value in the low 16 bits, its kind above: the place in lut_counts of what it counts for.
struct cdp_finish {
  static constexpr std::int32_t unknown = -1;

  const std::int32_t* entries = nullptr;  // of all sums
  const std::int32_t* sums = nullptr;
  const std::int32_t* values = nullptr;
  std::uint8_t* results = nullptr;
  std::size_t count = 0;
  bool product_bypass = false;
  cdp_converter output{};
};

struct cdp_finish_counts {
  std::array<std::uint64_t, 5> kinds{};
  std::uint64_t saturations = 0;
};

// The squares of n inputs, a multiple of 8: `values` what the input converter makes of them.
void cdp_squares_portable(const std::uint8_t* x, const std::int32_t* converted,
                          std::int32_t* values, std::int32_t* squares, std::size_t n);

// Sums of squares `reach` to both sides of n elements, a multiple of 8.
void cdp_sums_portable(const std::int32_t* squares, std::int32_t* sums, std::size_t n,
                       std::ptrdiff_t reach);

// Goes on at element `from` until the end or the eight elements of which an entry is unknown.
// Returns where.
std::size_t cdp_finish_portable(const cdp_finish& f, std::size_t from, cdp_finish_counts& counts);

// The three steps with one instruction set.
struct cdp_way {
  decltype(&cdp_squares_portable) squares = cdp_squares_portable;
  decltype(&cdp_sums_portable) sums = cdp_sums_portable;
  decltype(&cdp_finish_portable) finish = cdp_finish_portable;
};

cdp_way fastest_cdp_way();

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/cdp/finish.ipp>
#endif
