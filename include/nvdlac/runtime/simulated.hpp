// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/runtime/fwd.hpp>
#include <nvdlac/sim/device.hpp>

namespace nvdlac::runtime {

// The simulator as a device of a session. It takes no time: what is enabled has ended when the call
// returns.
template <hw::hardware Hw>
class simulated {
 public:
  explicit simulated(const sim::settings& s = {})
      : chip_(std::make_unique<sim::device<Hw>>(s)), space_(Hw::spec.address_bits) {}

  emit::dma_address allocate(std::uint64_t size, bool dram) { return space_.take(size, dram); }
  void load(const emit::dma_address& at, std::span<const std::uint8_t> bytes) {
    chip_->host_write(memory_of(at), at.address, bytes);
  }
  void fetch(const emit::dma_address& at, std::span<std::uint8_t> bytes) {
    chip_->host_read(memory_of(at), at.address, bytes);
  }
  // The bytes for an observer, who is no part of the program.
  void inspect(const emit::dma_address& at, std::span<std::uint8_t> bytes) {
    memory_of(at).read(at.address, bytes);
  }

  // Reads a register, of GLB.S_INTR_STATUS those bits that a program may see before the others;
  // when they are cleared, it has seen them and relies on it.
  std::uint32_t read(std::uint32_t address) {
    const auto value = chip_->read(address);
    return address == status ? chip_->first_of(value) : value;
  }
  void write(std::uint32_t address, std::uint32_t value) {
    chip_->write(address, value);
    if (address == status) chip_->observe(value);
  }
  bool wait(std::chrono::milliseconds) { return chip_->run(); }
  void reset() { chip_->reset(); }

  sim::device<Hw>& chip() { return *chip_; }
  const sim::device<Hw>& chip() const { return *chip_; }

 private:
  static constexpr auto status = hw::address<Hw::spec.map, "GLB.S_INTR_STATUS">;

  sim::memory& memory_of(const emit::dma_address& at) {
    return at.dram ? chip_->dram() : chip_->cvsram();
  }

  std::unique_ptr<sim::device<Hw>> chip_;
  emit::address_space space_;
};

}  // namespace nvdlac::runtime
