// SPDX-License-Identifier: Apache-2.0
#pragma once
// The verdicts of the checkers on a program that the C++ compiler makes, which compile() asks at
// run time: in evaluations of their own, because compilers limit the steps of one. Net is a network
// of quantised operators. A network that Hw does not run is not judged, so that only its reason is
// said.
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/on_the_fly.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/lower/runs_in_integers.hpp>
#include <nvdlac/plan/cvsram.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>

namespace nvdlac {

namespace detail {

template <hw::hardware Hw, const auto& Net>
constexpr plan::lowered layers_of() {
  auto l = lower::lower_constant<Hw, Net>(lower::contents::none());
  plan::place_in_cvsram(l, plan::cvsram_bytes<Hw>());
  return l;
}
template <hw::hardware Hw, const auto& Net>
constexpr plan::program<Hw> program_of() {
  return plan::make_program<Hw>(layers_of<Hw, Net>());
}

}  // namespace detail

// Whether every layer keeps the rules of the hardware; `program` and `loadable` demand it.
template <hw::hardware Hw, const auto& Net>
inline constexpr bool is_verified = [] {
  if constexpr (!runs_or_refused<Hw, Net>()) return true;
  else return plan::verify(detail::program_of<Hw, Net>()).empty();
}();

// Whether memory and order are right as well: static_assert(nvdlac::is_validated<nv_small, net>).
// It follows every line of every cube, which costs the compiler about as much as the program, and
// beyond some twenty layers more steps than it takes without an option.
template <hw::hardware Hw, const auto& Net>
inline constexpr bool is_validated = [] {
  if constexpr (!runs_or_refused<Hw, Net>()) return true;
  else
    return plan::validate(detail::program_of<Hw, Net>(), Hw::spec,
                          plan::contents::apart).empty();
}();

}  // namespace nvdlac
