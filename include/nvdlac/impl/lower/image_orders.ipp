// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/image_mode.hpp>
#include <nvdlac/lower/image_orders.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::lower {

NVDLAC_IMPL std::vector<quantised::image_order> image_orders(const hw::spec& hw,
                                                             const quantised::graph& g) {
  std::vector<quantised::image_order> orders(g.size());
  for (quantised::graph::id n = 0; n < g.size(); ++n) {
    const auto* input = g.get_if<quantised::input>(n);
    if (input == nullptr || input->pixels || g.precision(n) != hw::precision::fp16) continue;
    if (const auto image = fastest_image(hw, g, n))
      for (const auto reader : g.consumers(n))
        orders[reader] = image_order_of(hw, *image,
                                        g.get_if<quantised::convolution>(reader)->window);
  }
  return orders;
}

NVDLAC_IMPL void take_image_orders(quantised::graph& g,
                                   const std::vector<quantised::image_order>& orders) {
  for (quantised::graph::id n = 0; n < g.size(); ++n)
    if (auto* op = std::get_if<quantised::convolution>(&g[n].op)) op->image = orders.at(n);
}

}  // namespace nvdlac::lower
