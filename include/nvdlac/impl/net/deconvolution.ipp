// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

NVDLAC_IMPL void deconvolution::check(std::span<const shape> in, diagnostics& found,
                                      const std::string& layer) const {
  check_values(weights, weight_count(in[0]), "weights", found, layer);
  if (!bias.empty()) check_values(bias, kernels, "bias", found, layer);
}

NVDLAC_IMPL float_tensor deconvolution::evaluate(std::span<const float_tensor* const> in) const {
  const float_tensor& x = *in[0];
  const shape out = infer({&x.shape, 1});
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

NVDLAC_IMPL std::vector<float> by_kernel(const std::vector<float>& w, const deconvolution& d,
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
