// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/stochastic_pool.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe/converter.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/parameters.hpp>
#include <nvdlac/import/caffe/weights.hpp>

namespace nvdlac::import::caffe_format {

NVDLAC_IMPL blob converter::depthwise_convolution(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("convolution_param");
  const auto channels = net_.shape(in[0].node).c;
  const auto kernels = p.integer("num_output", 0), groups = p.integer("group", channels);
  if (kernels != channels || groups != channels)
    throw error(text("it has ", kernels, " kernels in ", groups, " groups for ", channels,
                     " channels, which is not depthwise"));
  return convolution(l, in, channels);
}

NVDLAC_IMPL blob converter::inner_product(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("inner_product_param");
  require_axis_1(p, in[0]);
  net::fully_connected op{.outputs = small(p, "num_output", 0)};
  const net::shape x = net_.shape(in[0].node);
  (void)op.infer(std::span(&x, 1));
  load(l, [&] {
    const bool biased = p.flag("bias_term", true);
    const auto& blobs = weights_.of(l.name, biased ? 2 : 1);
    const auto depth = static_cast<std::int64_t>(x.size());
    const bool turned = p.flag("transpose", false);
    op.weights = weights::values(
        blobs[0], turned ? dims{depth, op.outputs} : dims{op.outputs, depth}, "weights");
    if (turned) op.weights = transposed(op.weights, static_cast<std::size_t>(op.outputs));
    if (biased) op.bias = weights::values(blobs[1], {op.outputs}, "bias");
  });
  const std::int64_t outputs = op.outputs;
  return {add(l, std::move(op), in), {1, outputs}};
}

NVDLAC_IMPL blob converter::pooling(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("pooling_param");
  const auto method = p.enumerator("pool", "MAX");
  if (in[0].shape.size() != 4) throw error("its input does not have 4 dimensions");
  if (p.flag("global_pooling", false)) {
    require_no_window(p);
    return pooled(l, method, {.global = true}, in, l.name);
  }
  net::pool op{.window = make_window(p, "stride"),
               .ceil = p.enumerator("round_mode", "CEIL") == "CEIL"};
  if (op.ceil) clip_window(op.window, net_.shape(in[0].node));
  return pooled(l, method, op, in, l.name);
}

NVDLAC_IMPL blob converter::spatial_pyramid(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("spp_param");
  const auto height = p.integer("pyramid_height", 0);
  if (in[0].shape.size() != 4) throw error("its input does not have 4 dimensions");
  if (height < 1 || height > 12) throw error(text("its pyramid_height is ", height));
  const net::shape x = net_.shape(in[0].node);
  std::vector<assembly::id> levels;
  dims out{1, 0};
  for (std::int32_t i = 0, parts = 1; i < height; ++i, parts *= 2) {
    net::pool op{.window = pyramid_window(x, parts), .ceil = true};
    clip_window(op.window, x);
    const auto part = pooled(l, p.enumerator("pool", "MAX"), op, in, text(l.name, "/pool", i));
    if (height == 1) return part;
    levels.push_back(net_.add(text(l.name, "/row", i), net::flatten{}, {part.node}, l.line));
    out[1] += net_.shape(levels.back()).c;
  }
  return {net_.add(l.name, net::concat{}, levels, l.line), out};
}

NVDLAC_IMPL blob converter::batch_norm(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("batch_norm_param");
  if (!p.flag("use_global_stats", true))
    throw error(problem{.reason = "use_global_stats: false normalises by the batch at hand",
                        .remedy = "only the trained statistics are supported"});
  net::batch_norm op{.epsilon = p.number("eps", 1e-5F)};
  load(l, [&] {
    const auto& blobs = weights_.of(l.name, 3);
    const std::int64_t channels = net_.shape(in[0].node).c;
    op.mean = weights::values(blobs[0], {channels}, "mean");
    op.variance = weights::values(blobs[1], {channels}, "variance");
    // The blobs hold sums; the third one says of how many (weighted) batches.
    const float count = weights::values(blobs[2], {1}, "moving-average factor")[0];
    const float factor = count == 0.0F ? 0.0F : 1.0F / count;
    for (auto& v : op.mean) v *= factor;
    for (auto& v : op.variance) v *= factor;
  });
  return {add(l, std::move(op), in), in[0].shape};
}

NVDLAC_IMPL blob converter::flatten(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("flatten_param");
  const auto first = canonical(p.integer("axis", 1), in[0]);
  const auto last = canonical(p.integer("end_axis", -1), in[0]);
  if (first < 1 || last < first)
    throw error(
        text("it flattens the axes ", first, " to ", last, " (1 and above are supported)"));
  dims out(in[0].shape.begin(), in[0].shape.begin() + first);
  std::int64_t joined = 1;
  for (auto i = first; i <= last; ++i) joined *= in[0].shape[static_cast<std::size_t>(i)];
  out.push_back(joined);
  out.insert(out.end(), in[0].shape.begin() + last + 1, in[0].shape.end());
  if (out.size() == 2) return {add(l, net::flatten{}, in), out};
  return {add(l, net::reshape{cube(out)}, in), out};
}

NVDLAC_IMPL blob converter::reshape(const layer& l, std::span<const blob> in) {
  const dims out = reshaped(l.fields.child("reshape_param"), in[0].shape);
  return {add(l, net::reshape{cube(out)}, in), out};
}

NVDLAC_IMPL blob converter::convolution(const layer& l, std::span<const blob> in,
                                        std::int32_t groups) {
  const auto p = l.fields.child("convolution_param");
  require_axis_1(p, in[0]);
  net::convolution op{.kernels = small(p, "num_output", 0), .window = convolution_window(p),
                      .groups = groups};
  const net::shape x = net_.shape(in[0].node);
  (void)op.infer(std::span(&x, 1));  // before the sizes are used
  load(l, [&] {
    const bool biased = p.flag("bias_term", true);
    const auto& blobs = weights_.of(l.name, biased ? 2 : 1);
    op.weights = weights::values(
        blobs[0], {op.kernels, x.c / op.groups, op.window.kernel_h, op.window.kernel_w},
        "weights");
    if (biased) op.bias = weights::values(blobs[1], {op.kernels}, "bias");
  });
  return add_cube(l, std::move(op), in);
}

NVDLAC_IMPL blob converter::pooled(const layer& l, const std::string& method, net::pool op,
                                   std::span<const blob> in, const std::string& name) {
  op.kind = method == "MAX" ? net::pool_kind::maximum : net::pool_kind::average;
  op.count_include_pad = op.kind == net::pool_kind::average && !op.global;
  const auto n = method == "STOCHASTIC" ? net_.add(name, stochastic(op), {in[0].node}, l.line)
                                        : net_.add(name, op, {in[0].node}, l.line);
  const net::shape s = net_.shape(n);
  return {n, {1, s.c, s.h, s.w}};
}

NVDLAC_IMPL net::on_host converter::stochastic(const net::pool& like) {
  const auto& w = like.window;
  if (w.pad_top != 0 || w.pad_left != 0)
    throw error(problem{.reason = "stochastic pooling is padded", .remedy = "Caffe has none"});
  return host::on_host(
      host::stochastic_pool{.window = w, .ceil = like.ceil, .global = like.global});
}

NVDLAC_IMPL std::vector<float> converter::transposed(const std::vector<float>& from,
                                                     std::size_t outputs) {
  std::vector<float> to(from.size());
  const std::size_t inputs = from.size() / outputs;
  for (std::size_t k = 0; k < outputs; ++k)
    for (std::size_t i = 0; i < inputs; ++i) to[k * inputs + i] = from[i * outputs + k];
  return to;
}

NVDLAC_IMPL dims converter::reshaped(const proto::view& p, const dims& in) const {
  const auto wanted = p.child("shape").values<std::int64_t>("dim");
  const auto rank = static_cast<std::int64_t>(in.size());
  const auto axis = p.integer("axis", 0), first = axis < 0 ? axis + rank + 1 : axis;
  const auto axes = p.integer("num_axes", -1), end = axes == -1 ? rank : first + axes;
  if (axes < -1 || first < 0 || first > rank || end > rank)
    throw error(text("it reshapes ", count_of(axes, "axis", "axes"), " from axis ", axis, " of ",
                     rank));
  dims out(in.begin(), in.begin() + first);
  std::size_t open = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::int64_t n = wanted[i];
    if (n == 0) {
      if (first + static_cast<std::int64_t>(i) >= end)
        throw error("it copies an axis that is not there");
      n = in[static_cast<std::size_t>(first) + i];
    } else if (out.empty() && n == batch_) {
      n = 1;  // the batch for which the file was written
    } else if (out.empty() && n > 0 && batch_ > 1) {
      throw error(problem{.reason = text("it reshapes ", count_of(batch_, "picture"), " to ", n,
                                         ", which mixes them"),
                          .remedy = "the first dimension is the batch"});
    } else if (n == -1) {
      if (open++ != 0) throw error("its shape has more than one -1");
    } else if (n < 1) {
      throw error(text("its shape has the dimension ", n));
    }
    out.push_back(n);
  }
  out.insert(out.end(), in.begin() + end, in.end());
  std::int64_t total = 1, known = 1;
  for (const auto n : in) total = net::product({total, n});
  for (const auto n : out) known = net::product({known, n == -1 ? 1 : n});
  for (auto& n : out)
    if (n == -1) n = total / known;
  if (out.empty() || out[0] != 1)
    throw error(problem{.reason = text("it reshapes to ", to_text(out), ", which mixes pictures"),
                        .remedy = "the first dimension is the batch, which is 1"});
  return out;
}

}  // namespace nvdlac::import::caffe_format
