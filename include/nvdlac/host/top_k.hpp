// SPDX-License-Identifier: Apache-2.0
#pragma once
// The best values along an axis, the best first; of equal ones the first.
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvdlac/host/axes.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

struct best_of_axis {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;  // one of them
  std::int32_t count = 1;
  bool least = false;  // in place of the largest
  static constexpr void fields(auto&& field) {
    field("axes", &best_of_axis::axes);
    field("count", &best_of_axis::count);
    field("least", &best_of_axis::least);
  }

  net::shape infer(std::span<const net::shape> in) const;

 protected:
  // give(element of the result, value, its place on the axis).
  template <class Give>
  void visit(const net::float_tensor& x, Give give) const;
};

// The values themselves.
struct top_k : best_of_axis {
  static constexpr std::size_t moved_inputs = 1;

  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<top_k>);

// Their places on the axis.
struct places_of_top_k : best_of_axis {
  std::int64_t counts_to(std::span<const net::shape> in) const;
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<places_of_top_k>);

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/top_k.ipp>
#endif
