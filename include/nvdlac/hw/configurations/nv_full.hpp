// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/hw/validate.hpp>

namespace nvdlac {

// 2048 int8 or 1024 int16/fp16 MACs and every unit (the first public version). Its CBUF
// has entries of 128 bytes for the compiler and the C-model: two rows of 64 in the RTL.
struct nv_full {
  static constexpr hw::spec spec{
      .data_types = {.int8 = true, .int16 = true, .fp16 = true},
      .mac_atomic_c = 64,
      .mac_atomic_k = 32,
      .memory_atom = 32,
      .cbuf_banks = 16,
      .cbuf_entry = 128,
      .cbuf_entries_per_bank = 256,
      .sdp_bs_bn_throughput = 16,
      .sdp_ew_throughput = 4,
      .sdp_lut = true,
      .pdp_throughput = 8,
      .cdp_throughput = 8,
      .weight_compression = true,
      .winograd = true,
      .batch = true,
      .bdma = true,
      .rubik = true,
      .dram = {.width_bits = 512, .burst = 1, .latency = 1200},
      .sram = {.width_bits = 512, .burst = 4, .latency = 128},
      .address_bits = 64,
      .map = hw::register_map::full,
  };
};
static_assert(hw::validated<nv_full>);

}  // namespace nvdlac
