// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <nvdlac/emit/loadable_bytes.hpp>

#include "target.hpp"

namespace nvdlac::cli {

// The bytes of the loadable of a program that `t` built. Its notes tell what it was made from,
// where that is given.
inline std::vector<std::uint8_t> loadable_of(const target& t, const plan::program_data& p,
                                             const emit::provenance& made_from = {}) {
  return emit::loadable_bytes(p, t.name(), t.spec(), made_from);
}

}  // namespace nvdlac::cli
