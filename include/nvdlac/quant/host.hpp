// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of layers that the host computes: a softmax, and layers by name, which may give
// whole numbers, such as the place of a maximum.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/on_host.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/quantised/on_host.hpp>

namespace nvdlac::quant {

// The greatest place that all readers of an input take, if they take nothing but places.
template <class Graph>
std::optional<std::int64_t> places_of_input(const Graph& g, typename Graph::id n) {
  if (!std::holds_alternative<net::input>(g[n].op) || g[n].output) return std::nullopt;
  std::optional<std::int64_t> most;
  for (const auto r : g.consumers(n)) {
    const auto* op = std::get_if<net::on_host>(&g[r].op);
    const auto own = op == nullptr || op->layer == nullptr ? std::nullopt : op->takes_places_to();
    if (!own) return std::nullopt;
    most = std::min(most.value_or(*own), *own);
  }
  return most;
}

// The largest number of node n, if it counts, or gives numbers of layers that do, or is an input of
// places.
template <class Graph>
std::optional<std::int64_t> counts(const Graph& g, typename Graph::id n) {
  if (const auto most = places_of_input(g, n)) return most;
  const auto* op = std::get_if<net::on_host>(&g[n].op);
  if (op == nullptr || op->layer == nullptr) return std::nullopt;
  std::vector<net::shape> in;
  for (const auto i : g.inputs(n)) in.push_back(g[i].shape);
  if (const auto own = op->counts_to(in)) return own;
  std::optional<std::int64_t> most;
  for (std::size_t i = 0; i < std::min(in.size(), op->moved_inputs()); ++i) {
    const auto of_input = counts(g, g.inputs(n)[i]);
    if (!of_input) return std::nullopt;
    most = std::max(most.value_or(0), *of_input);
  }
  return most;
}

// Whether only layers of the host read what this one gives: its numbers may have 16 bits on any
// NVDLA.
template <class Graph>
bool stays_on_host(const Graph& g, typename Graph::id n) {
  if (places_of_input(g, n)) return true;
  const auto readers = g.consumers(n);
  return std::holds_alternative<net::on_host>(g[n].op) && !g[n].output && !readers.empty() &&
         std::ranges::all_of(readers, [&](auto r) {
           return std::holds_alternative<net::on_host>(g[r].op);
         });
}

// Whether the user alone reads what this one gives, or layers of the host, and 8 bits tell it too
// coarsely.
template <class Graph>
bool is_fine(const Graph& g, typename Graph::id n) {
  const auto* op = std::get_if<net::on_host>(&g[n].op);
  return op != nullptr && op->wants_16_bits() &&
         std::ranges::all_of(g.consumers(n), [&](auto r) {
           return std::holds_alternative<net::on_host>(g[r].op);
         });
}

// Whether numbers of the precision are exact up to `most`.
constexpr bool holds(hw::precision p, std::int64_t most) {
  return most <= (p == hw::precision::int8 ? 127 : p == hw::precision::int16 ? 32767 : 2048);
}

namespace detail {

// The host takes the meaning of its input from the node that it reads.
template <class Builder>
void give_own_scale(Builder& to, typename Builder::operand& in) {
  auto& node = to.integers()[in.node];
  if (in.scale == node.scale) return;
  in.node = to.emit(to.unused_name(to.name() + "/input"), to.same(node.precision), {in.node},
                    in.scale, node.shape);
}

}  // namespace detail

template <>
struct rule<net::softmax> : usual_rule {
  // 1 is the integer 127.
  static constexpr std::optional<double> fixed_scale = scale_of_range(1);
  static constexpr bool needs_entry = false;
  static bool requantises(const net::softmax&, const reading&) { return false; }
  // It compares its inputs with each other, wherever they count from.
  static bool takes_zero(const net::softmax&, const auto&) { return true; }

  static void run(const net::softmax&, auto& to) {
    if (to.precision() == hw::precision::int16) to.in(0) = to.real_of(to.in(0), to.name());
    else detail::give_own_scale(to, to.in(0));
    if (to.precision() != hw::precision::int8) to.rescale(1);
    to.put(quantised::softmax{});
    auto& g = to.integers();
    g[to.placed().node].precision = g[to.in(0).node].precision;
  }
};

// The tensor's numbers mean their scale to the host; whole numbers that it counts are themselves.
template <>
struct rule<net::on_host> : usual_rule {
  // A layer that only moves elements, or brings tensors together, gives what it takes.
  static std::optional<double> bound(const net::on_host& op, std::span<const double> in) {
    const auto own = op.bound(in);
    if (own || op.layer == nullptr || op.moved_inputs() < in.size()) return own;
    return std::ranges::max(in);
  }
  static bool has_own_range(const net::on_host& op) { return op.has_bound(); }
  static void run(const net::on_host& op, auto& to) {
    for (auto& i : to.in()) detail::give_own_scale(to, i);
    const bool stays = (stays_on_host(to.from(), to.node()) || is_fine(to.from(), to.node())) &&
                       to.precision() == hw::precision::int8;
    const auto most = counts(to.from(), to.node());
    if (stays && !most) to.rescale(beyond_calibration * to.range() / 32767);
    to.put(quantised::on_host{.call = op.call, .layer = op.layer, .target = to.shape()});
    if (stays && (!most || *most <= 32767))
      to.integers()[to.placed().node].precision = hw::precision::int16;
    if (!most || holds(to.integers()[to.placed().node].precision, *most)) return;
    if (*most > 32767 || !to.from().consumers(to.node()).empty())
      throw error(problem{.reason = text("its whole numbers up to ", *most, " are not held by ",
                                         hw::name_of(to.precision())),
                          .remedy = *most > 32767 ? "" : "make it an output only"});
    to.integers()[to.placed().node].precision = hw::precision::int16;
  }
};

}  // namespace nvdlac::quant
