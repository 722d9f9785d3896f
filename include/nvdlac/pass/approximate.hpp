// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/approximation.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// Functions that need a table become two clippings, their weighted sum, and where it takes that a
// shift and a product with the input. It changes what a network computes, within the bounds of
// net/activation.hpp, and runs only where the user asks for it and the hardware has no table.
struct approximate {
  static constexpr std::string_view name = "approximate";
  static constexpr std::string_view description =
      "compute sigmoid, tanh, erf, SiLU and GELU in straight lines, without a table";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      const auto* op = as<net::activation>(g, n);
      if (op == nullptr) continue;
      auto lines = net::approximation_of(*op);
      if (!lines) continue;
      if (op->function == net::function::sigmoid && gates_its_input(g, n))
        lines = net::gate_of_swish();
      put(g, r, n, *lines);
    }
    r.finish();
    net::infer_shapes(g, net::check_constants::no);
  }

 private:
  // Whether all that reads n multiplies it with what n reads.
  template <class Graph>
  static bool gates_its_input(const Graph& g, typename Graph::id n) {
    const auto from = g.inputs(n)[0];
    const auto readers = g.consumers(n);
    return !g[n].output && !readers.empty() && std::ranges::all_of(readers, [&](auto reader) {
      return as<net::multiply>(g, reader) != nullptr &&
             std::ranges::count(g.inputs(reader), from) == 1;
    });
  }
  // The node itself becomes the last step, so that its name and its readers stay.
  template <class Graph>
  static void put(Graph& g, rewriter<Graph>& r, typename Graph::id n,
                  const net::approximation& to) {
    const auto x = g.inputs(n)[0];
    const std::string base = g[n].name;
    net::add sum;
    std::vector<typename Graph::id> last;
    for (std::size_t i = 0; i < 2; ++i) {
      const double end = to.lines.end[i] / std::fabs(to.inner);
      const double weight = to.half * to.lines.share[i] / std::copysign(end, to.inner);
      sum.coefficients[i] = static_cast<float>(weight);
      const auto most = static_cast<float>(end);
      last.push_back(r.add(base + (i == 0 ? "/inner" : "/outer"), net::clip{-most, most}, {x}));
    }
    typename Graph::any_operator op = sum;
    const auto behind = [&](std::string_view step, typename Graph::any_operator next) {
      last = {r.add(base + std::string(step), std::exchange(op, std::move(next)), last)};
    };
    if (to.low != 0)
      behind("/lines", net::scale{.factor = {1}, .bias = {static_cast<float>(to.low)}});
    if (to.gated) {
      behind("/gate", net::multiply{});
      last.insert(last.begin(), x);
    }
    g[n].op = std::move(op);
    r.set_inputs(n, last);
  }
};

}  // namespace nvdlac::pass
