// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include <nvdlac/sim/layer_record.hpp>
#include <nvdlac/sim/lut_access.hpp>
#include <nvdlac/sim/memory.hpp>
#include <nvdlac/sim/register_file.hpp>
#include <nvdlac/sim/unit_groups.hpp>

namespace nvdlac::sim {

// What the engines of one device share: memories, registers, interrupts.
template <hw::hardware Hw>
struct device_state {
  static constexpr auto map = Hw::spec.map;
  using view = group_view<map>;

  explicit device_state(const sim::settings& s) : memories(s) {}

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

  // The group that each unit executes next.
  std::array<int, unit_names.size()> turns() const {
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
  }

  sim::memories<Hw> memories;
  register_file<map> registers;
  glb interrupts{};
  layer_record layer{};
  std::function<void(const layer_record&)> on_layer;

 private:
  std::array<unit_groups, unit_names.size()> groups_{};
  lut_access sdp_lut_{}, cdp_lut_{};
};

}  // namespace nvdlac::sim
