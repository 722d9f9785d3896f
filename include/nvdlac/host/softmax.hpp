// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include <nvdlac/host/axes.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// exp(x) / sum of exp(x) over `axes`, such as the channels at each height and width.
struct softmax {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;
  static constexpr void fields(auto&& field) { field("axes", &softmax::axes); }

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<softmax>);

// x - log(sum of exp(x) over `axes`).
struct log_softmax {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;
  static constexpr void fields(auto&& field) { field("axes", &log_softmax::axes); }

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<log_softmax>);

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/softmax.ipp>
#endif
