// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/sim/in_flight.hpp>
#include <nvdlac/sim/lut.hpp>
#include <nvdlac/sim/memory.hpp>
#include <nvdlac/sim/register_file.hpp>

namespace nvdlac::sim {

// A unit, or nothing where the configuration does not have it: what no product has is not
// instantiated for it.
struct no_unit {};
template <bool Exists, class Unit>
using if_exists = std::conditional_t<Exists, Unit, no_unit>;

// Who reads and writes memory, as the memory interfaces of the hardware name them.
enum class client : std::uint8_t {
  cdma_dat, cdma_wt, sdp_rdma, brdma, nrdma, erdma, sdp, pdp_rdma, pdp, cdp_rdma, cdp, rubik, bdma
};

inline constexpr std::array<std::string_view, 13> client_names{
    "CDMA_DAT", "CDMA_WT", "SDP_RDMA", "BRDMA", "NRDMA", "ERDMA", "SDP",
    "PDP_RDMA", "PDP", "CDP_RDMA", "CDP", "RBK", "BDMA"};

// Bytes of one client: element 0 of DRAM, element 1 of CVSRAM.
struct traffic {
  std::array<std::uint64_t, 2> read{}, written{};
};

// The cube that enters or leaves a layer.
struct cube_size {
  std::uint32_t width = 0, height = 0, channels = 0, batches = 1;
  hw::precision precision = hw::precision::int8;
};

struct layer_record {
  std::string units{};  // "CONV SDP PDP"
  cube_size in{}, out{};
  std::array<traffic, client_names.size()> clients{};
  std::uint64_t macs = 0;         // multiply-accumulates of a direct convolution of this size
  std::uint64_t saturations = 0;  // values that a unit clipped, as its status registers count them
  std::uint64_t nan_inputs = 0, nan_outputs = 0;

  traffic& of(client c) { return clients[static_cast<std::size_t>(c)]; }
  const traffic& of(client c) const { return clients[static_cast<std::size_t>(c)]; }

  traffic total() const {
    traffic t;
    for (const auto& c : clients)
      for (std::size_t i = 0; i < 2; ++i) {
        t.read[i] += c.read[i];
        t.written[i] += c.written[i];
      }
    return t;
  }
};

// The state that the engines of one device share: memories, registers, interrupts.
template <hw::hardware Hw>
struct device_state {
  static constexpr auto map = Hw::spec.map;
  using view = group_view<map>;

  explicit device_state(const sim::settings& s) : memories(s) { watch_layers(); }

  unit_groups& groups(unit u) { return groups_[static_cast<std::size_t>(u)]; }
  const unit_groups& groups(unit u) const { return groups_[static_cast<std::size_t>(u)]; }

  // The registers of the group that `u` executes next.
  view active(unit u) const { return {registers, groups(u).consumer}; }

  // The lookup tables of SDP or CDP; their other settings are registers of group 0.
  lut_access& lut(unit u) { return u == unit::cdp ? cdp_lut_ : sdp_lut_; }

  // Raises the interrupt of `group`; `Group0` is the status field of group 0.
  template <fixed_string Group0>
  void done(int group) {
    interrupts.raise(hw::field_of<map, Group0>.mask() << group);
  }

  // The group that each unit executes next: its CONSUMER, as the registers call it.
  std::array<int, unit_names.size()> consumers() const {
    std::array<int, unit_names.size()> t{};
    for (std::size_t i = 0; i < t.size(); ++i) t[i] = groups_[i].consumer;
    return t;
  }

  // For pipelines that account for their layers themselves (layer_account.hpp does it for the
  // others): begin `layer` anew, count the bytes that are moved, end it.
  void count_read(client c, const memory* ram, std::uint64_t bytes) {
    layer.of(c).read[ram == &memories.cvsram] += bytes;
  }
  void count_write(client c, const memory* ram, std::uint64_t bytes) {
    layer.of(c).written[ram == &memories.cvsram] += bytes;
  }
  void end_layer() {
    if (on_layer) on_layer(layer);
  }

  // As after power-on; memories keep their contents.
  void reset() {
    registers = {};
    groups_ = {};
    interrupts = {};
    sdp_lut_ = cdp_lut_ = {};
    watch_layers();
  }

  sim::memories<Hw> memories;
  register_file<map> registers;
  glb interrupts{};
  std::optional<in_flight> flight{};  // where the program shall be right with any timing
  layer_record layer{};
  std::function<void(const layer_record&)> on_layer;

 private:
  void watch_layers() {
    if (memories.any_timing()) flight.emplace(in_flight::done_bits_of<map>());
  }

  std::array<unit_groups, unit_names.size()> groups_{};
  lut_access sdp_lut_{}, cdp_lut_{};
};

}  // namespace nvdlac::sim
