// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/channel_lines.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// Batch normalisation and scale go into the convolution, fully connected layer or scale before
// them if nothing else reads it; otherwise batch normalisation becomes a scale.
struct merge_batch_norm {
  static constexpr std::string_view name = "merge_batch_norm";
  static constexpr std::string_view description =
      "merge batch normalisation and scale into the weights before them";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      const auto channels = static_cast<std::size_t>(g[n].shape.c);
      std::optional<channel_lines> lines;
      bool relu = false;
      if (const auto* b = as<net::batch_norm>(g, n)) {
        lines = lines_of(*b, channels);
      } else if (const auto* s = as<net::scale>(g, n)) {
        lines = lines_of(*s, channels);
        relu = s->relu;
      }
      if (!lines) continue;
      const auto from = g.inputs(n).front();
      if (r.only_feeds(from, n) && r.can_bypass(n, from) && merge_into(g, from, *lines, relu))
        r.bypass(n, from);
      else if (as<net::batch_norm>(g, n))
        g[n].op = to_scale(*lines, false);
    }
    r.finish();
  }
};

}  // namespace nvdlac::pass
