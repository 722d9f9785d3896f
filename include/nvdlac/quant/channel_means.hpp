// SPDX-License-Identifier: Apache-2.0
#pragma once
// The means of channels, which tell what the rounding of weights adds to each sum on average.
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/standard_operators.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::quant {

// Whether a layer with weights reads the tensor of n, maybe behind a reshape.
template <class Graph>
bool weights_read(const Graph& g, typename Graph::id n) {
  const auto readers = g.consumers(n);
  return std::any_of(readers.begin(), readers.end(), [&](auto r) {
    const auto& op = g[r].op;
    if (std::holds_alternative<net::reshape>(op) || std::holds_alternative<net::flatten>(op))
      return weights_read(g, r);
    return net::has_filters(op);
  });
}

// Watches one tensor over all samples.
class channel_means {
 public:
  void observe(const net::float_tensor& t);
  // The mean of each channel; empty if nothing was seen.
  std::vector<double> values() const;

 private:
  // Several side by side, so that no sum waits for itself.
  template <std::size_t Channels>
  void add_channels(const float* values, std::size_t first, std::size_t area) {
    std::array<double, Channels> sums;
    std::copy_n(sums_.data() + first, Channels, sums.begin());
    for (std::size_t i = 0; i < area; ++i)
#pragma GCC unroll 8
      for (std::size_t c = 0; c < Channels; ++c)
        sums[c] += static_cast<double>(values[(first + c) * area + i]);
    std::copy_n(sums.begin(), Channels, sums_.data() + first);
  }

  std::vector<double> sums_{};
  std::size_t count_ = 0;
};

// Watches how far each channel of one tensor reaches, over all samples.
class channel_reach {
 public:
  void observe(const net::float_tensor& t);
  // The reach of each channel of a tensor whose scale reaches to `range`, or further; empty unless
  // some reach so much less that it leaves them few steps. A channel that was seen too seldom to
  // tell its range, or which is mostly near 0, has that of the whole tensor.
  std::vector<double> values(double range = 0) const;
  // The reach of each channel of a computed tensor: what was seen of it counts, even if it is
  // mostly near 0.
  std::vector<double> of_computed(double range) const;

  static constexpr std::size_t least = 5;  // values of a channel; of fewer nothing is known

 private:
  // A channel is known by so many values, none of which is so many times as large as is usual; of
  // fewer it is assumed that others are twice as large.
  static constexpr std::size_t enough = 16;
  static constexpr double spread = 6;
  static constexpr double differ = 4;  // reaches beside that of the tensor

  struct channel {
    double largest = 0, squares = 0;
  };
  // The reaches where `known(channel)` tells whether its own is.
  template <class Known>
  std::vector<double> reaches(double range, const Known& known) const;

  std::vector<channel> channels_{};
  std::size_t count_ = 0;  // of values, by channel
};

// Returns what the table has for each channel of each node, its `what`; reports those that do not
// fit the channels of its tensor.
template <class Graph>
std::vector<std::vector<double>> of_channels(const Graph& g, const scale_table& table,
                                             std::vector<double> scale_table::entry::* of,
                                             const char* what, diagnostics& found) {
  std::map<std::string, const std::vector<double>*> known;
  for (const auto& e : table.entries) known.emplace(e.layer, &(e.*of));
  std::vector<std::vector<double>> result(g.size());
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    const auto entry = known.find(g[n].name);
    if (entry == known.end() || entry->second->empty()) continue;
    result[n] = *entry->second;
    if (result[n].size() == static_cast<std::size_t>(g[n].shape.c)) continue;
    found.add({.file = table.file, .layer = g[n].name,
               .reason = text("the scale table has ", result[n].size(), ' ', what, " for its ",
                              g[n].shape.c, " channels"),
               .remedy = "calibrate with this network"});
    result[n].clear();  // the other layers are looked at as well
  }
  return result;
}

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/channel_means.ipp>
#endif
