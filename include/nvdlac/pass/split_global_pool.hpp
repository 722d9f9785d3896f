// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/net/large_window.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// PDP's windows are at most 8 x 8, so a pooling of a whole height x width becomes poolings one
// after the other, and a mean ends with the factor (product of kernels) / (elements). 20 x 20:
// windows of 3, then of 7, then the factor 441/400. In integers a maximum is exact; a mean rounds
// to int8 once a level. A mean over at most 16 x 16 is left whole: CONV can do it at once
// (quant/averaging.hpp).
struct split_global_pool {
  static constexpr std::string_view name = "split_global_pool";
  static constexpr std::string_view description =
      "pool a whole height and width in steps of windows of at most 8 x 8";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order())
      if (auto* p = as<net::pool>(g, n))
        if (const net::shape in = g[g.inputs(n).front()].shape; net::covers(*p, in)) {
          if (p->kind == net::pool_kind::average && std::max(in.h, in.w) <= net::whole_mean &&
              elements(*p, in) == std::int64_t{in.h} * in.w)
            *p = {.kind = net::pool_kind::average, .global = true, .keeps_scale = p->keeps_scale};
          else
            split(g, r, n, net::pool(*p));
        }
    r.finish();
  }

 private:
  // How many the one window of a mean counts.
  static std::int64_t elements(const net::pool& whole, net::shape in) {
    const net::window w = whole.window_on(in);
    const auto counted = [&](net::sliding s, std::int32_t size) -> std::int64_t {
      return whole.count_include_pad ? net::pool_span::at(s, size, 0).padded : size;
    };
    return counted(net::vertical(w), in.h) * counted(net::horizontal(w), in.w);
  }
  template <class Graph>
  static void split(Graph& g, rewriter<Graph>& r, typename Graph::id n, const net::pool& whole) {
    auto from = g.inputs(n).front();
    const net::shape in = g[from].shape;
    const auto [levels, reach] = net::pool_in_levels(whole.kind, in);
    const bool rescale = whole.kind == net::pool_kind::average && reach != elements(whole, in);

    // The node itself becomes the last step, so that its name and its readers stay.
    const std::size_t before = rescale ? levels.size() : levels.size() - 1;
    const std::string base = g[n].name + "/level_";
    for (std::size_t i = 0; i < before; ++i)
      from = r.add(base + std::to_string(i + 1), levels[i], {from});
    if (rescale)
      g[n].op = net::scale{
          .factor = {static_cast<float>(static_cast<double>(reach) /
                                        static_cast<double>(elements(whole, in)))}};
    else
      g[n].op = levels.back();
    r.set_inputs(n, {from});
  }
};

}  // namespace nvdlac::pass
