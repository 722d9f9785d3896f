// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of weighted elements: of a window, or of the whole cube.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The shape rule of a convolution, real or integer.
constexpr fitting fit_convolution(const window& w, std::int32_t kernels, std::int32_t groups,
                                  shape in) {
  if (kernels < 1 || groups < 1) return rule::less_than_one_kernel_or_group;
  if (in.c % groups != 0 || kernels % groups != 0)
    return {rule::groups_do_not_divide_channels_and_kernels, {groups, in.c, kernels}};
  const fitting out = fit_window(w, in, kernels);
  if (out.ok() && product({kernels, in.c / groups, w.kernel_h, w.kernel_w}) > max_elements)
    return rule::more_than_268435456_weights;
  return out;
}

// How a second input joins the sums of a convolution, element by element.
enum class combination : std::uint8_t { sum, maximum, minimum, product };
constexpr std::string_view name_of(combination c) {
  constexpr std::array names{"sum", "maximum", "minimum", "product"};
  return names[static_cast<std::size_t>(c)];
}

// The shape of a convolution that has a second input, or none.
constexpr fitting fit_with_operand(const fitting& out, std::span<const shape> in) {
  if (!out.ok() || in.size() == 1 || in[1] == out.shape) return out;
  return {rule::inputs_of_different_shapes,
          {out.shape.c, out.shape.h, out.shape.w, in[1].c, in[1].h, in[1].w}};
}

// y[k] = bias[k] + sum over c, r, s of weights[k][c][r][s] * x[group(k) * C/groups + c][..][..],
// and the sum, maximum, minimum or product of that and the second input z[k] if there is one,
// before the activation.
struct convolution {
  static constexpr arity inputs{1, 2};

  std::int32_t kernels = 1;
  net::window window{};
  std::int32_t groups = 1;
  std::vector<float> weights{};  // [kernels][C / groups][kernel_h][kernel_w]
  std::vector<float> bias{};     // [kernels], or empty: no bias
  bool relu = false;             // a fused activation
  combination with_second = combination::sum;
  static constexpr void fields(auto&& field) {
    field("kernels", &convolution::kernels);
    field("window", &convolution::window);
    field("groups", &convolution::groups);
    field("weights", &convolution::weights);
    field("bias", &convolution::bias);
    field("relu", &convolution::relu);
    field("with_second", &convolution::with_second);
  }

  constexpr fitting fit(std::span<const shape> in) const {
    return fit_with_operand(fit_convolution(window, kernels, groups, in[0]), in);
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  // The number of weights for an input that `infer` accepts.
  constexpr std::int64_t weight_count(shape in) const {
    return product({kernels, in.c / groups, window.kernel_h, window.kernel_w});
  }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const;
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<convolution>);

// y[k] = bias[k] + sum over i of weights[k][i] * x[i], x read in dense c-h-w order.
struct fully_connected {
  static constexpr arity inputs{1, 1};

  std::int32_t outputs = 1;
  std::vector<float> weights{};  // [outputs][C * H * W]
  std::vector<float> bias{};     // [outputs], or empty
  bool relu = false;
  static constexpr void fields(auto&& field) {
    field("outputs", &fully_connected::outputs);
    field("weights", &fully_connected::weights);
    field("bias", &fully_connected::bias);
    field("relu", &fully_connected::relu);
  }

  constexpr fitting fit(std::span<const shape> in) const {
    const fitting out = fit_shape(outputs, 1, 1);
    if (out.ok() && weight_count(in[0]) > max_elements) return rule::more_than_268435456_weights;
    return out;
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  constexpr std::int64_t weight_count(shape in) const {
    return product({outputs, in.c, in.h, in.w});
  }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const;
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<fully_connected>);

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/convolution.ipp>
#endif
