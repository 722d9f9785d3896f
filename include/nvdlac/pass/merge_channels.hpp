// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// y[c] = factor * x[c] + bias for each channel, in double; what can be merged into weights.
struct channel_line {
  double factor = 1, bias = 0;
};
using channel_lines = std::vector<channel_line>;

channel_lines lines_of(const net::batch_norm& b, std::size_t channels);
channel_lines lines_of(const net::scale& s, std::size_t channels);

net::scale to_scale(const channel_lines& lines, bool relu);

// Puts the lines behind a convolution or fully connected layer without activation.
template <class Weighted>
void merge(Weighted& op, const channel_lines& lines, bool relu) {
  const std::size_t depth = op.weights.size() / lines.size();
  std::vector<float> bias(lines.size());
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const auto [factor, added] = lines[k];
    for (std::size_t i = k * depth; i < (k + 1) * depth; ++i)
      op.weights[i] = static_cast<float>(factor * static_cast<double>(op.weights[i]));
    const double before = op.bias.empty() ? 0.0 : static_cast<double>(op.bias[k]);
    bias[k] = static_cast<float>(factor * before + added);
  }
  op.bias = std::move(bias);
  op.relu = relu;
}

// Whether node n is a convolution, a fully connected layer or a scale without activation.
template <class Graph>
bool takes_lines(const Graph& g, typename Graph::id n) {
  const auto is_linear = [](const auto* op) { return op != nullptr && !op->relu; };
  return is_linear(as_alone<net::convolution>(g, n)) || is_linear(as<net::deconvolution>(g, n)) ||
         is_linear(as<net::fully_connected>(g, n)) || is_linear(as<net::scale>(g, n));
}

// Puts the lines into node n if it takes them; otherwise it changes nothing and returns false.
template <class Graph>
bool merge_into(Graph& g, typename Graph::id n, const channel_lines& lines, bool relu) {
  if (auto* op = as_alone<net::convolution>(g, n); op && !op->relu)
    return merge(*op, lines, relu), true;
  if (auto* op = as<net::deconvolution>(g, n); op && !op->relu)
    return merge(*op, lines, relu), true;
  if (auto* op = as<net::fully_connected>(g, n); op && !op->relu)
    return merge(*op, lines, relu), true;
  if (auto* op = as<net::scale>(g, n); op && !op->relu) {
    auto before = lines_of(*op, lines.size());
    for (std::size_t c = 0; c < lines.size(); ++c) {
      before[c].factor *= lines[c].factor;
      before[c].bias = before[c].bias * lines[c].factor + lines[c].bias;
    }
    *op = to_scale(before, relu);
    return true;
  }
  return false;
}

// Puts the lines into a concat: each of its inputs that nothing else reads gets the lines of its
// channels. All of them take theirs, or none.
template <class Graph>
bool merge_into_all(Graph& g, const rewriter<Graph>& r, typename Graph::id n,
                    const channel_lines& lines, bool relu) {
  if (!as<net::concat>(g, n)) return false;
  const auto inputs = g.inputs(n);
  if (!std::ranges::all_of(
          inputs, [&](auto i) { return r.only_feeds(i, n) && takes_lines(g, i); }))
    return false;
  auto first = lines.begin();
  for (const auto i : inputs) {
    const auto end = first + g[i].shape.c;
    merge_into(g, i, channel_lines(first, end), relu);
    first = end;
  }
  return true;
}

// Batch normalisation and scale go into the convolution, fully connected layer or scale before
// them if nothing else reads it, or into all that a concat joins; otherwise batch normalisation
// becomes a scale.
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
      if (r.only_feeds(from, n) && r.can_bypass(n, from) &&
          (merge_into(g, from, *lines, relu) || merge_into_all(g, r, from, *lines, relu)))
        r.bypass(n, from);
      else if (as<net::batch_norm>(g, n))
        g[n].op = to_scale(*lines, false);
    }
    r.finish();
  }
};

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
  static std::optional<channel_lines> per_channel(const net::float_tensor& t);
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/merge_channels.ipp>
#endif
