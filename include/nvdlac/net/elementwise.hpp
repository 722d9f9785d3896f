// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators of two tensors of one shape, element by element.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// Common parts of the operators of two inputs that compute element by element.

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

// The sum of two tensors, each times its coefficient: 1 and -1 subtract the second.
struct add {
  static constexpr arity inputs{2, 2};

  bool relu = false;
  std::array<float, 2> coefficients{1.0F, 1.0F};
  static constexpr void fields(auto&& field) {
    field("coefficients", &add::coefficients);
    field("relu", &add::relu);
  }

  constexpr fitting fit(std::span<const shape> in) const { return fit_elementwise(in); }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    check_values(coefficients, 2, "coefficients", found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<add>);

// The product of two tensors, element by element.
struct multiply {
  static constexpr arity inputs{2, 2};

  bool relu = false;
  static constexpr void fields(auto&& field) { field("relu", &multiply::relu); }

  constexpr fitting fit(std::span<const shape> in) const { return fit_elementwise(in); }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<multiply>);

// The larger or the smaller one of two tensors' elements.
struct extremum {
  static constexpr arity inputs{2, 2};

  extremum_kind kind = extremum_kind::maximum;
  bool relu = false;
  static constexpr void fields(auto&& field) {
    field("kind", &extremum::kind);
    field("relu", &extremum::relu);
  }

  constexpr fitting fit(std::span<const shape> in) const { return fit_elementwise(in); }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<extremum>);

// PReLU with a slope for each element: a where it is not negative, else a * b.
struct elementwise_prelu {
  static constexpr arity inputs{2, 2};

  // The slopes have the shape of the first input, or one value for each of its channels.
  constexpr fitting fit(std::span<const shape> in) const {
    const fitting found = fit_elementwise(in);
    if (!found.ok() || found.shape == in[0]) return found;
    return {rule::inputs_of_different_shapes,
            {in[0].c, in[0].h, in[0].w, in[1].c, in[1].h, in[1].w}};
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<elementwise_prelu>);

// All of them: what follows from their kind alone is told of this list, from the variant of a
// network's operators to the layers of the host.
using elementwise_operators = type_list<add, multiply, extremum, elementwise_prelu>;

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/elementwise.ipp>
#endif
