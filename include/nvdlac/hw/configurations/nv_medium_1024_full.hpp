// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/hw/validate.hpp>

namespace nvdlac {

// 1024 MACs with the EW unit, the look-up table and a secondary memory.
struct nv_medium_1024_full {
  static constexpr hw::spec spec{
      .mac_atomic_c = 32,
      .mac_atomic_k = 32,
      .memory_atom = 32,
      .cbuf_banks = 32,
      .cbuf_entry = 32,
      .cbuf_entries_per_bank = 512,
      .sdp_bs_bn_throughput = 8,
      .sdp_ew_throughput = 2,
      .sdp_lut = true,
      .pdp_throughput = 4,
      .cdp_throughput = 4,
      .dram = {.width_bits = 256, .burst = 4, .latency = 1024},
      .sram = {.width_bits = 256, .burst = 4, .latency = 1024},
      .address_bits = 64,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_medium_1024_full>);

}  // namespace nvdlac
