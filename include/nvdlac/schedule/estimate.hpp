// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/cost/timeline.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/choices.hpp>

namespace nvdlac::schedule {

// The hardware tasks and those of the host, of layers that stay where they are.
constexpr std::vector<plan::task_view> views_of(std::span<const layer::layer> layers) {
  return plan::detail::tasks_with<const layer::layer&>(
      plan::detail::task_ranges(layers),
      [&](std::size_t n) -> const layer::layer& { return layers[n]; });
}

// The price of layers whose buffers are apart, with the `overlap` of plan::lowered, and the times
// of each layer.
struct estimate {
  schedule::price price{};
  std::vector<cost::layer_cycles> layers{};
};
constexpr estimate estimated(const hw::spec& hw, std::span<const layer::layer> layers,
                             std::vector<plan::buffer> buffers, std::size_t overlap,
                             const cost::memory& memory) {
  estimate e;
  auto tasks = views_of(layers);
  const auto placed = plan::detail::place_buffers(buffers, tasks, overlap);
  e.price.memory = placed.features.peak;
  e.price.cvsram = placed.cvsram.size;
  for (auto& t : tasks)
    if (!t.host) plan::link_operations(t, buffers, hw);
  for (const auto& b : buffers)
    if (b.memory != plan::memory::features && !b.cvsram) e.price.memory += b.size;
  auto all = cost::cycles(tasks, hw, memory);
  e.price.cycles = all.totals.cycles;
  e.price.moved = all.totals.read + all.totals.written;
  e.layers = std::move(all.layers);
  return e;
}

}  // namespace nvdlac::schedule
