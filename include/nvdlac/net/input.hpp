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

  constexpr net::shape infer(std::span<const net::shape>) const { return checked_shape(shape); }
};
static_assert(operation<input>);

}  // namespace nvdlac::net
