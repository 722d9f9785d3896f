// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/quant/feeds.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL std::vector<quantised::feed> feeds_of(const quantised::graph& g,
                                                  const std::vector<net::float_tensor>& sample,
                                                  const std::optional<net::preprocessing>& how) {
  std::vector<quantised::feed> feeds;
  const auto nodes = net::input_nodes(g);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& node = g[nodes[i]];
    quantised::require_finite(sample.at(i), node.name);
    if (std::get<quantised::input>(node.op).pixels)
      feeds.emplace_back(quantised::pixels_of(sample.at(i), *how));
    else
      feeds.push_back(
          quantised::feed_of(
              quantised::numbers_of(sample.at(i), node.scale, node.precision, node.gain)));
  }
  return feeds;
}

}  // namespace nvdlac::quant
