// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/import/darknet/context.hpp>
#include <nvdlac/import/darknet/functions.hpp>
#include <nvdlac/import/darknet/layout.hpp>
#include <nvdlac/import/onnx/movement.hpp>

namespace nvdlac::import::darknet_format {

NVDLAC_IMPL id on_activation(const context& c) {
  const auto function = function_of(c, "linear");
  if (function == "linear") return on_nothing(c);
  return activated(c, function, c.input());
}

NVDLAC_IMPL id channels(const context& c, const std::string& node, id x, std::int64_t first,
                        std::int64_t count) {
  const net::shape in = c.shape(x);
  if (first + count <= in.c) {
    auto steps = onnx_format::all_steps(dims_of(in), c.ceiling());
    onnx_format::slice(steps, 0, first, first + count, 1);
    return c.move(node, x, onnx_format::from_steps(steps, c.ceiling()));
  }
  return c.move(node, x, onnx_format::pad(dims_of(in), {-first, 0, 0, first + count - in.c, 0, 0},
                                          "constant", c.ceiling()));
}

NVDLAC_IMPL id on_route(const context& c) {
  const auto layers = c.s.integers("layers");
  if (layers.empty()) throw error("it names no layers");
  const auto groups = c.small("groups", 1), group = c.small("group_id", 0, 0);
  if (group >= groups)
    throw error(problem{.line = c.line_of("group_id"),
                        .reason = text("group_id is ", group, " of ", groups, " groups")});
  std::vector<id> parts;
  for (const auto i : layers) {
    const auto x = c.earlier(i);
    const auto each = c.shape(x).c / groups;
    if (c.shape(x).c % groups != 0)
      throw error(problem{.line = c.line_of("groups"),
                          .reason = text("it takes one of ", groups, " groups of ", c.shape(x).c,
                                         " channels")});
    const auto node = layers.size() == 1 ? c.name : text(c.name, "/part", parts.size());
    parts.push_back(groups == 1 ? x : channels(c, node, x, group * each, each));
  }
  if (layers.size() > 1) return c.add(c.name, net::concat{}, parts);
  return groups > 1 ? parts[0] : c.add(c.name, net::identity{}, parts);
}

NVDLAC_IMPL id thinned(const context& c, const std::string& node, id x, const net::shape& like) {
  const net::shape in = c.shape(x);
  const auto step = in.h / like.h;
  if (step < 1 || in.h != step * like.h || in.w != step * like.w)
    throw error(problem{.line = c.line_of("from"),
                        .reason = text("it adds a picture of ", in.h, " x ", in.w, " to one of ",
                                       like.h, " x ", like.w),
                        .remedy = "sizes must be the same, or both a multiple"});
  auto steps = onnx_format::all_steps(dims_of(in), c.ceiling());
  for (const int axis : {1, 2}) onnx_format::slice(steps, axis, 0, net::max_elements, step);
  return c.move(node, x, onnx_format::from_steps(steps, c.ceiling()));
}

NVDLAC_IMPL id on_shortcut(const context& c) {
  if (const auto kind = c.s.string("weights_type", "none"); kind != "none")
    throw error(problem{.line = c.line_of("weights_type"),
                        .reason = "weights_type=" + kind + " is not supported",
                        .remedy = "none is"});
  const auto function = function_of(c, "linear", true);
  const auto layers = c.s.integers("from");
  if (layers.empty()) throw error("it names no layer (from)");
  auto x = c.input();
  const net::shape whole = c.shape(x);
  for (std::size_t k = 0; k < layers.size(); ++k) {
    auto other = c.earlier(layers[k]);
    const net::shape of = c.shape(other);
    if (of.h != whole.h || of.w != whole.w)
      other = thinned(c, text(c.name, "/steps", k), other, whole);
    if (of.c != whole.c) other = channels(c, text(c.name, "/channels", k), other, 0, whole.c);
    const bool last = k + 1 == layers.size() && function == "linear";
    x = c.add(last ? c.name : text(c.name, "/sum", k), net::add{}, {x, other});
  }
  return activated(c, function, x);
}

NVDLAC_IMPL id multiplied(const context& c, id other) {
  const auto function = function_of(c, "linear");
  const auto product = c.add(c.step(function == "linear", "/product"), net::multiply{},
                             {other, c.input()});
  return activated(c, function, product);
}

NVDLAC_IMPL id on_scale_channels(const context& c) {
  c.refuse({"scale_wh"});
  if (c.s.find("from") == nullptr) throw error("it names no layer (from)");
  const auto other = c.earlier(c.s.integer("from", 0));
  const net::shape in = c.shape(c.input()), of = c.shape(other);
  if (in != net::shape{of.c, 1, 1})
    throw error(text("it has ", in.c, " x ", in.h, " x ", in.w, " factors for ", of.c,
                     " channels"));
  return multiplied(c, other);
}

NVDLAC_IMPL id on_sam(const context& c) {
  if (c.s.find("from") == nullptr) throw error("it names no layer (from)");
  const auto other = c.earlier(c.s.integer("from", 0));
  const net::shape in = c.shape(c.input()), of = c.shape(other);
  if (in != of)
    throw error(text("it multiplies ", in.c, " x ", in.h, " x ", in.w, " and ", of.c, " x ", of.h,
                     " x ", of.w));
  return multiplied(c, other);
}

NVDLAC_IMPL id on_upsample(const context& c) {
  const auto x = c.input();
  const auto stride = c.small("stride", 2);
  const float scale = c.s.number("scale", 1);
  const net::shape in = c.shape(x);
  const dims to{in.c, net::product({in.h, stride}), net::product({in.w, stride})};
  onnx_format::require_movable(to, c.ceiling());
  auto steps = onnx_format::all_steps(dims_of(in), c.ceiling());
  for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) {
    dims repeated;
    for (const auto s : steps[axis])
      repeated.insert(repeated.end(), static_cast<std::size_t>(stride), s);
    steps[axis] = std::move(repeated);
  }
  const auto y = c.move(c.step(scale == 1.0F, "/repeat"), x,
                        onnx_format::from_steps(steps, c.ceiling()));
  return scale == 1.0F ? y : c.add(c.name, net::scale{.factor = {scale}}, {y});
}

NVDLAC_IMPL onnx_format::movement reorganised(const net::shape& loop, std::int64_t stride,
                                              bool gathers, dims to,
                                              const onnx_format::element_ceiling& most) {
  onnx_format::require_movable(to, most);
  onnx_format::element_map from(loop.size());
  const auto few = loop.c / (stride * stride);
  std::size_t at = 0;
  for (std::int64_t k = 0; k < loop.c; ++k)
    for (std::int64_t j = 0; j < loop.h; ++j)
      for (std::int64_t i = 0; i < loop.w; ++i, ++at) {
        const auto offset = k / few, y = j * stride + offset / stride,
                   x = i * stride + offset % stride;
        const auto other =
            static_cast<std::size_t>(x + loop.w * stride * (y + loop.h * stride * (k % few)));
        if (gathers) from[at] = static_cast<std::int32_t>(other);
        else from[other] = static_cast<std::int32_t>(at);
      }
  return {std::move(to), std::move(from)};
}

NVDLAC_IMPL id reorganise(const context& c, bool over_output) {
  const auto x = c.input();
  const net::shape in = c.shape(x);
  const std::int64_t stride = c.small("stride", 1), area = net::product({stride, stride});
  const bool reverse = c.s.flag("reverse");
  if (reverse ? in.c % area != 0 : in.h % stride != 0 || in.w % stride != 0)
    throw error(text("it cannot divide ", in.c, " x ", in.h, " x ", in.w, " by its stride of ",
                     stride));
  const net::shape out = reverse ? net::checked_shape(in.c / area, net::product({in.h, stride}),
                                                      net::product({in.w, stride}))
                                 : net::checked_shape(net::product({in.c, area}), in.h / stride,
                                                      in.w / stride);
  const net::shape loop = over_output ? out : in;
  if (loop.c % area != 0)
    throw error(problem{.reason = text("it reorganises ", loop.c, " channels by ", area,
                                       ", which does not divide them"),
                        .remedy = "Darknet reads and writes elsewhere then"});
  return c.move(c.name, x, reorganised(loop, stride, !reverse, dims_of(out), c.ceiling()));
}

NVDLAC_IMPL id on_crop(const context& c) {
  const auto x = c.input();
  const net::shape in = c.shape(x);
  const auto h = c.small("crop_height", 1), w = c.small("crop_width", 1);
  if (h > in.h || w > in.w)
    throw error(text("it crops ", h, " x ", w, " of ", in.h, " x ", in.w));
  auto steps = onnx_format::all_steps(dims_of(in), c.ceiling());
  onnx_format::slice(steps, 1, (in.h - h) / 2, (in.h - h) / 2 + h, 1);
  onnx_format::slice(steps, 2, (in.w - w) / 2, (in.w - w) / 2 + w, 1);
  const bool plain = c.s.flag("noadjust");
  const auto y = c.move(c.step(plain, "/crop"), x, onnx_format::from_steps(steps, c.ceiling()));
  return plain ? y : c.add(c.name, net::scale{.factor = {2.0F}, .bias = {-1.0F}}, {y});
}

NVDLAC_IMPL id on_softmax(const context& c) {
  c.refuse({"spatial"});
  if (const auto groups = c.small("groups", 1); groups != 1)
    throw error(problem{.line = c.line_of("groups"),
                        .reason = text("its softmax is over each of ", groups, " groups"),
                        .remedy = "one group is supported"});
  if (c.s.find("tree") != nullptr)
    throw error(problem{.line = c.line_of("tree"),
                        .reason = "its softmax follows a tree of classes",
                        .remedy = "remove the layer, and let the host compute it"});
  auto x = c.input();
  const float temperature = c.s.number("temperature", 1);
  if (!(temperature > 0))
    throw error(problem{.line = c.line_of("temperature"),
                        .reason = text("its temperature is ", temperature)});
  if (temperature != 1.0F)
    x = c.add(c.name + "/temperature", net::scale{.factor = {1 / temperature}}, {x});
  const net::shape in = c.shape(x);
  if (in.h == 1 && in.w == 1) return c.add(c.name, net::softmax{}, {x});
  return c.add(c.name, host::on_host(host::softmax{host::over_all}), {x});
}

}  // namespace nvdlac::import::darknet_format
