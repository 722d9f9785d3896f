// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/quantised/move.hpp>

namespace nvdlac::quantised {

NVDLAC_IMPL void concat::check(std::span<const net::shape> in, diagnostics& found,
                               const std::string& layer) const {
  check_values(multiplier, static_cast<std::int64_t>(in.size()), "multiplier", found, layer);
  if (!zeros.empty())
    check_values(zeros, static_cast<std::int64_t>(in.size()), "zeros", found, layer);
}

}  // namespace nvdlac::quantised
