// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loadable of a network that the C++ compiler compiles. See docs/compile_time.md.
#include <array>
#include <cstddef>
#include <cstdint>

#include <nvdlac/base/units.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/runs_in_integers.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/program_checks.hpp>

namespace nvdlac {
namespace detail {

// Writes the loadable but for its weights, which follow; in steps as few as can be where it is
// known how many bytes these are.
template <hw::hardware Hw, const auto& Net>
constexpr auto write_loadable(std::size_t bytes = 0) {
  const auto plan = detail::program_of<Hw, Net>();
  return emit::loadable_writer(emit::loadable_frame(plan, hw::name<Hw>(), Hw::spec), bytes);
}

struct loadable_size {
  std::size_t front = 0, all = 0;  // bytes
};
template <hw::hardware Hw, const auto& Net>
constexpr loadable_size size_loadable() {
  if constexpr (!runs_or_refused<Hw, Net>() || !known_or_refused<Net>()) return {};
  else {
    static_assert(is_verified<Hw, Net>, "nvdlac: its own checker refuses the program");
    const auto writer = write_loadable<Hw, Net>();
    return {writer.front().size(), writer.front().size() + align_up(writer.bytes_at_end(), 4)};
  }
}

// In evaluations of their own, because compilers limit the steps of one.
template <hw::hardware Hw, const auto& Net>
inline constexpr auto size_of_loadable = size_loadable<Hw, Net>();

template <hw::hardware Hw, const auto& Net>
inline constexpr auto loadable_front = [] {
  std::array<std::uint8_t, size_of_loadable<Hw, Net>.front> bytes{};
  if constexpr (bytes.size() > 0) {
    const auto writer = write_loadable<Hw, Net>(bytes.size());
    const auto* from = writer.front().data();  // a span's iterators take three times the steps
    auto* to = bytes.data();
    for (const auto* const end = to + bytes.size(); to != end;) *to++ = *from++;
  }
  return bytes;
}();

template <hw::hardware Hw, const auto& Net>
constexpr auto make_loadable() {
  std::array<std::uint8_t, size_of_loadable<Hw, Net>.all> bytes{};
  if constexpr (bytes.size() > 0) {
    auto* to = bytes.data();
    for (const std::uint8_t byte : loadable_front<Hw, Net>) *to++ = byte;
    lower::lower_constant<Hw, Net>(lower::contents::into(to));
  }
  return bytes;
}

}  // namespace detail

// The bytes of the loadable of `Net`, all of whose constants are known, for Hw: what the public
// runtime loads and what emit::loadable gives at run time.
template <hw::hardware Hw, const auto& Net>
alignas(8) inline constexpr auto loadable = detail::make_loadable<Hw, Net>();

}  // namespace nvdlac
