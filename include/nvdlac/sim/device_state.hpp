// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/glb.hpp>
#include <nvdlac/sim/memories.hpp>
#include <nvdlac/sim/register_file.hpp>
#include <nvdlac/sim/unit_groups.hpp>

namespace nvdlac::sim {

// What the engines of one device share: memories, registers, interrupts.
template <hw::hardware Hw>
struct device_state {
  static constexpr auto map = Hw::spec.map;
  using view = group_view<map>;

  explicit device_state(const sim::limits& l) : memories(l) {}

  unit_groups& groups(unit u) { return groups_[static_cast<std::size_t>(u)]; }
  const unit_groups& groups(unit u) const { return groups_[static_cast<std::size_t>(u)]; }

  // The registers of the group that `u` executes next.
  view active(unit u) const { return {registers, groups(u).consumer}; }

  // Raises the interrupt of `group`; `Group0` is the status field of group 0.
  template <fixed_string Group0>
  void done(int group) {
    interrupts.raise(hw::field_of<map, Group0>.mask() << group);
  }

  // As after power-on; memories keep their contents.
  void reset() {
    registers = {};
    groups_ = {};
    interrupts = {};
  }

  sim::memories<Hw> memories;
  register_file<map> registers;
  glb interrupts{};

 private:
  std::array<unit_groups, unit_names.size()> groups_{};
};

}  // namespace nvdlac::sim
