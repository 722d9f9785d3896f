// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/onnx/writer.hpp>
#include <nvdlac/import/tflite/model.hpp>

namespace nvdlac::import::tflite_format {

using onnx_format::attribute;
using names = std::vector<std::string>;

inline constexpr std::int64_t opset = 14;

// The values of the file's tensors in the ONNX model that is being written. Tensors of four
// dimensions have their channels second there, all others the file's order.
class values {
 public:
  values(const model& from, onnx_format::writer& to) : from_(from), to_(to) {}

  const tensor& at(std::int32_t index) const {
    return from_.tensors()[static_cast<std::size_t>(index)];
  }
  onnx_format::writer& to() { return to_; }

  bool is_constant(std::int32_t index) const {
    return at(index).constant || folded_.contains(index);
  }
  bool is_known(std::int32_t index) const {
    return is_constant(index) || computed_.contains(index);
  }
  bool is_broken(std::int32_t index) const {
    const auto v = computed_.find(index);
    return v != computed_.end() && v->second.empty();
  }
  array constant(std::int32_t index, bool with_scale = true) {
    require_sound(index);
    array a = folded_.contains(index) ? folded_.at(index) : values_of(at(index), with_scale);
    // Small files can describe large constants; together they stay within what any network needs.
    elements_ += a.size();
    if (elements_ > std::size_t{1} << 28)
      throw error(text("the constants have more than ", std::size_t{1} << 28, " elements"));
    return a;
  }
  const std::string& computed(std::int32_t index) const {
    require_sound(index);
    return computed_.at(index);
  }
  void require_sound(std::int32_t index) const {
    const tensor& t = at(index);
    if (!t.wrong.empty()) throw error(text("its tensor '", t.name, "': ", t.wrong));
  }

  void fold(std::int32_t index, array a) { folded_.insert_or_assign(index, std::move(a)); }
  void compute(std::int32_t index, std::string value) {
    computed_.insert_or_assign(index, std::move(value));
  }
  void set_broken(std::int32_t index) { computed_.emplace(index, std::string()); }

  std::string fresh(const std::string& hint) { return text(hint, "@", ++last_); }
  std::string write(const array& a, const std::string& hint, std::int64_t integer_type = 7) {
    auto name = fresh(hint);
    to_.constant(name, a, integer_type);
    return name;
  }
  std::string write_integers(const dims& d, const std::string& hint) {
    return write(array::of_integers({static_cast<std::int64_t>(d.size())}, d), hint);
  }
  std::string write_number(float v, const std::string& hint) {
    return write(array::of_reals({}, {v}), hint);
  }
  std::string node(const std::string& type, const std::string& name, const names& inputs,
                   const std::vector<attribute>& attributes = {}) {
    auto out = fresh(name);
    to_.node(type, name, inputs, {out}, attributes);
    return out;
  }

  // A value as the integers of its tensor see it.
  std::string on_grid(const tensor& t, std::string value) {
    if (!t.grid || !t.holds_integers()) return value;
    const auto [scale, zero] = write_grid(t);
    const auto q = node("QuantizeLinear", t.name, {std::move(value), scale, zero});
    return node("DequantizeLinear", t.name, {q, scale, zero});
  }
  // The real numbers behind an input of integers.
  std::string off_grid(const tensor& t, std::string value) {
    const auto [scale, zero] = write_grid(t);
    return node("DequantizeLinear", t.name, {std::move(value), scale, zero});
  }

 private:
  std::pair<std::string, std::string> write_grid(const tensor& t) {
    if (t.grid->scales.size() != 1)
      throw error(text("its tensor '", t.name, "' is computed but has several scales"));
    auto scale = write_number(t.grid->scales[0], t.name);
    return {std::move(scale),
            write(array::of_integers({}, {t.grid->zeros[0]}), t.name, t.onnx_type())};
  }

  const model& from_;
  onnx_format::writer& to_;
  std::map<std::int32_t, array> folded_;
  std::map<std::int32_t, std::string> computed_;  // empty: reported already
  std::size_t last_ = 0, elements_ = 0;
};

// Channels last to channels second, and back.
inline dims channels_second(const dims& d) { return {d[0], d[3], d[1], d[2]}; }
inline array channels_second(const array& a) {
  return onnx_format::apply(a, onnx_format::transpose(a.shape, {0, 3, 1, 2}));
}
inline std::int64_t axis_with_channels_second(std::int64_t axis) {
  return axis == 0 ? 0 : axis == 3 ? 1 : axis + 1;
}

// What the conversion of one operator works with.
class conversion {
 public:
  conversion(const operation& op, values& all) : op_(op), all_(all) {}

  values& all() const { return all_; }
  std::size_t inputs() const { return op_.inputs.size(); }
  std::size_t outputs() const { return op_.outputs.size(); }
  bool all_constant() const {
    for (std::size_t i = 0; i < inputs(); ++i)
      if (given(i) && !is_constant(i)) return false;
    return true;
  }
  bool given(std::size_t i) const { return i < op_.inputs.size() && op_.inputs[i] >= 0; }
  void require_inputs(std::size_t least, std::size_t most) const {
    if (inputs() < least || inputs() > most) throw error(text("it has ", inputs(), " inputs"));
    for (std::size_t i = 0; i < least; ++i)
      if (!given(i)) throw error(text("its input ", i, " is missing"));
  }
  void require_outputs(std::size_t n) const {
    if (outputs() != n) throw error(text("it has ", outputs(), " outputs instead of ", n));
  }
  const tensor& in(std::size_t i) const { return all_.at(index(i)); }
  const tensor& out(std::size_t i = 0) const { return all_.at(op_.outputs[i]); }
  const std::string& name() const { return out().name; }
  bool is_constant(std::size_t i) const { return all_.is_constant(index(i)); }

  array constant(std::size_t i, const char* what, bool with_scale = true) const {
    if (!is_constant(i))
      throw error(problem{.reason = text("its ", what, " are not constant"),
                          .remedy = "they must be known when the file is read"});
    return all_.constant(index(i), with_scale);
  }
  array reals(std::size_t i, const char* what) const {
    array a = constant(i, what);
    if (!a.real) throw error(text("its ", what, " are integers without a scale"));
    return a;
  }
  dims integers(std::size_t i, const char* what) const {
    const array a = constant(i, what, false);
    if (a.real) throw error(text("its ", what, " are no integers"));
    return a.integers;
  }
  // Input i with channels second; of three dimensions at most in the file's order.
  std::string picture(std::size_t i) const {
    if (!is_constant(i)) return all_.computed(index(i));
    const array a = reals(i, "values");
    return all_.write(a.shape.size() == 4 ? channels_second(a) : a, name());
  }
  // Input i in the file's order.
  std::string plain(std::size_t i) const {
    if (is_constant(i)) return all_.write(constant(i, "values"), name());
    const auto& x = all_.computed(index(i));
    if (in(i).shape.size() != 4) return x;
    return node("Transpose", name(), {x}, {{"perm", dims{0, 2, 3, 1}}});
  }
  // Input i under four dimensions, channels second, as numpy's rules align it with such a tensor.
  std::string aligned(std::size_t i) const {
    const dims& shape = in(i).shape;
    if (shape.size() == 4) return picture(i);
    dims longer = shape;
    longer.insert(longer.begin(), 4 - shape.size(), 1);
    if (is_constant(i)) {
      array a = reals(i, "values");
      a.shape = longer;
      return all_.write(channels_second(a), name());
    }
    return with_channels_second(reshaped(all_.computed(index(i)), longer));
  }
  std::string reshaped(const std::string& value, const dims& shape) const {
    return node("Reshape", name(), {value, all_.write_integers(shape, name())});
  }
  std::string with_channels_second(const std::string& value) const {
    return node("Transpose", name(), {value}, {{"perm", dims{0, 3, 1, 2}}});
  }

  // A node of the ONNX model; throws where it has no such operator.
  std::string node(const std::string& type, const std::string& layer, const names& inputs,
                   const std::vector<attribute>& attributes = {}) const {
    const auto known = onnx_format::operators().find(type);
    if (known == onnx_format::operators().end() || known->second.of_constants)
      throw error(not_supported());
    return all_.node(type, layer, inputs, attributes);
  }
  static std::string not_supported() { return "is not supported"; }

  // Output i is this value, with channels second where it has four dimensions.
  void give(std::string value, std::size_t i = 0) const {
    all_.compute(op_.outputs[i], all_.on_grid(out(i), std::move(value)));
  }
  void give_plain(const std::string& value, std::size_t i = 0) const {
    give(out(i).shape.size() == 4 ? with_channels_second(value) : value, i);
  }
  void give_constant(array a, std::size_t i = 0) const {
    all_.fold(op_.outputs[i], std::move(a));
  }
  // The order of a tensor's elements follows from the number of its dimensions.
  void require_rank(std::size_t rank, std::size_t i = 0) const {
    if (out(i).shape.size() != rank)
      throw error(text("its output ", onnx_format::to_text(out(i).shape), " does not have ", rank,
                       " dimensions"));
  }

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
  void require_type(int number, const tensor& t) const {
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
  std::string clipped(const std::string& value, float low, float high) const {
    return node("Clip", name(),
                {value, all_.write_number(low, name()), all_.write_number(high, name())});
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
  // SAME or VALID, in ONNX's words.
  attribute padding(int number) const {
    const auto p = byte(number);
    if (p != 0 && p != 1) throw error(text("its padding is number ", p, ", not SAME or VALID"));
    return {"auto_pad", std::string(p == 0 ? "SAME_UPPER" : "VALID")};
  }

 private:
  // The number of the tensor that is input i.
  std::int32_t index(std::size_t i) const {
    if (!given(i)) throw error(text("its input ", i, " is missing"));
    return op_.inputs[i];
  }

  const operation& op_;
  values& all_;
};

}  // namespace nvdlac::import::tflite_format
