// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include <nvdlac/base/version.hpp>

namespace nvdlac::quant {

// The average excess of the sums of int8 layers over float's is measured with calibration samples
// (quant/drift.hpp), layer by layer, and taken off their biases.
struct correct_biases {
  static constexpr std::string_view name = "correct_biases";
  static constexpr std::string_view description =
      "biases in int8 take back what sums exceed float's by on average";
};

}  // namespace nvdlac::quant
