// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/keep.hpp>
#include <nvdlac/schedule/tiles.hpp>

namespace nvdlac::schedule {

// The buffers of layers that have no places yet, none of which shares memory.
constexpr std::vector<plan::buffer> apart(const std::vector<plan::buffer>& buffers) {
  std::vector<plan::buffer> result;
  std::uint64_t end = 0;
  for (const auto& b : buffers) {
    result.push_back({.name = {}, .memory = b.memory, .size = b.size, .offset = b.offset});
    if (b.memory == plan::memory::features) result.back().offset = std::exchange(end, end + b.size);
  }
  return result;
}

// Stages of one task, and which of them must be complete before which.
class stage_list {
 public:
  constexpr stage_list(const plan::task& t, const std::vector<plan::buffer>& buffers)
      : operations_(t.operations), stages_(plan::detail::stages(t, buffers)),
        needs_(stages_.size()) {
    // By the buffer, the cubes that stages read, and those that they write.
    std::vector<std::vector<touched>> reads(buffers.size()), writes(buffers.size());
    const auto each_read = [&](std::size_t n, const auto& visit) {
      for (const auto& r : stages_[n].readers)
        for (const auto& cube : r.cubes)
          if (cube.memory() != plan::memory::weights) visit(cube);
    };
    for (std::size_t n = 0; n < size(); ++n) {
      const auto wait = [&](const plan::detail::region& cube, const std::vector<touched>& before) {
        for (const auto& b : before)
          if (b.cube->meets(cube)) needs_[n].push_back(b.stage);
      };
      each_read(n, [&](const auto& cube) { wait(cube, writes[cube.buffer()]); });
      for (const auto& cube : stages_[n].writes)
        wait(cube, writes[cube.buffer()]), wait(cube, reads[cube.buffer()]);
      each_read(n, [&](const auto& cube) { reads[cube.buffer()].push_back({n, &cube}); });
      for (const auto& cube : stages_[n].writes) writes[cube.buffer()].push_back({n, &cube});
    }
  }

  constexpr std::size_t size() const { return stages_.size(); }
  constexpr const std::vector<std::size_t>& needs(std::size_t n) const { return needs_[n]; }
  // With which a stage begins; nullptr: with another layer.
  constexpr const layer::convolution* convolution(std::size_t n) const {
    return std::get_if<layer::convolution>(&operations_[stages_[n].first].layer.what);
  }
  constexpr layer::engine_number starts_on(std::size_t n) const {
    return layer::engine_of(operations_[stages_[n].first].layer.what);
  }
  constexpr bool uses(std::size_t n, layer::engine_number e) const {
    for (auto i = stages_[n].first; i <= stages_[n].last; ++i)
      if (layer::engine_of(operations_[i].layer.what) == e) return true;
    return false;
  }
  constexpr bool share_an_engine(std::size_t a, std::size_t b) const {
    for (auto i = stages_[a].first; i <= stages_[a].last; ++i)
      if (uses(b, layer::engine_of(operations_[i].layer.what))) return true;
    return false;
  }
  // Of the task's operations.
  constexpr std::size_t first(std::size_t n) const { return stages_[n].first; }
  constexpr std::size_t last(std::size_t n) const { return stages_[n].last; }
  // visit(layer) for each layer of a stage.
  constexpr void each_layer(std::size_t n, const auto& visit) const {
    for (auto i = stages_[n].first; i <= stages_[n].last; ++i) visit(operations_[i].layer);
  }

 private:
  struct touched {
    std::size_t stage = 0;
    const plan::detail::region* cube = nullptr;
  };

  const std::vector<plan::operation>& operations_;
  std::vector<plan::detail::stage> stages_;
  std::vector<std::vector<std::size_t>> needs_;
};

// The order of a program's hardware layers. NVDLA's engines work beside each other, but what starts
// them does so in one order: a pooling that could run beside convolutions, and stands behind them,
// waits for them for nothing.

namespace detail {

// The order in which an engine that would be idle takes its next stage as soon as that can run.
template <class Hw>
class early_order {
 public:
  explicit constexpr early_order(const stage_list& stages) : stages_(stages) {}

  constexpr std::vector<std::size_t> run() {
    done_.assign(stages_.size(), none);
    std::vector<std::size_t> order;
    for (std::size_t next = 0; next < stages_.size(); ++next) {
      if (done_[next] != none) continue;
      while (const auto other = beside(next)) take(*other, order);
      take(next, order);
      for (auto n = next + 1; n < std::min(stages_.size(), next + window); ++n)
        if (done_[n] == none && start_of(n) != none && read_alike(next, n)) take(n, order);
    }
    return order;
  }

 private:
  constexpr bool read_alike(std::size_t a, std::size_t b) const {
    const auto *first = stages_.convolution(a), *second = stages_.convolution(b);
    return first != nullptr && second != nullptr && reads_the_same(*first, *second);
  }

  static constexpr std::int64_t none = -1;
  static constexpr std::size_t window = 64;  // stages that one is taken ahead of at most

  // The first stage of another engine that can start no later than `next`, and needs none of its
  // engines.
  constexpr std::optional<std::size_t> beside(std::size_t next) const {
    const auto now = start_of(next);
    std::array<bool, layer::engines> is_passed{};  // a stage of this engine stands before
    for (auto n = next; n < std::min(stages_.size(), next + window); ++n) {
      if (done_[n] != none) continue;
      const auto start = start_of(n);
      if (n != next && !is_passed[layer::index(stages_.starts_on(n))] && start != none &&
          start <= now && !stages_.share_an_engine(n, next))
        return n;
      for (std::size_t e = 0; e < layer::engines; ++e)
        is_passed[e] = is_passed[e] || stages_.uses(n, static_cast<layer::engine_number>(e));
    }
    return std::nullopt;
  }
  // none: what it needs has no place in the order yet.
  constexpr std::int64_t start_of(std::size_t n) const {
    std::int64_t start = 0;
    for (const auto before : stages_.needs(n)) {
      if (done_[before] == none) return none;
      start = std::max(start, done_[before]);
    }
    for (std::size_t e = 0; e < layer::engines; ++e)
      if (stages_.uses(n, static_cast<layer::engine_number>(e))) start = std::max(start, free_[e]);
    return start;
  }
  constexpr void take(std::size_t n, std::vector<std::size_t>& order) {
    plan::task alone;
    stages_.each_layer(n, [&](const layer::layer& l) {
      alone.operations.push_back({.layer = l});
    });
    const auto cycles =
        cost::cycles({std::move(alone)}, Hw::spec, cost::memory_of(Hw::spec)).totals.cycles;
    done_[n] = start_of(n) + static_cast<std::int64_t>(cycles);
    for (std::size_t e = 0; e < layer::engines; ++e)
      if (stages_.uses(n, static_cast<layer::engine_number>(e))) free_[e] = done_[n];
    order.push_back(n);
  }

  const stage_list& stages_;
  std::vector<std::int64_t> done_{};
  std::array<std::int64_t, layer::engines> free_{};
};

// A schedule, and what it takes when it is planned.
struct candidate {
  std::vector<layer::layer> layers;
  std::size_t overlap = 0;              // as in plan::lowered
  std::uint64_t cycles = 0, moved = 0;  // moved: bytes read and written
  std::uint64_t memory = 0;             // bytes of all that is placed, weights included
};
template <class Hw>
constexpr candidate priced(std::vector<layer::layer> layers,
                           const std::vector<plan::buffer>& buffers, std::size_t overlap) {
  candidate c{.layers = {}, .overlap = overlap};
  c.layers.reserve(layers.size());
  plan::program<Hw> p;
  p.buffers = buffers;
  p.tasks = plan::detail::tasks_of(std::move(layers));
  plan::detail::place_buffers(p, overlap);
  for (auto& t : p.tasks)
    if (!t.host) plan::link_operations(t, p.buffers);
  c.memory = p.features_size;
  for (const auto& b : buffers)
    if (b.memory != plan::memory::features) c.memory += b.size;
  const auto totals = cost::cycles<Hw>(p).totals;
  c.cycles = totals.cycles, c.moved = totals.read + totals.written;
  for (auto& t : p.tasks)
    for (auto& o : t.operations) c.layers.push_back(std::move(o.layer));
  return c;
}

// Whether it takes at most a quarter more memory than the first.
constexpr bool fits(const candidate& c, const std::vector<candidate>& all) {
  return c.memory <= all[0].memory + all[0].memory / 4;
}

// Of those that fit, and take at most a 200th more cycles than the fewest, the one that takes fewest
// where bytes count as well: as the time that they take on a bus of `width` bytes a cycle.
constexpr const candidate& best_of(const std::vector<candidate>& all, std::uint64_t width) {
  auto fewest = all[0].cycles;
  for (const auto& c : all)
    if (fits(c, all)) fewest = std::min(fewest, c.cycles);
  const candidate* best = nullptr;
  for (const auto& c : all)
    if (fits(c, all) && c.cycles <= fewest + fewest / 200 &&
        (best == nullptr || c.cycles * width + c.moved < best->cycles * width + best->moved))
      best = &c;
  return *best;
}

}  // namespace detail

// The cycles that layers take when they are planned, as predicted.
template <hw::hardware Hw>
constexpr std::uint64_t cycles_of(const plan::lowered& l) {
  return detail::priced<Hw>(l.layers, apart(l.buffers), l.overlap).cycles;
}

// Puts layers of other engines beside the convolutions that they do not depend on, and convolutions
// that read the same behind each other, cuts dependent ones in tiles of rows, and keeps in the CBUF
// what neighbours share: each where it pays.
struct order {
  static constexpr std::string_view name = "order";
  static constexpr std::string_view description =
      "put hardware layers and tiles of rows beside each other, and keep in the CBUF what neighbours "
      "share";

  template <hw::hardware Hw>
  static constexpr void run(plan::lowered& l) {
    const auto buffers = apart(l.buffers);
    std::vector<detail::candidate> all{detail::priced<Hw>(l.layers, buffers, 0)};
    const auto consider = [&](std::vector<layer::layer> layers, bool is_new) {
      if (!in_tasks(layers, keep<Hw>) && !is_new) return;
      all.push_back(detail::priced<Hw>(std::move(layers), buffers, 1));
      if (!detail::fits(all.back(), all))
        all.back() = detail::priced<Hw>(std::move(all.back().layers), buffers, 0);
    };
    const auto consider_early = [&](std::vector<layer::layer> layers, bool is_new) {
      consider(layers, is_new);
      if (in_tasks(layers, [&](auto& task) { return make_early<Hw>(task, buffers); }))
        consider(std::move(layers), true);
    };
    consider_early(l.layers, false);
    auto tiles = l.layers;
    if (in_tasks(tiles, [&](auto& task) { return tile<Hw>(task, buffers); }))
      consider_early(std::move(tiles), true);
    const auto& best = detail::best_of(all, cost::memory_of(Hw::spec).width);
    l.layers = best.layers;
    if (best.overlap == 0) return;
    const auto dense = detail::priced<Hw>(best.layers, buffers, 0).cycles;
    if (dense > best.cycles + best.cycles / 1000) l.overlap = best.overlap;
  }

 private:
  // change(layers) of each hardware task. Whether it changed any.
  static constexpr bool in_tasks(std::vector<layer::layer>& layers, const auto& change) {
    std::vector<layer::layer> result;
    bool found = false;
    result.reserve(layers.size());
    for (auto& t : plan::detail::tasks_of(std::move(layers))) {
      std::vector<layer::layer> own;
      own.reserve(t.operations.size());
      for (auto& o : t.operations) own.push_back(std::move(o.layer));
      if (!t.host) found = change(own) || found;
      std::ranges::move(own, std::back_inserter(result));
    }
    layers = std::move(result);
    return found;
  }
  template <class Hw>
  static constexpr bool make_early(std::vector<layer::layer>& task,
                                   const std::vector<plan::buffer>& buffers) {
    plan::task t;
    t.operations.reserve(task.size());
    for (auto& l : task) t.operations.push_back({.layer = std::move(l)});
    const stage_list stages(t, buffers);
    const auto places = detail::early_order<Hw>(stages).run();
    task.clear();
    for (const auto n : places)
      for (auto i = stages.first(n); i <= stages.last(n); ++i)
        task.push_back(std::move(t.operations[i].layer));
    return !std::ranges::is_sorted(places);
  }
};

}  // namespace nvdlac::schedule
