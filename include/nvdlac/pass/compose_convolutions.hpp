// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions one behind the other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// Whether one convolution can compute `second` of what `first` gives: one of both looks at a single
// element, and `second` does not pad what `first` has a bias for.
bool can_be_composed(const net::convolution& first, const net::convolution& second);

// That convolution, for an input of this shape.
net::convolution composed(const net::convolution& first, const net::convolution& second,
                          net::shape in);

// The cost of a convolution: products, of channels by the whole atoms that every
// configuration has, and weights.
struct convolution_work {
  std::int64_t products = 0, weights = 0;

  static convolution_work of(const net::convolution& c, net::shape in);
  convolution_work& operator+=(const convolution_work& o) {
    products += o.products;
    weights += o.weights;
    return *this;
  }
  bool is_at_most(const convolution_work& o) const {
    return products <= o.products && weights <= o.weights;
  }
};

// Convolutions without a function between them, of which the first or all behind it are 1x1, become
// one each where that is no more work: an expansion that only a projection reads, say.
struct compose_convolutions {
  static constexpr std::string_view name = "compose_convolutions";
  static constexpr std::string_view description =
      "make two convolutions in a row, one of them 1x1, one, where that is no more work";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      const auto* first = as_alone<net::convolution>(g, n);
      if (first == nullptr || g[n].output) continue;
      const auto source = g.inputs(n).front();
      const auto all = composed_readers(g, n, *first, g[source].shape);
      for (const auto& [reader, both] : all) g[reader].op = both;
      for (const auto& each : all) r.set_inputs(each.first, {source});
    }
    r.finish();
  }

 private:
  using compositions = std::vector<std::pair<std::size_t, net::convolution>>;

  // The convolutions that the readers of n become, all of them or none.
  template <class Graph>
  static compositions composed_readers(const Graph& g, typename Graph::id n,
                                       const net::convolution& first, net::shape in) {
    const auto readers = g.consumers(n);
    const bool can = std::all_of(readers.begin(), readers.end(), [&](auto reader) {
      const auto* second = as_alone<net::convolution>(g, reader);
      return second != nullptr && can_be_composed(first, *second);
    });
    if (!can) return {};
    compositions all;
    auto before = convolution_work::of(first, in);
    convolution_work after;
    for (const auto reader : readers) {
      const auto& second = *as_alone<net::convolution>(g, reader);
      before += convolution_work::of(second, g[n].shape);
      net::convolution form{.kernels = second.kernels, .window = window_of(first, second)};
      after += convolution_work::of(form, in);
    }
    if (!after.is_at_most(before) || after.weights > most_weights / first.kernels) return {};
    for (const auto reader : readers)
      all.emplace_back(reader, composed(first, *as_alone<net::convolution>(g, reader), in));
    return all;
  }
  static net::window window_of(const net::convolution& first, const net::convolution& second) {
    return second.window == net::window{} ? first.window : second.window;
  }
  // Times the kernels between them: products of weights that are computed here.
  static constexpr std::int64_t most_weights = 1 << 27;
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/compose_convolutions.ipp>
#endif
