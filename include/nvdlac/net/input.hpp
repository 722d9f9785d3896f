// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/shape.hpp>

namespace nvdlac::net {

// The picture (or other cube) that the user gives, after preprocessing.
struct input {
  static constexpr arity inputs{0, 0};
  using is_network_input = void;

  net::shape shape{};
  static constexpr void fields(auto&& field) { field("shape", &input::shape); }

  constexpr fitting fit(std::span<const net::shape>) const { return fit_shape(shape); }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
};
static_assert(operation<input>);

}  // namespace nvdlac::net
