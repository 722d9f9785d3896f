// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <memory>

#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/scheduler.hpp>
#include <nvdlac/runtime/simulated.hpp>

namespace nvdlac::shim {

// An NVDLA with the firmware's scheduler before it.
class chip {
 public:
  virtual ~chip() = default;
  virtual sim::memory& dram() = 0;
  // Calls `ended` with the number of each operation when it has ended.
  virtual void run(const runtime::loaded_task& task,
                   const std::function<void(std::size_t)>& ended) = 0;
};

template <hw::hardware Hw>
class chip_of final : public chip {
 public:
  chip_of() { emit::initialize<Hw>(device_); }

  sim::memory& dram() override { return device_.chip().dram(); }
  void run(const runtime::loaded_task& task,
           const std::function<void(std::size_t)>& ended) override {
    scheduler_.on_operation(ended);
    scheduler_.run(task);
  }

 private:
  runtime::simulated<Hw> device_;
  runtime::scheduler<Hw> scheduler_{runtime::register_port(device_)};
};

std::unique_ptr<chip> make_nv_small();
std::unique_ptr<chip> make_nv_large();

}  // namespace nvdlac::shim
