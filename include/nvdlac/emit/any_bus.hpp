// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>

#include <nvdlac/emit/registers.hpp>

namespace nvdlac::emit {

// A bus of whatever kind, which must outlive it: what writes registers while a program runs is
// compiled for this one alone, and not for each of the session's buses. A bus without `poll` waits
// for nothing.
class any_bus {
 public:
  template <bus Bus>
    requires(!std::same_as<Bus, any_bus> && !std::is_const_v<Bus>)
  explicit any_bus(Bus& of)
      : bus_(std::addressof(of)),
        write_([](void* b, std::uint32_t address, std::uint32_t value) {
          static_cast<Bus*>(b)->write(address, value);
        }),
        poll_([](void* b, std::uint32_t address, std::uint32_t mask, std::uint32_t value) {
          if constexpr (requires(Bus& on) { on.poll(address, mask, value); })
            static_cast<Bus*>(b)->poll(address, mask, value);
        }) {}

  void write(std::uint32_t address, std::uint32_t value) const { write_(bus_, address, value); }
  void poll(std::uint32_t address, std::uint32_t mask, std::uint32_t value) const {
    poll_(bus_, address, mask, value);
  }

 private:
  void* bus_;
  void (*write_)(void*, std::uint32_t, std::uint32_t);
  void (*poll_)(void*, std::uint32_t, std::uint32_t, std::uint32_t);
};

}  // namespace nvdlac::emit
