// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/hw/configurations/nv_small.hpp>

// nv_small with half the convolution buffer, a look-up table and a wider bus.
struct my_soc {
  static constexpr nvdlac::hw::spec spec = [] {
    auto s = nvdlac::nv_small::spec;
    s.cbuf_banks = 16;
    s.sdp_ew_throughput = 1;
    s.sdp_lut = true;
    s.dram = {.width_bits = 128, .burst = 4, .latency = 100};
    return s;
  }();
};
static_assert(nvdlac::hw::validated<my_soc>);
