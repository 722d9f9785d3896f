// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/emit/loadable.hpp>

#include "target.hpp"

namespace nvdlac::cli {

// The bytes of the loadable of a program that `t` built.
inline std::vector<std::uint8_t> loadable_of(const target& t, const plan::program_data& p) {
  return emit::write_loadable(emit::loadable_lists(p, t.name(), t.spec()));
}

}  // namespace nvdlac::cli
