// SPDX-License-Identifier: Apache-2.0
#pragma once
// What layers take when they are planned, as predicted.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::schedule {

// What a schedule takes when it is planned.
struct price {
  std::uint64_t cycles = 0, moved = 0;  // moved: bytes read and written
  std::uint64_t memory = 0;             // bytes of all that is placed, weights included

  // Whether it takes at most a quarter more memory than another one.
  constexpr bool fits(const price& first) const {
    return memory <= first.memory + first.memory / 4;
  }
  constexpr bool operator==(const price&) const = default;
};

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
                             std::vector<plan::buffer> buffers, std::size_t overlap) {
  estimate e;
  auto tasks = views_of(layers);
  e.price.memory = plan::detail::place_buffers(buffers, tasks, overlap).peak;
  for (auto& t : tasks)
    if (!t.host) plan::link_operations(t, buffers);
  for (const auto& b : buffers)
    if (b.memory != plan::memory::features) e.price.memory += b.size;
  auto all = cost::cycles(tasks, hw, cost::memory_of(hw));
  e.price.cycles = all.totals.cycles, e.price.moved = all.totals.read + all.totals.written;
  e.layers = std::move(all.layers);
  return e;
}

}  // namespace nvdlac::schedule
