// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/hw/validate.hpp>

namespace nvdlac {

// 512 MACs, no look-up table, one memory.
struct nv_medium_512 {
  static constexpr hw::spec spec{
      .mac_atomic_c = 32,
      .mac_atomic_k = 16,
      .memory_atom = 16,
      .cbuf_banks = 32,
      .cbuf_entry = 32,
      .cbuf_entries_per_bank = 512,
      .sdp_bs_bn_throughput = 4,
      .sdp_ew_throughput = 0,
      .sdp_lut = false,
      .pdp_throughput = 2,
      .cdp_throughput = 2,
      .dram = {.width_bits = 128, .burst = 4, .latency = 256},
      .address_bits = 64,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_medium_512>);

}  // namespace nvdlac
