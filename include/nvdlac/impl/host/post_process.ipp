// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/post_process.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

NVDLAC_IMPL net::shape post_process::rows(std::span<const net::shape> in,
                                          std::int32_t numbers) const {
  const auto count = anchors.size() / 4;
  if (count == 0 || anchors.size() % 4 != 0)
    throw error(text("its anchors have ", anchors.size(), " numbers"));
  for (std::size_t i = 0; i < anchors.size(); ++i)
    if (!std::isfinite(anchors[i]) || (i % 4 >= 2 && anchors[i] < 0))
      throw error(text("its anchor ", i / 4, " has the ",
                       i % 4 == 0   ? "centre y "
                       : i % 4 == 1 ? "centre x "
                       : i % 4 == 2 ? "height "
                                    : "width ",
                       anchors[i]));
  for (const float s : scales)
    if (s == 0 || !std::isfinite(s)) throw error(text("a scale of its boxes is ", s));
  if (classes < 1 || most < 1 || classes_of_box < 1 || most_of_class < 1)
    throw error(text("it keeps ", most, " boxes of ", count_of(classes, "class", "classes"), ", ",
                     classes_of_box,
                     " of each box and ", most_of_class, " boxes of each class"));
  if (!(most_overlap > 0 && most_overlap <= 1))
    throw error(text("the overlap of its boxes is at most ", most_overlap,
                     ", which is not between 0 and 1"));
  if (std::isnan(least_score)) throw error("the least score of its boxes is no number");
  const auto of_classes = static_cast<std::size_t>(classes);
  if (in[0].size() % count != 0 || in[0].size() / count < 4 ||
      (in[1].size() != count * of_classes && in[1].size() != count * (of_classes + 1)))
    throw error(text("for ", count, " anchors and ", count_of(classes, "class", "classes"),
                     " it takes four numbers or "
                     "more of each box and ", classes, " or ", std::int64_t{classes} + 1,
                     " scores of each, not ", in[0].size(), " and ", in[1].size(),
                     " numbers of all"));
  return net::checked_shape(1, std::int64_t{most} * classes_of_box, numbers);
}

// Each candidate is compared with those that are kept.
NVDLAC_IMPL std::uint64_t post_process::operations(std::span<const net::shape> in) const {
  (void)rows(in, 1);
  const std::uint64_t count = anchors.size() / 4;
  const auto kept = static_cast<std::uint64_t>(by_class ? most_of_class : most);
  return std::min(kept, count) * count * (by_class ? static_cast<std::uint64_t>(classes) : 1);
}

NVDLAC_IMPL std::vector<box_corners> post_process::decoded(std::span<const float> encoded) const {
  const auto count = anchors.size() / 4, each = encoded.size() / count;
  std::vector<box_corners> boxes;
  boxes.reserve(count);
  for (std::size_t n = 0; n < count; ++n) {
    const auto scaled = [&](std::size_t i) {
      return double{encoded[n * each + i]} / double{scales[i]};
    };
    const auto a = [&](std::size_t i) { return double{anchors[4 * n + i]}; };
    const auto y = static_cast<float>(scaled(0) * a(2) + a(0)),
               x = static_cast<float>(scaled(1) * a(3) + a(1)),
               half_height = static_cast<float>(0.5 * std::exp(scaled(2)) * a(2)),
               half_width = static_cast<float>(0.5 * std::exp(scaled(3)) * a(3));
    boxes.push_back({.left = x - half_width, .top = y - half_height, .right = x + half_width,
                     .bottom = y + half_height});
  }
  return boxes;
}

NVDLAC_IMPL std::vector<std::size_t> post_process::apart(std::span<const float> scores,
                                                         std::span<const box_corners> boxes,
                                                         std::int32_t kept) const {
  const auto score = [&](std::size_t n) { return scores[n]; };
  std::vector<std::size_t> order, left;
  for (std::size_t n = 0; n < boxes.size(); ++n)
    if (score(n) >= least_score) order.push_back(n);
  std::ranges::stable_sort(order, std::greater{}, score);
  for (const auto n : order) {
    if (left.size() == static_cast<std::size_t>(kept)) break;
    if (std::ranges::none_of(left, [&](std::size_t better) {
          return overlap_of(boxes[better], boxes[n]) > most_overlap;
        }))
      left.push_back(n);
  }
  return left;
}

NVDLAC_IMPL post_process::detections post_process::by_classes(
    const scores_of_anchors& scores, std::span<const box_corners> boxes) const {
  std::vector<detection> all;
  std::vector<float> of_class(boxes.size());
  for (std::int32_t c = 0; c < classes; ++c) {
    for (std::size_t n = 0; n < boxes.size(); ++n)
      of_class[n] = scores.at(n, static_cast<std::size_t>(c));
    for (const auto n : apart(of_class, boxes, most_of_class))
      all.push_back({c, of_class[n], boxes[n]});
  }
  std::ranges::stable_sort(all, std::greater{}, &detection::score);
  const auto found = std::min(all.size(), static_cast<std::size_t>(most));
  all.resize(found);
  all.resize(static_cast<std::size_t>(most) * static_cast<std::size_t>(classes_of_box));
  return {std::move(all), static_cast<std::int32_t>(found)};
}

NVDLAC_IMPL post_process::detections post_process::by_best_class(
    const scores_of_anchors& scores, std::span<const box_corners> boxes) const {
  std::vector<float> best(boxes.size());
  for (std::size_t n = 0; n < boxes.size(); ++n) {
    best[n] = scores.at(n, 0);
    for (std::size_t c = 1; c < static_cast<std::size_t>(classes); ++c)
      if (scores.at(n, c) > best[n]) best[n] = scores.at(n, c);
  }
  const auto kept = apart(best, boxes, most);
  const auto rows_of_box = static_cast<std::size_t>(classes_of_box);
  detections result{.rows = std::vector<detection>(static_cast<std::size_t>(most) * rows_of_box,
                                                   detection{}),
                    .boxes = static_cast<std::int32_t>(kept.size())};
  std::vector<std::int32_t> labels(static_cast<std::size_t>(classes));
  auto row = result.rows.begin();
  for (const auto n : kept) {
    const auto score = [&](std::int32_t c) { return scores.at(n, static_cast<std::size_t>(c)); };
    std::iota(labels.begin(), labels.end(), 0);
    std::ranges::stable_sort(labels, std::greater{}, score);
    const auto known = std::min(labels.size(), rows_of_box);
    for (std::size_t i = 0; i < known; ++i)
      row[static_cast<std::ptrdiff_t>(i)] = {labels[i], score(labels[i]), boxes[n]};
    row += classes_of_box;
  }
  return result;
}

NVDLAC_IMPL post_process::detections post_process::found(
    std::span<const net::float_tensor* const> in) const {
  const auto count = anchors.size() / 4;
  const scores_of_anchors scores{
      .all = in[1]->values, .each = in[1]->values.size() / count,
      .first = in[1]->values.size() / count - static_cast<std::size_t>(classes)};
  const auto boxes = decoded(in[0]->values);
  return by_class ? by_classes(scores, boxes) : by_best_class(scores, boxes);
}

NVDLAC_IMPL double post_processed_boxes::bound(std::span<const double> in) const {
  double extent = 0, reached = 0;
  for (std::size_t n = 0; n < anchors.size() / 4; ++n)
    for (const std::size_t axis : {0U, 1U}) {
      const double centre = std::abs(double{anchors[4 * n + axis]});
      const double size{anchors[4 * n + axis + 2]};
      extent = std::max(extent, centre + size / 2);
      reached = std::max(reached, centre + in[0] / std::abs(double{scales[axis]}) * size +
                                      0.5 * size * std::exp(in[0] / std::abs(
                                                                double{scales[axis + 2]})));
    }
  return std::min(reached, 2 * extent);
}

NVDLAC_IMPL net::float_tensor post_processed_boxes::evaluate(
    std::span<const net::float_tensor* const> in) const {
  net::float_tensor y{infer(net::shapes_of(in))};
  auto at = y.values.begin();
  for (const auto& d : found(in).rows)
    for (const float edge : {d.box.top, d.box.left, d.box.bottom, d.box.right}) *at++ = edge;
  return y;
}

NVDLAC_IMPL net::float_tensor post_processed_classes::evaluate(
    std::span<const net::float_tensor* const> in) const {
  net::float_tensor y{infer(net::shapes_of(in))};
  std::ranges::transform(found(in).rows, y.values.begin(),
                         [](const detection& d) { return static_cast<float>(d.label); });
  return y;
}

NVDLAC_IMPL net::float_tensor post_processed_scores::evaluate(
    std::span<const net::float_tensor* const> in) const {
  net::float_tensor y{infer(net::shapes_of(in))};
  std::ranges::transform(found(in).rows, y.values.begin(), &detection::score);
  return y;
}

NVDLAC_IMPL net::float_tensor post_processed_count::evaluate(
    std::span<const net::float_tensor* const> in) const {
  return {infer(net::shapes_of(in)), {static_cast<float>(found(in).boxes)}};
}

}  // namespace nvdlac::host
