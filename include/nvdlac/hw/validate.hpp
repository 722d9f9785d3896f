// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::hw {
namespace detail {

constexpr bool power_of_two(std::uint32_t n, std::uint32_t from, std::uint32_t to) {
  return std::has_single_bit(n) && from <= n && n <= to;
}

constexpr const char* validate_mac(const spec& s) {
  if (!s.data_types.int8) return "nvdlac: every MAC computes int8, so data_types must have int8";
  if (!power_of_two(s.memory_atom, 8, 32)) return "nvdlac: memory_atom must be 8, 16 or 32 bytes";
  if (!power_of_two(s.mac_atomic_c, 8, 64))
    return "nvdlac: mac_atomic_c must be a power of two from 8 to 64 channels";
  if (!power_of_two(s.mac_atomic_k, 8, 32))
    return "nvdlac: mac_atomic_k must be a power of two from 8 to 32 kernels";
  if (s.mac_atomic_c < s.memory_atom)
    return "nvdlac: mac_atomic_c must take at least the channels of one memory_atom";
  if (s.mac_atomic_c / s.memory_atom > 4)
    return "nvdlac: mac_atomic_c must take at most 4 memory atoms at once";
  if (s.mac_atomic_k % s.memory_atom != 0)
    return "nvdlac: mac_atomic_k must be a multiple of memory_atom: a kernel group fills surfaces";
  return nullptr;
}

// One bank holds data and another one weights. Rows of the buffer are read whole by a MAC cell, so
// an entry holds mac_atomic_c bytes of int8, or as many of the two-byte types.
constexpr const char* validate_cbuf(const spec& s) {
  const auto banks = find_field(s.map, "CDMA.D_BANK.DATA_BANK")->max() + 1;
  if (s.cbuf_banks < 2)
    return "nvdlac: cbuf_banks must be at least 2, one for data and one for weights";
  if (s.cbuf_banks > banks) {
    if (s.map == register_map::full)
      return "nvdlac: cbuf_banks must be at most 16, the range of CDMA.D_BANK in the full map";
    return "nvdlac: cbuf_banks must be at most 32, the range of CDMA.D_BANK in the small map";
  }
  if (!std::has_single_bit(s.cbuf_entry)) return "nvdlac: cbuf_entry must be a power of two";
  if (s.cbuf_entry % s.memory_atom != 0)
    return "nvdlac: cbuf_entry must be a multiple of memory_atom";
  if (s.cbuf_entry != s.mac_atomic_c && !(s.cbuf_entry == 2 * s.mac_atomic_c && s.data_types.int16))
    return "nvdlac: cbuf_entry must be mac_atomic_c bytes, or twice that with int16 or fp16";
  if (!power_of_two(s.cbuf_entries_per_bank, 16, 4096))
    return "nvdlac: cbuf_entries_per_bank must be a power of two from 16 to 4096";
  // A kernel group of 1x1 kernels must fit one bank.
  if (s.cbuf_bank().n < std::uint64_t{s.mac_atomic_c} * s.mac_atomic_k)
    return "nvdlac: a CBUF bank must hold mac_atomic_c x mac_atomic_k bytes";
  return nullptr;
}

constexpr const char* validate_post(const spec& s) {
  if (!power_of_two(s.sdp_bs_bn_throughput, 1, 16))
    return "nvdlac: sdp_bs_bn_throughput must be a power of two from 1 to 16";
  if (s.has_ew() && !power_of_two(s.sdp_ew_throughput, 1, 16))
    return "nvdlac: sdp_ew_throughput must be 0 (no EW unit) or a power of two from 1 to 16";
  if (s.sdp_ew_throughput > s.sdp_bs_bn_throughput)
    return "nvdlac: sdp_ew_throughput must not exceed sdp_bs_bn_throughput";
  if (s.sdp_lut && !s.has_ew())
    return "nvdlac: sdp_lut needs the EW unit, so sdp_ew_throughput must not be 0";
  if (s.has_pdp() && !power_of_two(s.pdp_throughput, 1, 8))
    return "nvdlac: pdp_throughput must be 0 (no PDP) or a power of two from 1 to 8";
  if (s.has_cdp() && !power_of_two(s.cdp_throughput, 1, 8))
    return "nvdlac: cdp_throughput must be 0 (no CDP) or a power of two from 1 to 8";
  return nullptr;
}

constexpr const char* validate_memory(const spec& s) {
  for (const auto& m : {s.dram, s.sram}) {
    if (m.width_bits == 0) continue;
    if (!power_of_two(m.width_bits, 64, 512))
      return "nvdlac: a memory interface must be 64, 128, 256 or 512 bits wide";
    if (!power_of_two(m.burst, 1, 4))
      return "nvdlac: the burst of a memory must be 1, 2 or 4 words";
    if (m.latency == 0 || m.latency > 65535)
      return "nvdlac: the latency of a memory must be 1 to 65535 cycles";
    if (m.width_bits % (8 * s.memory_atom) != 0)
      return "nvdlac: the width of a memory must be a multiple of memory_atom";
  }
  if (s.dram.width_bits == 0) return "nvdlac: every configuration needs the memory interface dram";
  if (!s.has_sram() && (s.sram.burst != 0 || s.sram.latency != 0))
    return "nvdlac: sram without a width must not have a burst or a latency";
  if (s.address_bits != 32 && s.address_bits != 64)
    return "nvdlac: address_bits must be 32 or 64";
  return nullptr;
}

// int16 and fp16 were published with the full map only; its address fields drop 5 bits.
constexpr const char* validate_map(const spec& s) {
  const bool full = s.map == register_map::full;
  if (!full && (s.data_types.int16 || s.data_types.fp16))
    return "nvdlac: int16 and fp16 exist in the full register map only";
  if (s.data_types.int16 != s.data_types.fp16)
    return "nvdlac: int16 and fp16 share one data path, so a configuration has both or neither";
  if (full && s.memory_atom != 32)
    return "nvdlac: the full register map drops 5 address bits, so memory_atom must be 32";
  if (full && s.address_bits != 64) return "nvdlac: the full register map needs 64 address_bits";
  if (s.bdma && !s.has_sram())
    return "nvdlac: bdma copies between dram and sram, so it needs an sram interface";
  if (s.rubik && s.memory_atom != 32)
    return "nvdlac: rubik moves atoms of 32 bytes, so memory_atom must be 32";
  if (s.weight_compression && s.cbuf_banks < 3)
    return "nvdlac: weight_compression needs a third CBUF bank for the masks of the weights";
  return nullptr;
}

}  // namespace detail

// The sentence that names the first rule that the configuration breaks, or null.
// The rules are those of NVDLA's spec files, where every published value obeys them.
constexpr const char* broken_rule(const spec& s) {
  for (const auto rules : {detail::validate_mac, detail::validate_cbuf, detail::validate_post,
                           detail::validate_memory, detail::validate_map})
    if (const char* sentence = rules(s)) return sentence;
  return nullptr;
}

// Throws an error with that sentence.
constexpr void validate(const spec& s) {
  if (const char* const rule = broken_rule(s)) throw error(std::string(rule));
}

// The configuration's type, as it stands in the compile error beside the sentence.
template <class Hardware>
struct illegal {};

template <hardware Hw>
struct validation {
  consteval operator bool() const {
    const char* const rule = broken_rule(Hw::spec);
    return rule == nullptr || refuse<illegal<Hw>>(rule);
  }
};

// static_assert(hw::validated<mine>): the configuration is legal, or does not compile. `runs_on`,
// programs, sessions, targets and NVDLAC_PRODUCT ask it.
template <hardware Hw>
inline constexpr validation<Hw> validated{};

}  // namespace nvdlac::hw
