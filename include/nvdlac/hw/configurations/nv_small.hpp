// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/hw/validate.hpp>

namespace nvdlac {

// The smallest: 64 MACs, no look-up table, one memory.
struct nv_small {
  static constexpr hw::spec spec{
      .mac_atomic_c = 8,
      .mac_atomic_k = 8,
      .memory_atom = 8,
      .cbuf_banks = 32,
      .cbuf_entry = 8,
      .cbuf_entries_per_bank = 512,
      .sdp_bs_bn_throughput = 1,
      .sdp_ew_throughput = 0,
      .sdp_lut = false,
      .pdp_throughput = 1,
      .cdp_throughput = 1,
      .dram = {.width_bits = 64, .burst = 1, .latency = 64},
      .address_bits = 32,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_small>);

}  // namespace nvdlac
