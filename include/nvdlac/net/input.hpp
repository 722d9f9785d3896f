// SPDX-License-Identifier: Apache-2.0
#pragma once
// What has no input: the network's own inputs and constants.
#include <span>
#include <string>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

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

// A tensor that is known when the network is compiled.
struct constant {
  static constexpr arity inputs{0, 0};

  float_tensor value{};
  static constexpr void fields(auto&& field) { field("value", &constant::value); }

  constexpr fitting fit(std::span<const shape>) const { return fit_shape(value.shape); }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    check_values(value.values, product({value.shape.c, value.shape.h, value.shape.w}), "value",
                 found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const>) const {
    const shape s = checked_shape(value.shape);
    require_values(value.values, product({s.c, s.h, s.w}), "constant");
    return value;
  }
};
static_assert(operation<constant>);

}  // namespace nvdlac::net
