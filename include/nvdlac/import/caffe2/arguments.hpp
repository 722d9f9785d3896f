// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include <nvdlac/import/hub/asked_attributes.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::caffe2_format {

using onnx_format::dims;

// Arguments of Caffe2's operators, which hold values of one kind at most.
struct argument_values {
  using value = proto::view;

  static hub::plain_value plain(const proto::view& a);
  static std::string call(std::string_view name);
  // Whether it tells how the operator is computed.
  static bool is_ignored(std::string_view name);
};

// The arguments of an operator.
class arguments : public hub::asked_attributes<argument_values> {
 public:
  explicit arguments(const proto::view& op);

  // Two numbers: "strides", or "stride" for both, or "stride_h" and "stride_w".
  dims pair(const std::string& name, std::int64_t otherwise) const;
};

}  // namespace nvdlac::import::caffe2_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe2/arguments.ipp>
#endif
