// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where an operator that tells another shape moves elements.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

template <class Op>
inline constexpr bool tells_shape = std::is_same_v<Op, reshape> || std::is_same_v<Op, flatten>;

// Whether a reshape changes the places of elements in memory: columns of channels stay columns.
constexpr bool moves_data(shape in, shape out) {
  const auto is_column = [](shape s) { return s.h == 1 && s.w == 1; };
  return in != out && !(is_column(in) && is_column(out));
}

// Whether n is a reshape.
template <class Graph>
bool is_reshape(const Graph& g, typename Graph::id n) {
  return std::holds_alternative<reshape>(g[n].op) || std::holds_alternative<flatten>(g[n].op);
}

// Whether hardware computes with the tensor of n, maybe behind other reshapes.
template <class Graph>
bool is_read_on(const Graph& g, typename Graph::id n) {
  const auto readers = g.consumers(n);
  return std::any_of(readers.begin(), readers.end(), [&](auto r) {
    return !(is_reshape(g, r) || std::holds_alternative<identity>(g[r].op)) || is_read_on(g, r);
  });
}

// Whether n is a reshape that only fully connected layers read: they read the tensor before it in
// the same order.
template <class Graph>
bool vanishes(const Graph& g, typename Graph::id n) {
  if (g[n].output || !is_reshape(g, n)) return false;
  const auto readers = g.consumers(n);
  return std::all_of(readers.begin(), readers.end(), [&](auto r) {
    return std::holds_alternative<fully_connected>(g[r].op) || vanishes(g, r);
  });
}

// The boxes of a reshape.
inline std::vector<box> boxes_of_reshape(shape in, shape out) {
  std::vector<std::int32_t> same(in.size());
  std::iota(same.begin(), same.end(), 0);
  return find_boxes(same, out, in);
}

// The move that hardware makes for the reshape n, if it moves anything. The graph has its shapes.
template <class Graph>
std::optional<move> move_of_reshape(const Graph& g, typename Graph::id n) {
  const auto in = g[g.inputs(n)[0]].shape, out = g[n].shape;
  if (!moves_data(in, out) || !is_read_on(g, n) || vanishes(g, n)) return std::nullopt;
  return move{.target = out, .boxes = boxes_of_reshape(in, out)};
}

}  // namespace nvdlac::net
