// SPDX-License-Identifier: Apache-2.0
#pragma once
// The lookup tables of SDP and CDP.
#include <nvdlac/arithmetic/lut.hpp>

namespace nvdlac::layer {

using arithmetic::lut_domain;
using arithmetic::lut_settings;
using arithmetic::lut_slope;
using arithmetic::lut_tables;

// The tables and settings that software writes before layers that look up.
struct lut {
  lut_settings settings{};
  lut_tables tables{};
  constexpr bool operator==(const lut&) const = default;
};

}  // namespace nvdlac::layer
