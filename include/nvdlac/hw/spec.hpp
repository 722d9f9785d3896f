// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>

#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/units.hpp>

namespace nvdlac::hw {

enum class precision : std::uint8_t { int8, int16, fp16 };  // the codes of the registers
enum class register_map : std::uint8_t { small, full };     // full: v1, of nv_full only

constexpr std::uint32_t element_bytes(precision p) { return p == precision::int8 ? 1 : 2; }
constexpr const char* name_of(precision p) {
  return p == precision::int8 ? "int8" : p == precision::int16 ? "int16" : "fp16";
}
// The number 1 as a 16-bit operand: an integer, or the bits of fp16.
constexpr std::int16_t one(precision p) { return p == precision::fp16 ? 0x3c00 : 1; }

// A set of precisions: {.int8 = true} is what every configuration but nv_full has.
struct precisions {
  bool int8 = true, int16 = false, fp16 = false;
  static constexpr void fields(auto&& field) {
    field("int8", &precisions::int8);
    field("int16", &precisions::int16);
    field("fp16", &precisions::fp16);
  }

  constexpr bool has(precision p) const {
    return p == precision::int8 ? int8 : p == precision::int16 ? int16 : fp16;
  }
  constexpr bool operator==(const precisions&) const = default;
};

// A memory interface; width_bits 0: the configuration does not have it.
struct memory_interface {
  std::uint32_t width_bits = 0;
  std::uint32_t burst = 0;    // in memory words
  std::uint32_t latency = 0;  // cycles
  static constexpr void fields(auto&& field) {
    field("width_bits", &memory_interface::width_bits);
    field("burst", &memory_interface::burst);
    field("latency", &memory_interface::latency);
  }
  constexpr bool operator==(const memory_interface&) const = default;
};

// The numbers that an SoC team chooses when it configures NVDLA. Names follow the hardware's
// own spec files.
struct spec {
  precisions data_types{};
  std::uint32_t mac_atomic_c = 8;            // channels a MAC cell takes at once
  std::uint32_t mac_atomic_k = 8;            // kernels computed at once (int8): the kernel group
  std::uint32_t memory_atom = 8;             // bytes
  std::uint32_t cbuf_banks = 32;
  std::uint32_t cbuf_entry = 8;              // bytes
  std::uint32_t cbuf_entries_per_bank = 512;
  std::uint32_t sdp_bs_bn_throughput = 1;
  std::uint32_t sdp_ew_throughput = 0;       // 0: no EW (Y) unit
  bool sdp_lut = false;
  std::uint32_t pdp_throughput = 1;          // 0: no PDP
  std::uint32_t cdp_throughput = 1;          // 0: no CDP
  bool weight_compression = false;
  bool winograd = false;
  bool batch = false;
  bool bdma = false;
  bool rubik = false;
  memory_interface dram{64, 1, 64};
  memory_interface sram{};                   // secondary memory (CVSRAM)
  std::uint32_t address_bits = 32;
  register_map map = register_map::small;
  static constexpr void fields(auto&& field) {
    field("data_types", &spec::data_types);
    field("mac_atomic_c", &spec::mac_atomic_c);
    field("mac_atomic_k", &spec::mac_atomic_k);
    field("memory_atom", &spec::memory_atom);
    field("cbuf_banks", &spec::cbuf_banks);
    field("cbuf_entry", &spec::cbuf_entry);
    field("cbuf_entries_per_bank", &spec::cbuf_entries_per_bank);
    field("sdp_bs_bn_throughput", &spec::sdp_bs_bn_throughput);
    field("sdp_ew_throughput", &spec::sdp_ew_throughput);
    field("sdp_lut", &spec::sdp_lut);
    field("pdp_throughput", &spec::pdp_throughput);
    field("cdp_throughput", &spec::cdp_throughput);
    field("weight_compression", &spec::weight_compression);
    field("winograd", &spec::winograd);
    field("batch", &spec::batch);
    field("bdma", &spec::bdma);
    field("rubik", &spec::rubik);
    field("dram", &spec::dram);
    field("sram", &spec::sram);
    field("address_bits", &spec::address_bits);
    field("map", &spec::map);
  }

  constexpr bool operator==(const spec&) const = default;

  constexpr bytes atom() const { return {memory_atom}; }
  constexpr bytes cbuf_bank() const { return {std::uint64_t{cbuf_entry} * cbuf_entries_per_bank}; }
  constexpr bytes cbuf() const { return cbuf_bank() * cbuf_banks; }
  constexpr bool has_pdp() const { return pdp_throughput != 0; }
  constexpr bool has_cdp() const { return cdp_throughput != 0; }
  constexpr bool has_ew() const { return sdp_ew_throughput != 0; }
  constexpr bool has_sram() const { return sram.width_bits != 0; }
  // Kernels of one group: int16 and fp16 use two MAC cells for one kernel.
  constexpr std::uint32_t kernel_group(precision p = precision::int8) const {
    return p == precision::int8 ? mac_atomic_k : mac_atomic_k / 2;
  }
};

// A configuration: a named struct with one value `static constexpr hw::spec spec`.
template <class T>
concept hardware = requires {
  { T::spec } -> std::convertible_to<const spec&>;
};

// The name of a configuration: its member `name`, or else that of its type.
template <class Hw>
constexpr std::string_view name() {
  if constexpr (requires { Hw::name; }) return Hw::name;
  else return type_name<Hw>();
}

}  // namespace nvdlac::hw
