// SPDX-License-Identifier: Apache-2.0
#pragma once
// The members of an operator and the questions that are asked of it, those of its shapes first.
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// Rules that a node of a network must obey, whatever runs it. The names appear in compile errors,
// the texts in run-time errors.
enum class rule : std::uint8_t {
  none,
  dimension_below_1,
  more_than_268435456_elements,
  window_with_a_number_below_1,
  window_with_a_number_above_65535,
  window_with_a_negative_padding,
  window_larger_than_the_padded_input,
  less_than_one_kernel_or_group,
  groups_do_not_divide_channels_and_kernels,
  more_than_268435456_weights,
  pooling_with_a_dilation,
  pooling_with_a_padding_not_smaller_than_its_window,
  pooling_of_fp16_with_a_padding_value,
  inputs_of_different_shapes,
  inputs_of_different_heights_or_widths,
  reshape_to_another_number_of_elements,
  moves_elements_outside_its_tensors,
  moves_another_number_of_elements_than_its_result_has,
  local_size_is_not_a_positive_odd_number,
  local_size_is_not_3_5_7_or_9,
  offset_or_table_beyond_the_registers,
  shift_above_its_range,
  more_than_one_of_slope_low_high_and_operand,
  not_winograd,
  no_order_of_an_image,
  pooling_with_a_window_larger_than_that_of_pdp,
  picture_of_other_than_1_3_or_4_channels,
  constants_of_another_number_than_needed,
  constants_that_only_have_a_size,
  reads_a_name_of_no_node_before_it,
  reads_the_node_before_the_first,
  reads_another_number_of_inputs_than_its_operator_takes,
  has_the_name_of_another_node,
  last_rule = has_the_name_of_another_node,
};

// The finding of a shape rule: the shape, or the broken rule with the numbers and the name that its
// text tells.
struct fitting {
  net::shape shape{};
  rule broken = rule::none;
  std::array<std::int64_t, 6> numbers{};
  std::string_view name{};

  constexpr fitting(net::shape s) : shape(s) {}
  constexpr fitting(rule r, std::array<std::int64_t, 6> n = {}) : broken(r), numbers(n) {}
  constexpr fitting(rule r, std::string_view about, std::array<std::int64_t, 6> n = {})
      : broken(r), numbers(n), name(about) {}

  constexpr bool ok() const { return broken == rule::none; }
  // Throws nvdlac::error with the reason, without the layer's name.
  constexpr net::shape value() const {
    if (!ok()) throw error(reason());
    return shape;
  }

  std::string reason() const;
};

// An operator as a graph sees it: a struct with `inputs`, `infer` and, to be computed, `evaluate`.

// The number of inputs that an operator takes.
struct arity {
  std::size_t least = 1, most = 1;

  constexpr bool contains(std::size_t n) const { return least <= n && n <= most; }
};
inline constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

// `infer` gives the shape of the operator's tensor for the shapes of its inputs, whose number is
// within `inputs`; it throws nvdlac::error with the reason, without the layer's name.
// Optional: `fitting fit(std::span<const shape>) const`, which returns the reason instead, so that
// a compile error of net::network tells it with the layer's name; `fitting fit_constants(...)`, the
// same of the constants that a network has besides.
// Optional: `void check(std::span<const shape>, diagnostics&, const std::string& layer) const`
// reports all that is wrong with the weights.
template <class Op>
concept operation = requires(const Op op, std::span<const shape> in) {
  { Op::inputs } -> std::convertible_to<arity>;
  { op.infer(in) } -> std::same_as<shape>;
};

// Whether Op gives what the user feeds: it has a member type `is_network_input`.
template <class Op>
inline constexpr bool is_network_input = requires { typename Op::is_network_input; };

// Operators that a network can hold which exists while compiling. One that is known at run time
// only says so by a member type `is_known_at_run_time`.
template <class Op>
concept known_while_compiling = !requires { typename Op::is_known_at_run_time; };

// The largest tensor: beyond any network for NVDLA, and small enough that no size overflows.
inline constexpr std::int64_t max_elements = 268435456;

// The product of factors that are at least 0; the largest std::int64_t if it does not fit.
constexpr std::int64_t product(std::initializer_list<std::int64_t> factors) {
  std::int64_t result = 1;
  for (const std::int64_t f : factors) {
    if (f != 0 && result > std::numeric_limits<std::int64_t>::max() / f)
      return std::numeric_limits<std::int64_t>::max();
    result *= f;
  }
  return result;
}

// The shape c x h x w, unless it is empty or too large.
constexpr fitting fit_shape(std::int64_t c, std::int64_t h, std::int64_t w) {
  if (c < 1 || h < 1 || w < 1) return {rule::dimension_below_1, {c, h, w}};
  if (product({c, h, w}) > max_elements) return {rule::more_than_268435456_elements, {c, h, w}};
  return shape{static_cast<std::int32_t>(c), static_cast<std::int32_t>(h),
               static_cast<std::int32_t>(w)};
}
constexpr fitting fit_shape(shape s) { return fit_shape(s.c, s.h, s.w); }

// Returns the shape c x h x w; throws nvdlac::error if it is empty or too large.
constexpr shape checked_shape(std::int64_t c, std::int64_t h, std::int64_t w) {
  return fit_shape(c, h, w).value();
}
constexpr shape checked_shape(shape s) { return checked_shape(s.c, s.h, s.w); }

// The first value that is infinite or no number; as many as there are if all are finite.
template <class T>
std::size_t first_not_finite(std::span<const T> values) {
  constexpr std::size_t block = 64;  // looked at together, which compilers do in vectors
  std::size_t begin = 0;
  for (; begin + block <= values.size(); begin += block) {
    int bad = 0;
    for (std::size_t i = 0; i < block; ++i)
      bad |= !(std::fabs(values[begin + i]) <= std::numeric_limits<T>::max());
    if (bad != 0) break;
  }
  while (begin < values.size() && std::isfinite(values[begin])) ++begin;
  return begin;
}

// Reports the values of a layer's weights that are too few, too many or not finite.
template <class Values>
void check_values(const Values& values, std::int64_t needed, std::string_view what,
                  diagnostics& found, const std::string& layer) {
  const auto report = [&](std::string reason) {
    found.add({.layer = layer, .reason = std::move(reason)});
  };
  if (std::cmp_not_equal(values.size(), needed))
    report(text("its ", what, ": ", count_of(values.size(), "value"), " instead of ", needed));
  if constexpr (std::is_floating_point_v<typename Values::value_type>)
    if (const auto i = first_not_finite<typename Values::value_type>(values); i < values.size())
      report(text("value ", i, " of its ", what, " is ", values[i], ", no finite number"));
}

// Whether there are as many values as the computation will read.
template <class Values>
constexpr fitting fit_values(const Values& values, std::int64_t needed, std::string_view what) {
  if (std::cmp_not_equal(values.size(), needed))
    return {rule::constants_of_another_number_than_needed, what,
            {static_cast<std::int64_t>(values.size()), needed}};
  return shape{};
}
// Whether more than the number of the values is known.
template <class Values>
constexpr fitting fit_known(const Values& values, std::string_view what) {
  if (!values.known()) return {rule::constants_that_only_have_a_size, what};
  return shape{};
}
// The first that breaks a rule, if any does.
constexpr fitting all_of(std::initializer_list<fitting> each) {
  for (const fitting& f : each)
    if (!f.ok()) return f;
  return shape{};
}

// Throws where fit_values, or fit_known, finds a broken rule.
template <class Values>
constexpr void require_values(const Values& values, std::int64_t needed, std::string_view what) {
  fit_values(values, needed, what).value();
}
template <class Values>
constexpr void require_known(const Values& values, std::string_view what) {
  fit_known(values, what).value();
}

template <class T>
std::vector<shape> shapes_of(std::span<const tensor<T>* const> in) {
  std::vector<shape> result;
  for (const auto* t : in) result.push_back(t->shape);
  return result;
}

// Writes an operator of the user's own as one that nvdlac knows, with the same inputs. The user
// specialises it: `static constexpr auto run(const Op&, std::span<const shape>)`.
template <class Op>
struct expansion;

template <class Op>
concept is_expandable = requires(const Op op, std::span<const shape> in) {
  { expansion<Op>::run(op, in) } -> operation;
};

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/operation.ipp>
#endif
