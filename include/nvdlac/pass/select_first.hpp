// SPDX-License-Identifier: Apache-2.0
#pragma once
// Outputs that hold some elements of a tensor, or more than these, in another order.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/selection_cube.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

namespace detail {

// The movement of one tensor's elements on the way to an output.
struct moved_elements {
  net::shape source{};
  std::vector<std::int32_t> from{};  // of each element of the output's cube; negative: filled
  float fill = 0;
  std::uint64_t turned = 0;  // elements that become channels, or were some, all in all
};

// Puts a move before it. False where the two fill with different values.
bool move_before(moved_elements& all, const net::move& m, net::shape in);

// An output as a cube in which channels stay channels.
struct selected_output {
  net::move op{};
  std::vector<net::file_tensor> in_file{};
  bool is_whole = false;  // each element stands where it does in the source
};

// Nothing where that turns no fewer elements than there were.
std::optional<selected_output> selected_output_of(const moved_elements& all,
                                                  std::span<const net::file_tensor> in_file);

}  // namespace detail

// A slice, a padding, a repetition or a reversal and a transposition, one behind the other, end in
// an output of the user's file that no layer reads: the selection alone is made, and the order is
// left to whoever reads the output.
struct select_first {
  static constexpr std::string_view name = "select_first";
  static constexpr std::string_view description =
      "leave the order of selected elements to whoever reads the output that they are";

  template <class Graph>
  static void run(Graph& g) {
    if constexpr (contains<net::move, typename Graph::operators>) {
      rewriter<Graph> r(g);
      for (const auto n : g.outputs()) {
        auto found = find(g, n, [](auto) { return true; });
        if (!found) continue;
        r.set_inputs(n, {found->source});
        apply(g, n, *std::move(found));
        if (g[n].shape == g[g.inputs(n)[0]].shape && as<net::reshape>(g, n) &&
            r.can_bypass(n, g.inputs(n)[0]))
          r.bypass(n, g.inputs(n)[0]);
      }
      r.finish();
    }
  }

  // For the nodes of a graph that still have other readers, which do not count and will leave it.
  // What only moved elements before the outputs is left without readers that do.
  template <class Graph, std::predicate<typename Graph::id> Counts>
  static void run_among(Graph& g, const Counts& counts) {
    for (const auto n : g.outputs())
      if (auto found = find(g, n, counts)) {
        g.set_inputs(n, std::array{found->source});
        apply(g, n, *std::move(found));
      }
  }

 private:
  template <class Graph>
  struct selection {
    typename Graph::id source;
    detail::selected_output output;
  };

  template <class Graph, class Counts>
  static std::optional<selection<Graph>> find(const Graph& g, typename Graph::id n,
                                              const Counts& counts) {
    if (!g[n].output || g[n].in_file.empty() || std::ranges::any_of(g.consumers(n), counts))
      return std::nullopt;
    detail::moved_elements all{.source = g[n].shape};
    all.from.resize(all.source.size());
    std::iota(all.from.begin(), all.from.end(), 0);
    auto source = n;
    while ((source == n || (!g[source].output &&
                            std::ranges::count_if(g.consumers(source), counts) == 1)) &&
           step_back(g, source, all))
      source = g.inputs(source)[0];
    if (source == n) return std::nullopt;
    auto output = detail::selected_output_of(all, g[n].in_file);
    if (!output) return std::nullopt;
    return selection<Graph>{source, *std::move(output)};
  }
  // Whether a node only moves elements of one tensor, which are those of the output then.
  template <class Graph>
  static bool step_back(const Graph& g, typename Graph::id n, detail::moved_elements& all) {
    if (g.inputs(n).size() != 1) return false;
    const net::shape in = g[g.inputs(n)[0]].shape;
    if (const auto* m = as<net::move>(g, n)) return detail::move_before(all, *m, in);
    if (!as<net::reshape>(g, n) && !as<net::flatten>(g, n) && !as<net::identity>(g, n))
      return false;
    if (g[n].shape.c != in.c) all.turned += in.size();
    all.source = in;
    return true;
  }
  template <class Graph>
  static void apply(Graph& g, typename Graph::id n, selection<Graph> found) {
    const net::shape cube = found.output.op.target;
    g[n].shape = cube;
    g[n].in_file = std::move(found.output.in_file);
    if (found.output.is_whole) g[n].op = net::reshape{cube};
    else g[n].op = std::move(found.output.op);
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/select_first.ipp>
#endif
