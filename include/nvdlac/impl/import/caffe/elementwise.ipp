// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe/elementwise.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/weights.hpp>

namespace nvdlac::import::caffe_format {

NVDLAC_IMPL net::shape cube(const dims& d) {
  if (d.size() < 2 || d.size() > 4)
    throw error(text("a blob of ", count_of(d.size(), "dimension"), " cannot be expressed"));
  return net::checked_shape(d[1], d.size() > 2 ? d[2] : 1, d.size() > 3 ? d[3] : 1);
}

NVDLAC_IMPL std::int64_t conversion::canonical(std::int64_t axis, const blob& b) {
  const auto rank = static_cast<std::int64_t>(b.shape.size());
  if (axis < -rank || axis >= rank)
    throw error(text("axis ", axis, " of a blob with ", count_of(rank, "dimension")));
  return axis < 0 ? axis + rank : axis;
}

NVDLAC_IMPL void conversion::require_axis_1(const proto::view& p, const blob& b) {
  if (canonical(p.integer("axis", 1), b) != 1)
    throw error(problem{.reason = text("axis ", p.integer("axis"), " is not supported"),
                        .remedy = "axis 1 is"});
}

NVDLAC_IMPL dims conversion::per_channel(const proto::view& p, const blob& b) {
  const auto axes = p.integer("num_axes", 1);
  if (axes == 0) return {1};
  const bool channels = axes == 1 || (axes == -1 && b.shape.size() == 2);
  if (canonical(p.integer("axis", 1), b) != 1 || !channels)
    throw error(problem{.reason = "its values are not one for each channel",
                        .remedy = "axis 1 and num_axes 1 are supported"});
  return {b.shape[1]};
}

NVDLAC_IMPL blob elementwise_layers::eltwise(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("eltwise_param");
  const auto operation = p.enumerator("operation", "SUM");
  const auto given = p.values<float>("coeff");
  if (operation != "SUM" && !given.empty())
    throw error(text("it has coefficients, which only a SUM does, not a ", operation));
  if (!given.empty() && given.size() != in.size())
    throw error(text("it has ", given.size(), " coefficients for ", count_of(in.size(), "input")));
  for (const auto& b : in)
    if (b.shape != in[0].shape)
      throw error(text("its inputs have different shapes, ", to_text(in[0].shape), " and ",
                       to_text(b.shape)));
  const auto coefficient = [&](std::size_t i) { return given.empty() ? 1.0F : given[i]; };
  assembly::id all = in[0].node;
  for (std::size_t i = 1; i < in.size(); ++i) {
    const auto name = i + 1 == in.size() ? l.name : text(l.name, "/part", i);
    const std::vector inputs{all, in[i].node};
    const float before = i == 1 ? coefficient(0) : 1.0F;
    if (operation == "PROD") all = net_.add(name, net::multiply{}, inputs, l.line);
    else if (operation == "MAX") all = net_.add(name, net::extremum{}, inputs, l.line);
    else
      all = net_.add(name, net::add{.coefficients = {before, coefficient(i)}}, inputs, l.line);
  }
  return {all, in[0].shape};
}

NVDLAC_IMPL blob elementwise_layers::scale(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("scale_param");
  if (in.size() == 2) {
    require_leading(p, in);
    const bool biased = p.flag("bias_term", false);
    const auto name = biased ? l.name + "/factor" : l.name;
    const auto product =
        net_.add(name, net::multiply{}, {in[0].node, in[1].node}, l.line);
    if (!biased) return {product, in[0].shape};
    const blob scaled{product, in[0].shape};
    net::scale op{.factor = {1.0F}};
    load(l, [&] {
      if (in[1].shape.size() != 2) throw error("its bias is not one value for each channel");
      op.bias = weights::values(weights_.of(l.name, 1)[0], in[1].shape, "bias");
    });
    return {add(l, std::move(op), std::span(&scaled, 1)), in[0].shape};
  }
  const dims size = per_channel(p, in[0]);
  net::scale op;
  load(l, [&] {
    const bool biased = p.flag("bias_term", false);
    const auto& blobs = weights_.of(l.name, biased ? 2 : 1);
    op.factor = weights::values(blobs[0], size, "factor");
    if (biased) op.bias = weights::values(blobs[1], size, "bias");
  });
  return {add(l, std::move(op), in), in[0].shape};
}

NVDLAC_IMPL blob elementwise_layers::bias(const layer& l, std::span<const blob> in) {
  if (in.size() == 2) {
    require_leading(l.fields.child("bias_param"), in);
    return {add(l, net::add{}, in), in[0].shape};
  }
  const dims size = per_channel(l.fields.child("bias_param"), in[0]);
  net::scale op{.factor = {1.0F}};
  load(l, [&] { op.bias = weights::values(weights_.of(l.name, 1)[0], size, "bias"); });
  return {add(l, std::move(op), in), in[0].shape};
}

NVDLAC_IMPL blob elementwise_layers::axpy(const layer& l, std::span<const blob> in) {
  const net::shape factor = cube(in[0].shape), x = cube(in[1].shape);
  if (factor != net::shape{x.c, 1, 1} || in[1].shape != in[2].shape)
    throw error(text("its inputs have the shapes ", to_text(in[0].shape), ", ",
                     to_text(in[1].shape), " and ", to_text(in[2].shape)));
  const auto scaled =
      net_.add(l.name + "/factor", net::multiply{}, {in[1].node, in[0].node}, l.line);
  return {net_.add(l.name, net::add{}, {scaled, in[2].node}, l.line), in[1].shape};
}

NVDLAC_IMPL void elementwise_layers::require_leading(const proto::view& p,
                                                     std::span<const blob> in) {
  const auto &whole = in[0].shape, &part = in[1].shape;
  if (canonical(p.integer("axis", 1), in[0]) != 0)
    throw error(problem{.reason = text("axis ", p.integer("axis", 1),
                                       " of a layer with two inputs is not supported"),
                        .remedy = "axis 0 is"});
  const bool fits = (part.size() == 2 || part.size() == whole.size()) &&
                    part.size() <= whole.size() &&
                    std::equal(part.begin(), part.end(), whole.begin());
  if (!fits)
    throw error(text("its inputs have the shapes ", to_text(whole), " and ", to_text(part)));
}

NVDLAC_IMPL blob activation_layers::relu(const layer& l, std::span<const blob> in) {
  const float slope = l.fields.child("relu_param").number("negative_slope", 0);
  if (slope != 0.0F) return {add(l, net::prelu{{slope}}, in), in[0].shape};
  return {add(l, net::relu{}, in), in[0].shape};
}

NVDLAC_IMPL blob activation_layers::clip(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("clip_param");
  if (!p.has("min") || !p.has("max")) throw error("it gives no min or no max");
  return {add(l, net::clip{p.number("min", 0), p.number("max", 0)}, in), in[0].shape};
}

NVDLAC_IMPL blob activation_layers::prelu(const layer& l, std::span<const blob> in) {
  const bool shared = l.fields.child("prelu_param").flag("channel_shared", false);
  const std::int64_t slopes = shared ? 1 : in[0].shape.at(1);
  net::prelu op;
  load(l, [&] { op.slope = weights::values(weights_.of(l.name, 1)[0], {slopes}, "slopes"); });
  return {add(l, std::move(op), in), in[0].shape};
}

NVDLAC_IMPL blob activation_layers::elu(const layer& l, std::span<const blob> in) {
  const float alpha = l.fields.child("elu_param").number("alpha", 1);
  return function(l, {.function = net::function::elu, .alpha = alpha}, in);
}

NVDLAC_IMPL blob activation_layers::swish(const layer& l, std::span<const blob> in) {
  const float beta = l.fields.child("swish_param").number("beta", 1);
  return function(l, {.function = net::function::swish, .alpha = beta}, in);
}

NVDLAC_IMPL blob activation_layers::threshold(const layer& l, std::span<const blob> in) {
  const float above = l.fields.child("threshold_param").number("threshold", 0);
  return function(l, {.function = net::function::threshold, .alpha = above}, in);
}

NVDLAC_IMPL blob activation_layers::exp(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("exp_param");
  const float log = log_of_base(p);
  return function(l, {.function = net::function::exponential, .alpha = log * p.number("scale", 1),
                      .beta = log * p.number("shift", 0)}, in);
}

NVDLAC_IMPL blob activation_layers::log(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("log_param");
  const float log = log_of_base(p);
  if (log == 0.0F) throw error("its base is 1");
  return function(l, {.function = net::function::logarithm, .alpha = p.number("scale", 1),
                      .beta = p.number("shift", 0), .gamma = 1 / log}, in);
}

NVDLAC_IMPL blob activation_layers::power(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("power_param");
  const float power = p.number("power", 1), scale = p.number("scale", 1),
              shift = p.number("shift", 0);
  net::scale line{.factor = {scale}};
  if (shift != 0.0F) line.bias = {shift};
  if (power == 0.0F) line = {.factor = {0.0F}, .bias = {1.0F}};
  if (power == 0.0F || power == 1.0F) return {add(l, std::move(line), in), in[0].shape};
  if (power != 2.0F)
    return function(l, {.function = net::function::power, .alpha = scale, .beta = shift,
                        .gamma = power}, in);
  auto x = in[0].node;  // a square needs no table
  if (scale != 1.0F || shift != 0.0F)
    x = net_.add(l.name + "/line", std::move(line), {x}, l.line);
  return {net_.add(l.name, net::multiply{}, {x, x}, l.line), in[0].shape};
}

NVDLAC_IMPL float activation_layers::log_of_base(const proto::view& p) {
  const float base = p.number("base", -1);
  if (base == -1.0F) return 1;
  if (!(base > 0)) throw error(text("its base is ", base));
  return std::log(base);
}

}  // namespace nvdlac::import::caffe_format
