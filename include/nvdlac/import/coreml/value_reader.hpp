// SPDX-License-Identifier: Apache-2.0
#pragma once
// The values of ML programs: in the program, or in the file of weights beside it.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/import/coreml/weight_files.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::coreml_format {

using onnx_format::array;
using onnx_format::dims;

// The sizes of a type, -1 where one is open.
dims shape_of(const proto::view& tensor_type);
bool is_text(const proto::view& value);

class value_reader {
 public:
  value_reader(std::size_t bytes_of_files, weight_files& files, const budget& limits)
      : left_(bytes_of_files, limits), files_(files) {}

  array read(const proto::view& value);
  // Real numbers that are stored as integers with a scale.
  array dequantised(const proto::view& data, const proto::view& scale, const proto::view& zero,
                    std::int64_t axis);
  // Numbers of a table, by indices that stand one behind the other, each with its lowest bit first.
  array looked_up(const proto::view& indices, const proto::view& table, const proto::view& shape);

 private:
  void fill(array& a, const proto::view& value, std::int64_t type);
  template <class Stored>
  static void integers_in(array& a, std::string_view raw) {
    a.real = false;
    for (std::size_t i = 0; i + sizeof(Stored) <= raw.size(); i += sizeof(Stored)) {
      Stored s{};
      std::memcpy(&s, raw.data() + i, sizeof s);
      a.integers.push_back(static_cast<std::int64_t>(s));
    }
  }
  static void unpack(array& a, std::string_view raw, std::int64_t type);

  onnx_format::constant_elements left_;
  weight_files& files_;
};

}  // namespace nvdlac::import::coreml_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/coreml/value_reader.ipp>
#endif
