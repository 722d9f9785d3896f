// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <nvdlac/import/json.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/pytorch/tensor.hpp>

namespace nvdlac::import::pytorch_format {

// The sizes of tensors, of which exports leave some open: each open size has a name.
class sizes {
 public:
  explicit sizes(const json& tensors) : tensors_(tensors) {}

  // As the file has them, -1 where one is open.
  std::optional<dims> declared(const std::string& tensor) const;
  // The sizes of an input are known now, and with them those of that name.
  void know(const std::string& input, const dims& given);
  void know(const std::string& number, std::int64_t value) { open_[number] = value; }
  // The value of a number that the graph computes.
  std::int64_t number(const std::string& name) const;
  dims of(const std::string& tensor) const;
  // Whether a tensor holds real numbers.
  bool is_real(const std::string& tensor) const;

 private:
  const json* sizes_of(const std::string& tensor) const;
  static std::string open_name(const json& size);

  const json& tensors_;
  std::map<std::string, std::int64_t> open_;
};

}  // namespace nvdlac::import::pytorch_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/pytorch/sizes.ipp>
#endif
