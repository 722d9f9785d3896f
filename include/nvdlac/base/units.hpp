// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/version.hpp>

namespace nvdlac {

// A count of one kind of thing. Counts of different things do not mix; `.n` is the only way out.
template <class Thing>
struct count {
  std::uint64_t n = 0;

  constexpr auto operator<=>(const count&) const = default;
  friend constexpr count operator+(count a, count b) { return {a.n + b.n}; }
  friend constexpr count operator-(count a, count b) { return {a.n - b.n}; }
  friend constexpr count operator*(count a, std::uint64_t times) { return {a.n * times}; }
  friend constexpr count round_up(count a, count to) { return {(a.n + to.n - 1) / to.n * to.n}; }
};

using bytes = count<struct byte_tag>;
using atoms = count<struct atom_tag>;
using entries = count<struct entry_tag>;  // CBUF entries
using banks = count<struct bank_tag>;     // CBUF banks

// ceil(a / b) for counts of plain integers.
constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }
constexpr std::uint64_t align_up(std::uint64_t a, std::uint64_t to) { return ceil_div(a, to) * to; }

}  // namespace nvdlac
