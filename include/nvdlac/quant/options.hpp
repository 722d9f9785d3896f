// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/net/preprocessing.hpp>

namespace nvdlac::quant {

struct options {
  // Set: the input converter turns pixels into int8 where the network allows it, see as_pixels.
  // Else, or where it does not, the host gives int8 values of the input's scale.
  std::optional<net::preprocessing> pixels{};
  // int16: the table's scales are those of int8 all the same. fp16: there are no scales, the table
  // only tells the range of what is looked up (needs_scales), and the host gives the values of
  // pixels.
  net::layer_precisions precision{};
};

}  // namespace nvdlac::quant
