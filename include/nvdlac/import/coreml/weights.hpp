// SPDX-License-Identifier: Apache-2.0
#pragma once
// The weights of neural networks: in 32 or 16 bits, or quantised to 1 to 8 bits.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::coreml_format {

using onnx_format::array;
using onnx_format::dims;

// Numbers of 16 bits, the low byte first.
std::vector<float> from_halves(std::string_view bytes);

class weight_reader {
 public:
  weight_reader(std::size_t bytes_of_file, const budget& limits)
      : left_(bytes_of_file, limits) {}

  // The scales of quantised weights count along the first dimension.
  array read(const proto::view& w, const dims& shape, const char* what);
  // As many as there are.
  array list(const proto::view& w, const char* what);

 private:
  static void require_one_form(const proto::view& w, const char* what);
  // Numbers of few bits stand one behind the other, each with its highest bit first.
  static std::vector<float> quantised(const proto::view& w, std::uint64_t n, std::uint64_t channels,
                                      const char* what);

  onnx_format::constant_elements left_;
};

}  // namespace nvdlac::import::coreml_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/coreml/weights.ipp>
#endif
