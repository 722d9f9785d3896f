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
#include <nvdlac/host/detection.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

NVDLAC_IMPL float overlap_of(const box_corners& a, const box_corners& b) {
  const auto area = [](const box_corners& x) {
    return std::max(x.right - x.left, 0.0F) * std::max(x.bottom - x.top, 0.0F);
  };
  const box_corners both{std::max(a.left, b.left), std::max(a.top, b.top),
                         std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
  const float shared = area(both);
  return shared > 0 ? shared / (area(a) + area(b) - shared) : 0.0F;
}

NVDLAC_IMPL net::shape ssd_detections::rows(std::span<const net::shape> in,
                                            std::int32_t numbers) const {
  const auto count = priors.size() / 4;
  if (count == 0 || priors.size() % 4 != 0 ||
      (!variances.empty() && variances.size() != priors.size()))
    throw error(text("it has ", priors.size(), " numbers of prior boxes and ", variances.size(),
                     " of their variances"));
  if (classes < 1 || kept < 1 || background >= classes || !(eta > 0))
    throw error(text("it has ", count_of(classes, "class", "classes"), ", the background ",
                     background, ", keeps ", kept,
                     " boxes, and eta is ", eta));
  if (code < box_code::corners || code > box_code::corners_by_size)
    throw error(text("its code of boxes is ", static_cast<int>(code)));
  const auto of_classes = static_cast<std::size_t>(classes);
  const auto expected = 4 * count * (shared ? 1 : of_classes);
  if (in[0].size() != expected || in[1].size() != count * of_classes)
    throw error(text("for ", count, " prior boxes and ", count_of(classes, "class", "classes"),
                     " it takes ", expected,
                     " numbers of boxes and ", count * of_classes, " scores, not ", in[0].size(),
                     " and ", in[1].size()));
  return {1, kept, numbers};
}

NVDLAC_IMPL box_corners ssd_detections::decoded(std::size_t prior, const float* encoded) const {
  const float *p = &priors[4 * prior],
              *v = variances.empty() ? nullptr : &variances[4 * prior];
  const float width = p[2] - p[0], height = p[3] - p[1];
  const auto scaled = [&](std::size_t i) { return v == nullptr ? encoded[i] : v[i] * encoded[i]; };
  box_corners b{};
  switch (code) {
    case box_code::corners:
      b = {p[0] + scaled(0), p[1] + scaled(1), p[2] + scaled(2), p[3] + scaled(3)};
      break;
    case box_code::corners_by_size:
      b = {p[0] + scaled(0) * width, p[1] + scaled(1) * height, p[2] + scaled(2) * width,
           p[3] + scaled(3) * height};
      break;
    case box_code::centre_and_size: {
      const float x = scaled(0) * width + (p[0] + p[2]) / 2,
                  y = scaled(1) * height + (p[1] + p[3]) / 2;
      const float w = std::exp(scaled(2)) * width, h = std::exp(scaled(3)) * height;
      b = {x - w / 2, y - h / 2, x + w / 2, y + h / 2};
      break;
    }
  }
  if (!clipped) return b;
  const auto in_picture = [](float x) { return std::min(std::max(x, 0.0F), 1.0F); };
  return {in_picture(b.left), in_picture(b.top), in_picture(b.right), in_picture(b.bottom)};
}

NVDLAC_IMPL std::vector<std::size_t> ssd_detections::kept_of_class(
    std::span<const float> scores, std::int32_t c, std::span<const box_corners> boxes) const {
  const auto score = [&](std::size_t n) {
    return scores[n * static_cast<std::size_t>(classes) + static_cast<std::size_t>(c)];
  };
  std::vector<std::size_t> order;
  for (std::size_t n = 0; n < boxes.size(); ++n)
    if (score(n) > least_score) order.push_back(n);
  std::ranges::stable_sort(order, std::greater{}, score);
  if (candidates >= 0 && order.size() > static_cast<std::size_t>(candidates))
    order.resize(static_cast<std::size_t>(candidates));
  std::vector<std::size_t> left;
  float most = most_overlap;
  for (const auto n : order) {
    if (std::ranges::any_of(left, [&](auto k) { return overlap_of(boxes[n], boxes[k]) > most; }))
      continue;
    left.push_back(n);
    if (eta < 1 && most > 0.5F) most *= eta;
  }
  return left;
}

NVDLAC_IMPL std::vector<ssd_detections::detection> ssd_detections::found(
    std::span<const net::float_tensor* const> in) const {
  const auto count = priors.size() / 4;
  std::vector<detection> all;
  std::vector<box_corners> boxes(count);
  for (std::int32_t c = 0; c < classes; ++c) {
    const auto stride = shared ? std::size_t{1} : static_cast<std::size_t>(classes);
    const auto place = shared ? std::size_t{0} : static_cast<std::size_t>(c);
    if (c == 0 || !shared)
      for (std::size_t n = 0; n < count; ++n)
        boxes[n] = decoded(n, &in[0]->values[4 * (n * stride + place)]);
    if (c == background) continue;
    for (const auto n : kept_of_class(in[1]->values, c, boxes))
      all.push_back({c,
                     in[1]->values[n * static_cast<std::size_t>(classes) +
                                   static_cast<std::size_t>(c)],
                     boxes[n]});
  }
  const auto most = static_cast<std::size_t>(kept);
  if (all.size() > most) {
    std::ranges::stable_sort(all, std::greater{}, &detection::score);
    all.resize(most);
    std::ranges::stable_sort(all, std::less{}, &detection::label);
  }
  return all;
}

namespace detail {

// The rows of detections, of each of which `write` tells the numbers.
template <class Write>
net::float_tensor rows_of(const std::vector<ssd_detections::detection>& found, net::shape shape,
                          Write write) {
  net::float_tensor y{shape};
  auto at = y.values.begin();
  for (const auto& d : found) {
    write(d, at);
    at += shape.w;
  }
  return y;
}

}  // namespace detail

NVDLAC_IMPL net::float_tensor ssd_labels::evaluate(
    std::span<const net::float_tensor* const> in) const {
  return detail::rows_of(found(in), infer(net::shapes_of(in)), [](const auto& d, auto at) {
    at[1] = static_cast<float>(d.label);
  });
}

NVDLAC_IMPL net::float_tensor ssd_scores::evaluate(
    std::span<const net::float_tensor* const> in) const {
  return detail::rows_of(found(in), infer(net::shapes_of(in)),
                         [](const auto& d, auto at) { at[0] = d.score; });
}

NVDLAC_IMPL net::float_tensor ssd_boxes::evaluate(
    std::span<const net::float_tensor* const> in) const {
  return detail::rows_of(found(in), infer(net::shapes_of(in)), [](const auto& d, auto at) {
    at[0] = d.box.left;
    at[1] = d.box.top;
    at[2] = d.box.right;
    at[3] = d.box.bottom;
  });
}

}  // namespace nvdlac::host
