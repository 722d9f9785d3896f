// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/stochastic_pool.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/parameters.hpp>
#include <nvdlac/import/caffe/pooling.hpp>
#include <nvdlac/import/caffe/weights.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::caffe_format {

namespace detail {

inline net::on_host stochastic(const net::pool& like) {
  const auto& w = like.window;
  if (w.pad_top != 0 || w.pad_left != 0)
    throw error(problem{.reason = "stochastic pooling is padded", .remedy = "Caffe has none"});
  return host::on_host(
      host::stochastic_pool{.window = w, .ceil = like.ceil, .global = like.global});
}

// Caffe divides by the window clipped to the padded picture.
inline blob pooled(context& c, const layer& l, const std::string& method, net::pool op,
                   std::span<const blob> in, const std::string& name) {
  op.kind = method == "MAX" ? net::pool_kind::maximum : net::pool_kind::average;
  op.count_include_pad = op.kind == net::pool_kind::average && !op.global;
  const auto n = method == "STOCHASTIC" ? c.net.add(name, stochastic(op), {in[0].node}, l.line)
                                        : c.net.add(name, op, {in[0].node}, l.line);
  return c.picture(n);
}

}  // namespace detail

NVDLAC_IMPL blob on_pooling(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("pooling_param");
  const auto method = p.enumerator("pool", "MAX");
  if (in[0].shape.size() != 4) throw error("its input does not have 4 dimensions");
  if (p.flag("global_pooling", false)) {
    require_no_window(p);
    return detail::pooled(c, l, method, {.global = true}, in, l.name);
  }
  net::pool op{.window = make_window(p, "stride"),
               .ceil = p.enumerator("round_mode", "CEIL") == "CEIL"};
  if (op.ceil) clip_window(op.window, c.shape(in[0]));
  return detail::pooled(c, l, method, op, in, l.name);
}

NVDLAC_IMPL blob on_spatial_pyramid(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("spp_param");
  const auto height = p.integer("pyramid_height", 0);
  if (in[0].shape.size() != 4) throw error("its input does not have 4 dimensions");
  if (height < 1 || height > 12) throw error(text("its pyramid_height is ", height));
  const net::shape x = c.shape(in[0]);
  std::vector<assembly::id> levels;
  dims out{1, 0};
  for (std::int32_t i = 0, parts = 1; i < height; ++i, parts *= 2) {
    net::pool op{.window = pyramid_window(x, parts), .ceil = true};
    clip_window(op.window, x);
    const auto part =
        detail::pooled(c, l, p.enumerator("pool", "MAX"), op, in, text(l.name, "/pool", i));
    if (height == 1) return part;
    levels.push_back(c.net.add(text(l.name, "/row", i), net::flatten{}, {part.node}, l.line));
    out[1] += c.net.shape(levels.back()).c;
  }
  return {c.net.add(l.name, net::concat{}, levels, l.line), out};
}

NVDLAC_IMPL blob on_reduction(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("reduction_param");
  const auto operation = p.enumerator("operation", "SUM");
  const auto axis = canonical(p.integer("axis", 0), in[0]);
  if (axis == 0)
    throw error(problem{.reason = "it reduces from axis 0 on, over all pictures",
                        .remedy = "axes from 1 on are supported"});
  const net::shape x = cube(in[0].shape);
  const dims out(in[0].shape.begin(), in[0].shape.begin() + axis);
  float factor = p.number("coeff", 1);
  auto from = in[0].node;
  if (operation == "ASUM")
    from = c.net.add(l.name + "/magnitude", net::prelu{{-1.0F}}, {from}, l.line);
  if (operation == "SUMSQ")
    from = c.net.add(l.name + "/square", net::multiply{}, {from, from}, l.line);
  if (operation == "MEAN") {
    if (axis == 2 && factor == 1.0F)
      return {c.net.add(l.name, net::pool{.kind = net::pool_kind::average, .global = true},
                         {from}, l.line), out};
    for (auto i = static_cast<std::size_t>(axis); i < in[0].shape.size(); ++i)
      factor /= static_cast<float>(in[0].shape[i]);
  }
  const auto channels = axis == 1 ? 1 : x.c;
  const net::window window{.kernel_h = axis == 3 ? 1 : x.h, .kernel_w = x.w};
  const auto taps = static_cast<std::size_t>(x.c) * static_cast<std::size_t>(window.kernel_h) *
                    static_cast<std::size_t>(window.kernel_w);
  return {c.net.add(l.name, net::convolution{.kernels = channels, .window = window,
                                              .groups = channels,
                                              .weights = std::vector<float>(taps, factor)},
                     {from}, l.line), out};
}

}  // namespace nvdlac::import::caffe_format
