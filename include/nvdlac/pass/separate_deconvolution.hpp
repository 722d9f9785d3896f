// SPDX-License-Identifier: Apache-2.0
#pragma once
// Transposed convolutions whose kernels are columns times lines, such as those of interpolations.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// The column and the line whose products are a kernel of so many columns; nullopt: there are none.
inline std::optional<std::pair<std::vector<float>, std::vector<float>>> factors_of(
    std::span<const float> kernel, std::size_t columns) {
  constexpr float rounding = 1e-5F;  // of the largest weight
  std::size_t top = 0;
  for (std::size_t i = 1; i < kernel.size(); ++i)
    if (std::fabs(kernel[i]) > std::fabs(kernel[top])) top = i;
  const float largest = kernel[top];
  const auto line = kernel.subspan(top / columns * columns, columns);
  std::pair<std::vector<float>, std::vector<float>> result{{}, {line.begin(), line.end()}};
  for (std::size_t i = top % columns; i < kernel.size(); i += columns)
    result.first.push_back(largest == 0 ? 0 : kernel[i] / largest);
  for (std::size_t i = 0; i < kernel.size(); ++i)
    if (const float product = result.first[i / columns] * line[i % columns];
        !(std::fabs(kernel[i] - product) <= rounding * std::fabs(largest)))
      return std::nullopt;
  return result;
}

// A transposed convolution of single channels by products of columns and lines becomes one over
// height and one over width, where the map is small beside the strides: as one it takes a layer for
// each pair of a line and a column between two elements, as two for each line and each column. By
// predicted cycles on nv_small and nv_large that is less from 16 pairs on. The tensor between the
// two is rounded as any other.
struct separate_deconvolution {
  static constexpr std::string_view name = "separate_deconvolution";
  static constexpr std::string_view description =
      "interpolate small maps by large factors over height, and then over width";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order())
      if (const auto* d = as<net::deconvolution>(g, n))
        if (is_small(g[g.inputs(n).front()].shape, d->window))
          if (const auto parts = separated(*d, g[g.inputs(n).front()].shape)) {
            const auto from = g.inputs(n).front();
            const auto lines = r.add(text(g[n].name, "/height"), parts->first, {from});
            g[n].op = parts->second;
            r.set_inputs(n, {lines});
          }
    r.finish();
  }

 private:
  static constexpr bool is_small(net::shape in, const net::window& w) {
    const std::int64_t places = std::int64_t{w.stride_h} * w.stride_w;
    return w.stride_h > 1 && w.stride_w > 1 && places >= 16 &&
           std::int64_t{in.h} * in.w <= 4 * places;
  }

  // The kernels of single channels of `d`; empty, if it sums over several.
  static std::vector<float> of_channels(const net::deconvolution& d, net::shape in) {
    if (d.kernels != in.c) return {};
    if (d.groups == in.c) return d.weights;
    if (d.groups != 1) return {};
    const auto channels = static_cast<std::size_t>(in.c), area = d.weights.size() / channels /
                                                                 channels;
    std::vector<float> own;
    for (std::size_t i = 0; i < d.weights.size(); ++i)
      if (const auto k = i / area / channels; i / area % channels == k)
        own.push_back(d.weights[i]);
      else if (d.weights[i] != 0)
        return {};
    return own;
  }

  static std::optional<std::pair<net::deconvolution, net::deconvolution>> separated(
      const net::deconvolution& d, net::shape in) {
    const auto own = of_channels(d, in);
    const auto columns = static_cast<std::size_t>(d.window.kernel_w);
    const auto area = static_cast<std::size_t>(d.window.kernel_h) * columns;
    auto height = d, width = d;
    height.groups = width.groups = in.c;
    height.relu = false;
    height.bias.clear();
    height.more_w = width.more_h = 0;
    auto &h = height.window, &w = width.window;
    h.kernel_w = h.stride_w = h.dilation_w = w.kernel_h = w.stride_h = w.dilation_h = 1;
    h.pad_left = h.pad_right = w.pad_top = w.pad_bottom = 0;
    height.weights.clear();
    width.weights.clear();
    for (std::size_t at = 0; at < own.size(); at += area) {
      const auto factors = factors_of(std::span(own).subspan(at, area), columns);
      if (!factors) return std::nullopt;
      const auto& [column, line] = *factors;
      height.weights.insert(height.weights.end(), column.begin(), column.end());
      width.weights.insert(width.weights.end(), line.begin(), line.end());
    }
    if (own.empty()) return std::nullopt;
    return std::pair{std::move(height), std::move(width)};
  }
};

}  // namespace nvdlac::pass
