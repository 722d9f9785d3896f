// SPDX-License-Identifier: Apache-2.0
#pragma once
// An estimate of the area of a configuration and of the energy of a run, from a table.
#include <cstdint>
#include <string>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::cost {

// The area of a configuration is the sum of what it has, the energy of a run of what it does.
struct silicon {
  std::string source{};  // where the numbers are from
  // Square millimetres.
  double area = 0;  // of what all have
  double area_of_mac = 0, area_of_cbuf_kib = 0, area_of_bus_bit = 0;
  double area_of_sdp_lane = 0, area_of_pdp_lane = 0, area_of_cdp_lane = 0;  // an element a cycle
  // Picojoules.
  double energy_of_cycle = 0;
  double energy_of_mac = 0;   // of a MAC in a cycle in which it has data
  double energy_of_byte = 0;  // read from memory or written

  static constexpr void fields(auto&& field) {
    field("area", &silicon::area);
    field("area_of_mac", &silicon::area_of_mac);
    field("area_of_cbuf_kib", &silicon::area_of_cbuf_kib);
    field("area_of_bus_bit", &silicon::area_of_bus_bit);
    field("area_of_sdp_lane", &silicon::area_of_sdp_lane);
    field("area_of_pdp_lane", &silicon::area_of_pdp_lane);
    field("area_of_cdp_lane", &silicon::area_of_cdp_lane);
    field("energy_of_cycle", &silicon::energy_of_cycle);
    field("energy_of_mac", &silicon::energy_of_mac);
    field("energy_of_byte", &silicon::energy_of_byte);
  }
};

// NVIDIA's primer has estimates for seven configurations of 32 to 2,048 MACs at 16 nm and 1 GHz:
// area, average power and frames a second of ResNet-50 (3.86 billion MACs). These numbers are the
// least squares of them, within 10 % of each area and 20 % of each energy. Bytes of DRAM, which
// that power has not, are Horowitz's 640 pJ for 32 bits.
inline silicon published_silicon() {
  return {.source = "nvdla.org/primer.html (16 nm, 1 GHz; estimated synthesis area with memories, "
                    "average power of ResNet-50), fitted; DRAM: M. Horowitz, Computing's energy "
                    "problem, ISSCC 2014 (45 nm)",
          .area = 0.240, .area_of_mac = 0.00108, .area_of_cbuf_kib = 0.00188,
          .energy_of_cycle = 14.1, .energy_of_mac = 0.213, .energy_of_byte = 160};
}

inline double square_millimetres(const hw::spec& s, const silicon& of) {
  return of.area + of.area_of_mac * s.mac_atomic_c * s.mac_atomic_k +
         of.area_of_cbuf_kib * static_cast<double>(s.cbuf().n) / 1024 +
         of.area_of_bus_bit * (s.dram.width_bits + s.sram.width_bits) +
         of.area_of_sdp_lane * (s.sdp_bs_bn_throughput + s.sdp_ew_throughput) +
         of.area_of_pdp_lane * s.pdp_throughput + of.area_of_cdp_lane * s.cdp_throughput;
}

inline double picojoules(const totals& run, const hw::spec& s, const silicon& of) {
  return of.energy_of_cycle * static_cast<double>(run.cycles) +
         of.energy_of_mac * static_cast<double>(run.mac_cycles) * s.mac_atomic_c * s.mac_atomic_k +
         of.energy_of_byte * static_cast<double>(run.read + run.written);
}

}  // namespace nvdlac::cost
