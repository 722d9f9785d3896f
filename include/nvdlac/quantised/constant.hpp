// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/base/fields.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::quantised {

// A tensor that is known when the network is compiled.
struct constant {
  static constexpr net::arity inputs{0, 0};

  net::shape shape{};
  net::constants<std::int8_t> values{};        // in dense c-h-w order
  net::constants<std::int16_t> wide_values{};  // int16 or bits of fp16, instead of them
  static constexpr void fields(auto&& field) {
    field("shape", &constant::shape);
    field("values", &constant::values, kept_apart);
    field("wide_values", &constant::wide_values, kept_apart);
  }

  constexpr net::fitting fit(std::span<const net::shape>) const { return fit_shape(shape); }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  void check(std::span<const net::shape>, diagnostics& found, const std::string& layer) const {
    const auto n = net::product({shape.c, shape.h, shape.w});
    if (wide_values.empty()) check_values(values, n, "value", found, layer);
    else check_values(wide_values, n, "value", found, layer);
  }
  constexpr net::fitting fit_constants(std::span<const net::shape>) const {
    const auto n = net::product({shape.c, shape.h, shape.w});
    return net::all_of({fit_shape(shape), wide_values.empty()
                                              ? fit_values(values, n, "constant")
                                              : fit_values(wide_values, n, "constant")});
  }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const>) const {
    fit_constants({}).value();
    require_known(values, "constant");
    require_known(wide_values, "constant");
    if (wide_values.empty() != (sizeof(T) == 1))
      throw error("a constant has values of another precision than its tensor");
    net::tensor<T> y{shape};
    for (std::size_t i = 0; i < y.values.size(); ++i)
      if constexpr (sizeof(T) == 1) y.values[i] = values[i];
      else y.values[i] = std::bit_cast<T>(wide_values[i]);
    return y;
  }
};
static_assert(net::operation<constant>);

}  // namespace nvdlac::quantised
