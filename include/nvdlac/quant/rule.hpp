// SPDX-License-Identifier: Apache-2.0
#pragma once
// How an operator of a network becomes quantised: all that calibration, scale tables and `quantise`
// ask about it. nvdlac's own operators and those of a user specialise `rule` alike:
//
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/visit.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/convolution.hpp>
#include <nvdlac/quantised/pool.hpp>

namespace nvdlac::quant {

//   template <>
//   struct nvdlac::quant::rule<tint> : nvdlac::quant::usual_rule {
//     static void run(const tint& op, auto& to) { put_scale(to, op.gain); }
//   };

// The inputs of an operator: so many tensors, the first of this shape, in a layer of this
// precision.
struct reading {
  net::shape first{};
  std::size_t inputs = 0;
  hw::precision precision = hw::precision::int8;
};

// The rule of an operator whose own does not say otherwise: it gives its tensor at any scale,
// and no integer but 0 stands for 0 in what it reads and gives. `op` is the operator.
struct usual_rule {
  // Set: the scale of the result is that of the input times this factor, as the hardware only moves
  // or selects integers.
  static std::optional<double> shared_factor(const auto&, const reading&) { return std::nullopt; }
  // Whether the operator gives its tensor at any scale.
  static bool requantises(const auto&, const reading&) { return true; }
  // Whether it brings several tensors together, which are best computed at its scale.
  static bool joins(const auto&, const reading&) { return false; }
  // The scale that follows from the operator alone.
  static std::optional<double> inherent_scale(const auto&) { return std::nullopt; }
  // The largest magnitude of the result for inputs up to these: a bound that is reached, or nothing
  // where it would be far from the values.
  static std::optional<double> bound(const auto&, std::span<const double>) { return std::nullopt; }
  // Whether that bound is its range although a table does not list it.
  static bool has_own_range(const auto&) { return false; }
  // The scale that it settles on, where the table says `own` and the input has `in_scale`.
  static std::optional<double> settled_scale(const auto&, const reading&, double /*in_scale*/,
                                             double /*own*/) {
    return std::nullopt;
  }
  // Set: its result always has this scale.
  static constexpr std::optional<double> fixed_scale{};
  // Whether a scale table must list the layer.
  static constexpr bool needs_entry = true;
  // Whether it cuts values off, so that its input may be given at its scale.
  static constexpr bool clips = false;
  // Whether the calibrated range is that of all values, however few are large.
  static constexpr bool keeps_whole_range = false;
  // Whether fp16, which has no scales, needs the ranges of the tensors.
  static constexpr bool needs_ranges = false;
  // Whether CONV computes it as an average, where results and inputs reach so far.
  static bool is_averaged(const auto&, const reading&, double /*range*/, double /*of_input*/) {
    return false;
  }

  // About the integer that stands for 0 in int8, where `at` is the node (output_scales.hpp):
  // whether the result has no value below 0 and counts from 0 as its inputs do.
  static bool keeps_zero(const auto&) { return false; }
  // Whether it can count from -128, and has no value below 0.
  static bool is_positive(const auto& op, const auto& at) {
    return at.inputs_are_positive() && at.keeps_zero(op);
  }
  // Whether it makes 0 of the values below 0 that it reads, which may saturate before it.
  static bool cuts(const auto&, const auto&) { return false; }
  // Whether it can have values on both sides of an integer for 0 of its own.
  static bool is_lopsided(const auto& op, const auto& at) {
    return at.inputs_are_lopsided() && at.keeps_zero(op);
  }
  // Whether it takes inputs that count from another integer than 0: those that share theirs do.
  static bool takes_zero(const auto&, const auto& at) { return at.is_in_set(); }

  // static void run(const Op&, auto& to): puts the quantised operators of the node into the
  // network, see quantise.hpp. Throws nvdlac::error with the reason, without the layer's name.
};

template <class Op>
struct rule;

template <class Op>
concept has_rule = requires { sizeof(rule<Op>); };

// Operators that move or select elements: the result has the scale of the input.
struct sharing_rule : usual_rule {
  static std::optional<double> shared_factor(const auto&, const reading&) { return 1; }
  static bool requantises(const auto&, const reading&) { return false; }
};

// ask(rule<Op>{}, op) for the operator of a node.
template <class AnyOperator, class Ask>
auto ask_rule(const AnyOperator& any, Ask ask) {
  return nvdlac::visit([&]<class Op>(const Op& op) { return ask(rule<Op>{}, op); }, any);
}

// The filters of a convolution in the units of its integers, before weights become integers.
struct exact_filters {
  std::vector<float> weights{};   // as in quantised::convolution
  std::vector<double> step{};     // by kernel: what a unit of its sums is worth as a real number
  // By kernel: the real number that its sums give beside the layer's values.
  std::vector<double> offset{};
};

// The giver of steps to channels of a tensor that have them for themselves (own_steps.hpp).
enum class step_source { input, concat, filters };

struct options {
  // Set: the input converter turns pixels into int8 where the network allows it, see as_pixels.
  // Else, or where it does not, the host gives int8 values of the input's scale.
  std::optional<net::preprocessing> pixels{};
  bool scale_pixels = true;  // whether it also computes a scaling at the network's beginning
  bool scale_filters = true;  // whether filters take up the scaling before them
  // int16: the table's scales are those of int8 all the same. fp16: there are no scales, the table
  // only tells the range of what is looked up (needs_scales), and the host gives the values of
  // pixels.
  net::layer_precisions precision{};
  // Whether the hardware shall compute a convolution of inputs of these shapes in Winograd's mode;
  // `direct` has weights of which only the number is told, `pool` is the pooling that alone reads
  // the result, or null. Without it, none.
  using choice =
      std::function<bool(const quantised::convolution& direct, const quantised::pool* pool,
                         std::span<const net::shape> in, hw::precision)>;
  choice winograd{};
  // Sees the filters of each layer of int8 that has some, by the layer's name.
  std::function<void(const std::string& layer, exact_filters)> filters{};
  shifts_of_layers shifts{};  // of those that have none of their own

  shared_shifts shifts_of(const std::string& layer) const;
};

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/rule.ipp>
#endif
