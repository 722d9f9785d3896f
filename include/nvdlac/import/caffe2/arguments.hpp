// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::caffe2_format {

using onnx_format::dims;

// The arguments of an operator.
class arguments {
 public:
  explicit arguments(const proto::view& op);

  bool has(const char* name) const { return all_.has(name); }
  std::int64_t integer(const char* name, std::int64_t otherwise) const;
  bool flag(const char* name, bool otherwise = false) const {
    return integer(name, otherwise ? 1 : 0) != 0;
  }
  float number(const char* name, float otherwise) const;
  std::string word(const char* name, const std::string& otherwise) const;
  std::optional<dims> integers(const char* name) const;
  std::vector<float> numbers(const char* name) const;
  // Two numbers: "strides", or "stride" for both, or "stride_h" and "stride_w".
  dims pair(const std::string& name, std::int64_t otherwise) const;
  void ignore(std::initializer_list<std::string_view> names) const { all_.ignore(names); }
  void require_understood() const;

 private:
  static constexpr const char* kinds[] = {"f", "i", "s", "floats", "ints", "strings", "n"};

  static bool holds(const proto::view& a, const char* kind) {
    return kind[1] != '\0' ? a.size(kind) > 0 : a.has(kind);
  }
  static const proto::view& checked(const proto::view& a, const char* name, const char* field);

  hub::asked_attributes<proto::view> all_;
};

}  // namespace nvdlac::import::caffe2_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe2/arguments.ipp>
#endif
