// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions over channels that were selected from those of another tensor.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/merge_blocks.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// Channels of a tensor in any order, each any number of times, with all their lines and columns.
struct selected_channels {
  std::size_t source = 0;  // the node
  std::vector<std::int32_t> channels{};

  static selected_channels all_of(std::size_t source, std::int32_t count);
};

// The channels that a move selects of one input, whose shapes are `in`, if that is all it does.
std::optional<selected_channels> selected_channels_of(const net::move& m, net::shape out,
                                                      const std::vector<net::shape>& in);

// The convolution of the source that computes what `c` does of these channels. Nothing if they come
// from other groups than its own, or if reading them costs less than reading all of the source.
std::optional<net::convolution> over_selection(const net::convolution& c, net::shape in,
                                               const std::vector<std::int32_t>& channels,
                                               net::shape source);

// Colours in another order, a grey picture three times, a channel shuffle: where only convolutions
// read the channels that were selected, their kernels are for those of the tensor from which these
// come.
struct merge_selections {
  static constexpr std::string_view name = "merge_selections";
  static constexpr std::string_view description =
      "let convolutions behind a selection or repetition of channels read what these come from";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      if (g.inputs(n).empty() || g[n].output) continue;
      const auto selected = selection(g, n);
      if (selected.source == n) continue;
      std::vector<std::pair<std::size_t, net::convolution>> all;
      const auto readers = g.consumers(n);
      const bool can = std::all_of(readers.begin(), readers.end(), [&](auto reader) {
        const auto* c = as_alone<net::convolution>(g, reader);
        if (c == nullptr) return false;
        auto merged =
            over_selection(*c, g[n].shape, selected.channels, g[selected.source].shape);
        if (merged) all.emplace_back(reader, *std::move(merged));
        return merged.has_value();
      });
      if (!can) continue;
      for (auto& [reader, merged] : all) {
        g[reader].op = std::move(merged);
        r.set_inputs(reader, {selected.source});
      }
    }
    r.finish();
  }

 private:
  // The channels that a node selects; of other nodes, all of their own.
  template <class Graph>
  static selected_channels selection(const Graph& g, typename Graph::id n) {
    auto itself = selected_channels::all_of(n, g[n].shape.c);
    if (const auto* m = as<net::move>(g, n)) {
      std::vector<net::shape> in;
      for (const auto i : g.inputs(n)) in.push_back(g[i].shape);
      auto of = selected_channels_of(*m, g[n].shape, in);
      if (!of) return itself;
      const auto before = selection(g, g.inputs(n)[of->source]);
      for (auto& c : of->channels) c = before.channels[static_cast<std::size_t>(c)];
      of->source = before.source;
      return *std::move(of);
    }
    if (as<net::concat>(g, n) == nullptr) return itself;
    std::optional<selected_channels> all;
    for (const auto part : g.inputs(n)) {
      auto of = selection(g, part);
      if (all && all->source != of.source) return itself;
      if (!all) all = std::move(of);
      else all->channels.insert(all->channels.end(), of.channels.begin(), of.channels.end());
    }
    return all ? *std::move(all) : itself;
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/merge_selections.ipp>
#endif
