// SPDX-License-Identifier: Apache-2.0
#pragma once
// The published configurations, from the smallest to the largest.
#include <nvdlac/base/type_list.hpp>
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

// 256 MACs with the small post-processing units, one memory.
struct nv_small_256 {
  static constexpr hw::spec spec{
      .mac_atomic_c = 32,
      .mac_atomic_k = 8,
      .memory_atom = 8,
      .cbuf_banks = 32,
      .cbuf_entry = 32,
      .cbuf_entries_per_bank = 128,
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
static_assert(hw::validated<nv_small_256>);

// 256 MACs with the EW unit, the look-up table and a secondary memory.
struct nv_small_256_full {
  static constexpr hw::spec spec{
      .mac_atomic_c = 32,
      .mac_atomic_k = 8,
      .memory_atom = 8,
      .cbuf_banks = 32,
      .cbuf_entry = 32,
      .cbuf_entries_per_bank = 128,
      .sdp_bs_bn_throughput = 2,
      .sdp_ew_throughput = 1,
      .sdp_lut = true,
      .pdp_throughput = 1,
      .cdp_throughput = 1,
      .dram = {.width_bits = 64, .burst = 4, .latency = 64},
      .sram = {.width_bits = 64, .burst = 4, .latency = 64},
      .address_bits = 32,
      .map = hw::register_map::small,
  };
};
static_assert(hw::validated<nv_small_256_full>);

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

namespace nvdlac::hw {

// The published configurations, from the smallest to the largest.
using published = type_list<nv_small, nv_small_256, nv_small_256_full, nv_medium_512,
                            nv_medium_1024_full, nv_large, nv_full>;

}  // namespace nvdlac::hw
