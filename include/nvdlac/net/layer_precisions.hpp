// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <nvdlac/hw/spec.hpp>

namespace nvdlac::net {

// In what numbers the layers of a network are computed: all in one precision, but for those that
// are named. Between layers of different ones SDP converts.
struct layer_precisions {
  hw::precision all = hw::precision::int8;
  std::map<std::string, hw::precision, std::less<>> of{};

  layer_precisions() = default;
  layer_precisions(hw::precision p, std::map<std::string, hw::precision, std::less<>> named = {})
      : all(p), of(std::move(named)) {}

  hw::precision operator()(std::string_view layer) const;
  // Whether any layer may be computed in it.
  bool uses(hw::precision p) const;
  // Whether all are.
  bool is_all(hw::precision p) const;
  bool operator==(const layer_precisions&) const = default;
};

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/layer_precisions.ipp>
#endif
