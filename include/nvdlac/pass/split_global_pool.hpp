// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/hw/pdp_window.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// The kernels, at most PDP's each and ascending, of the fewest poolings one after the other that
// reduce n elements to one; among these, those that pad the least.
constexpr std::vector<std::int32_t> pool_levels(std::int64_t n) {
  constexpr std::int64_t most = hw::pdp_kernel;
  if (n <= most) return {static_cast<std::int32_t>(n)};
  std::size_t count = 1;
  for (std::int64_t reach = most; reach < n; reach *= most) ++count;
  std::vector<std::int64_t> kernels(count, 1), best;
  std::int64_t best_product = -1;
  // All ascending sequences of `count` kernels, counted through like the digits of a number.
  while (true) {
    std::int64_t reach = 1;
    for (const std::int64_t k : kernels) reach *= k;
    if (reach >= n && (best_product < 0 || reach < best_product)) {
      best = kernels;
      best_product = reach;
    }
    std::size_t i = count;
    while (i > 0 && kernels[i - 1] == most) --i;
    if (i == 0) break;
    std::fill(kernels.begin() + static_cast<std::ptrdiff_t>(i) - 1, kernels.end(),
              kernels[i - 1] + 1);
  }
  std::vector<std::int32_t> result;
  for (const std::int64_t k : best) result.push_back(static_cast<std::int32_t>(k));
  return result;
}

// PDP's windows are at most 8 x 8, so a pooling of a whole height x width becomes poolings one
// after the other. Zeros at the bottom and right fill the windows up; they do not change a maximum,
// and a mean is put right by one scale with the factor (product of kernels) / (elements). 13 x 13:
// windows of 2, then of 7, then the factor 196/169. In integers a maximum is exact; a mean rounds
// to int8 once a level, and small windows come first so that later levels average their rounding.
struct split_global_pool {
  static constexpr std::string_view name = "split_global_pool";
  static constexpr std::string_view description =
      "pool a whole height and width in steps of windows of at most 8 x 8";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order())
      if (const auto* p = as<net::pool>(g, n))
        if (const net::pool whole = *p; covers(whole, g[g.inputs(n).front()].shape))
          split(g, r, n, whole);
    r.finish();
  }

 private:
  // A global pooling, or one with a window that is too large and takes in everything.
  static bool covers(const net::pool& p, net::shape in) {
    if (p.global) return true;
    const auto& w = p.window;
    return std::max(w.kernel_h, w.kernel_w) > hw::pdp_kernel &&
           p.infer(std::array{in}) == net::shape{in.c, 1, 1} && w.kernel_h - w.pad_top >= in.h &&
           w.kernel_w - w.pad_left >= in.w;
  }
  template <class Graph>
  static void split(Graph& g, rewriter<Graph>& r, typename Graph::id n, const net::pool& whole) {
    auto from = g.inputs(n).front();
    const net::shape in = g[from].shape;
    auto heights = pool_levels(in.h), widths = pool_levels(in.w);
    const std::size_t count = std::max(heights.size(), widths.size());
    heights.insert(heights.begin(), count - heights.size(), 1);
    widths.insert(widths.begin(), count - widths.size(), 1);

    std::vector<net::pool> levels;
    std::int64_t reach = 1;
    net::shape at = in;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t h = heights[i], w = widths[i];
      const net::shape to{in.c, (at.h + h - 1) / h, (at.w + w - 1) / w};
      levels.push_back({.kind = whole.kind,
                        .window = {.kernel_h = h, .kernel_w = w, .stride_h = h, .stride_w = w,
                                   .pad_bottom = to.h * h - at.h, .pad_right = to.w * w - at.w},
                        .count_include_pad = true});
      reach *= std::int64_t{h} * w;
      at = to;
    }
    const net::window w = whole.window_on(in);
    const auto counted = [&](net::sliding s, std::int32_t size) -> std::int64_t {
      return whole.count_include_pad ? net::pool_span::at(s, size, 0).padded : size;
    };
    const std::int64_t elements =
        counted(net::vertical(w), in.h) * counted(net::horizontal(w), in.w);
    const bool rescale = whole.kind == net::pool_kind::average && reach != elements;

    // The node itself becomes the last step, so that its name and its readers stay.
    const std::size_t before = rescale ? levels.size() : levels.size() - 1;
    const std::string base = g[n].name + "/level_";
    for (std::size_t i = 0; i < before; ++i)
      from = r.add(base + std::to_string(i + 1), levels[i], {from});
    if (rescale)
      g[n].op = net::scale{.factor = {static_cast<float>(static_cast<double>(reach) /
                                                         static_cast<double>(elements))}};
    else
      g[n].op = levels.back();
    r.set_inputs(n, {from});
  }
};

}  // namespace nvdlac::pass
