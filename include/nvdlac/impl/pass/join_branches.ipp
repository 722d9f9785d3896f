// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/pass/join_branches.hpp>

namespace nvdlac::pass {

// The place of taps along one axis among those of a whole kernel.
struct taps_of_axis {
  std::int32_t kernel = 1, stride = 1, dilation = 1, pad = 0;
};
NVDLAC_IMPL std::optional<std::int32_t> place_of(const taps_of_axis& taps,
                                                 const taps_of_axis& whole) {
  const bool one = taps.kernel == 1;
  if (taps.stride != whole.stride || (!one && taps.dilation != whole.dilation))
    return std::nullopt;
  const std::int32_t before = whole.pad - taps.pad;
  if (before < 0 || before % whole.dilation != 0) return std::nullopt;
  const std::int32_t place = before / whole.dilation;
  return place + taps.kernel <= whole.kernel ? std::optional(place) : std::nullopt;
}

NVDLAC_IMPL std::optional<tap_offset> tap_offset::of(const net::window& window,
                                                     const net::window& whole) {
  const auto y = place_of(
      {window.kernel_h, window.stride_h, window.dilation_h, window.pad_top},
      {whole.kernel_h, whole.stride_h, whole.dilation_h, whole.pad_top});
  const auto x = place_of(
      {window.kernel_w, window.stride_w, window.dilation_w, window.pad_left},
      {whole.kernel_w, whole.stride_w, whole.dilation_w, whole.pad_left});
  return y && x ? std::optional(tap_offset{*y, *x}) : std::nullopt;
}

NVDLAC_IMPL void add_branch(net::convolution& whole, const net::convolution& branch,
                            float factor) {
  const auto [y, x] = *tap_offset::of(branch.window, whole.window);
  const auto count = [](std::int32_t i) { return static_cast<std::size_t>(i); };
  const std::size_t h = count(branch.window.kernel_h), w = count(branch.window.kernel_w);
  const std::size_t all_h = count(whole.window.kernel_h), all_w = count(whole.window.kernel_w);
  for (std::size_t i = 0; i < branch.weights.size(); ++i) {
    const std::size_t plane = i / (h * w), row = i / w % h, column = i % w;
    const std::size_t at = (plane * all_h + row + count(y)) * all_w + column + count(x);
    whole.weights[at] += factor * branch.weights[i];
  }
  if (branch.bias.empty()) return;
  whole.bias.resize(count(whole.kernels));
  for (std::size_t k = 0; k < whole.bias.size(); ++k) whole.bias[k] += factor * branch.bias[k];
}

NVDLAC_IMPL void add_branch(net::convolution& whole, const net::scale& line, float factor) {
  const auto kernels = static_cast<std::size_t>(whole.kernels);
  const std::size_t of_a_group = kernels / static_cast<std::size_t>(whole.groups);
  net::convolution diagonal{.kernels = whole.kernels, .groups = whole.groups};
  diagonal.weights.resize(kernels * of_a_group);
  for (std::size_t k = 0; k < kernels; ++k)
    diagonal.weights[k * of_a_group + k % of_a_group] = line.factor_of(k);
  if (!line.bias.empty())
    for (std::size_t k = 0; k < kernels; ++k) diagonal.bias.push_back(line.bias_of(k));
  add_branch(whole, diagonal, factor);
}

}  // namespace nvdlac::pass
