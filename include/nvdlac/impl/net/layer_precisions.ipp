// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/layer_precisions.hpp>

namespace nvdlac::net {

NVDLAC_IMPL hw::precision layer_precisions::operator()(std::string_view layer) const {
  const auto found = of.find(layer);
  return found == of.end() ? all : found->second;
}

NVDLAC_IMPL bool layer_precisions::uses(hw::precision p) const {
  for (const auto& [layer, own] : of)
    if (own == p) return true;
  return all == p;
}

NVDLAC_IMPL bool layer_precisions::is_all(hw::precision p) const {
  for (const auto& [layer, own] : of)
    if (own != p) return false;
  return all == p;
}

}  // namespace nvdlac::net
