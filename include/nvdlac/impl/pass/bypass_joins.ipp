// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/pass/bypass_joins.hpp>

namespace nvdlac::pass::detail {

NVDLAC_IMPL net::move move_of(net::shape to, const std::vector<std::vector<std::int32_t>>& maps,
                              std::span<const net::shape> in) {
  std::vector<net::box> boxes;
  for (std::size_t k = 0; k < maps.size(); ++k)
    for (auto b : net::find_boxes(maps[k], to, in[k])) {
      if (b.input == net::box::filled) continue;
      b.input = static_cast<std::int32_t>(k);
      boxes.push_back(b);
    }
  return {.target = to, .boxes = std::move(boxes)};
}

}  // namespace nvdlac::pass::detail
