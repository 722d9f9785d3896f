// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/channel_lines.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// The addition of a constant that is one value per channel goes into the bias of the convolution,
// fully connected layer or scale before it; otherwise it becomes a scale.
struct merge_bias {
  static constexpr std::string_view name = "merge_bias";
  static constexpr std::string_view description = "merge the addition of a constant into the bias";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      const auto* sum = as<net::add>(g, n);
      if (!sum) continue;
      const auto inputs = g.inputs(n);
      const std::size_t which = as<net::constant>(g, inputs[0]) ? 0 : 1;
      const auto* c = as<net::constant>(g, inputs[which]);
      const auto from = inputs[1 - which];
      if (!c || as<net::constant>(g, from)) continue;
      if (g[from].shape != g[n].shape) continue;  // it is the constant that has the full shape
      auto lines = per_channel(c->value);
      if (!lines) continue;
      for (auto& line : *lines) {
        line.factor = static_cast<double>(sum->coefficients[1 - which]);
        line.bias *= static_cast<double>(sum->coefficients[which]);
      }
      const bool relu = sum->relu;
      if (r.only_feeds(from, n) && r.can_bypass(n, from) && merge_into(g, from, *lines, relu)) {
        r.set_inputs(n, {from});
        r.bypass(n, from);
      } else {
        g[n].op = to_scale(*lines, relu);
        r.set_inputs(n, {from});
      }
    }
    r.finish();
  }

 private:
  static std::optional<channel_lines> per_channel(const net::float_tensor& t) {
    const std::size_t area = t.values.size() / static_cast<std::size_t>(t.shape.c);
    channel_lines lines;
    for (std::size_t i = 0; i < t.values.size(); ++i) {
      if (i % area == 0) lines.push_back({1.0, static_cast<double>(t.values[i])});
      if (t.values[i] != t.values[i / area * area]) return std::nullopt;
    }
    return lines;
  }
};

}  // namespace nvdlac::pass
