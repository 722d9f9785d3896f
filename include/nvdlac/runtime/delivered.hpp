// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/delivery.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/delivery.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::runtime {

// Which convolutions of a task have certainly left CACC when an operation is enabled, whatever the
// latencies: on the simulated device each is done at once, so that the order in which it plays a
// task proves nothing of others. What an operation waits for by events and register groups tells
// it, as a number of convolutions in their order.
class delivered {
 public:
  explicit delivered(const loaded_task& t)
      : task_(&t), programmed_(t.layers.size(), 0), enabled_(t.layers.size(), 0),
        completed_(t.layers.size(), 0), place_(t.layers.size(), 0) {}

  // The next operation of its engine takes a register group, which that before the last had.
  void program(std::size_t engine, std::size_t op) {
    auto& chain = chains_[engine];
    if (!chain.empty()) programmed_[op] = programmed_[chain.back()];
    if (chain.size() > 1)
      programmed_[op] = std::max(programmed_[op], completed_[chain[chain.size() - 2]]);
    place_[op] = chain.size();
    chain.push_back(op);
    learn(enabled_[op], programmed_[op]);
  }
  void complete(std::size_t engine, std::size_t op) {
    const auto place = place_[op];
    completed_[op] = is_convolution(op) ? place + 1 : enabled_[op];
    if (place > 0) learn(completed_[op], completed_[chains_[engine][place - 1]]);
    for (auto from = task_->dependencies[op].fused_parent.index; from >= 0;) {
      const auto parent = static_cast<std::size_t>(from);
      learn(completed_[op], is_convolution(parent) ? place_[parent] + 1 : enabled_[parent]);
      from = task_->dependencies[parent].fused_parent.index;
    }
  }
  void notify(std::size_t from, plan::event event, std::size_t to) {
    learn(enabled_[to], event == plan::event::completed    ? completed_[from]
                        : event == plan::event::programmed ? programmed_[from]
                                                           : enabled_[from]);
  }

  // Before an operation is enabled.
  void check(const hw::spec& hw, std::size_t op) const {
    const auto& l = task_->layers[op];
    const auto* c = std::get_if<layer::convolution>(&l.what);
    if (c == nullptr || enabled_[op] >= place_[op] || !layer::confuses_delivery(*c, hw)) return;
    throw error(problem{
        .layer = l.name,
        .reason = text("CACC.D_OP_ENABLE: a convolution of ", layer::delivered_atoms(*c, hw),
                       " atoms, fewer than the ", hw::delivery_buffer(hw), " of CACC's delivery "
                       "buffer, need not wait for CACC's done of the one before, which may mix "
                       "up their ends and hang"),
        .remedy = "compile the network again: today's loadables wait"});
  }

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
