// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/failed.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/net/integer/graph.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/activation.hpp>
#include <nvdlac/quant/averaging.hpp>
#include <nvdlac/quant/convolution.hpp>
#include <nvdlac/quant/elementwise.hpp>
#include <nvdlac/quant/integer_form.hpp>
#include <nvdlac/quant/lrn.hpp>
#include <nvdlac/quant/moving.hpp>
#include <nvdlac/quant/options.hpp>
#include <nvdlac/quant/output_order.hpp>
#include <nvdlac/quant/output_scales.hpp>
#include <nvdlac/quant/pixels.hpp>
#include <nvdlac/quant/placement.hpp>
#include <nvdlac/quant/pooling.hpp>
#include <nvdlac/quant/ratio.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quant/sharing.hpp>

namespace nvdlac::quant {

namespace detail {

template <class Graph>
class quantiser : placement<Graph> {
 public:
  using placement<Graph>::placement;

  net::integer::graph run() && {
    const auto order = from_.order();
    for (auto n = order.rbegin(); n != order.rend(); ++n) skipped_[*n] = vanishes(*n);
    for (const auto n : order) {
      try {
        in_.clear();
        compute_in(how_.precision(from_[n].name));
        for (const auto i : from_.inputs(n))
          if (placed_[i]) in_.push_back(skipped_[n] ? *placed_[i] : converted(i));
        if (in_.size() != from_.inputs(n).size()) continue;  // reported at its producer
        std::visit(
            [&]<class Op>(const Op& op) {
              if constexpr (can_be_quantised<Op>) place(n, op);
            },
            from_[n].op);
        if (from_[n].output) mark_output(n);
      } catch (const crooked_function& e) {
        add(n, e, crooked_);
      } catch (const error& e) {
        add(n, e, found_);
      }
    }
    if (found_.empty() && !crooked_.empty()) throw crooked_function(crooked_.problems());
    for (const auto& p : crooked_.problems()) found_.add(p);
    found_.check();
    std::vector<integer_id> outputs;
    for (const auto n : from_.outputs()) outputs.push_back(placed_[n]->node);
    return with_outputs_in_order(to_, outputs);
  }

 private:
  using typename placement<Graph>::id;
  using typename placement<Graph>::integer_id;
  using typename placement<Graph>::operand;
  using placement<Graph>::compute_in, placement<Graph>::converted, placement<Graph>::real_of,
      placement<Graph>::is_read_in, placement<Graph>::now_;
  using placement<Graph>::emit, placement<Graph>::put, placement<Graph>::forward,
      placement<Graph>::mark_output, placement<Graph>::unused_name, placement<Graph>::real,
      placement<Graph>::same, placement<Graph>::reads_alone, placement<Graph>::shape_of,
      placement<Graph>::is_first, placement<Graph>::from_, placement<Graph>::how_,
      placement<Graph>::top_, placement<Graph>::to_, placement<Graph>::scales_,
      placement<Graph>::ranges_, placement<Graph>::means_, placement<Graph>::zeros_,
      placement<Graph>::averaged_,
      placement<Graph>::placed_, placement<Graph>::skipped_, placement<Graph>::in_,
      placement<Graph>::found_;

  void add(id n, const error& e, diagnostics& to) const {
    for (problem p : e.problems()) {
      if (p.layer.empty()) p.layer = from_[n].name;
      to.add(std::move(p));
    }
  }

  // A reshape that only fully connected layers read: they read the tensor before it in the same
  // order.
  bool vanishes(id n) const {
    if (from_[n].output || !(std::holds_alternative<net::reshape>(from_[n].op) ||
                             std::holds_alternative<net::flatten>(from_[n].op)))
      return false;
    const auto readers = from_.consumers(n);
    return std::all_of(readers.begin(), readers.end(), [&](id r) {
      return std::holds_alternative<net::fully_connected>(from_[r].op) || skipped_[r];
    });
  }

  void place(id n, const net::input& op) {
    auto p = how_.pixels && !real() && is_read_in(n, now_)
                 ? as_pixels(from_, n, *how_.pixels, scales_[n], top_) : std::nullopt;
    net::integer::input input{.shape = op.shape};
    if (p) {
      input.pixels = p->pixels;
      placed_[n] = operand{emit(from_[n].name, std::move(input), {}, p->scale, op.shape), p->scale,
                           std::move(p->gain), std::move(p->offset)};
    } else put(n, std::move(input));
    to_[placed_[n]->node].in_file = from_[n].in_file;
  }
  void place(id n, const net::constant& op) {
    net::integer::constant value{.shape = op.value.shape};
    if (real()) value.wide_values = half_bits_of(op.value.values, "value");
    else
      for (const float x : op.value.values) {
        const auto number = round_to(static_cast<double>(x) / scales_[n], top_);
        if (now_ == hw::precision::int16) value.wide_values.push_back(number);
        else value.values.push_back(static_cast<std::int8_t>(number));
      }
    put(n, std::move(value));
  }
  std::int8_t zero_of(id n) const { return static_cast<std::int8_t>(zeros_[n]); }
  // The node whose tensor n reads.
  id source(id n) const {
    id above = from_.inputs(n)[0];
    while (skipped_[above]) above = from_.inputs(above)[0];
    return above;
  }
  void place_filters(id n, real_filters f, std::size_t taps) {
    if (f.weights.size() != static_cast<std::size_t>(f.kernels) * taps)
      throw error({.layer = from_[n].name, .reason = text(f.weights.size(), " weights instead of ",
                                                          f.kernels, " x ", taps)});
    if (real()) return put(n, real_convolution(f));
    f.gain = in_[0].gain;
    f.offset = in_[0].offset;
    f.in_zero = in_[0].zero;
    f.mean = means_[source(n)];
    f.out_zero = zeros_[n];
    f.relu = f.relu && f.out_zero == 0;  // what is below the integer for 0 saturates
    f.most = most_before_slopes(from_, n, top_, zeros_);
    put(n, quantise(f, in_[0].scale, scales_[n], from_[n].name, now_));
  }
  void place(id n, const net::convolution& op) {
    const auto channels = to_[in_[0].node].shape.c / std::max(op.groups, 1);
    place_filters(n, {.kernels = op.kernels, .window = op.window, .groups = op.groups,
                      .weights = op.weights, .bias = op.bias, .relu = op.relu},
                  net::shape{channels, op.window.kernel_h, op.window.kernel_w}.size());
  }
  void place(id n, const net::fully_connected& op) {
    const net::shape in = to_[in_[0].node].shape;
    place_filters(n, {.kernels = op.outputs, .window = {.kernel_h = in.h, .kernel_w = in.w},
                      .weights = op.weights, .bias = op.bias, .relu = op.relu}, in.size());
  }
  void place(id n, const net::pool& op) {
    const net::shape in = to_[in_[0].node].shape;
    if (averaged_[n])
      return put(n, quantise_average(*window_of_average(op, in), *elements_of_windows(op, in),
                                     {in_[0].scale, scales_[n], in_[0].zero, zeros_[n]}));
    const auto steps = steps_of(op, in, from_[n].shape, from_[n].name, zero_of(n));
    const double factor = real() ? factor_of_levels(op, in) : 1;  // integers mean it
    integer_id node = in_[0].node;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool last = i + 1 == steps.size() && factor == 1;
      const std::string name =
          last ? from_[n].name : unused_name(text(from_[n].name, "/part", i + 1));
      node = emit(name, steps[i], {node}, scales_[n], steps[i].infer(std::array{to_[node].shape}));
      to_[node].zero = zeros_[n];
    }
    if (factor != 1)
      node = emit(from_[n].name, real_scale(std::array{factor}, {}, false), {node}, scales_[n],
                  to_[node].shape);
    placed_[n] = operand{.node = node, .scale = scales_[n], .zero = zeros_[n]};
  }
  void place(id n, const net::relu&) {
    if (zeros_[n] != 0) return forward(n, 1);  // nothing is below
    put(n, same(now_, true));
  }
  void place(id n, const net::clip& op) {
    auto bounds = bounds_of(op, scales_[n], now_, zeros_[n]);
    const double in = in_[0].scale;
    const bool keeps_scale = std::fabs(in / scales_[n] - 1) < 1e-9;
    if (keeps_scale && reads_alone(n))
      std::visit([&](auto& before) { bounds = join_bounds(before, bounds); },
                 to_[in_[0].node].op);
    if (keeps_scale && bounds.none()) return forward(n, 1);
    put(n, quantise_clip(bounds, in, scales_[n]));
  }
  void place(id n, const net::activation& op) {
    if (real()) return put(n, real_activation(op, ranges_[from_.inputs(n)[0]], ranges_[n]));
    put(n, now_ == hw::precision::int16
               ? interpolate_activation(op, in_[0].scale, scales_[n])
               : quantise_activation(op, {in_[0].scale, scales_[n], in_[0].zero, zeros_[n]}));
  }
  void place(id n, const net::prelu& op) {
    if (!joins_convolution(from_, n))
      return put(n, real() ? real_prelu(op.slope)
                           : quantise_prelu(op.slope, in_[0].scale, scales_[n]));
    auto& before = std::get<net::integer::convolution>(to_[in_[0].node].op);
    if (real()) before.slope = half_bits_of(op.slope, "slope");
    else join_prelu(before, op.slope, zeros_[n]);
    forward(n, 1);
    to_[in_[0].node].zero = placed_[n]->zero = zeros_[n];
  }
  void place_scale(id n, const std::vector<double>& factor, const std::vector<double>& bias,
                   bool relu) {
    for (const auto* v : {&factor, &bias})
      for (const double x : *v)
        if (!std::isfinite(x))
          throw error({.layer = from_[n].name, .reason = text("a factor or bias is ", x)});
    if (real()) return put(n, real_scale(factor, bias, relu));
    put(n, quantise_scale(factor, bias, relu, in_[0].scale, scales_[n], top_, zeros_[n]));
  }
  void place(id n, const net::scale& op) {
    if (const auto factor = free_factor(op); factor && !real()) return forward(n, *factor);
    place_scale(n, {op.factor.begin(), op.factor.end()}, {op.bias.begin(), op.bias.end()}, op.relu);
  }
  void place(id n, const net::batch_norm& op) {
    std::vector<double> factor, bias;
    for (std::size_t c = 0; c < op.mean.size(); ++c) {
      const double deviation = std::sqrt(double{op.variance.at(c)} + double{op.epsilon});
      factor.push_back((op.gamma.empty() ? 1.0 : double{op.gamma.at(c)}) / deviation);
      bias.push_back((op.beta.empty() ? 0.0 : double{op.beta.at(c)}) -
                     double{op.mean[c]} * factor[c]);
    }
    place_scale(n, factor, bias, false);
  }
  // In fp16: the second input is scaled before, if it is.
  void place_real_sum(id n, const net::add& op) {
    double a = double{op.coefficients[0]}, b = double{op.coefficients[1]};
    const bool swap = shape_of(in_[0]) == shape_of(in_[1]) ? b != 1
                                                           : !is_first(in_[0], 1, in_[1], 1);
    if (swap) {
      std::swap(in_[0], in_[1]);
      std::swap(a, b);
    }
    if (b != 1)
      in_[1].node =
          emit(unused_name(from_[n].name + "/factor"), real_scale(std::array{b}, {}, false),
               {in_[1].node}, 1, shape_of(in_[1]));
    put(n, net::integer::add{.multiplier = half_bits(a, "factor"), .relu = op.relu});
  }
  void place(id n, const net::add& op) {
    if (real()) return place_real_sum(n, op);
    double a = in_[0].scale * double{op.coefficients[0]};
    double b = in_[1].scale * double{op.coefficients[1]};
    const bool relu = op.relu && zeros_[n] == 0;  // else what is below saturates
    // ReLU comes before the output converter, so the operand is added.
    const bool opposite = relu && shape_of(in_[0]) == shape_of(in_[1]) && (a < 0) != (b < 0);
    if (opposite ? a > 0 : !is_first(in_[0], a, in_[1], b)) {
      std::swap(in_[0], in_[1]);
      std::swap(a, b);
    }
    if (b == 0) {
      in_.pop_back();
      return put(n, quantise_scale(std::array{a / in_[0].scale}, {}, relu, in_[0].scale,
                                   scales_[n], top_, zeros_[n]));
    }
    const bool apart = relu && b < 0;
    put(n, quantise_sum(a, b, relu && !apart, scales_[n], top_,
                        {in_[0].zero, in_[1].zero, zeros_[n]}));
    if (apart) {
      in_ = {*placed_[n]};
      to_[in_[0].node].name = unused_name(from_[n].name + "/sum");
      put(n, same(now_, true));
    }
  }
  void place(id n, const net::extremum& op) {
    if (!is_first(in_[0], in_[0].scale, in_[1], in_[1].scale)) std::swap(in_[0], in_[1]);
    if (real())
      return put(n, net::integer::extremum{.kind = op.kind, .multiplier = hw::one(now_),
                                           .relu = op.relu});
    put(n, quantise_extremum(op.kind, in_[0].scale, in_[1].scale, op.relu, scales_[n], top_));
  }
  void place(id n, const net::multiply& op) {
    if (shape_of(in_[0]).size() < shape_of(in_[1]).size()) std::swap(in_[0], in_[1]);
    if (real()) return put(n, net::integer::multiply{.relu = op.relu});
    put(n, quantise_multiply(in_[0].scale, in_[1].scale, op.relu, scales_[n]));
  }
  void place(id n, const net::concat&) {
    std::vector<double> scales;
    std::vector<std::int8_t> zeros;
    for (const auto& i : in_) {
      scales.push_back(i.scale);
      zeros.push_back(static_cast<std::int8_t>(i.zero));
    }
    put(n, quantise_concat(scales, scales_[n], top_, zero_of(n), std::move(zeros)));
  }
  void place(id n, const net::reshape& op) { place_reshape(n, op.target); }
  void place(id n, const net::flatten&) { place_reshape(n, from_[n].shape); }
  void place_reshape(id n, net::shape target) {
    if (skipped_[n]) return forward(n, 1);
    const net::shape in = shape_of(in_[0]);
    if (is_read_on(from_, n) && moves_data(in, target))
      return put(n, reshaping(in, target));
    put(n, net::integer::reshape{.target = target});
  }
  void place(id n, const net::softmax&) {
    if (now_ == hw::precision::int16) in_[0] = real_of(in_[0], from_[n].name);
    else give_own_scale(n, in_[0]);
    if (now_ != hw::precision::int8) scales_[n] = 1;
    put(n, net::integer::softmax{});
    to_[placed_[n]->node].precision = to_[in_[0].node].precision;
  }
  // The host takes the meaning of its input from the node that it reads.
  void give_own_scale(id n, operand& in) {
    if (in.scale == to_[in.node].scale) return;
    in.node = emit(unused_name(from_[n].name + "/input"), same(to_[in.node].precision), {in.node},
                   in.scale, shape_of(in));
  }
  // The tensor's numbers mean their scale to the host; whole numbers that it counts are themselves.
  void place(id n, const net::on_host& op) {
    for (auto& i : in_) give_own_scale(n, i);
    put(n, net::integer::on_host{.call = op.call, .layer = op.layer, .target = from_[n].shape});
    if (const auto most = counts(from_, n); most && !holds(now_, *most)) {
      if (*most > 32767 || !from_.consumers(n).empty())
        throw error(problem{.reason = text("its whole numbers up to ", *most, " are not held by ",
                                           hw::name_of(now_)),
                            .remedy = *most > 32767 ? "" : "make it an output only"});
      to_[placed_[n]->node].precision = hw::precision::int16;
    }
  }
  // All inputs at the scale of the result, which moves do not change.
  void place(id n, const net::move& op) {
    for (auto& i : in_)
      if (!same_scale(i.scale, scales_[n]) || i.zero != zeros_[n]) {
        i.node = emit(unused_name(from_[n].name + "/input"),
                      rescaling(i.scale, scales_[n], top_, i.zero, zeros_[n]), {i.node},
                      scales_[n], to_[i.node].shape);
        to_[i.node].zero = zeros_[n];
      }
    put(n, quantise_move(op, scales_[n], now_, zeros_[n]));
  }
  void place(id n, const net::identity&) { forward(n, 1); }
  void place(id, const net::deconvolution&) {
    throw error(problem{.reason = "a transposed convolution has no integer form",
                        .remedy = "run the pass split_deconvolution"});
  }
  void place(id n, const net::lrn& op) {
    if (real()) return put(n, real_lrn(op, ranges_[from_.inputs(n)[0]]));
    put(n, quantise_lrn(op, in_[0].scale, scales_[n], now_));
  }
  // An operator of the user's own. Later steps rely on a form that fits the tensors.
  template <has_integer_form Op>
  void place(id n, const Op& op) {
    std::vector<scaled_input> in;
    std::vector<net::shape> shapes;
    for (const auto& i : in_) {
      in.push_back({to_[i.node].shape, i.scale});
      shapes.push_back(in.back().shape);
    }
    if (now_ != hw::precision::int8)
      throw error("an operator of the user's own has an int8 form only");
    auto form = integer_form<Op>::run(op, std::span<const scaled_input>(in), scales_[n]);
    if (!net::arity{form.inputs}.contains(in.size()) || form.infer(shapes) != from_[n].shape)
      throw error(text("its integer form does not make ", from_[n].shape, " of its inputs"));
    diagnostics wrong;
    if constexpr (requires { form.check(shapes, wrong, from_[n].name); })
      form.check(shapes, wrong, from_[n].name);
    wrong.check();
    put(n, std::move(form));
  }

  diagnostics crooked_{};  // functions that no table holds
};

}  // namespace detail

// A compile error that names Op if it has no integer form.
template <class Op>
constexpr void require_integer_form() {
  if constexpr (!can_be_quantised<Op>)
    static_assert(never<failed::operator_<Op>>,
                  "nvdlac: the operator has no integer form: specialise quant::integer_form for it "
                  "(or leave it out of the graph's list and specialise net::expansion)");
}

// The network in integers. `g` is sound (net::verify) and has its shapes; `table` lists its layers.
// Throws, all together: layers without a scale, unusable scales, layers without an integer form,
// numbers that the hardware cannot represent; crooked_function if all that is wrong are functions
// that no table holds.
template <class... Ops>
net::integer::graph quantise(const net::basic_graph<type_list<Ops...>>& g,
                             const scale_table& table, const options& how = {}) {
  (require_integer_form<Ops>(), ...);
  return detail::quantiser<net::basic_graph<type_list<Ops...>>>(g, table, how).run();
}

}  // namespace nvdlac::quant
