// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/detection.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/detection.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/parameters.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/move.hpp>

namespace nvdlac::import::caffe_format {

namespace detail {

struct extent {
  float w = 0, h = 0;
};

// The sizes of the boxes around one place, in the order of prior_box_layer.cpp.
inline std::vector<extent> prior_sizes(const proto::view& p) {
  const auto least = p.values<float>("min_size"), most = p.values<float>("max_size");
  if (least.empty()) throw error("its min_size is missing");
  if (!most.empty() && most.size() != least.size())
    throw error(text("it has ", count_of(least.size(), "value"), " of min_size and ", most.size(),
                     " of max_size"));
  std::vector<float> ratios{1};
  for (const auto r : p.values<float>("aspect_ratio")) {
    if (!(r > 0)) throw error(text("its aspect_ratio is ", r));
    const auto is_same = [&](float known) { return std::abs(known - r) < 1e-6F; };
    if (std::ranges::any_of(ratios, is_same)) continue;
    ratios.push_back(r);
    if (p.flag("flip", true)) ratios.push_back(1 / r);
  }
  std::vector<extent> all;
  for (std::size_t i = 0; i < least.size(); ++i) {
    if (!(least[i] > 0)) throw error(text("its min_size is ", least[i]));
    all.push_back({least[i], least[i]});
    if (!most.empty()) {
      if (!(most[i] > least[i]))
        throw error(text("its max_size is ", most[i], ", and min_size ", least[i]));
      all.push_back({std::sqrt(least[i] * most[i]), std::sqrt(least[i] * most[i])});
    }
    for (const auto r : std::span(ratios).subspan(1))
      all.push_back({least[i] * std::sqrt(r), least[i] / std::sqrt(r)});
  }
  return all;
}

// A step, told once or for both axes; 0 where it is not told.
inline extent told_step(const proto::view& p) {
  if (p.has("step") && (p.has("step_h") || p.has("step_w")))
    throw error("it gives both step and step_h or step_w");
  const float one = p.number("step", 0);
  return {p.number("step_w", one), p.number("step_h", one)};
}

// The size of the picture, where it is not that of the second input; 0 where it is not told.
inline extent told_size(const proto::view& p) {
  if (p.has("img_size") && (p.has("img_h") || p.has("img_w")))
    throw error("it gives both img_size and img_h or img_w");
  const auto one = p.integer("img_size", 0);
  return {static_cast<float>(p.integer("img_w", one)), static_cast<float>(p.integer("img_h", one))};
}

// The node before those that only give its elements another shape.
inline assembly::id before_reshapes(const context& c, assembly::id n) {
  const auto& g = c.net.graph();
  while (std::holds_alternative<net::reshape>(g[n].op) ||
         std::holds_alternative<net::flatten>(g[n].op) ||
         std::holds_alternative<net::identity>(g[n].op))
    n = g.inputs(n)[0];
  return n;
}

}  // namespace detail

NVDLAC_IMPL blob on_prior_box(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("prior_box_param");
  const net::shape places = cube(in[0].shape), picture = cube(in[1].shape);
  const auto sizes = detail::prior_sizes(p);
  auto size = detail::told_size(p), step = detail::told_step(p);
  if (size.w == 0) size.w = static_cast<float>(picture.w);
  if (size.h == 0) size.h = static_cast<float>(picture.h);
  if (step.w == 0) step.w = size.w / static_cast<float>(places.w);
  if (step.h == 0) step.h = size.h / static_cast<float>(places.h);
  if (!(size.w > 0 && size.h > 0 && step.w > 0 && step.h > 0))
    throw error("its picture or its steps have no size");
  auto variances = p.values<float>("variance");
  if (variances.empty()) variances = {0.1F};
  if (variances.size() == 1) variances.resize(4, variances[0]);
  if (variances.size() != 4) throw error(text("it has ", variances.size(), " variances"));
  const float offset = p.number("offset", 0.5F);
  const auto numbers = net::product({places.h, places.w, static_cast<std::int64_t>(sizes.size()),
                                     4});
  require_within(&budget::constants, static_cast<std::uint64_t>(2 * numbers), c.net.limits());
  net::float_tensor boxes{net::checked_shape(2, numbers, 1)};
  auto to = boxes.values.begin();
  for (std::int32_t y = 0; y < places.h; ++y)
    for (std::int32_t x = 0; x < places.w; ++x)
      for (const auto& s : sizes) {
        const float cx = (static_cast<float>(x) + offset) * step.w,
                    cy = (static_cast<float>(y) + offset) * step.h;
        for (const float edge : {(cx - s.w / 2) / size.w, (cy - s.h / 2) / size.h,
                                 (cx + s.w / 2) / size.w, (cy + s.h / 2) / size.h})
          *to++ = p.flag("clip", false) ? std::clamp(edge, 0.0F, 1.0F) : edge;
      }
  // Only the sizes of its inputs count.
  for (const auto& b : in) c.net.leave_out_unread(b.node);
  for (std::int64_t i = 0; i < numbers; ++i) *to++ = variances[static_cast<std::size_t>(i % 4)];
  return {c.net.add(l.name, net::constant{std::move(boxes)}, {}, l.line), {1, 2, numbers}};
}

NVDLAC_IMPL blob on_detection_output(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("detection_output_param");
  const auto nms = p.child("nms_param");
  const auto* priors = std::get_if<net::constant>(
      &c.net.graph()[detail::before_reshapes(c, in[2].node)].op);
  if (priors == nullptr)
    throw error(problem{.reason = "its third input is not the constant boxes of PriorBox layers",
                        .remedy = "PriorBox, and a Concat of several, is supported"});
  const auto& values = priors->value.values;
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  const auto code = p.enumerator("code_type", "CORNER");
  host::ssd_detections how{
      .priors = {values.begin(), half},
      .variances = {half, values.end()},
      .classes = small(p, "num_classes", 0),
      .background = static_cast<std::int32_t>(p.integer("background_label_id", 0)),
      .candidates = static_cast<std::int32_t>(std::max<std::int64_t>(nms.integer("top_k", -1),
                                                                     -1)),
      .kept = static_cast<std::int32_t>(std::max<std::int64_t>(p.integer("keep_top_k", -1), -1)),
      .code = code == "CENTER_SIZE"   ? host::box_code::centre_and_size
              : code == "CORNER_SIZE" ? host::box_code::corners_by_size
                                      : host::box_code::corners,
      .shared = p.flag("share_location", true),
      .least_score = p.number("confidence_threshold", 0),
      .most_overlap = nms.number("nms_threshold", 0.3F),
      .eta = nms.number("eta", 1)};
  if (p.flag("variance_encoded_in_target", false)) how.variances.clear();
  if (how.kept < 1)
    throw error(problem{.reason = "it keeps all boxes, as many as there happen to be",
                        .remedy = "give keep_top_k, which becomes the number of rows"});
  const std::vector<assembly::id> from{detail::before_reshapes(c, in[0].node),
                                       detail::before_reshapes(c, in[1].node)};
  const auto part = [&]<class Op>(const char* name, Op op) {
    static_cast<host::ssd_detections&>(op) = how;
    return c.net.add(text(l.name, '/', name), host::on_host(op), from, l.line);
  };
  const std::vector<assembly::id> parts{part("labels", host::ssd_labels{}),
                                        part("scores", host::ssd_scores{}),
                                        part("boxes", host::ssd_boxes{})};
  std::vector<net::shape> shapes;
  for (const auto n : parts) shapes.push_back(c.net.shape(n));
  return {c.net.add(l.name, net::stack(shapes, true), parts, l.line), {1, 1, how.kept, 7}};
}

}  // namespace nvdlac::import::caffe_format
