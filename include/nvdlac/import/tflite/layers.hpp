// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions, poolings and what works element by element.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/import/tflite/model.hpp>
#include <nvdlac/import/translation/conversion.hpp>
#include <nvdlac/import/translation/shared_operators.hpp>

namespace nvdlac::import::tflite_format {

using hub::attribute;
using translation::names;
using translation::values;

// The context in which one operator is converted, with its options.
class conversion : public translation::conversion {
 public:
  // `states`: as in import::part.
  conversion(const operation& op, values& all, bool states)
      : translation::conversion(op.inputs, op.outputs, all), op_(op), states_(states) {}

  // Options by their place in `known_options`.
  template <class T>
  T option(int number, T otherwise) const {
    return op_.options == nullptr ? otherwise : op_.options->get<T>(field(number), otherwise);
  }
  std::int64_t integer(int number, std::int32_t otherwise = 0) const {
    return option<std::int32_t>(number, otherwise);
  }
  std::int64_t byte(int number) const { return option<std::int8_t>(number, 0); }
  bool flag(int number, bool otherwise = false) const;
  // Options that repeat what the file tells of tensors; 0: they are left out.
  void require_type(int number, const translation::tensor& of) const;
  void require_count(int number, std::size_t n, const char* what) const;
  float number(int which) const { return option<float>(which, 0.0F); }
  std::optional<dims> numbers(int number) const;
  // The options of a custom operator, see custom_options.hpp.
  std::span<const std::uint8_t> custom_bytes() const { return op_.custom_options; }

  // The function that the operator applies to its result, by the number of its option.
  std::int64_t activation(int number) const;
  // The name of the layer that computes the result before its activation.
  std::string before(std::int64_t activation) const {
    return activation == 0 ? name() : name() + "/linear";
  }
  std::string activated(const std::string& value, std::int64_t activation) const;
  void give_activated(translation::computed c, std::int64_t activation) const;
  // The window of an operator whose options start with the padding, SAME or VALID, and the strides.
  translation::window window() const;
  bool opens_states() const { return states_; }
  // The variable that an operator of one keeps; nothing: it has none.
  const tensor* state() const {
    return op_.state < 0 ? nullptr : &static_cast<const tensor&>(all().at(op_.state));
  }
  // The blocks that SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND around a convolution make of it.
  const std::optional<tflite_format::blocks>& blocks() const { return op_.blocks; }

 private:
  const operation& op_;
  bool states_;
};

// Operators with windows, and fully connected ones.

using translation::require_picture;

// The type of a bias may be an option, too.
void check_bias_type(const conversion& c, std::size_t i, int type);

void convolve(const conversion& c, const array& weights, std::int64_t groups, int activation,
              int dilation, int bias_type = -1);

// Weights [kernels][h][w][channels].
void on_conv(const conversion& c);

// Weights [1][h][w][channels * multiplier].
void on_depthwise_conv(const conversion& c);

// Weights [kernels][h][w][channels].
void on_transpose_conv(const conversion& c);

template <class Pool>
void on_pool(const conversion& c, Pool compute) {
  c.require_inputs(1, 1);
  require_picture(c, 0);
  const auto a = c.activation(5);
  c.give_activated(compute(c.before(a), c.window(), dims{c.integer(4), c.integer(3)}), a);
}
void pool(const conversion& c, const char* type);
void on_l2_pool(const conversion& c);

// Weights [outputs][inputs].
void on_fully_connected(const conversion& c);

// All steps of a sequence of fixed length, whose state begins with 0.
void on_sequence_lstm(const conversion& c);

void on_batch_mat_mul(const conversion& c);

// Operators that compute element by element.

// `activation`: the number of its option; -1: it has none.
void binary(const conversion& c, const char* type, int activation = -1);
template <fixed_string Type>
void activated_binary_of(const conversion& c) {
  binary(c, Type.text, 0);
}
// Whether 16-bit scales are powers of two, which changes no real number, is read and left.
void sum(const conversion& c, const char* type);
template <fixed_string Type>
void sum_of(const conversion& c) {
  sum(c, Type.text);
}
void on_squared_difference(const conversion& c);

inline void on_add_n(const conversion& c) { c.give(translation::sum_of_all(c)); }

using translation::clip_to, translation::unary_of;
void unary(const conversion& c, const char* type, const std::vector<attribute>& attributes = {});
inline void on_leaky_relu(const conversion& c) { unary(c, "LeakyRelu", {{"alpha", c.number(0)}}); }
void on_gelu(const conversion& c);
inline void on_rsqrt(const conversion& c) { c.give(translation::reciprocal_root(c)); }
inline void on_square(const conversion& c) { c.give(translation::square(c)); }

// One slope for each channel, or for each element.
void on_prelu(const conversion& c);

void on_softmax(const conversion& c);
void on_log_softmax(const conversion& c);

void on_lrn(const conversion& c);
void on_l2_normalisation(const conversion& c);

// To integers, from them, or from one kind of them to another: the real numbers stay.
void on_quantise(const conversion& c);
void on_cast(const conversion& c);

}  // namespace nvdlac::import::tflite_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tflite/layers.ipp>
#endif
