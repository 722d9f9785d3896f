// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

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
