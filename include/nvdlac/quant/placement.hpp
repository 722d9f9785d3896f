// SPDX-License-Identifier: Apache-2.0
#pragma once
// The integer network while it grows beside the real one.
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/net/integer/graph.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/options.hpp>
#include <nvdlac/quant/output_scales.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quant/values.hpp>

namespace nvdlac::quant::detail {

// Where the tensors of the real network `from_` are in the integer network `to_`.
template <class Graph>
class placement {
 public:
  placement(const Graph& g, const scale_table& table, const options& how)
      : from_(g), how_(how), placed_(g.size()), skipped_(g.size(), false) {
    for (id n = 0; n < g.size(); ++n) names_.insert(g[n].name);
    if (real()) {
      scales_.assign(g.size(), 1);
      return;
    }
    check(table, found_);
    found_.check();
    scales_ = output_scales(g, table, found_);
    for (double& s : scales_) s *= 127 / top_;
  }

 protected:
  using id = typename Graph::id;
  using integer_id = net::integer::graph::id;

  // Where a real tensor is: real value = gain[c] * scale * integer + offset[c].
  struct operand {
    integer_id node;
    double scale;
    std::vector<double> gain{}, offset{};  // empty: 1 and 0
  };

  integer_id emit(std::string name, net::integer::graph::any_operator op,
                  std::vector<integer_id> inputs, double scale, net::shape shape) {
    const auto n = to_.add(std::move(name), std::move(op), inputs);
    to_[n].scale = scale;
    to_[n].shape = shape;
    to_[n].precision = how_.precision;
    return n;
  }
  void put(id n, net::integer::graph::any_operator op) {
    std::vector<integer_id> inputs;
    for (const auto& i : in_) inputs.push_back(i.node);
    placed_[n] =
        operand{emit(from_[n].name, std::move(op), inputs, scales_[n], from_[n].shape), scales_[n]};
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
  }

  bool real() const { return how_.precision == hw::precision::fp16; }
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
  const double top_ = top_of(how_.precision);
  net::integer::graph to_{};
  std::vector<double> scales_{};
  std::vector<std::optional<operand>> placed_;
  std::vector<bool> skipped_;
  std::vector<operand> in_{};  // of the node that is being placed
  std::set<std::string> names_{};
  diagnostics found_{};
};

}  // namespace nvdlac::quant::detail
