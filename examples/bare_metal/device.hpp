// SPDX-License-Identifier: Apache-2.0
#pragma once
// The functions of a board as a device with the members of nvdlac's runtime::register_device, but
// freestanding, so that the same board serves a firmware and, where there is a C++ library, a
// session: runtime::session<nv_small, board_device<emit::dma_address>>.
#include <cstdint>
#include <span>

#include "board.hpp"

// An address as NVDLA sees it, in DRAM or in CVSRAM.
struct memory_place {
  std::uint64_t address = 0;
  bool dram = true;
};

template <class Place = memory_place>
class board_device {
 public:
  // Pages of the board's memory, one behind the other. It has no CVSRAM: who asks for that gets
  // DRAM, so that its loadables are compiled without --cvsram.
  Place allocate(std::uint64_t size, bool) {
    const auto at = memory_base() + used_;
    used_ += (size + page - 1) / page * page;
    return {at, true};
  }
  void load(const Place& at, std::span<const std::uint8_t> from) {
    memory_write(at.address, from.data(), from.size());
  }
  void fetch(const Place& at, std::span<std::uint8_t> to) {
    memory_read(at.address, to.data(), to.size());
  }

  std::uint32_t read(std::uint32_t address) { return nvdla_read(address); }
  void write(std::uint32_t address, std::uint32_t value) { nvdla_write(address, value); }
  // Until the interrupt has come, or the board's own limit has passed.
  bool wait(auto) { return nvdla_wait(interrupt_status, ~std::uint32_t{0}) != 0; }
  void reset() { nvdla_reset(); }

  static constexpr std::uint32_t interrupt_status = 0x100c;  // GLB.S_INTR_STATUS

 private:
  static constexpr std::uint64_t page = 4096;

  std::uint64_t used_ = 0;
};
