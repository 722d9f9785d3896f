// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// A transposed convolution: every element of the input adds its kernel, `stride` apart, to an
// output from whose sides the padding is cut.
// y[k][i * stride + r * dilation - pad] += weights[k][c][r] * x[group(k) * C/groups + c][i]
struct deconvolution {
  static constexpr arity inputs{1, 1};

  std::int32_t kernels = 1;
  net::window window{};
  std::int32_t more_h = 0, more_w = 0;  // lines and columns added below and right
  std::int32_t groups = 1;
  std::vector<float> weights{};  // [kernels][C / groups][kernel_h][kernel_w]
  std::vector<float> bias{};     // [kernels], or empty: no bias
  bool relu = false;             // a fused activation
  static constexpr void fields(auto&& field) {
    field("kernels", &deconvolution::kernels);
    field("window", &deconvolution::window);
    field("more_h", &deconvolution::more_h);
    field("more_w", &deconvolution::more_w);
    field("groups", &deconvolution::groups);
    field("weights", &deconvolution::weights);
    field("bias", &deconvolution::bias);
    field("relu", &deconvolution::relu);
  }

  constexpr fitting fit(std::span<const shape> in) const {
    const shape x = in[0];
    if (kernels < 1 || groups < 1) return rule::less_than_one_kernel_or_group;
    if (x.c % groups != 0 || kernels % groups != 0)
      return {rule::groups_do_not_divide_channels_and_kernels, {groups, x.c, kernels}};
    for (const auto& s : {vertical(window), horizontal(window)}) {
      if (s.kernel < 1 || s.stride < 1 || s.dilation < 1)
        return rule::window_with_a_number_below_1;
      if (s.before < 0 || s.after < 0) return rule::window_with_a_negative_padding;
      if (std::max({s.kernel, s.stride, s.dilation, s.before, s.after}) > 65535)
        return rule::window_with_a_number_above_65535;
    }
    if (more_h < 0 || more_w < 0) return rule::window_with_a_negative_padding;
    const auto size = [](const sliding& s, std::int32_t n, std::int32_t more) {
      return (n - 1) * s.stride + s.extent() - s.before - s.after + more;
    };
    const fitting out = fit_shape(kernels, size(vertical(window), x.h, more_h),
                                  size(horizontal(window), x.w, more_w));
    if (out.ok() && weight_count(x) > max_elements) return rule::more_than_268435456_weights;
    return out;
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  constexpr std::int64_t weight_count(shape in) const {
    return product({kernels, in.c / groups, window.kernel_h, window.kernel_w});
  }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const;
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<deconvolution>);

// Weights [C][kernels / groups][height][width], as files hold them, in the order of `d`.
std::vector<float> by_kernel(const std::vector<float>& w, const deconvolution& d, shape in);

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/deconvolution.ipp>
#endif
