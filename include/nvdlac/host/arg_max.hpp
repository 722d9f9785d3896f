// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include <nvdlac/host/axes.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// The place of the largest value over `axes`, counted in the dense order; of equal ones the first,
// or the last.
struct arg_max {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;
  bool last = false;
  static constexpr void fields(auto&& field) {
    field("axes", &arg_max::axes);
    field("last", &arg_max::last);
  }

  constexpr net::shape infer(std::span<const net::shape> in) const { return reduced(in[0], axes); }
  constexpr std::int64_t counts_to(std::span<const net::shape> in) const {
    return static_cast<std::int64_t>(in[0].size() / reduced(in[0], axes).size()) - 1;
  }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<arg_max>);

// 1 at the largest value over `axes`, at the first of equal ones, and 0 elsewhere.
struct hard_max {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;
  static constexpr void fields(auto&& field) { field("axes", &hard_max::axes); }

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<hard_max>);

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/arg_max.ipp>
#endif
