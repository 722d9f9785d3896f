// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <variant>
#include <vector>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::runtime {

// Convolutions of a task that have certainly left CACC when an operation is enabled, whatever the
// latencies: on the simulated device each is done at once, so that the order in which it plays a
// task proves nothing of others. What an operation waits for by events and register groups tells
// it, as a number of convolutions in their order.
class delivered {
 public:
  explicit delivered(const loaded_task& t)
      : task_(&t), programmed_(t.layers.size(), 0), enabled_(t.layers.size(), 0),
        completed_(t.layers.size(), 0), place_(t.layers.size(), 0) {}

  // The next operation of its engine takes a register group, which that before the last had.
  void program(std::size_t engine, std::size_t op);
  void complete(std::size_t engine, std::size_t op);
  void notify(std::size_t from, plan::event event, std::size_t to);

  // Before an operation is enabled.
  void check(const hw::spec& hw, std::size_t op) const;

 private:
  static void learn(std::size_t& known, std::size_t more) { known = std::max(known, more); }
  bool is_convolution(std::size_t op) const {
    return std::holds_alternative<layer::convolution>(task_->layers[op].what);
  }

  const loaded_task* task_;
  // By operation: convolutions that have left when it is programmed, enabled, completed.
  std::vector<std::size_t> programmed_, enabled_, completed_;
  std::vector<std::size_t> place_;  // among those of its engine
  std::array<std::vector<std::size_t>, plan::engines> chains_{};
};

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/delivered.ipp>
#endif
