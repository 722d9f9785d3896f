// SPDX-License-Identifier: Apache-2.0
#pragma once
// Configurations as values at run time, without the rules' bodies.
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/hw/validate.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// The rules that all configurations share, standard_rules (rules.hpp), compiled once.
const rules& compiled_rules();

// A configuration as a value at run time.
template <hw::hardware Hw>
target compiled_target() {
  static_assert(hw::validated<Hw>);
  if constexpr (detail::has_own_rules<Hw>(quantised::operators{})) {
    static const rules own = detail::with_own_rules<Hw>(compiled_rules());
    return {Hw::spec, hw::name<Hw>(), own};
  } else {
    return {Hw::spec, hw::name<Hw>(), compiled_rules()};
  }
}

}  // namespace nvdlac::lower

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/lower/compiled_target.ipp>
#endif
