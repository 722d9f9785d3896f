// SPDX-License-Identifier: Apache-2.0
#pragma once
// The cycles of a program before it runs: a timeline of its hardware layers. How near it comes to
// NVIDIA's RTL: docs/performance.md.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/cost/host.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/cost/stripes.hpp>
#include <nvdlac/cost/timeline.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/traffic.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::cost {

// The totals of a whole program.
struct totals {
  std::uint64_t cycles = 0;               // of the hardware; what the host computes is not counted
  std::uint64_t read = 0, written = 0;    // bytes
  std::uint64_t mac_cycles = 0;           // with data for the MACs
  limit limited_by = limit::none;         // by what most of the layers' own cycles are limited

  // The cycles in which the MACs work.
  constexpr double utilisation() const {
    return cycles == 0 ? 0 : static_cast<double>(mac_cycles) / static_cast<double>(cycles);
  }
  constexpr double runs_per_second(double megahertz) const {
    return cycles == 0 ? 0 : megahertz * 1e6 / static_cast<double>(cycles);
  }
  constexpr bool operator==(const totals&) const = default;
};

// Whether the model was compared with the RTL of this configuration; the cycles of others follow
// from their parameters.
constexpr bool was_measured(const hw::spec& s) {
  return []<class... Hw>(type_list<Hw...>, const hw::spec& given) {
    return ((given == Hw::spec) || ...);
  }(hw::published{}, s);
}

// The layers in the order of the program's tasks and operations.
struct estimate {
  std::vector<layer_cycles> layers{};
  cost::totals totals{};
};

namespace detail {

// Tells each layer when its own time begins.
constexpr void tell_turns(std::vector<layer_cycles>& layers) {
  std::vector<layer_cycles*> by_end;  // which is nearly the order of the program
  for (auto& l : layers) {
    auto at = by_end.end();
    while (at != by_end.begin() && (*(at - 1))->done > l.done) --at;
    by_end.insert(at, &l);
  }
  std::uint64_t before = 0;
  for (auto* l : by_end) l->turn = std::exchange(before, l->done);
}

}  // namespace detail

// The cycles of a program's tasks on a configuration with a memory and a host, who does these steps
// where they are known (emit/host_steps.hpp).
template <class Layer>
constexpr estimate cycles(const std::vector<plan::basic_task<Layer>>& tasks, const hw::spec& s,
                          const memory& m, const host& h = {},
                          std::span<const host_step> steps = {}) {
  std::optional<filling::rule> rule;
  if (m.weights_ahead == kernels_ahead::as_there_is_time) rule.emplace();
  estimate e{.layers = detail::timeline(s, m, h, rule, steps).run(tasks)};
  detail::tell_turns(e.layers);
  std::uint64_t by[limits] = {};
  std::array<layer::traffic, 2> by_memory{};
  for (const auto& l : e.layers) {
    e.totals.cycles = std::max(e.totals.cycles, l.done);
    e.totals.read += l.moved.read();
    e.totals.written += l.moved.written;
    e.totals.mac_cycles += l.mac_cycles;
    by[static_cast<std::size_t>(l.limited_by)] += l.own();
    add(by_memory, l.moved);
  }
  // Layers beside each other may read more of one of two memories than it gives meanwhile.
  if (m.cvsram.bytes != 0) e.totals.cycles = std::max(e.totals.cycles, moving(s, m, by_memory));
  by[static_cast<std::size_t>(limit::none)] = 0;
  e.totals.limited_by = static_cast<limit>(std::max_element(by, by + limits) - by);
  return e;
}
template <hw::hardware Hw>
constexpr estimate cycles(const plan::program<Hw>& p, const memory& m = memory_of(Hw::spec),
                          const host& h = {}) {
  return cycles(p.tasks, Hw::spec, m, h);
}

}  // namespace nvdlac::cost
