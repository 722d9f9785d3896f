// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/arg_max.hpp>
#include <nvdlac/host/axes.hpp>
#include <nvdlac/host/normalisation.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/host.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/parameters.hpp>
#include <nvdlac/import/caffe/weights.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::caffe_format {

namespace detail {

inline host::axes axis_of(std::int64_t axis) {
  if (axis == 0)
    throw error(problem{.reason = "it goes along axis 0, the batch",
                        .remedy = "axes from 1 on are supported"});
  host::axes one{};
  one[static_cast<std::size_t>(axis - 1)] = true;
  return one;
}

}  // namespace detail

NVDLAC_IMPL blob on_softmax(context& c, const layer& l, std::span<const blob> in) {
  const auto axis = canonical(l.fields.child("softmax_param").integer("axis", 1), in[0]);
  if (axis == 1) return c.keep(l, net::softmax{}, in);
  return c.keep(l, host::on_host(host::softmax{detail::axis_of(axis)}), in);
}

NVDLAC_IMPL blob on_arg_max(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("argmax_param");
  if (p.flag("out_max_val", false) || p.integer("top_k", 1) != 1)
    throw error(problem{.reason = "it gives values besides their places, or more than one place",
                        .remedy = "out_max_val: false and top_k: 1 are supported"});
  host::arg_max op{.axes = host::over_all, .last = true};
  dims out(in[0].shape.size(), 1);
  if (p.has("axis")) {
    const auto axis = canonical(p.integer("axis"), in[0]);
    op.axes = detail::axis_of(axis);
    out = in[0].shape;
    out[static_cast<std::size_t>(axis)] = 1;
  }
  return {c.add(l, host::on_host(op), in), std::move(out)};
}

NVDLAC_IMPL blob on_lrn(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("lrn_param");
  const auto size = small(p, "local_size", 5);
  const float alpha = p.number("alpha", 1), beta = p.number("beta", 0.75F), k = p.number("k", 1);
  if (p.enumerator("norm_region", "ACROSS_CHANNELS") == "ACROSS_CHANNELS")
    return c.keep(l, net::lrn{.local_size = size, .alpha = alpha, .beta = beta, .k = k}, in);
  if (k != 1.0F)
    throw error(problem{.reason = text("its k is ", k, ", which Caffe ignores within a channel"),
                        .remedy = "leave it out"});
  const host::lrn_within_channel op{.local_size = size, .alpha = alpha, .beta = beta};
  return c.keep(l, host::on_host(op), in);
}

NVDLAC_IMPL blob on_normalize(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("norm_param");
  const host::lp_normalise op{
      .axes = p.flag("across_spatial", true) ? host::over_all : host::over_channels,
      .epsilon = p.number("eps", 1e-10F)};
  net::scale factors;
  const bool sound = c.load(l, [&] {
    const bool shared = p.flag("channel_shared", true);
    const std::int64_t needed = shared ? 1 : c.shape(in[0]).c;
    factors.factor = weights::values(c.weights.of(l.name, 1)[0], {needed}, "factors");
  });
  const auto n = c.net.add(l.name + "/norm", host::on_host(op), {in[0].node}, l.line);
  return {c.net.add(l.name, std::move(factors), {n}, l.line, sound), in[0].shape};
}

NVDLAC_IMPL blob on_mvn(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("mvn_param");
  const host::mean_variance op{
      .axes = p.flag("across_channels", false) ? host::over_all : host::over_planes,
      .epsilon = p.number("eps", 1e-9F),
      .epsilon_behind_root = true,
      .divide = p.flag("normalize_variance", true)};
  return c.keep(l, host::on_host(op), in);
}

}  // namespace nvdlac::import::caffe_format
