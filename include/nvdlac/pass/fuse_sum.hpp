// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// A sum of which one side is a convolution that nothing else reads becomes a part of it: SDP adds
// the other side before it rounds. The convolution takes the name of the sum. Whether it can is
// the hardware's business, so that this is no pass of a pipeline: `prepare` runs it when the
// hardware is known, behind all others.
struct fuse_sum {
  static constexpr std::string_view name = "fuse_sum";
  static constexpr std::string_view description =
      "make a sum a part of the convolution before it, where the hardware can add behind it";

  // can(convolution, sum) tells of the two nodes whether it can. Of two convolutions the one that
  // is computed last takes the sum.
  template <class Graph, class Can>
  static void run(Graph& g, const Can& can) {
    using id = typename Graph::id;
    const auto order = g.order();
    std::vector<std::size_t> place(g.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    rewriter<Graph> r(g);
    for (const id n : order) {
      if (as<net::add>(g, n) == nullptr) continue;
      const auto inputs = g.inputs(n);
      const std::size_t last = place[inputs[0]] < place[inputs[1]] ? 1 : 0;
      for (const std::size_t side : {last, 1 - last})
        if (is_fusible(g, r, n, side) && can(inputs[side], n)) {
          fuse(g, r, n, side);
          break;
        }
    }
    r.finish();
  }

 private:
  template <class Graph>
  static bool is_fusible(const Graph& g, const rewriter<Graph>& r, typename Graph::id n,
                         std::size_t side) {
    const auto inputs = g.inputs(n);
    const auto from = inputs[side], other = inputs[1 - side];
    const auto* c = as_alone<net::convolution>(g, from);
    return c != nullptr && !c->relu && r.only_feeds(from, n) && g[other].shape == g[n].shape &&
           as<net::add>(g, n)->coefficients[1 - side] == 1 && !reads_picture(g, from);
  }
  // A convolution that may take pixels, for which CONV has no operand to add.
  template <class Graph>
  static bool reads_picture(const Graph& g, typename Graph::id n) {
    auto from = g.inputs(n)[0];
    while (as<net::scale>(g, from) != nullptr) from = g.inputs(from)[0];
    return is_input(g, from);
  }
  template <class Graph>
  static void fuse(Graph& g, rewriter<Graph>& r, typename Graph::id n, std::size_t side) {
    const auto inputs = g.inputs(n);
    const auto from = inputs[side];
    const net::add sum = *as<net::add>(g, n);
    net::convolution c = std::move(*as<net::convolution>(g, from));
    for (auto* values : {&c.weights, &c.bias})
      for (float& v : *values) v *= sum.coefficients[side];
    c.relu = sum.relu;
    g[n].op = std::move(c);
    r.set_inputs(n, {g.inputs(from)[0], inputs[1 - side]});
  }
};

}  // namespace nvdlac::pass
