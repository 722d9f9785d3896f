// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

NVDLAC_IMPL void check_boxes(shape target, std::span<const box> boxes, diagnostics& found,
                             const std::string& layer) {
  std::vector<bool> held(target.size(), false);
  for (const box& b : boxes) {
    bool twice = false;
    for_each_element(b, [&](position to, position) {
      const auto at = target.at(to.c, to.y, to.x);
      twice = twice || held[at];
      held[at] = true;
    });
    if (!twice) continue;
    found.add({.layer = layer, .reason = "more than one of its boxes hold the same element"});
    return;
  }
}

}  // namespace nvdlac::net
