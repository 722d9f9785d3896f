// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that no engine of NVDLA computes.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/host/arg_max.hpp>
#include <nvdlac/host/calls.hpp>
#include <nvdlac/host/lp_normalise.hpp>
#include <nvdlac/host/lrn_within_channel.hpp>
#include <nvdlac/host/mean_variance.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/host/stochastic_pool.hpp>
#include <nvdlac/import/caffe/layout.hpp>

namespace nvdlac::import::caffe_format {

class host_layers : public layout_layers {
 public:
  using layout_layers::layout_layers;

  blob softmax(const layer& l, std::span<const blob> in) {
    const auto axis = canonical(l.fields.child("softmax_param").integer("axis", 1), in[0]);
    if (axis == 1) return {add(l, net::softmax{}, in), in[0].shape};
    return {on_host(l, host::softmax{axis_of(axis)}, in), in[0].shape};
  }

  blob arg_max(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("argmax_param");
    if (p.flag("out_max_val", false) || p.integer("top_k", 1) != 1)
      throw error(problem{.reason = "it gives values besides their places, or more than one place",
                          .remedy = "out_max_val: false and top_k: 1 are supported"});
    host::arg_max op{.axes = host::over_all, .last = true};
    dims out(in[0].shape.size(), 1);
    if (p.has("axis")) {
      const auto axis = canonical(p.integer("axis"), in[0]);
      op.axes = axis_of(axis);
      out = in[0].shape;
      out[static_cast<std::size_t>(axis)] = 1;
    }
    return {on_host(l, op, in), std::move(out)};
  }

  // Across channels, as a row of CDP does, or within a channel.
  blob lrn(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("lrn_param");
    const auto size = small(p, "local_size", 5);
    const float alpha = p.number("alpha", 1), beta = p.number("beta", 0.75F), k = p.number("k", 1);
    if (p.enumerator("norm_region", "ACROSS_CHANNELS") == "ACROSS_CHANNELS")
      return {add(l, net::lrn{.local_size = size, .alpha = alpha, .beta = beta, .k = k}, in),
              in[0].shape};
    if (k != 1.0F)
      throw error(problem{.reason = text("its k is ", k, ", which Caffe ignores within a channel"),
                          .remedy = "leave it out"});
    const host::lrn_within_channel op{.local_size = size, .alpha = alpha, .beta = beta};
    return {on_host(l, op, in), in[0].shape};
  }

  // Of SSD: divides by the norm and multiplies by trained factors.
  blob normalize(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("norm_param");
    const host::lp_normalise op{
        .axes = p.flag("across_spatial", true) ? host::over_all : host::over_channels,
        .epsilon = p.number("eps", 1e-10F)};
    net::scale factors;
    load(l, [&] {
      const bool shared = p.flag("channel_shared", true);
      const std::int64_t needed = shared ? 1 : net_.shape(in[0].node).c;
      factors.factor = weights::values(weights_.of(l.name, 1)[0], {needed}, "factors");
    });
    const bool sound = std::exchange(weights_sound_, true);
    const auto n = net_.add(l.name + "/norm", host::on_host(op), {in[0].node}, l.line);
    return {net_.add(l.name, std::move(factors), {n}, l.line, sound), in[0].shape};
  }

  blob mvn(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("mvn_param");
    const host::mean_variance op{
        .axes = p.flag("across_channels", false) ? host::over_all : host::over_planes,
        .epsilon = p.number("eps", 1e-9F),
        .epsilon_behind_root = true,
        .divide = p.flag("normalize_variance", true)};
    return {on_host(l, op, in), in[0].shape};
  }

 protected:
  template <net::operation Op>
  assembly::id on_host(const layer& l, const Op& op, std::span<const blob> in) {
    return add(l, host::on_host(op), in);
  }

 private:
  static host::axes axis_of(std::int64_t axis) {
    if (axis == 0)
      throw error(problem{.reason = "it goes along axis 0, the batch",
                          .remedy = "axes from 1 on are supported"});
    host::axes one{};
    one[static_cast<std::size_t>(axis - 1)] = true;
    return one;
  }
};

}  // namespace nvdlac::import::caffe_format
