// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
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

inline channel_lines lines_of(const net::batch_norm& b, std::size_t channels) {
  channel_lines lines;
  for (std::size_t c = 0; c < channels; ++c) {
    const auto [factor, bias] = b.on_channel(c);
    lines.push_back({factor, bias});
  }
  return lines;
}
inline channel_lines lines_of(const net::scale& s, std::size_t channels) {
  channel_lines lines;
  for (std::size_t c = 0; c < channels; ++c)
    lines.push_back({static_cast<double>(s.factor_of(c)), static_cast<double>(s.bias_of(c))});
  return lines;
}

inline net::scale to_scale(const channel_lines& lines, bool relu) {
  net::scale s{.relu = relu};
  for (const auto& [factor, bias] : lines) {
    s.factor.push_back(static_cast<float>(factor));
    s.bias.push_back(static_cast<float>(bias));
  }
  return s;
}

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

// Puts the lines into node n if it is a convolution, a fully connected layer or a scale without
// activation; otherwise it changes nothing and returns false.
template <class Graph>
bool merge_into(Graph& g, typename Graph::id n, const channel_lines& lines, bool relu) {
  if (auto* op = as<net::convolution>(g, n); op && !op->relu) return merge(*op, lines, relu), true;
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

}  // namespace nvdlac::pass
