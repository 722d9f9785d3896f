// SPDX-License-Identifier: Apache-2.0
#pragma once
// Large windows over few channels.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/compose_convolutions.hpp>
#include <nvdlac/pass/line_moves.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// A few lines that stand beside each other as channels: line y of channel c is line y / lines of
// channel c * lines + y % lines.
struct folding {
  static constexpr std::int32_t lines = 4;

  static constexpr net::shape of(net::shape s) { return {s.c * lines, s.h / lines, s.w}; }
  // A convolution whose kernels select so many channels of lines.
  static net::convolution fold(std::int32_t channels);
  // The way back to a tensor of this shape.
  static net::move unfold(net::shape to);
  // Whether a move of a tensor of shape `in` is this way back.
  static bool is_unfolding(const net::move& m, net::shape in);

  // A 1x1 convolution that selects this line of each step, of so many channels.
  static net::convolution select(std::int32_t channels, std::int32_t line);
};

// A convolution whose window keeps the size, as one over folded lines.
struct folded_window {
  // Whether it pays: a step of the MACs takes an atom of channels and gives a group of kernels,
  // of which a large window over one or two channels wastes most.
  static bool pays(const net::convolution& c, net::shape in);
  // The form over folded lines of a convolution for which it pays.
  static net::convolution of(const net::convolution& c, net::shape in);
};

// The windows of spatial attention, 7x7 over a mean and a maximum, say. What they read is folded
// where it comes from: parts of a concat each for itself, of which some are folded already, and a
// 1x1 convolution in front gives folded lines. Functions behind them are computed of folded lines
// as well, and a 1x1 convolution, such as one that gives all channels a map of attention, reads
// them line by line: its results, times or plus another tensor's lines, are lines of a tensor.
struct fold_windows {
  static constexpr std::string_view name = "fold_windows";
  static constexpr std::string_view description =
      "compute windows of 7 x 7 and more over one or two channels four lines at a time";

  template <class Graph>
  static void run(Graph& g) {
    if constexpr (contains<net::move, typename Graph::operators>) {
      rewriter<Graph> r(g);
      for (const auto n : g.order()) {
        const auto* c = as_alone<net::convolution>(g, n);
        if (c == nullptr) continue;
        const auto from = g.inputs(n).front();
        const net::shape in = g[from].shape, out = g[n].shape;
        // Pixels have ways of their own.
        if (is_input(g, from) || !folded_window::pays(*c, in)) continue;
        auto folded_form = folded_window::of(*c, in);
        const auto folded = lines_of(g, r, n, from);
        const auto window = r.add(g[n].name + "/window", std::move(folded_form), {folded});
        g[n].op = folding::unfold(out);
        r.set_inputs(n, {window});
        exchange_channels(g, r, exchange_functions(g, r, n));
      }
      r.finish();
    }
  }

 private:
  template <class Graph>
  using id = typename Graph::id;

  // The folded lines of a tensor that convolution n reads.
  template <class Graph>
  static id<Graph> lines_of(Graph& g, rewriter<Graph>& r, id<Graph> n, id<Graph> from) {
    const std::string label = g[n].name + "/folded";
    if (as<net::concat>(g, from) == nullptr || !r.only_feeds(from, n))
      return folded(g, r, label, from, n);
    const std::vector<id<Graph>> parts(g.inputs(from).begin(), g.inputs(from).end());
    std::vector<id<Graph>> lines;
    if (std::ranges::any_of(parts, [&](auto part) { return is_input(g, part); }))
      return folded(g, r, label, from, n);
    for (const auto part : parts) lines.push_back(folded(g, r, label, part, from));
    return r.add(label, net::concat{}, lines);
  }
  // The folded lines of a tensor, or a part of one, that `reader` reads.
  template <class Graph>
  static id<Graph> folded(Graph& g, rewriter<Graph>& r, const std::string& label, id<Graph> from,
                          id<Graph> reader) {
    const net::shape whole = g[from].shape;
    if (const auto* m = as_alone<net::move>(g, from))
      if (const auto source = g.inputs(from).front(); folding::is_unfolding(*m, g[source].shape))
        return source;
    auto source = from;
    net::convolution fold = folding::fold(whole.c);
    const auto* before = as_alone<net::convolution>(g, from);
    if (before != nullptr && r.only_feeds(from, reader) && can_be_composed(*before, fold)) {
      source = g.inputs(from).front();
      fold = composed(*before, fold, g[source].shape);
    }
    return r.add(label, std::move(fold), {source});
  }

  // Functions that read nothing but unfolded lines n, of which each then is the way back. Returns
  // the last one.
  template <class Graph>
  static id<Graph> exchange_functions(Graph& g, rewriter<Graph>& r, id<Graph> n) {
    while (!g[n].output && g.uses(n) == 1) {
      const auto function = g.consumers(n)[0];
      if (as<net::activation>(g, function) == nullptr && as<net::clip>(g, function) == nullptr &&
          as<net::relu>(g, function) == nullptr)
        return n;
      const auto lines = g.inputs(n).front();
      const auto computed = r.add(g[function].name + "/folded", g[function].op, {lines});
      g[function].op = folding::unfold(g[function].shape);
      r.set_inputs(function, {computed});
      n = function;
    }
    return n;
  }

  // A 1x1 convolution that alone reads unfolded lines n, and what alone reads its result and
  // another tensor: these then put lines together.
  template <class Graph>
  static void exchange_channels(Graph& g, rewriter<Graph>& r, id<Graph> n) {
    if (g[n].output || g.uses(n) != 1) return;
    auto last = g.consumers(n)[0];
    const auto* c = as_alone<net::convolution>(g, last);
    if (c == nullptr || c->groups != 1 || c->window != net::window{}) return;
    const auto folded = g.inputs(n).front();
    const net::shape whole = g[last].shape;
    const net::shape some{whole.c, whole.h / folding::lines, whole.w};
    std::vector<id<Graph>> parts;
    for (std::int32_t line = 0; line < folding::lines; ++line) {
      const auto select = folding::select(g[n].shape.c, line);
      parts.push_back(r.add(g[last].name + "/lines", composed(select, *c, g[folded].shape),
                            {folded}));
    }
    if (!g[last].output && g.uses(last) == 1 && reads_alike(g, g.consumers(last)[0], last)) {
      const auto reader = g.consumers(last)[0];
      for (std::int32_t line = 0; line < folding::lines; ++line) {
        std::vector<id<Graph>> operands(g.inputs(reader).begin(), g.inputs(reader).end());
        auto& part = parts[static_cast<std::size_t>(line)];
        for (auto& operand : operands) {
          if (operand == last) {
            operand = part;
            continue;
          }
          operand = r.add(g[operand].name + "/lines", every_line(some, line, folding::lines),
                          {operand});
        }
        part = r.add(g[reader].name + "/lines", g[reader].op, operands);
      }
      last = reader;
    }
    g[last].op = lines_in_turn(whole, folding::lines);
    r.set_inputs(last, parts);
  }
  // Whether n computes element by element of `one` and another computed tensor of its shape, which
  // stands in memory in lines.
  template <class Graph>
  static bool reads_alike(const Graph& g, id<Graph> n, id<Graph> one) {
    if (as<net::multiply>(g, n) == nullptr && as<net::add>(g, n) == nullptr &&
        as<net::extremum>(g, n) == nullptr)
      return false;
    const auto inputs = g.inputs(n);
    const auto other = inputs[0] == one ? inputs[1] : inputs[0];
    return other != one && g[other].shape == g[one].shape && !is_input(g, other) &&
           !g[other].output && as<net::constant>(g, other) == nullptr &&
           as<net::reshape>(g, other) == nullptr && as<net::flatten>(g, other) == nullptr;
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/fold_windows.ipp>
#endif
