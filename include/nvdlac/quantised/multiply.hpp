// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/elementwise.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// y = saturate<8>(out(relu(a * b))), inputs a, b; in int16 saturate<16>, in fp16 relu(a * b).
struct multiply {
  static constexpr net::arity inputs{2, 2};

  bool relu = false;
  converter out{};
  static constexpr void fields(auto&& field) {
    field("relu", &multiply::relu);
    field("out", &multiply::out);
  }

  template <class T>
  constexpr T finish(T a, T b) const {
    if constexpr (is_real<T>) return written(arithmetic::mul(widened(a), widened(b)), relu);
    else return written<T>(std::int64_t{a} * b, relu, out);
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const { return fit_operand(in); }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    return combined(infer(shapes_of(in)), *in[0], *in[1], [&](T a, T b) { return finish(a, b); });
  }
};
static_assert(net::operation<multiply>);

}  // namespace nvdlac::quantised
