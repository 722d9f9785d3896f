// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/net/integer/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net::integer {

// A tensor that is known when the network is compiled.
struct constant {
  static constexpr arity inputs{0, 0};

  net::shape shape{};
  integer::constants<std::int8_t> values{};  // in dense c-h-w order

  constexpr fitting fit(std::span<const net::shape>) const { return fit_shape(shape); }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  void check(std::span<const net::shape>, diagnostics& found, const std::string& layer) const {
    check_values(values, product({shape.c, shape.h, shape.w}), "value", found, layer);
  }
  constexpr fitting fit_constants(std::span<const net::shape>) const {
    return all_of({fit_shape(shape),
                   fit_values(values, product({shape.c, shape.h, shape.w}), "constant")});
  }
  int8_tensor evaluate(std::span<const int8_tensor* const>) const {
    fit_constants({}).value();
    require_known(values, "constant");
    return {shape, {values.begin(), values.end()}};
  }
};
static_assert(operation<constant>);

}  // namespace nvdlac::net::integer
