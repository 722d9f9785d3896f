// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/tflite/model.hpp>
#include <nvdlac/import/translation/windows.hpp>

namespace nvdlac::import::tflite_format {

using onnx_format::attribute;
using translation::names;
using translation::values;

// What the conversion of one operator works with: also its options.
class conversion : public translation::conversion {
 public:
  conversion(const operation& op, values& all)
      : translation::conversion(op.inputs, op.outputs, all), op_(op) {}

  // Options by their place in `known_options`.
  template <class T>
  T option(int number, T otherwise) const {
    return op_.options == nullptr ? otherwise : op_.options->get<T>(field(number), otherwise);
  }
  std::int64_t integer(int number, std::int32_t otherwise = 0) const {
    return option<std::int32_t>(number, otherwise);
  }
  std::int64_t byte(int number) const { return option<std::int8_t>(number, 0); }
  bool flag(int number, bool otherwise = false) const {
    const std::int64_t v = option<std::int8_t>(number, otherwise);
    if (v != 0 && v != 1) throw error(text("one of its options is ", v, ", not 0 or 1"));
    return v == 1;
  }
  // Options that repeat what the file tells of tensors; 0: they are left out.
  void require_type(int number, const translation::tensor& of) const {
    const auto& t = static_cast<const tensor&>(of);
    if (const auto v = byte(number); v != 0 && v != t.type)
      throw error(text("its options name the type ", type_name(v), ", but '", t.name, "' is of ",
                       type_name(t.type)));
  }
  void require_count(int number, std::size_t n, const char* what) const {
    if (const auto v = integer(number); v != 0 && std::cmp_not_equal(v, n))
      throw error(text("its options count ", v, ' ', what, " instead of ", n));
  }
  float number(int which) const { return option<float>(which, 0.0F); }
  std::optional<dims> numbers(int number) const {
    if (op_.options == nullptr || !op_.options->has(field(number))) return std::nullopt;
    const auto v = op_.options->numbers<std::int32_t>(field(number));
    return dims(v.begin(), v.end());
  }

  // The function that the operator applies to its result, by the number of its option.
  std::int64_t activation(int number) const {
    const auto a = byte(number);
    if (a < 0 || a > 4)
      throw error(problem{.reason = text("its fused activation is number ", a),
                          .remedy = "none, RELU, RELU_N1_TO_1, RELU6 and TANH are supported"});
    return a;
  }
  // The name of the layer that computes the result before its activation.
  std::string before(std::int64_t activation) const {
    return activation == 0 ? name() : name() + "/linear";
  }
  std::string activated(const std::string& value, std::int64_t activation) const {
    switch (activation) {
      case 1: return node("Relu", name(), {value});
      case 2: return clipped(value, -1, 1);
      case 3: return clipped(value, 0, 6);
      case 4: return node("Tanh", name(), {value});
      default: return value;
    }
  }
  void give_activated(translation::computed c, std::int64_t activation) const {
    c.value = activated(c.value, activation);
    give(std::move(c));
  }
  // The window of an operator whose options start with the padding, SAME or VALID, and the strides.
  translation::window window() const {
    using kind = translation::window::padding;
    const auto p = byte(0);
    if (p != 0 && p != 1) throw error(text("its padding is number ", p, ", not SAME or VALID"));
    return {.kind = p == 0 ? kind::same : kind::valid, .strides = {integer(2), integer(1)}};
  }

 private:
  const operation& op_;
};

}  // namespace nvdlac::import::tflite_format
