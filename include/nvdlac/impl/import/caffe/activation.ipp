// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe/activation.hpp>
#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/weights.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::caffe_format {

namespace detail {

inline float log_of_base(const proto::view& p) {
  const float base = p.number("base", -1);
  if (base == -1.0F) return 1;
  if (!(base > 0)) throw error(text("its base is ", base));
  return std::log(base);
}

}  // namespace detail

NVDLAC_IMPL blob on_relu(context& c, const layer& l, std::span<const blob> in) {
  const float slope = l.fields.child("relu_param").number("negative_slope", 0);
  if (slope != 0.0F) return c.keep(l, net::prelu{{slope}}, in);
  return c.keep(l, net::relu{}, in);
}

NVDLAC_IMPL blob on_clip(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("clip_param");
  if (!p.has("min") || !p.has("max")) throw error("it gives no min or no max");
  return c.keep(l, net::clip{p.number("min", 0), p.number("max", 0)}, in);
}

NVDLAC_IMPL blob on_prelu(context& c, const layer& l, std::span<const blob> in) {
  const bool shared = l.fields.child("prelu_param").flag("channel_shared", false);
  const std::int64_t slopes = shared ? 1 : in[0].shape.at(1);
  net::prelu op;
  const bool sound = c.load(l, [&] {
    op.slope = weights::values(c.weights.of(l.name, 1)[0], {slopes}, "slopes");
  });
  return c.keep(l, std::move(op), in, sound);
}

NVDLAC_IMPL blob on_elu(context& c, const layer& l, std::span<const blob> in) {
  const float alpha = l.fields.child("elu_param").number("alpha", 1);
  return c.keep(l, net::activation{.function = net::function::elu, .alpha = alpha}, in);
}

NVDLAC_IMPL blob on_swish(context& c, const layer& l, std::span<const blob> in) {
  const float beta = l.fields.child("swish_param").number("beta", 1);
  return c.keep(l, net::activation{.function = net::function::swish, .alpha = beta}, in);
}

NVDLAC_IMPL blob on_threshold(context& c, const layer& l, std::span<const blob> in) {
  const float above = l.fields.child("threshold_param").number("threshold", 0);
  return c.keep(l, net::activation{.function = net::function::threshold, .alpha = above}, in);
}

NVDLAC_IMPL blob on_exp(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("exp_param");
  const float log = detail::log_of_base(p);
  const net::activation op{.function = net::function::exponential,
                           .alpha = log * p.number("scale", 1),
                           .beta = log * p.number("shift", 0)};
  return c.keep(l, op, in);
}

NVDLAC_IMPL blob on_log(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("log_param");
  const float log = detail::log_of_base(p);
  if (log == 0.0F) throw error("its base is 1");
  const net::activation op{.function = net::function::logarithm, .alpha = p.number("scale", 1),
                           .beta = p.number("shift", 0), .gamma = 1 / log};
  return c.keep(l, op, in);
}

NVDLAC_IMPL blob on_power(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("power_param");
  const float power = p.number("power", 1), scale = p.number("scale", 1),
              shift = p.number("shift", 0);
  net::scale line{.factor = {scale}};
  if (shift != 0.0F) line.bias = {shift};
  if (power == 0.0F) line = {.factor = {0.0F}, .bias = {1.0F}};
  if (power == 0.0F || power == 1.0F) return c.keep(l, std::move(line), in);
  if (power != 2.0F)
    return c.keep(l, net::activation{.function = net::function::power, .alpha = scale,
                                     .beta = shift, .gamma = power}, in);
  auto x = in[0].node;  // a square needs no table
  if (scale != 1.0F || shift != 0.0F)
    x = c.net.add(l.name + "/line", std::move(line), {x}, l.line);
  return {c.net.add(l.name, net::multiply{}, {x, x}, l.line), in[0].shape};
}

}  // namespace nvdlac::import::caffe_format
