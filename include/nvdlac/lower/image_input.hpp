// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include <nvdlac/base/version.hpp>

namespace nvdlac::lower {

// Inputs of values that CDMA reads as an image: a feature cube of up to 4 channels has atoms
// that are half empty or more, and a step of the MACs for each tap, where an image has one for
// neighbouring taps together.
struct image_input {
  static constexpr std::string_view name = "image_input";
  static constexpr std::string_view description =
      "inputs of up to 4 channels are read as images, where the predicted cycles are fewer";
};

}  // namespace nvdlac::lower
