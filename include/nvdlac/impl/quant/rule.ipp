// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL shared_shifts options::shifts_of(const std::string& layer) const {
  const auto found = shifts.find(layer);
  return found == shifts.end() ? shared_shifts{} : found->second;
}

}  // namespace nvdlac::quant
