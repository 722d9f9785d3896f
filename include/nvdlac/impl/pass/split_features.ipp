// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/pass/split_features.hpp>

namespace nvdlac::pass::detail {

NVDLAC_IMPL net::convolution layer_of(const net::fully_connected& whole, net::shape cube,
                                      std::span<const std::int32_t> columns) {
  net::convolution result{.kernels = whole.outputs,
                          .window = {.kernel_h = cube.h, .kernel_w = cube.w}};
  const std::size_t all = whole.weights.size() / static_cast<std::size_t>(whole.outputs);
  result.weights.reserve(static_cast<std::size_t>(whole.outputs) * columns.size());
  for (std::size_t row = 0; row < whole.weights.size(); row += all)
    for (const auto column : columns)
      result.weights.push_back(whole.weights[row + static_cast<std::size_t>(column)]);
  return result;
}

NVDLAC_IMPL feature_columns targets_of(const net::move& m, net::shape in) {
  if (m.target.size() != in.size()) return {};
  feature_columns columns(in.size(), -1);
  std::int32_t to = 0;
  for (const auto from : net::sources_of(m, in)) {
    if (from < 0 || columns[static_cast<std::size_t>(from)] >= 0) return {};
    columns[static_cast<std::size_t>(from)] = to++;
  }
  return columns;
}

NVDLAC_IMPL net::move features_from(std::int32_t first, std::int32_t count) {
  net::box b{.from = {first, 0, 0}};
  b.loops[0] = {count, {1, 0, 0}, {1, 0, 0}};
  return {.target = {count, 1, 1}, .boxes = std::vector{b}};
}

}  // namespace nvdlac::pass::detail
