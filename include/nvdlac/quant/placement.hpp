// SPDX-License-Identifier: Apache-2.0
#pragma once
// The integer network while it grows beside the real one.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/integer/graph.hpp>
#include <nvdlac/net/integer/values.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/activation.hpp>
#include <nvdlac/quant/channel_means.hpp>
#include <nvdlac/quant/counting.hpp>
#include <nvdlac/quant/moving.hpp>
#include <nvdlac/quant/options.hpp>
#include <nvdlac/quant/output_scales.hpp>
#include <nvdlac/quant/ratio.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quant/sharing.hpp>
#include <nvdlac/quant/zero_points.hpp>

namespace nvdlac::quant {

// Whether a layer in this precision needs the ranges of its tensors: in fp16 only tables do.
template <class Graph>
bool needs_scales(const Graph& g, typename Graph::id n, const net::layer_precisions& p) {
  return p(g[n].name) != hw::precision::fp16 || std::holds_alternative<net::activation>(g[n].op) ||
         std::holds_alternative<net::lrn>(g[n].op);
}
template <class Graph>
bool needs_scales(const Graph& g, const net::layer_precisions& p) {
  bool needed = false;
  for (typename Graph::id n = 0; n < g.size(); ++n) needed = needed || needs_scales(g, n, p);
  return needed;
}

// Layers that have a precision of their own must be layers, and must not be parts of others.
template <class Graph>
void check_layers(const Graph& g, const net::layer_precisions& p, diagnostics& found) {
  auto unknown = p.of;
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    unknown.erase(g[n].name);
    if (!joins_convolution(g, n)) continue;
    if (const auto& before = g[g.inputs(n)[0]].name; p(before) != p(g[n].name))
      found.add({.layer = g[n].name,
                 .reason = text("is a part of the layer '", before, "', which is computed in ",
                                hw::name_of(p(before))),
                 .remedy = "give both one precision"});
  }
  for (const auto& [name, own] : unknown)
    found.add({.layer = name,
               .reason = text("is to be computed in ", hw::name_of(own), ", but is not in the "
                              "network, or was merged into another layer")});
}

namespace detail {

// Where the tensors of the real network `from_` are in the integer network `to_`.
template <class Graph>
class placement {
 public:
  placement(const Graph& g, const scale_table& table, const options& how)
      : from_(g), how_(how), means_(g.size()), zeros_(g.size(), 0), averaged_(g.size(), false),
        placed_(g.size()), skipped_(g.size(), false) {
    for (id n = 0; n < g.size(); ++n) names_.insert(g[n].name);
    scales_.assign(g.size(), 1);
    check_layers(g, how.precision, found_);
    found_.check();
    if (!needs_scales(g, how.precision)) return;
    check(table, found_);
    found_.check();
    std::vector<double> below;
    for (const auto& s : output_scales(g, table, how.precision, found_)) {
      ranges_.push_back(127 * s.scale);
      below.push_back(s.below);
    }
    for (id n = 0; n < g.size(); ++n) averaged_[n] = is_averaged(n);
    means_ = means_of(g, table, found_);
    zeros_ = zero_points(g, how.precision, averaged_, below);
    units_.assign(g.size(), 0);
    for (const auto n : g.order())
      if (counts(g, n)) units_[n] = 1;
      else if (const auto factor = shared_factor(g, n, how.precision(g[n].name)))
        units_[n] = units_[g.inputs(n)[0]] * *factor;
    for (id n = 0; n < g.size(); ++n) scales_[n] = scale_in(how.precision(g[n].name), n);
    for (id n = 0; n < g.size(); ++n)
      if (joins_convolution(g, n)) scales_[g.inputs(n)[0]] = scales_[n];
  }

 protected:
  using id = typename Graph::id;
  using integer_id = net::integer::graph::id;

  // Where a real tensor is: real value = gain[c] * scale * integer + offset[c].
  struct operand {
    integer_id node;
    double scale;
    std::vector<double> gain{}, offset{};  // empty: 1 and 0
    std::int32_t zero = 0;  // the integer that stands for 0, if there is no offset
  };

  integer_id emit(std::string name, net::integer::graph::any_operator op,
                  std::vector<integer_id> inputs, double scale, net::shape shape) {
    const auto n = to_.add(std::move(name), std::move(op), inputs);
    to_[n].scale = scale;
    to_[n].shape = shape;
    to_[n].precision = now_;
    return n;
  }
  void put(id n, net::integer::graph::any_operator op) {
    std::vector<integer_id> inputs;
    for (const auto& i : in_) inputs.push_back(i.node);
    placed_[n] = operand{
        .node = emit(from_[n].name, std::move(op), inputs, scales_[n], from_[n].shape),
        .scale = scales_[n], .zero = zeros_[n]};
    to_[placed_[n]->node].zero = zeros_[n];
  }

  std::string unused_name(const std::string& wish) {
    std::string name = wish;
    for (int i = 2; !names_.insert(name).second; ++i) name = text(wish, '/', i);
    return name;
  }

  // An output needs a node of its own name and scale: a producer that nobody else reads is renamed,
  // any other copied.
  void mark_output(id n) {
    const integer_id node = placed_[n]->node;
    if (to_[node].name != from_[n].name) {
      bool alone = to_.consumers(node).empty();
      id above = n;
      while (alone && from_[above].name != to_[node].name) {
        above = from_.inputs(above)[0];
        alone = from_.consumers(above).size() == 1 && !from_[above].output &&
                from_.inputs(above).size() > 0;
      }
      if (alone) {
        to_[node].name = from_[n].name;
        to_[node].scale = placed_[n]->scale;
      } else {
        placed_[n]->node = emit(from_[n].name, same(to_[node].precision), {node}, placed_[n]->scale,
                                from_[n].shape);
        to_[placed_[n]->node].precision = to_[node].precision;
      }
    }
    to_[placed_[n]->node].output = true;
    to_[placed_[n]->node].in_file = from_[n].in_file;
  }

  // Of the layer that is being placed.
  bool real() const { return now_ == hw::precision::fp16; }
  void compute_in(hw::precision p) {
    now_ = p;
    top_ = top_of(p);
  }
  // What one step of the tensor of n is in this precision.
  double scale_in(hw::precision p, id n) const {
    if (p == hw::precision::fp16) return 1;
    if (zeros_[n] != 0) return ranges_[n] / (127 - zeros_[n]);
    return units_[n] > 0 ? units_[n] : ranges_[n] / top_of(p);
  }
  // An average that CONV computes: PDP gives its input's scale, and small windows alone at once.
  bool is_averaged(id n) const {
    if (!is_free_average(from_, n, how_.precision(from_[n].name))) return false;
    const auto in = from_.inputs(n)[0];
    const auto w = std::get<net::pool>(from_[n].op).window_on(from_[in].shape);
    return std::max(w.kernel_h, w.kernel_w) > hw::pdp_kernel || ranges_[n] != ranges_[in];
  }
  // Whether only layers of precision p read the tensor, or its numbers with another meaning.
  bool is_read_in(id n, hw::precision p) const {
    const auto readers = from_.consumers(n);
    return std::all_of(readers.begin(), readers.end(), [&](id r) {
      return how_.precision(from_[r].name) == p &&
             (std::holds_alternative<net::convolution>(from_[r].op) || is_read_in(r, p));
    });
  }

  // The tensor of n in the precision of the layer that is being placed.
  operand converted(id n) {
    const auto& o = *placed_[n];
    if (to_[o.node].precision == now_) return o;
    const auto [known, is_new] = conversions_.try_emplace({n, now_}, o);
    if (!is_new) return known->second;
    auto& result = known->second;
    if (real()) return result = real_of(o, from_[n].name);
    if (to_[o.node].precision == hw::precision::fp16) result = integers_of(o, n);
    const double scale = scale_in(now_, n);
    if (to_[result.node].precision != now_ || !same_scale(result.scale, scale))
      result = convert(result, from_[n].name, now_, nearest_converter(result.scale / scale), scale);
    return result;
  }
  // Integers become what they mean, in steps of factors that fp16 holds well; int8 as int16 first,
  // for SDP has no way from there to fp16.
  operand real_of(operand o, const std::string& name) {
    const double scale = o.scale;
    if (to_[o.node].precision == hw::precision::int8)
      o = convert(std::move(o), name, hw::precision::int16, {}, scale);
    return rescaled(convert(std::move(o), name, hw::precision::fp16, {}, scale), name, 1);
  }
  // Real numbers as int16 of the next scale that is a power of two, which rounds them once.
  operand integers_of(operand o, id n) {
    const double scale = std::exp2(std::ceil(std::log2(ranges_[n] / 32767)));
    o = rescaled(std::move(o), from_[n].name, scale);
    return convert(std::move(o), from_[n].name, hw::precision::int16, {}, scale);
  }
  operand convert(operand o, const std::string& name, hw::precision p, converter out,
                  double scale) {
    step(o, text(name, '/', hw::name_of(p)), net::integer::convert{.to = p, .out = out}, scale, p);
    return o;
  }
  // fp16 of another scale.
  operand rescaled(operand o, const std::string& name, double scale) {
    while (o.scale != scale) {
      const double factor = std::clamp(o.scale / scale, 0x1p-12, 0x1p12);
      const bool last = factor == o.scale / scale;
      step(o, name + "/factor", real_scale(std::array{factor}, {}, false),
           last ? scale : o.scale / factor, hw::precision::fp16);
    }
    return o;
  }
  void step(operand& o, const std::string& name, net::integer::graph::any_operator op, double scale,
            hw::precision p) {
    o.node = emit(unused_name(name), std::move(op), {o.node}, scale, to_[o.node].shape);
    o.scale = scale;
    to_[o.node].precision = p;
  }

  // What a tensor becomes that keeps its numbers.
  static net::integer::scale same(hw::precision p, bool relu = false) {
    return {.multiplier = {hw::one(p)}, .relu = relu};
  }

  // Whether n alone reads the integers of its input.
  bool reads_alone(id n) const {
    for (id above = n; from_.inputs(above).size() == 1;) {
      above = from_.inputs(above)[0];
      if (from_[above].output || from_.consumers(above).size() != 1) return false;
      if (from_[above].name == to_[in_[0].node].name) return true;
    }
    return false;
  }
  net::shape shape_of(const operand& o) const { return to_[o.node].shape; }
  // SDP's first input is the one of the result's shape; of two, the finer one is the operand.
  bool is_first(const operand& a, double of_a, const operand& b, double of_b) const {
    if (shape_of(a) != shape_of(b)) return shape_of(a).size() > shape_of(b).size();
    return std::fabs(of_a) >= std::fabs(of_b);
  }
  // No layer: the same integers, each worth `factor` times as much.
  void forward(id n, double factor) {
    placed_[n] = in_[0];
    placed_[n]->scale *= factor;
    for (double& o : placed_[n]->offset) o *= factor;
  }

  const Graph& from_;
  const options& how_;
  hw::precision now_ = hw::precision::int8;
  double top_ = top_of(now_);
  net::integer::graph to_{};
  std::vector<double> scales_{};
  std::vector<double> units_{};   // of whole numbers that count, else 0
  std::vector<double> ranges_{};  // up to where each tensor's values are, where that is needed
  std::vector<std::vector<double>> means_;  // of channels, where they are known
  std::vector<std::int32_t> zeros_;  // the integers that stand for 0
  std::vector<bool> averaged_;       // by CONV, at a scale of their own
  std::vector<std::optional<operand>> placed_;
  std::vector<bool> skipped_;
  std::vector<operand> in_{};  // of the node that is being placed
  std::map<std::pair<id, hw::precision>, operand> conversions_{};
  std::set<std::string> names_{};
  diagnostics found_{};
};

}  // namespace detail

}  // namespace nvdlac::quant
