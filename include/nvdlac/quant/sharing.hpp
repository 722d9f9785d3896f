// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which tensors must share a scale because the hardware only moves or selects their integers.
#include <optional>
#include <type_traits>
#include <variant>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/averaging.hpp>

namespace nvdlac::quant {

// A scaling by one positive factor: it costs nothing, only the meaning of the integers changes.
// The factor, or nothing if it is another scaling.
inline std::optional<double> free_factor(const net::scale& s) {
  if (s.relu || s.factor.empty() || !(s.factor[0] > 0)) return std::nullopt;
  for (const float f : s.factor)
    if (f != s.factor[0]) return std::nullopt;
  for (const float b : s.bias)
    if (b != 0) return std::nullopt;
  return double{s.factor[0]};
}

// Whether n is an average that CONV can compute at a scale of its own in this precision.
template <class Graph>
bool is_free_average(const Graph& g, typename Graph::id n,
                     hw::precision p = hw::precision::int8) {
  const auto* pool = std::get_if<net::pool>(&g[n].op);
  return pool != nullptr && p == hw::precision::int8 &&
         window_of_average(*pool, g[g.inputs(n)[0]].shape).has_value();
}

// For an operator whose output has its input's scale times a factor: that factor.
template <class Graph>
std::optional<double> shared_factor(const Graph& g, typename Graph::id n,
                                    hw::precision p = hw::precision::int8) {
  return std::visit(
      [&](const auto& op) -> std::optional<double> {
        using op_type = std::decay_t<decltype(op)>;
        using movers = type_list<net::relu, net::identity, net::reshape, net::flatten>;
        if constexpr (std::is_same_v<op_type, net::scale>)
          return free_factor(op);
        else if constexpr (std::is_same_v<op_type, net::move>)
          return g.inputs(n).size() == 1 ? std::optional(1.0) : std::nullopt;
        else if constexpr (std::is_same_v<op_type, net::pool>)
          return is_free_average(g, n, p)
                     ? std::nullopt
                     : std::optional(factor_of_levels(op, g[g.inputs(n)[0]].shape));
        else if constexpr (contains<op_type, movers>)
          return 1.0;
        else
          return std::nullopt;
      },
      g[n].op);
}

// Whether the node brings several tensors together, which are best computed at its scale.
template <class Graph>
bool joins(const Graph& g, typename Graph::id n) {
  return std::holds_alternative<net::concat>(g[n].op) ||
         (std::holds_alternative<net::move>(g[n].op) && g.inputs(n).size() > 1);
}

// Whether the node can give its tensor at any scale. An operator of the user's own can: see
// integer_form.
template <class Graph>
bool requantises(const Graph& g, typename Graph::id n,
                 hw::precision p = hw::precision::int8) {
  return is_free_average(g, n, p) || std::visit(
      []<class Op>(const Op&) {
        return !contains<Op, net::standard_operators> ||
               contains<Op, type_list<net::constant, net::convolution, net::fully_connected,
                                      net::batch_norm, net::scale, net::clip, net::prelu,
                                      net::activation, net::lrn, net::add, net::multiply,
                                      net::extremum, net::concat, net::move, net::on_host>>;
      },
      g[n].op);
}

}  // namespace nvdlac::quant
