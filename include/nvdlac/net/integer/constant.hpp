// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net::integer {

// A tensor that is known when the network is compiled.
struct constant {
  static constexpr arity inputs{0, 0};

  int8_tensor value{};

  constexpr shape infer(std::span<const shape>) const { return checked_shape(value.shape); }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    check_values(value.values, product({value.shape.c, value.shape.h, value.shape.w}), "value",
                 found, layer);
  }
  int8_tensor evaluate(std::span<const int8_tensor* const>) const {
    const shape s = checked_shape(value.shape);
    require_values(value.values, product({s.c, s.h, s.w}), "constant");
    return value;
  }
};
static_assert(operation<constant>);

}  // namespace nvdlac::net::integer
