// SPDX-License-Identifier: Apache-2.0
#pragma once
// A hardware task cut into tasks that the firmware runs one after the other, so that between them a
// program sees what single layers have written.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::runtime {

// An operation of a task, or several that hand their results on without memory, as a task of its
// own: its lists of descriptors, of which the first is the network's.
struct task_step {
  struct list {
    std::size_t index = 0;  // in the task's list of addresses
    std::vector<std::uint8_t> bytes{};
  };
  std::vector<std::size_t> operations{};  // their numbers in the task
  std::array<list, 4> lists{};
};

// So many bytes of the device's memory.
using memory_reader =
    std::function<std::vector<std::uint8_t>(const emit::dma_address&, std::size_t)>;

// The steps in an order in which each follows all that it depends on; where there is none, or
// events do not match their counts, that is an `error`.
std::vector<task_step> steps_of(const loaded_task& task, const memory_reader& read);

// Runs the hardware tasks of a program by steps. The descriptors of these have memory of their own,
// so that those of the program stay as they are.
class stepper {
 public:
  stepper(const loaded_program& program, const allocator& allocate, const memory_reader& read);

  // Writes each step to memory by `load`, runs it by `submit`, and then calls `ended` with the
  // numbers of its operations. An `error` of one without a layer names its layers.
  void run(std::size_t task, const std::function<void(const memory_content&)>& load,
           const std::function<void(std::span<const emit::dma_address>)>& submit,
           const std::function<void(std::size_t)>& ended) const;

 private:
  const loaded_program& program_;
  std::vector<std::vector<task_step>> steps_{};  // by task
  std::array<emit::dma_address, 4> places_{};          // of the lists
};

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/task_steps.ipp>
#endif
