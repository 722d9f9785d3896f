// SPDX-License-Identifier: Apache-2.0
#pragma once
// From a network of real numbers and its scales to the integer network.
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

#include <nvdlac/base/edit_distance.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/channel_means.hpp>
#include <nvdlac/quant/lookup.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/output_scales.hpp>
#include <nvdlac/quant/own_steps.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quant/zero_points.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

// Layers that have a precision of their own must be layers, and must not be parts of others.
template <class Graph>
void check_layers(const Graph& g, const net::layer_precisions& p, diagnostics& found) {
  auto unknown = p.of;
  std::vector<std::string> known;
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    unknown.erase(g[n].name);
    known.push_back(g[n].name);
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
                              "network, or was merged into another layer"),
               .remedy = meant_or_known(name, known)});
}

// The integer network while it grows beside the real one `from`. A rule's `run` gets it as `to`,
// with the node that is being placed.
template <class Graph>
class builder {
 public:
  using id = typename Graph::id;
  using integer_id = quantised::graph::id;
  using any_operator = quantised::graph::any_operator;

  // Where a real tensor is: real value = gain[c] * scale * integer + offset[c].
  struct operand {
    integer_id node;
    double scale;
    std::vector<double> gain{}, offset{};  // empty: 1 and 0
    std::int32_t zero = 0;  // the integer that stands for 0, if there is no offset
  };

  builder(const Graph& g, const scale_table& table, const options& how)
      : from_(g), how_(how), means_(g.size()), drifts_(g.size()), zeros_(g.size(), 0),
        averaged_(g.size(), false),
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
      ranges_.push_back(range_of_scale(s.scale));
      below.push_back(s.below);
      rooms_.push_back(s.room);
      own_steps_.push_back(s.own_steps);
    }
    for (id n = 0; n < g.size(); ++n) averaged_[n] = is_averaged(n);
    means_ = of_channels(g, table, &scale_table::entry::means, "means", found_);
    const auto drifts = of_channels(g, table, &scale_table::entry::drift, "drifts", found_);
    if (how.precision.is_all(hw::precision::int8)) drifts_ = drifts;
    for (const auto& e : table.entries)
      if (!e.reach.empty()) reaches_.emplace(e.layer, e.reach);
    // Channels with steps of their own reach below 0 as far as above, each for itself.
    const auto own = own_steps_of_filters(g, table, how.precision);
    for (id n = 0; n < g.size(); ++n)
      if (own[n] || (reaches_.contains(g[n].name) && may_give_own_steps(g, n))) below[n] = 1;
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

  // The answers to a rule about the node that is being placed.
  const Graph& from() const { return from_; }
  id node() const { return n_; }
  const std::string& name() const { return from_[n_].name; }
  net::shape shape() const { return from_[n_].shape; }
  // Its inputs in its precision; a rule may change them before it puts.
  std::vector<operand>& in() { return in_; }
  operand& in(std::size_t i) { return in_.at(i); }
  net::shape shape_of(const operand& o) const { return to_[o.node].shape; }
  hw::precision precision() const { return now_; }
  bool real() const { return now_ == hw::precision::fp16; }
  // Numbers are used from -top to top.
  double top() const { return top_; }
  // The size of a step of the result, and the integer that stands for 0 in it.
  double scale() const { return scales_[n_]; }
  std::int32_t zero() const { return zeros_[n_]; }
  double scale_of(id n) const { return scales_[n]; }
  // Up to where the values of the result and of the first input are.
  double range() const { return ranges_[n_]; }
  double range_of_input() const { return ranges_[from_.inputs(n_)[0]]; }
  // How many times as far their numbers of 16 bits reach.
  table_room room() const { return {rooms_[from_.inputs(n_)[0]], rooms_[n_]}; }
  // The real means of the first input's channels; empty: not known.
  const std::vector<double>& means() const { return means_[source()]; }
  // The excess of the sums of its kernels over those in float where all layers are in int8, real;
  // empty: not known.
  const std::vector<double>& drift() const { return drifts_[n_]; }
  // How far each channel reaches where what reads it takes steps of its own; empty: it does not, or
  // no table tells.
  std::vector<double> reach_of_channels(step_source by) const {
    const auto known = reaches_.find(name());
    if (known == reaches_.end() || !std::cmp_equal(known->second.size(), shape().c) ||
        !may_have_own_steps(from_, n_, how_.precision, by))
      return {};
    return known->second;
  }
  // Whether the filters that alone read it take up the scaling of channels that is being placed.
  bool scales_filters() const {
    if (!how_.scale_filters || !may_scale_filters(from_, n_, how_.precision)) return false;
    const auto& s = std::get<net::scale>(from_[n_].op);
    const auto& in = in_[0];
    std::vector<double> step;
    for (std::size_t c = 0; std::cmp_less(c, shape().c); ++c)
      step.push_back(std::fabs(factor_of(s, c)) * (in.gain.empty() ? 1 : in.gain[c]) *
                     scale_of_range(in.scale * top_));
    return lose_little_by_scaling(from_, n_, range(), step, scale_of_range(scale() * top_));
  }
  // Whether it is a concat whose inputs keep the sizes of their steps.
  bool has_own_steps() const { return !own_steps_.empty() && own_steps_[n_]; }
  // Whether CONV computes the average.
  bool averaged() const { return averaged_[n_]; }
  // Whether only layers behind it, which read its input in the same order, read it.
  bool skipped() const { return skipped_[n_]; }
  const options& how() const { return how_; }
  const std::vector<std::int32_t>& zeros() const { return zeros_; }

  // Puts the operator of the node, over all of in(). Its channels have these gains, or none.
  void put(any_operator op, std::vector<double> gain = {}) {
    std::vector<integer_id> inputs;
    for (const auto& i : in_) inputs.push_back(i.node);
    put(operand{.node = emit(name(), std::move(op), inputs, scale(), shape()),
                .scale = scale(), .gain = gain, .zero = zero()});
    integers()[placed().node].zero = zero();
    integers()[placed().node].gain = std::move(gain);
  }
  // The node's tensor is there.
  void put(operand o) { placed_[n_] = std::move(o); }
  // No layer: the same integers, each worth `factor` times as much.
  void forward(double factor) {
    placed_[n_] = in_[0];
    placed_[n_]->scale *= factor;
    for (double& o : placed_[n_]->offset) o *= factor;
  }
  // A further operator.
  integer_id emit(std::string name, any_operator op, std::vector<integer_id> inputs, double scale,
                  net::shape shape) {
    const auto n = to_.add(std::move(name), std::move(op), inputs);
    to_[n].scale = scale;
    to_[n].shape = shape;
    to_[n].precision = now_;
    return n;
  }
  std::string unused_name(const std::string& wish) {
    std::string name = wish;
    for (int i = 2; !names_.insert(name).second; ++i) name = text(wish, '/', i);
    return name;
  }
  quantised::graph& integers() { return to_; }
  operand& placed() { return *placed_[n_]; }
  void rescale(double scale) { scales_[n_] = scale; }

  // Whether the node alone reads the integers of its input.
  bool reads_alone() const {
    for (id above = n_; from_.inputs(above).size() == 1;) {
      above = from_.inputs(above)[0];
      if (from_[above].output || from_.consumers(above).size() != 1) return false;
      if (from_[above].name == to_[in_[0].node].name) return true;
    }
    return false;
  }
  // The form of a tensor that keeps its numbers.
  static quantised::scale same(hw::precision p, bool relu = false) {
    return {.multiplier = {hw::one(p)}, .relu = relu};
  }
  // Integers become what they mean, in steps of factors that fp16 holds well; int8 as int16 first,
  // for SDP has no way from there to fp16.
  operand real_of(operand o, const std::string& name) {
    const double scale = o.scale;
    if (to_[o.node].precision == hw::precision::int8)
      o = convert(std::move(o), name, hw::precision::int16, {}, scale);
    return rescaled(convert(std::move(o), name, hw::precision::fp16, {}, scale), name, 1);
  }

  // The whole network.
  quantised::graph run() && {
    const auto order = from_.order();
    for (const auto n : order) skipped_[n] = net::vanishes(from_, n);
    for (const auto n : order) place(n);
    if (found_.empty() && !misfits_.empty()) throw table_misfit(misfits_.problems());
    for (const auto& p : misfits_.problems()) found_.add(p);
    found_.check();
    std::vector<integer_id> outputs;
    for (const auto n : from_.outputs()) outputs.push_back(placed_[n]->node);
    return with_outputs_in_order(to_, outputs);
  }

 private:
  void place(id n) {
    try {
      n_ = n;
      in_.clear();
      compute_in(how_.precision(name()));
      for (const auto i : from_.inputs(n))
        if (placed_[i]) in_.push_back(skipped_[n] || stays_on_host(from_, i) ? *placed_[i]
                                                                           : converted(i));
      if (in_.size() != from_.inputs(n).size()) return;  // reported at its producer
      nvdlac::visit(
          [&]<class Op>(const Op& op) {
            rule<Op>::run(op, *this);
            if constexpr (!contains<Op, net::standard_operators>) check_placed();
          },
          from_[n].op);
      if (from_[n].output) mark_output();
    } catch (const table_misfit& e) {
      add(e, misfits_);
    } catch (const error& e) {
      add(e, found_);
    }
  }
  void add(const error& e, diagnostics& to) const {
    for (problem p : e.problems()) {
      if (p.layer.empty()) p.layer = name();
      to.add(std::move(p));
    }
  }
  // Checks what a rule of the user's own put: later steps rely on operators that fit their tensors.
  void check_placed() {
    if (!placed_[n_]) throw error("its rule puts nothing into the network");
    const auto node = placed().node;
    if (to_[node].shape != shape()) throw error(text("its rule does not make ", shape()));
    std::vector<net::shape> shapes;
    for (const auto i : to_.inputs(node)) shapes.push_back(to_[i].shape);
    nvdlac::visit([&](const auto& op) {
      if (!net::arity{op.inputs}.contains(shapes.size()) || op.infer(shapes) != shape())
        throw error(text("its integer form does not make ", shape(), " of its inputs"));
      diagnostics wrong;
      if constexpr (requires { op.check(shapes, wrong, name()); }) op.check(shapes, wrong, name());
      wrong.check();
    }, to_[node].op);
  }

  // The node whose tensor is read.
  id source() const {
    id above = from_.inputs(n_)[0];
    while (skipped_[above]) above = from_.inputs(above)[0];
    return above;
  }
  void compute_in(hw::precision p) {
    now_ = p;
    top_ = top_of(p);
  }
  // The size of a step of the tensor of n in this precision.
  double scale_in(hw::precision p, id n) const {
    if (p == hw::precision::fp16) return 1;
    if (p == hw::precision::int8 && zeros_[n] != 0) return ranges_[n] / steps_from(zeros_[n]);
    if (units_[n] > 0) return units_[n];
    return p == hw::precision::int16 ? rooms_[n] * ranges_[n] / 32767 : ranges_[n] / top_of(p);
  }
  bool is_averaged(id n) const {
    return ask_rule(from_[n].op, [&](auto rule, const auto& op) {
      const auto r = reading_of(from_, n, how_.precision(from_[n].name));
      return rule.is_averaged(op, r, ranges_[n], r.inputs == 0 ? 0 : ranges_[from_.inputs(n)[0]]);
    });
  }

  // Whether the numbers that a node gives depend on its scale alone: the host divides by it.
  static bool divides_by_its_scale(const any_operator& op) {
    return std::holds_alternative<quantised::softmax>(op) ||
           std::holds_alternative<quantised::on_host>(op);
  }

  // An output needs a node of its own name and scale: a producer that nobody else reads is renamed,
  // any other copied.
  void mark_output() {
    const id n = n_;
    const integer_id node = placed_[n]->node;
    if (to_[node].name != from_[n].name) {
      const bool gives_it =
          to_[node].scale == placed_[n]->scale || !divides_by_its_scale(to_[node].op);
      bool alone = gives_it && to_.consumers(node).empty();
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
  // Real numbers as int16 of the next scale that is a power of two, which rounds them once.
  operand integers_of(operand o, id n) {
    const double scale = std::exp2(std::ceil(std::log2(rooms_[n] * ranges_[n] / 32767)));
    o = rescaled(std::move(o), from_[n].name, scale);
    return convert(std::move(o), from_[n].name, hw::precision::int16, {}, scale);
  }
  operand convert(operand o, const std::string& name, hw::precision p, converter out,
                  double scale) {
    out.offset = std::exchange(o.zero, 0);
    step(o, text(name, '/', hw::name_of(p)), quantised::convert{.to = p, .out = out}, scale, p);
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
  void step(operand& o, const std::string& name, quantised::graph::any_operator op, double scale,
            hw::precision p) {
    o.node = emit(unused_name(name), std::move(op), {o.node}, scale, to_[o.node].shape);
    o.scale = scale;
    to_[o.node].precision = p;
  }

  const Graph& from_;
  const options& how_;
  hw::precision now_ = hw::precision::int8;
  double top_ = top_of(now_);
  quantised::graph to_{};
  std::vector<double> scales_{};
  std::vector<double> units_{};   // of whole numbers that count, else 0
  std::vector<double> ranges_{};  // up to where each tensor's values are, where that is needed
  std::vector<std::vector<double>> means_;   // of channels, where they are known
  std::vector<std::vector<double>> drifts_;  // likewise, of kernels
  std::map<std::string, std::vector<double>> reaches_{};  // of channels, by input
  std::vector<double> rooms_{};   // how many times as far their numbers of 16 bits reach
  std::vector<bool> own_steps_{};    // concats whose inputs keep theirs
  std::vector<std::int32_t> zeros_;  // the integers that stand for 0
  std::vector<bool> averaged_;       // by CONV, at a scale of their own
  std::vector<std::optional<operand>> placed_;
  std::vector<bool> skipped_;
  id n_ = 0;                   // the node that is being placed
  std::vector<operand> in_{};  // of it
  std::map<std::pair<id, hw::precision>, operand> conversions_{};
  std::set<std::string> names_{};
  diagnostics found_{};
  diagnostics misfits_{};  // functions that no table holds
};

// Whether Op has a rule; if not, a compile error that names it.
template <class Op>
constexpr bool require_rule() {
  if constexpr (!has_rule<Op>)
    static_assert(never<failed::operator_<Op>>,
                  "nvdlac: the operator has no integer form: specialise quant::rule for it "
                  "(or leave it out of the graph's list and specialise net::expansion)");
  return has_rule<Op>;
}

// The network in integers. `g` is sound (net::verify) and has its shapes; `table` lists its layers.
// Throws, all together: layers without a scale, unusable scales, numbers that the hardware cannot
// represent; table_misfit if all that is wrong are functions that no table holds.
template <class... Ops>
quantised::graph quantise(const net::basic_graph<type_list<Ops...>>& g,
                             const scale_table& table, const options& how = {}) {
  if constexpr ((require_rule<Ops>() && ...))
    return builder<net::basic_graph<type_list<Ops...>>>(g, table, how).run();
  else return {};
}

}  // namespace nvdlac::quant
