// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include <nvdlac/hw/register_types.hpp>

namespace nvdlac::sim {

// The units that have two register groups, and which of the groups is whose turn.
enum class unit : std::uint8_t {
  cdma, csc, cmac_a, cmac_b, cacc, sdp_rdma, sdp, pdp_rdma, pdp, cdp_rdma, cdp, rubik
};

inline constexpr std::array<std::string_view, 12> unit_names{
    "CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC", "SDP_RDMA", "SDP",
    "PDP_RDMA", "PDP", "CDP_RDMA", "CDP", "RBK"};

constexpr std::string_view name(unit u) { return unit_names[static_cast<std::size_t>(u)]; }

constexpr std::optional<unit> find_unit(std::string_view name) {
  for (std::size_t i = 0; i < unit_names.size(); ++i)
    if (unit_names[i] == name) return unit(i);
  return std::nullopt;
}

// Software writes the group `producer`; the unit executes the group `consumer`.
struct unit_groups {
  int producer = 0, consumer = 0;
  std::array<bool, 2> enabled{};

  constexpr bool ready() const { return enabled[static_cast<std::size_t>(consumer)]; }

  // Takes the enabled group: idle again, the other group is next. Returns the group.
  constexpr int take() {
    const int group = consumer;
    enabled[static_cast<std::size_t>(group)] = false;
    consumer ^= 1;
    return group;
  }

  // S_STATUS: 0 idle, 1 running, 2 pending, for both groups. A unit that waits for the units
  // beside it is running.
  constexpr std::uint32_t status() const {
    const auto of = [&](int group) -> std::uint32_t {
      if (!enabled[static_cast<std::size_t>(group)]) return 0;
      return group == consumer ? 1 : 2;
    };
    return of(0) | of(1) << 16;
  }
  constexpr std::uint32_t pointer() const {
    return static_cast<std::uint32_t>(producer | consumer << 16);
  }
};

// GLB's interrupt registers. A done bit is set whether or not it is masked; the mask acts on the
// line.
struct glb {
  std::uint32_t status = 0, mask = 0;

  static constexpr std::uint32_t bits = 0x003f03ff;

  constexpr void raise(std::uint32_t which) { status |= which & bits; }
  constexpr void clear(std::uint32_t which) { status &= ~which; }  // write 1 to clear
  constexpr bool line() const { return (status & ~mask) != 0; }
};

}  // namespace nvdlac::sim
