// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <variant>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/delivery.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/delivery.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/runtime/delivered.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::runtime {

NVDLAC_IMPL void delivered::program(std::size_t engine, std::size_t op) {
  auto& chain = chains_[engine];
  if (!chain.empty()) programmed_[op] = programmed_[chain.back()];
  if (chain.size() > 1)
    programmed_[op] = std::max(programmed_[op], completed_[chain[chain.size() - 2]]);
  place_[op] = chain.size();
  chain.push_back(op);
  learn(enabled_[op], programmed_[op]);
}

NVDLAC_IMPL void delivered::complete(std::size_t engine, std::size_t op) {
  const auto place = place_[op];
  completed_[op] = is_convolution(op) ? place + 1 : enabled_[op];
  if (place > 0) learn(completed_[op], completed_[chains_[engine][place - 1]]);
  for (auto from = task_->dependencies[op].fused_parent.index; from >= 0;) {
    const auto parent = static_cast<std::size_t>(from);
    learn(completed_[op], is_convolution(parent) ? place_[parent] + 1 : enabled_[parent]);
    from = task_->dependencies[parent].fused_parent.index;
  }
}

NVDLAC_IMPL void delivered::notify(std::size_t from, plan::event event, std::size_t to) {
  learn(enabled_[to], event == plan::event::completed    ? completed_[from]
                      : event == plan::event::programmed ? programmed_[from]
                                                         : enabled_[from]);
}

NVDLAC_IMPL void delivered::check(const hw::spec& hw, std::size_t op) const {
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

}  // namespace nvdlac::runtime
