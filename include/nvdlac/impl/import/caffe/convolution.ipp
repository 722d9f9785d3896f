// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/convolution.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/parameters.hpp>
#include <nvdlac/import/caffe/weights.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::caffe_format {

namespace detail {

inline blob convolution(context& c, const layer& l, std::span<const blob> in,
                        std::int32_t groups) {
  const auto p = l.fields.child("convolution_param");
  require_axis_1(p, in[0]);
  net::convolution op{.kernels = small(p, "num_output", 0), .window = convolution_window(p),
                      .groups = groups};
  const net::shape x = c.shape(in[0]);
  (void)op.infer(std::span(&x, 1));  // before the sizes are used
  const bool sound = c.load(l, [&] {
    const bool biased = p.flag("bias_term", true);
    const auto& blobs = c.weights.of(l.name, biased ? 2 : 1);
    op.weights = weights::values(
        blobs[0], {op.kernels, x.c / op.groups, op.window.kernel_h, op.window.kernel_w},
        "weights");
    if (biased) op.bias = weights::values(blobs[1], {op.kernels}, "bias");
  });
  return c.picture(c.add(l, std::move(op), in, sound));
}

// [inputs][outputs] -> [outputs][inputs]
inline std::vector<float> transposed(const std::vector<float>& from, std::size_t outputs) {
  std::vector<float> to(from.size());
  const std::size_t inputs = from.size() / outputs;
  for (std::size_t k = 0; k < outputs; ++k)
    for (std::size_t i = 0; i < inputs; ++i) to[k * inputs + i] = from[i * outputs + k];
  return to;
}

}  // namespace detail

NVDLAC_IMPL blob on_convolution(context& c, const layer& l, std::span<const blob> in) {
  return detail::convolution(c, l, in, small(l.fields.child("convolution_param"), "group", 1));
}

NVDLAC_IMPL blob on_depthwise_convolution(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("convolution_param");
  const auto channels = c.shape(in[0]).c;
  const auto kernels = p.integer("num_output", 0), groups = p.integer("group", channels);
  if (kernels != channels || groups != channels)
    throw error(text("it has ", kernels, " kernels in ", groups, " groups for ", channels,
                     " channels, which is not depthwise"));
  return detail::convolution(c, l, in, channels);
}

NVDLAC_IMPL blob on_deconvolution(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("convolution_param");
  require_axis_1(p, in[0]);
  net::deconvolution op{.kernels = small(p, "num_output", 0), .window = convolution_window(p),
                        .groups = small(p, "group", 1)};
  const net::shape x = c.shape(in[0]);
  (void)op.infer(std::span(&x, 1));
  const bool sound = c.load(l, [&] {
    const bool biased = p.flag("bias_term", true);
    const auto& blobs = c.weights.of(l.name, biased ? 2 : 1);
    const auto& w = op.window;
    op.weights = net::by_kernel(
        weights::values(blobs[0], {x.c, op.kernels / op.groups, w.kernel_h, w.kernel_w},
                        "weights"),
        op, x);
    if (biased) op.bias = weights::values(blobs[1], {op.kernels}, "bias");
  });
  return c.picture(c.add(l, std::move(op), in, sound));
}

NVDLAC_IMPL blob on_inner_product(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("inner_product_param");
  require_axis_1(p, in[0]);
  net::fully_connected op{.outputs = small(p, "num_output", 0)};
  const net::shape x = c.shape(in[0]);
  (void)op.infer(std::span(&x, 1));
  const bool sound = c.load(l, [&] {
    const bool biased = p.flag("bias_term", true);
    const auto& blobs = c.weights.of(l.name, biased ? 2 : 1);
    const auto depth = static_cast<std::int64_t>(x.size());
    const bool turned = p.flag("transpose", false);
    op.weights = weights::values(
        blobs[0], turned ? dims{depth, op.outputs} : dims{op.outputs, depth}, "weights");
    if (turned) op.weights = detail::transposed(op.weights, static_cast<std::size_t>(op.outputs));
    if (biased) op.bias = weights::values(blobs[1], {op.outputs}, "bias");
  });
  const std::int64_t outputs = op.outputs;
  return {c.add(l, std::move(op), in, sound), {1, outputs}};
}

}  // namespace nvdlac::import::caffe_format
