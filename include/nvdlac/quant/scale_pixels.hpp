// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include <nvdlac/base/version.hpp>

namespace nvdlac::quant {

// Preprocessing that is a part of the network, (x - mean) / deviation of each channel of a picture:
// where the input becomes pixels, the input converter subtracts the mean as it does that of
// preprocessing outside, and the factors are in the weights.
struct scale_pixels {
  static constexpr std::string_view name = "scale_pixels";
  static constexpr std::string_view description =
      "the input converter computes the first scaling of an input of pixels";
};

// A scaling of channels that filters alone read, such as the normalisation of features: the factors
// go into the weights, what it adds into the biases.
struct scale_filters {
  static constexpr std::string_view name = "scale_filters";
  static constexpr std::string_view description =
      "filters take up the scaling of what they read, where less is lost so than in a layer";
};

}  // namespace nvdlac::quant
