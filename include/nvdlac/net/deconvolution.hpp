// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
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
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(weights, weight_count(in[0]), "weights", found, layer);
    if (!bias.empty()) check_values(bias, kernels, "bias", found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    const float_tensor& x = *in[0];
    const shape out = infer(std::array{x.shape});
    require_values(weights, weight_count(x.shape), "weights");
    if (!bias.empty()) require_values(bias, kernels, "bias");
    std::vector<double> sums(out.size(), 0.0);
    const std::int32_t channels = x.shape.c / groups, each = kernels / groups;
    const auto& w = window;
    const auto taps =
        static_cast<std::size_t>(w.kernel_h) * static_cast<std::size_t>(w.kernel_w);
    for (std::int32_t k = 0; k < kernels; ++k)
      for (std::int32_t c = 0; c < channels; ++c) {
        const float* kernel = weights.data() + (static_cast<std::size_t>(k) *
                                                    static_cast<std::size_t>(channels) +
                                                static_cast<std::size_t>(c)) * taps;
        for (std::int32_t iy = 0; iy < x.shape.h; ++iy)
          for (std::int32_t ix = 0; ix < x.shape.w; ++ix) {
            const auto value = static_cast<double>(x.at(k / each * channels + c, iy, ix));
            for (std::int32_t r = 0; r < w.kernel_h; ++r) {
              const std::int32_t y = iy * w.stride_h + r * w.dilation_h - w.pad_top;
              if (y < 0 || y >= out.h) continue;
              for (std::int32_t s = 0; s < w.kernel_w; ++s) {
                const std::int32_t column = ix * w.stride_w + s * w.dilation_w - w.pad_left;
                if (column >= 0 && column < out.w)
                  sums[out.at(k, y, column)] +=
                      value * static_cast<double>(kernel[r * w.kernel_w + s]);
              }
            }
          }
      }
    float_tensor y{out};
    const std::size_t area = out.size() / static_cast<std::size_t>(kernels);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double sum = sums[i] + (bias.empty() ? 0.0 : static_cast<double>(bias[i / area]));
      y.values[i] = static_cast<float>(relu ? std::max(sum, 0.0) : sum);
    }
    return y;
  }
};
static_assert(operation<deconvolution>);

// Weights [C][kernels / groups][height][width], as files hold them, in the order of `d`.
inline std::vector<float> by_kernel(const std::vector<float>& w, const deconvolution& d,
                                    shape in) {
  const auto taps = static_cast<std::size_t>(d.window.kernel_h) *
                    static_cast<std::size_t>(d.window.kernel_w);
  const auto channels = static_cast<std::size_t>(in.c / d.groups),
             each = static_cast<std::size_t>(d.kernels / d.groups);
  std::vector<float> result;
  result.reserve(w.size());
  for (std::size_t k = 0; k < static_cast<std::size_t>(d.kernels); ++k)
    for (std::size_t c = 0; c < channels; ++c) {
      const auto from = w.begin() + static_cast<std::ptrdiff_t>(
                                        ((k / each * channels + c) * each + k % each) * taps);
      result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(taps));
    }
  return result;
}

}  // namespace nvdlac::net
