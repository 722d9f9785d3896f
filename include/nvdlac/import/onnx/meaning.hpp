// SPDX-License-Identifier: Apache-2.0
#pragma once
// The meaning of the integers of computed tensors: real numbers by a scale, numbers that a scale is
// to multiply, or themselves; and which operators keep that.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/cube_builder.hpp>
#include <nvdlac/import/onnx/value.hpp>

namespace nvdlac::import::onnx_format {

// Operators that take integers with their scales, or make them.
bool is_of_integers(std::string_view type);

// Operators that give some of their input's values, whether those are integers or real.
bool gives_values_of_input(std::string_view type);

// Whether a node converts integers to the type that they have, as exporters write it between
// QuantizeLinear and DequantizeLinear.
bool keeps_type(const node& n, const std::vector<value>& in, const grid& g);

// The grid that the outputs of a node share with its inputs, if they hold integers.
std::shared_ptr<const grid> integers_of(const node& n, const std::vector<value>& in);

// The scale by which the outputs of a node are to be multiplied because its inputs are: only
// products with constants and what gives values of its input may come before.
std::shared_ptr<const std::string> awaited_of(const node& n, const std::vector<value>& in);

// Marks as such a scale what is computed of one, as a constant, by a product with others.
void mark_scales(const node& n, const std::vector<value>& in, std::vector<value>& out);

// Results of operators on whole numbers in NVDLA's real numbers, by ONNX's definition of those.
enum class on_whole : std::uint8_t {
  keeps,  // gives some of the numbers, or stays between them
  exact,  // the same, unless it leaves the type, in which ONNX wraps around
  cuts,   // another: ONNX drops what is behind the point
};

namespace detail {

// The result of an operator on whole numbers; nothing: ONNX defines it for real numbers only.
std::optional<on_whole> kind_on_whole(const node& n);

// Between which integers a value lies, if it holds some.
struct ends {
  double low = 0, high = 0;
  bool known = false;

  static ends of(const value& v);
};

// Between which numbers the results of an exact operator lie; all of the type where that is not
// told. Throws where the type may not hold them.
whole_numbers exact_result(const node& n, const std::vector<value>& in, const whole_numbers& w);

// The result of an operator that ONNX defines with a division or a root.
whole_numbers cut_result(const node& n, const std::vector<value>& in, const whole_numbers& w);

}  // namespace detail

// The whole numbers that the outputs of a node are if they stand for themselves, by its inputs.
// Throws where NVDLA's real numbers would not be those of ONNX.
std::optional<whole_numbers> whole_of(const node& n, const std::vector<value>& in);

// The meaning that the numbers of a node's outputs have because those of its inputs do.
struct meaning {
  std::shared_ptr<const grid> integers{};
  std::shared_ptr<const std::string> awaits{};
  std::optional<whole_numbers> whole{}, second{};  // the latter of the second output

  void give(const node& n, const std::vector<value>& in, std::vector<value>& out) const;
};
meaning meaning_of(const node& n, const std::vector<value>& in);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/meaning.ipp>
#endif
