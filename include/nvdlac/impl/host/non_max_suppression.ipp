// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/detection.hpp>
#include <nvdlac/host/non_max_suppression.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

namespace detail {

// Corners in any unit; the two that are given may be any opposite ones.
inline box_corners corners_of(std::span<const float, 4> b, bool by_centre) {
  if (by_centre)
    return {b[0] - b[2] / 2, b[1] - b[3] / 2, b[0] + b[2] / 2, b[1] + b[3] / 2};
  return {std::min(b[1], b[3]), std::min(b[0], b[2]), std::max(b[1], b[3]), std::max(b[0], b[2])};
}

}  // namespace detail

NVDLAC_IMPL net::shape non_max_suppression::infer(std::span<const net::shape> in) const {
  const std::size_t boxes = in[0].size() / 4;
  if (in[0].size() % 4 != 0 || in[1].size() % boxes != 0)
    throw error(text("its boxes have ", in[0].size(), " numbers and ", in[1].size(), " scores"));
  if (most < 1) throw error(text("it selects ", most, " boxes of a class"));
  const std::size_t classes = in[1].size() / boxes;
  const auto rows = std::min(boxes, static_cast<std::size_t>(most));
  return net::checked_shape(1, static_cast<std::int64_t>(classes * rows), 3);
}

// Each candidate is compared with those that are kept.
NVDLAC_IMPL std::uint64_t non_max_suppression::operations(std::span<const net::shape> in) const {
  const std::uint64_t rows = infer(in).size() / 3;
  return rows * (in[0].size() / 4);
}

NVDLAC_IMPL std::int64_t non_max_suppression::counts_to(std::span<const net::shape> in) const {
  const std::size_t boxes = in[0].size() / 4;
  return static_cast<std::int64_t>(std::max(boxes, in[1].size() / boxes)) - 1;
}

NVDLAC_IMPL std::vector<std::size_t> non_max_suppression::selected(
    std::span<const float> boxes, std::span<const float> scores) const {
  const auto score = [&](std::size_t n) { return scores[n]; };
  const auto corners = [&](std::size_t n) {
    return detail::corners_of(boxes.subspan(4 * n).first<4>(), by_centre);
  };
  std::vector<std::size_t> order, kept;
  for (std::size_t n = 0; n < scores.size(); ++n)
    if (score(n) > least_score) order.push_back(n);
  std::ranges::stable_sort(order, std::greater{}, score);
  for (const auto n : order) {
    if (kept.size() == static_cast<std::size_t>(most)) break;
    const auto box = corners(n);
    if (std::ranges::none_of(kept, [&](std::size_t better) {
          return overlap_of(box, corners(better)) > most_overlap;
        }))
      kept.push_back(n);
  }
  return kept;
}

NVDLAC_IMPL net::float_tensor non_max_suppression::evaluate(
    std::span<const net::float_tensor* const> in) const {
  const std::span<const float> boxes(in[0]->values), scores(in[1]->values);
  const std::size_t count = boxes.size() / 4;
  net::float_tensor y{infer(net::shapes_of(in))};
  std::ranges::fill(y.values, -1.0F);
  auto row = y.values.begin();
  for (std::size_t c = 0; c * count < scores.size(); ++c)
    for (const auto n : selected(boxes, scores.subspan(c * count, count))) {
      *row++ = 0;
      *row++ = static_cast<float>(c);
      *row++ = static_cast<float>(n);
    }
  return y;
}

}  // namespace nvdlac::host
