// SPDX-License-Identifier: Apache-2.0
#pragma once
// The words behind the register bus: one for each register, two for those of the double-buffered
// groups (D_...).
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <nvdlac/hw/register_types.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/units.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

template <hw::register_map Map>
class register_file {
 public:
  register_file() {
    for (auto& group : words_) group.resize(size);
    for (const auto& r : hw::registers(Map))
      for (auto& group : words_) group[r.address / 4] = r.reset();
  }

  static const hw::reg& at(std::uint32_t address) {
    const auto* r = hw::find(Map, address);
    require(r != nullptr, "register bus", "no register at the address 0x", std::hex, address);
    return *r;
  }

  std::uint32_t word(int group, std::uint32_t address) const {
    return words_[static_cast<std::size_t>(group)][address / 4];
  }
  void set(int group, std::uint32_t address, std::uint32_t value) {
    words_[static_cast<std::size_t>(group)][address / 4] = value;
  }

 private:
  static constexpr std::size_t size = hw::registers(Map).back().address / 4 + 1;
  std::array<std::vector<std::uint32_t>, 2> words_;
};

// The fields of one group: `u<"CDMA.D_BANK.DATA_BANK">()`.
template <hw::register_map Map>
class group_view {
 public:
  group_view(const register_file<Map>& registers, int group)
      : registers_(&registers), group_(group) {}

  template <fixed_string Path>
  std::uint32_t u() const {
    return hw::field_of<Map, Path>.extract(word(hw::located<Map, Path>));
  }
  template <fixed_string Path>
  std::int32_t i() const {
    return hw::field_of<Map, Path>.extract_signed(word(hw::located<Map, Path>));
  }
  template <fixed_string Path>
  bool on() const {
    return u<Path>() != 0;
  }
  // Sizes are stored minus one.
  template <fixed_string Path>
  std::uint32_t count() const {
    return u<Path>() + 1;
  }
  template <fixed_string Path>
  std::uint32_t bytes() const {
    return hw::field_of<Map, Path>.extract_bytes(word(hw::located<Map, Path>));
  }
  template <fixed_string High, fixed_string Low>
  std::uint64_t address() const {
    return std::uint64_t{u<High>()} << 32 | bytes<Low>();
  }

 private:
  std::uint32_t word(const hw::located_field& f) const {
    return registers_->word(group_, f.in->address);
  }

  const register_file<Map>* registers_;
  int group_;
};

// The units that have two register groups, and which of the groups is whose turn.
enum class unit : std::uint8_t {
  cdma, csc, cmac_a, cmac_b, cacc, sdp_rdma, sdp, pdp_rdma, pdp, cdp_rdma, cdp, rubik
};

inline constexpr auto& unit_names = hw::ping_pong_units;

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
