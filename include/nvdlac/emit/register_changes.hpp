// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/emit/registers.hpp>
#include <nvdlac/hw/registers.hpp>

namespace nvdlac::emit {

namespace detail {

// Passes on the writes that change a register. What is written to a group of a unit's registers
// stays there, also while the unit computes, and most of it is the same in the next layer.
template <class Bus>
class register_changes {
 public:
  explicit constexpr register_changes(Bus& b) : bus_(b) {}

  constexpr void write(std::uint32_t address, std::uint32_t value) {
    if (!changes(address, value)) return;
    if (address % unit_bytes / 4 == pointer && address / unit_bytes < units)
      producers_[address / unit_bytes] = value & 1u;
    bus_.write(address, value);
  }

  // Halves of addresses that count from a base which only run time knows.
  constexpr bool relocates(const dma_address& at) const
    requires requires(Bus& b) { b.relocates(at); }
  {
    return bus_.relocates(at);
  }
  constexpr void address_high(std::uint32_t address, std::uint32_t from_base) {
    if (changes(address, relative | from_base)) bus_.address_high(address, from_base);
  }
  constexpr void address_low(std::uint32_t address, std::uint32_t from_base) {
    if (changes(address, relative | from_base)) bus_.address_low(address, from_base);
  }

  // For the start of a layer: its D_OP_ENABLE are written each time, as the hardware clears them.
  // Polls are of what no write changes.
  class start {
   public:
    explicit constexpr start(register_changes& to) : to_(to) {}
    constexpr void write(std::uint32_t address, std::uint32_t value) {
      if (address % unit_bytes / 4 == pointer) to_.write(address, value);
      else to_.bus_.write(address, value);
    }
    constexpr void poll(std::uint32_t address, std::uint32_t mask, std::uint32_t value)
      requires requires(Bus& b) { b.poll(address, mask, value); }
    {
      to_.bus_.poll(address, mask, value);
    }

   private:
    register_changes& to_;
  };

 private:
  static constexpr std::uint64_t relative = std::uint64_t{1} << 32;

  // Whether the register has another value than this, which it has from now on.
  constexpr bool changes(std::uint32_t address, std::uint64_t value) {
    const auto unit = address / unit_bytes, word = address % unit_bytes / 4;
    if (unit >= units || word >= words) return true;
    const auto group = word == pointer ? 0 : producers_[unit];
    auto& known = known_[(unit * groups_of_a_unit + group) * words + word];
    if (known == value + 1) return false;
    known = value + 1;
    return true;
  }

  static constexpr std::uint32_t unit_bytes = 0x1000, units = 32, words = 64, groups_of_a_unit = 2,
                                 pointer = 1;  // S_POINTER, as a word of the unit

  Bus& bus_;
  // By unit, group and word, the value and 1; 0: nobody knows it. Arrays of 0 cost a compiler that
  // evaluates this nothing, vectors some steps for each element, std::array some for each access.
  std::uint64_t known_[units * groups_of_a_unit * words]{};
  std::uint32_t producers_[units]{};  // by unit: the group that is written
};

}  // namespace detail

}  // namespace nvdlac::emit
