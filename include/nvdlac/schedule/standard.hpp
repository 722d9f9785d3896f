// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/draft.hpp>

namespace nvdlac::schedule {

// A policy that chooses a schedule: a type whose value is called with a draft and gives choices.
template <class T>
concept policy = requires(const T chooses, const draft& d) {
  { chooses(d) } -> std::same_as<choices>;
};

// Puts layers of other engines beside the convolutions that they do not depend on, and convolutions
// that read the same behind each other, cuts dependent ones in tiles of rows, and keeps in the CBUF
// what neighbours share: each where it pays. Then it fills the secondary memory, if there is one,
// and schedules anew for what stands there, as long as that wins cycles.
struct standard {
  choices operator()(const draft& d) const;

 private:
  static constexpr int most_rounds = 2;
  // The most stages for which other first tiles than halves are tried as well: they win up to 3 %
  // of short networks, less than 1 % of long ones, and each takes as much time as the halves.
  static constexpr std::size_t few_stages = 64;

  struct candidate {
    detail::decisions what{};
    schedule::price price{};
  };
  static schedule::price price_of(const detail::arranger& by_number, const detail::decisions& what);
  static bool has_room(const detail::arranger& by_number, const price& p) {
    return p.cvsram <= by_number.memory().cvsram.bytes;
  }
  static candidate placed(const detail::arranger& by_number, const detail::decisions& schedule);
  // The schedule of layers whose buffers stand where `plain` says.
  static detail::decisions scheduled(const detail::arranger& by_number,
                                     const detail::decisions& plain);
  // Whether a schedule that brings weights more than once is taken instead of the usual one.
  static bool is_worth(const price& now, const price& usual);
  // Chooses, of those that fit and take at most a 200th more cycles than the fewest, one that takes
  // fewest where bytes count as well: as the time that they take on a bus of `width` bytes a cycle.
  static std::size_t best_of(const std::vector<candidate>& all, std::uint64_t width);
};

// The step of the compiler that makes choices and the layers of them.
struct order {
  static constexpr std::string_view name = "order";
  static constexpr std::string_view description =
      "put hardware layers and tiles of rows beside each other, and keep in the CBUF what "
      "neighbours share";

  template <policy Policy = standard>
  static void run(const hw::spec& hw, plan::lowered& l) {
    const draft d(hw, l);
    apply(d, Policy{}(d), l);
  }
  // The layers of the choices in place of those of the draft; `file` is for messages.
  static void apply(const draft& d, const choices& c, plan::lowered& l,
                    const std::string& file = {});
};

}  // namespace nvdlac::schedule

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/schedule/standard.ipp>
#endif
