// SPDX-License-Identifier: Apache-2.0
#pragma once
// Formats that are read in ONNX's terms: the tensors of such a file, and what they are in the ONNX
// model that is written for it.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/writer.hpp>
#include <nvdlac/import/onnx/quantised.hpp>

namespace nvdlac::import::translation {

using onnx_format::array;
using hub::attribute;
using onnx_format::constant_grid;
using onnx_format::dims;
using names = std::vector<std::string>;

inline constexpr std::int64_t opset = 14;

// The description of a tensor in a file.
struct tensor {
  std::string name{};  // unique, not empty
  dims shape{};        // if the file has it; else it follows from the operators
  bool has_shape = true;
  std::optional<constant_grid> grid{};
  std::int64_t onnx_type = 1;   // the number of its type in ONNX's TensorProto
  bool holds_integers = false;  // of 8 or 16 bits
  bool constant = false;
  std::string wrong{};          // why it cannot be used; empty if it can
};

// The tensors of a file by their numbers.
class source {
 public:
  source() = default;
  source(const source&) = delete;
  source& operator=(const source&) = delete;
  virtual ~source() = default;
  virtual const tensor& at(std::int32_t index) const = 0;
  // In real numbers, if it is real or has a scale that counts; else in integers.
  virtual array constant(std::int32_t index, bool with_scale) const = 0;
};

// A tensor of four dimensions has its elements in the file's order, or with the last dimension
// before the middle ones: [batch, channels, height, width] of [batch, height, width, channels].
enum class order : std::uint8_t { of_file, channels_second };

inline dims channels_second(const dims& d) { return {d[0], d[3], d[1], d[2]}; }
array channels_second(const array& a, const onnx_format::element_ceiling& most);
std::int64_t axis_with_channels_second(std::int64_t axis);
// The permutations that a Transpose has between both orders of pictures.
inline dims to_channels_second() { return {0, 3, 1, 2}; }
inline dims to_channels_last() { return {0, 2, 3, 1}; }

// A tensor that the ONNX model computes.
struct computed {
  std::string value{};  // its name there; empty: a problem of it is reported already
  dims shape{};         // in the file's order
  translation::order order = order::of_file;
};

class values {
 public:
  values(const source& from, hub::writer& to, const budget& limits)
      : from_(from), to_(to), ceiling_(limits) {}

  const tensor& at(std::int32_t index) const { return from_.at(index); }
  hub::writer& to() { return to_; }

  // The elements that the next operator may give: fewer where it computes with constants alone.
  const onnx_format::element_ceiling& ceiling() const { return ceiling_; }
  void limit(const onnx_format::element_ceiling& most) { ceiling_ = most; }

  bool is_constant(std::int32_t index) const {
    return at(index).constant || folded_.contains(index);
  }
  bool is_known(std::int32_t index) const {
    return is_constant(index) || computed_.contains(index);
  }
  bool is_broken(std::int32_t index) const;
  const dims& shape(std::int32_t index) const;
  array constant(std::int32_t index, bool with_scale = true);
  const computed& result(std::int32_t index) const;
  void require_sound(std::int32_t index) const;

  void fold(std::int32_t index, array a) { folded_.insert_or_assign(index, std::move(a)); }
  void compute(std::int32_t index, computed c) {
    computed_.insert_or_assign(index, std::move(c));
  }
  void set_broken(std::int32_t index) { computed_.emplace(index, computed{}); }

  std::string fresh(const std::string& hint) { return text(hint, "@", ++last_); }
  std::string write(array a, const std::string& hint, std::int64_t integer_type = 7);
  std::string write_integers(const dims& d, const std::string& hint) {
    return write(array::of_integers({static_cast<std::int64_t>(d.size())}, d), hint);
  }
  std::string write_number(float v, const std::string& hint) {
    return write(array::of_reals({}, {v}), hint);
  }
  std::string node(const std::string& type, const std::string& name, const names& inputs,
                   const std::vector<attribute>& attributes = {});

  // A value as the integers of its tensor see it.
  std::string on_grid(const tensor& t, std::string value);
  // The real numbers behind an input of integers.
  std::string off_grid(const tensor& t, std::string value);

 private:
  std::pair<std::string, std::string> write_grid(const tensor& t);

  const source& from_;
  hub::writer& to_;
  std::map<std::int32_t, array> folded_;
  std::map<std::int32_t, computed> computed_;
  std::size_t last_ = 0, elements_ = 0;
  onnx_format::element_ceiling ceiling_;
};

}  // namespace nvdlac::import::translation

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/translation/values.ipp>
#endif
