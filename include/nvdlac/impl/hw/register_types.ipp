// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/register_types.hpp>

namespace nvdlac::hw::detail {

NVDLAC_IMPL void throw_does_not_fit(std::string_view field, int bits, long long value) {
  throw error(problem{.reason = text("the value ", value, " does not fit the register field ",
                                     field, " of ", bits, " bits")});
}

NVDLAC_IMPL void throw_not_aligned(std::string_view field, int lsb, unsigned long long value) {
  throw error(problem{.reason = text(value, " bytes in the register field ", field,
                                     " are not a multiple of ", 1ull << lsb)});
}

}  // namespace nvdlac::hw::detail
