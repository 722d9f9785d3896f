// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/pointwise.hpp>

namespace nvdlac::quantised {

NVDLAC_IMPL void scale::check(std::span<const net::shape> in, diagnostics& found,
                              const std::string& layer) const {
  check_values(multiplier, multiplier.size() == 1 ? 1 : in[0].c, "multiplier", found, layer);
  if (addend.size() > 1) check_values(addend, in[0].c, "addend", found, layer);
}

}  // namespace nvdlac::quantised
