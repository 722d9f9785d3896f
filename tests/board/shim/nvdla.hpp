// SPDX-License-Identifier: Apache-2.0
#pragma once
// The NVDLA of a simulated board: a simulator whose configuration the environment chooses.
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include <nvdlac/sim/device.hpp>
#include <nvdlac/sim/footprint.hpp>

namespace nvdlac::board {

class nvdla {
 public:
  virtual ~nvdla() = default;
  virtual std::uint32_t read(std::uint32_t address) = 0;
  virtual void write(std::uint32_t address, std::uint32_t value) = 0;
  virtual std::uint32_t interrupts() = 0;  // bits that are set and not masked
  virtual sim::memory& memory(bool dram) = 0;
  // Calls f behind each hardware layer, with what it wrote to DRAM.
  virtual void on_layer(std::function<void(const sim::footprint&)> f) = 0;
  // Whether writing to this register starts a unit, and whether it is that of the interrupts.
  virtual bool starts(std::uint32_t address) const = 0;
  virtual bool is_status(std::uint32_t address) const = 0;
};

template <hw::hardware Hw>
class nvdla_of final : public nvdla {
 public:
  std::uint32_t read(std::uint32_t address) override { return chip_.read(address); }
  void write(std::uint32_t address, std::uint32_t value) override { chip_.write(address, value); }
  std::uint32_t interrupts() override {
    return chip_.read(hw::address<Hw::spec.map, "GLB.S_INTR_STATUS">) &
           ~chip_.read(hw::address<Hw::spec.map, "GLB.S_INTR_MASK">);
  }
  sim::memory& memory(bool dram) override { return dram ? chip_.dram() : chip_.cvsram(); }
  void on_layer(std::function<void(const sim::footprint&)> f) override {
    chip_.dram().record(true);
    chip_.on_layer([this, f = std::move(f)](const sim::layer_record&) {
      chip_.dram().take_reads();
      f(chip_.dram().take_writes());
    });
  }
  bool starts(std::uint32_t address) const override {
    const auto* const r = hw::find(Hw::spec.map, address);
    return r != nullptr && r->name == "D_OP_ENABLE";
  }
  bool is_status(std::uint32_t address) const override {
    return address == hw::address<Hw::spec.map, "GLB.S_INTR_STATUS">;
  }

 private:
  // Only what the board has is memory.
  static sim::settings settings() {
    sim::settings s;
    s.memory = 0;
    return s;
  }
  sim::device<Hw> chip_{settings()};
};

std::unique_ptr<nvdla> make_nv_small();
std::unique_ptr<nvdla> make_nv_large();

}  // namespace nvdlac::board
