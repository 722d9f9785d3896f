// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <nvdlac/hw/spec.hpp>

namespace nvdlac::sim {

// CFGROM: read-only words from address 0 of the small map that are to describe the configuration,
// one sub-unit behind the other. The first word of a sub-unit holds its number and, from bit 16 on,
// how many bytes follow, which the RTL understates for SDP and the readers. The order, and the
// values that a configuration does not choose, are those of the public RTL, whose ROM has the words
// of nv_small in every configuration (vmod/nvdla/cfgrom/NV_NVDLA_CFGROM_rom.v).
class cfgrom {
 public:
  static constexpr std::uint32_t size = 0x1000;  // bytes of its address space

  explicit constexpr cfgrom(const hw::spec& s) {
    const auto c = s.mac_atomic_c, k = s.mac_atomic_k, atom = s.memory_atom;
    const auto banks = s.cbuf_banks, width = s.cbuf_entry, depth = s.cbuf_entries_per_bank;
    const std::uint32_t batch = s.batch ? 32 : 0;
    constexpr std::uint32_t types = 0x10, packed = 0xcfff001, semi_planar = 3, cdma = 3;
    words({0x10001});  // version
    unit(1, 0, {});    // GLB
    unit(2, 24, {0, 0, s.dram.width_bits / 8, 50, 4u << 5, s.address_bits << 5});  // CIF
    unit(cdma, 52, {0, 0x10, types, types, c, k, atom, banks, width, depth, batch, packed,
                    semi_planar});
    unit(4, 24, {0, 0, banks, width, depth, cdma});  // CBUF
    unit(5, 48, {0, 0x10, types, types, c, k, atom, banks, width, depth, cdma, batch});  // CSC
    for (int cmac = 0; cmac < 2; ++cmac) unit(6, 28, {0, 0x10, types, types, c, k, cdma});
    unit(7, 32, {0, 0, types, types, c, k, cdma, batch});  // CACC
    unit(8, 14, {0, 0, atom, 9});                          // SDP_RDMA
    unit(9, 32, {0, 0x18, types, types, cdma, batch, s.sdp_bs_bn_throughput,
                 s.sdp_bs_bn_throughput, s.sdp_ew_throughput});
    unit(10, 14, {0, 0, atom, 11});                        // PDP_RDMA
    unit(11, 16, {0, 0, types, s.pdp_throughput});
    unit(12, 14, {0, 0, atom, 13});                        // CDP_RDMA
    unit(13, 16, {0, 0, types, s.cdp_throughput});
  }

  // The word at an address; 0 behind the last sub-unit.
  constexpr std::uint32_t word(std::uint32_t address) const {
    return address / 4 < count_ ? words_[address / 4] : 0;
  }

 private:
  constexpr void words(std::initializer_list<std::uint32_t> values) {
    for (const auto v : values) words_[count_++] = v;
  }
  constexpr void unit(std::uint32_t number, std::uint32_t bytes,
                      std::initializer_list<std::uint32_t> values) {
    words({number | bytes << 16});
    words(values);
  }

  std::array<std::uint32_t, 128> words_{};
  std::size_t count_ = 0;
};

}  // namespace nvdlac::sim
