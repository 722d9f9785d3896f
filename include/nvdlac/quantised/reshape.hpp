// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/reshape.hpp>
#include <nvdlac/net/shape.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::quantised {

// The same values in dense c-h-w order under another shape. Costs nothing when height and width
// are 1 before and after; else it is done by the host, on a graph's output only.
struct reshape {
  static constexpr net::arity inputs{1, 1};

  net::shape target{};
  static constexpr void fields(auto&& field) { field("target", &reshape::target); }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    return fit_reshape(target, in[0]);
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    return {infer(shapes_of(in)), in[0]->values};
  }
};
static_assert(net::operation<reshape>);

}  // namespace nvdlac::quantised
