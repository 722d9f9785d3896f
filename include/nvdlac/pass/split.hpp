// SPDX-License-Identifier: Apache-2.0
#pragma once
// Passes that cut what an engine cannot do at once; split_windows.hpp has that of windows.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/deconvolution_phases.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/pass/large_window.hpp>
#include <nvdlac/pass/pool_levels.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// A transposed convolution becomes one convolution for each phase of its stride, whose results take
// turns in lines and columns. No weight is multiplied that the transposed convolution does not
// have, and nothing is rounded that it would not round.
struct split_deconvolution {
  static constexpr std::string_view name = "split_deconvolution";
  static constexpr std::string_view description =
      "compute transposed convolutions by convolutions whose results take turns";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order())
      if (const auto* d = as<net::deconvolution>(g, n))
        split(g, r, n, net::deconvolution(*d));
    r.finish();
  }

 private:
  template <class Graph>
  static void split(Graph& g, rewriter<Graph>& r, typename Graph::id n,
                    const net::deconvolution& d) {
    const auto from = g.inputs(n).front();
    const net::shape in = g[from].shape;
    const auto phases = net::phases_of(d, in);
    const net::shape out = d.infer(std::array{in});
    if (phases.size() == 1 && !phases[0].empty()) {
      auto whole = net::convolution_of(d, phases[0], in);
      if (phases[0].rows.skip == 0 && phases[0].columns.skip == 0 &&
          whole.infer(std::array{in}) == out) {
        g[n].op = std::move(whole);
        return;
      }
    }
    const bool unbiased = std::ranges::all_of(d.bias, [](float b) { return b == 0.0F; });
    std::vector<typename Graph::id> results;
    std::vector<net::box> boxes;
    for (const auto& p : phases) {
      const bool filled = p.empty() && unbiased;
      boxes.push_back(
          p.results(d, filled ? net::box::filled : static_cast<std::int32_t>(results.size())));
      if (filled) continue;
      const auto phase = text(g[n].name, "/phase_", p.rows.first, '_', p.columns.first);
      results.push_back(r.add(phase, net::convolution_of(d, p, in), {from}));
    }
    if (results.empty()) results.push_back(from);  // the output does not depend on its values
    g[n].op = net::move{.target = out, .boxes = std::move(boxes)};
    r.set_inputs(n, results);
  }
};

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
        if (const net::shape in = g[g.inputs(n).front()].shape; pass::covers(*p, in)) {
          if (p->kind == net::pool_kind::average && std::max(in.h, in.w) <= pass::whole_mean &&
              elements(*p, in) == std::int64_t{in.h} * in.w)
            *p = {.kind = net::pool_kind::average, .global = true, .keeps_scale = p->keeps_scale};
          else
            split(g, r, n, net::pool(*p));
        }
    r.finish();
  }

 private:
  // How many the one window of a mean counts.
  static std::int64_t elements(const net::pool& whole, net::shape in);
  template <class Graph>
  static void split(Graph& g, rewriter<Graph>& r, typename Graph::id n, const net::pool& whole) {
    auto from = g.inputs(n).front();
    const net::shape in = g[from].shape;
    const auto [levels, reach] = pass::pool_in_levels(whole.kind, in);
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

// Layers with more kernels than a convolution has, as several, whose results stand one behind the
// other: no value changes.
struct split_kernels {
  static constexpr std::string_view name = "split_kernels";
  static constexpr std::string_view description =
      "compute more kernels than the hardware has in parts";

  template <class Graph>
  static void run(Graph& g) {
    if constexpr (contains<net::concat, typename Graph::operators>) {
      rewriter<Graph> r(g);
      for (const auto n : g.order()) {
        if (as<net::fully_connected>(g, n) != nullptr)
          split(g, r, n, &net::fully_connected::outputs);
        if (const auto* c = as_alone<net::convolution>(g, n); c != nullptr && c->groups == 1)
          split(g, r, n, &net::convolution::kernels);
      }
      r.finish();
    }
  }

 private:
  template <class Graph, class Op>
  static void split(Graph& g, rewriter<Graph>& r, typename Graph::id n, std::int32_t Op::*count) {
    const auto kernels = as<Op>(g, n)->*count;
    constexpr std::int32_t most = hw::any_map.convolution.kernels;
    if (kernels <= most) return;
    Op whole = std::move(*as<Op>(g, n));  // g grows
    const auto weights = std::exchange(whole.weights, {}), bias = std::exchange(whole.bias, {});
    const auto of = [&](const std::vector<float>& values, std::int32_t k) {
      return values.begin() + static_cast<std::ptrdiff_t>(values.size()) / kernels * k;
    };
    std::vector<typename Graph::id> parts;
    for (std::int32_t first = 0; first < kernels; first += most) {
      const auto end = std::min(kernels, first + most);
      Op part = whole;
      part.*count = end - first;
      part.weights.assign(of(weights, first), of(weights, end));
      part.bias.assign(of(bias, first), of(bias, end));
      parts.push_back(r.add(g[n].name + "/kernels", std::move(part), g.inputs(n)));
    }
    g[n].op = net::concat{};
    r.set_inputs(n, parts);
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/split.ipp>
#endif
