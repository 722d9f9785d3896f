// SPDX-License-Identifier: Apache-2.0
#pragma once
// Concatenations of what others cut or joined before.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/hw/least_lanes.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// Channels [first, first + count) of a tensor of this shape, as they are.
net::move slice_of_channels(net::shape whole, std::int32_t first, std::int32_t count);

// A concat of a concat that nothing else reads has its inputs, unless only these would have to be
// gathered from atoms that they do not fill; and neighbouring channels of one
// tensor that meet again in a concat are one part of it, or that tensor, so that it can be computed
// where the concat wants it.
struct join_slices {
  static constexpr std::string_view name = "join_slices";
  static constexpr std::string_view description =
      "make concats of concats one, and of neighbouring slices of a tensor what they were";

  template <class Graph>
  static void run(Graph& g) {
    if constexpr (contains<net::move, typename Graph::operators>) {
      rewriter<Graph> r(g);
      for (const auto n : g.order()) {
        if (as<net::concat>(g, n) == nullptr) continue;
        const auto inputs = g.inputs(n);
        const std::vector<typename Graph::id> before(inputs.begin(), inputs.end());
        const auto joined = joined_again(g, r, flat(g, r, n));
        if (joined == before) continue;
        r.set_inputs(n, joined);
        if (joined.size() == 1 && g[joined[0]].shape == g[n].shape && r.can_bypass(n, joined[0]))
          r.bypass(n, joined[0]);
      }
      r.finish();
    }
  }

 private:
  // Channels of a tensor, and the node that takes them.
  template <class Graph>
  struct part {
    typename Graph::id node, source;
    std::int32_t first = 0, end = 0;
  };

  // Whether all inputs but the last end with an atom, of any configuration.
  template <class Graph>
  static bool fill_atoms(const Graph& g, typename Graph::id n) {
    const auto inputs = g.inputs(n);
    return std::all_of(inputs.begin(), inputs.end() - 1,
                       [&](auto i) { return g[i].shape.c % hw::least_lanes == 0; });
  }

  // The inputs of a concat, those of concats that it alone reads in their place.
  template <class Graph>
  static std::vector<typename Graph::id> flat(const Graph& g, const rewriter<Graph>& r,
                                              typename Graph::id n) {
    std::vector<typename Graph::id> all;
    for (const auto i : g.inputs(n))
      if (as<net::concat>(g, i) != nullptr && r.only_feeds(i, n) &&
          (fill_atoms(g, i) || !fill_atoms(g, n)))
        all.insert(all.end(), g.inputs(i).begin(), g.inputs(i).end());
      else all.push_back(i);
    return all;
  }

  template <class Graph>
  static part<Graph> part_of(const Graph& g, typename Graph::id n) {
    if (const auto* m = as_alone<net::move>(g, n)) {
      const auto from = g.inputs(n)[0];
      const std::array in{g[from].shape};
      if (const auto first =
              net::first_channel_taken(m->target, {m->boxes.data(), m->boxes.size()}, in))
        return {n, from, *first, *first + g[n].shape.c};
    }
    return {n, n, 0, g[n].shape.c};
  }

  template <class Graph>
  static std::vector<typename Graph::id> joined_again(
      Graph& g, rewriter<Graph>& r, const std::vector<typename Graph::id>& inputs) {
    std::vector<part<Graph>> parts;
    for (const auto i : inputs) {
      const auto next = part_of(g, i);
      const bool goes_on = !parts.empty() && next.node != next.source &&
                           parts.back().source == next.source && parts.back().end == next.first;
      if (!goes_on) {
        parts.push_back(next);
        continue;
      }
      parts.back().end = next.end;
      parts.back().node = next.source;  // until it has a node of its own
    }
    std::vector<typename Graph::id> joined;
    for (const auto& p : parts) {
      const net::shape whole = g[p.source].shape;
      const bool is_cut = p.first != 0 || p.end != whole.c;
      if (p.node != p.source || !is_cut) {
        joined.push_back(is_cut ? p.node : p.source);
        continue;
      }
      joined.push_back(r.add(g[p.source].name + "/slice",
                             slice_of_channels(whole, p.first, p.end - p.first), {p.source}));
    }
    return joined;
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/join_slices.ipp>
#endif
