// SPDX-License-Identifier: Apache-2.0
#pragma once
// What operators of two inputs have in common that compute element by element.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// Two tensors of one shape, or one of them has a single value for each channel of the other.
constexpr fitting fit_elementwise(std::span<const shape> in) {
  const shape a = in[0], b = in[1];
  if (a == b || b == shape{a.c, 1, 1}) return a;
  if (a == shape{b.c, 1, 1}) return b;
  return {rule::inputs_of_different_shapes, {a.c, a.h, a.w, b.c, b.h, b.w}};
}

// f(element of the first, element of the second) for each element of the result.
template <class T, class F>
tensor<T> combined(shape whole, const tensor<T>& a, const tensor<T>& b, const F& f) {
  tensor<T> y{whole};
  const std::size_t area = y.values.size() / static_cast<std::size_t>(whole.c);
  const std::size_t of_a = a.shape == whole ? 1 : area, of_b = b.shape == whole ? 1 : area;
  for (std::size_t i = 0; i < y.values.size(); ++i)
    y.values[i] = f(a.values[i / of_a], b.values[i / of_b]);
  return y;
}

enum class extremum_kind : std::uint8_t { maximum, minimum };
constexpr std::string_view name_of(extremum_kind k) {
  return k == extremum_kind::maximum ? "maximum" : "minimum";
}

}  // namespace nvdlac::net
