// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/operators.hpp>
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
      g[results.back()].shape =
          std::get<net::convolution>(g[results.back()].op).infer(std::array{in});
    }
    if (results.empty()) results.push_back(from);  // the output does not depend on its values
    g[n].op = net::move{.target = out, .boxes = std::move(boxes)};
    r.set_inputs(n, results);
  }
};

}  // namespace nvdlac::pass
