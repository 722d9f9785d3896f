// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/hw/configurations/nv_full.hpp>

// nv_full with half the convolution buffer, and without what the compiler does not use.
struct my_wide_soc {
  static constexpr nvdlac::hw::spec spec = [] {
    auto s = nvdlac::nv_full::spec;
    s.cbuf_banks = 8;
    s.weight_compression = s.winograd = s.batch = false;
    return s;
  }();
};
static_assert(nvdlac::hw::validated<my_wide_soc>);
