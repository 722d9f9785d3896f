// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/hw/validate.hpp>

namespace nvdlac {

// 2048 MACs, int8 only (branch master of the public hardware).
struct nv_large {
  static constexpr hw::spec spec{
      .mac_atomic_c = 64,
      .mac_atomic_k = 32,
      .memory_atom = 32,
      .cbuf_banks = 16,
      .cbuf_entry = 64,
      .cbuf_entries_per_bank = 512,
      .sdp_bs_bn_throughput = 16,
      .sdp_ew_throughput = 4,
      .sdp_lut = true,
      .pdp_throughput = 8,
      .cdp_throughput = 8,
      .dram = {.width_bits = 256, .burst = 1, .latency = 1024},
      .sram = {.width_bits = 256, .burst = 1, .latency = 1024},
      .address_bits = 64,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_large>);

}  // namespace nvdlac
