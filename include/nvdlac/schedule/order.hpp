// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/keep.hpp>

namespace nvdlac::schedule {

// The buffers of layers that have no places yet, none of which shares memory.
constexpr std::vector<plan::buffer> apart(const std::vector<plan::buffer>& buffers) {
  std::vector<plan::buffer> result;
  std::uint64_t end = 0;
  for (const auto& b : buffers) {
    result.push_back({.name = {}, .memory = b.memory, .size = b.size, .offset = b.offset,
                      .unit = b.unit});
    if (b.memory == plan::memory::features) result.back().offset = std::exchange(end, end + b.size);
  }
  return result;
}

// Stages of one task, and which of them must be complete before which.
class stage_list {
 public:
  constexpr stage_list(const plan::task_view& t, const std::vector<plan::buffer>& buffers)
      : operations_(t.operations), stages_(t, buffers), groups_of_(stages_.size()),
        engines_(stages_.size()), reads_at_(stages_.size()) {
    // By the buffer, the cubes that stages read, and those that they write.
    std::vector<accesses> reads(buffers.size()), writes(buffers.size());
    const auto each_read = [&](std::size_t n, const auto& visit) {
      for (auto i = first(n); i <= last(n); ++i)
        for (const auto& cube : stages_.reads(i))
          if (cube.memory() != plan::memory::weights) visit(cube);
    };
    for (std::size_t n = 0; n < size(); ++n) {
      for (auto i = first(n); i <= last(n); ++i) engines_[n] |= bit(engine_at(i));
      if (const auto* c = convolution(n)) reads_at_[n] = c->input.at;
      each_read(n, [&](const auto& cube) { wait(n, cube, writes[cube.buffer()]); });
      for (const auto& cube : stages_.writes(stages_[n])) {
        wait(n, cube, writes[cube.buffer()]);
        wait(n, cube, reads[cube.buffer()]);
      }
      each_read(n, [&](const auto& cube) { reads[cube.buffer()].cubes.add(n, cube); });
      for (const auto& cube : stages_.writes(stages_[n])) writes[cube.buffer()].cubes.add(n, cube);
    }
  }

  constexpr std::size_t size() const { return stages_.size(); }
  // Stages of which others need all: many need the same ones.
  constexpr const std::vector<std::vector<std::size_t>>& groups() const { return groups_; }
  // The groups that a stage needs.
  constexpr const std::vector<std::size_t>& needs(std::size_t n) const { return groups_of_[n]; }
  // With which a stage begins; nullptr: with another layer.
  constexpr const layer::convolution* convolution(std::size_t n) const {
    return std::get_if<layer::convolution>(&operations_[first(n)].layer.what);
  }
  // Where the input is of the convolution with which a stage begins.
  constexpr const layer::location& reads_at(std::size_t n) const { return reads_at_[n]; }
  constexpr layer::engine_number starts_on(std::size_t n) const { return engine_at(first(n)); }
  // A bit for each engine.
  static constexpr std::uint8_t bit(layer::engine_number e) {
    return static_cast<std::uint8_t>(1u << layer::index(e));
  }
  constexpr std::uint8_t engines(std::size_t n) const { return engines_[n]; }
  constexpr bool uses(std::size_t n, std::size_t engine) const {
    return (engines_[n] >> engine & 1u) != 0;
  }
  // The places of a stage's first and last operation among the task's.
  constexpr std::size_t first(std::size_t n) const { return stages_[n].first; }
  constexpr std::size_t last(std::size_t n) const { return stages_[n].last; }
  // A stage as a task of its own.
  constexpr plan::task_view alone(std::size_t n) const {
    plan::task_view t;
    t.operations.reserve(last(n) + 1 - first(n));
    for (auto i = first(n); i <= last(n); ++i)
      t.operations.push_back({.layer = operations_[i].layer});
    return t;
  }

 private:
  // Cubes of one buffer, and which group of them those cubes met that were compared last.
  struct accesses {
    struct answer {
      const plan::detail::region* cube = nullptr;
      std::size_t among = 0;  // of how many cubes
      std::size_t group = 0;
    };
    static constexpr std::size_t most_answers = 16;

    plan::detail::cube_list cubes{};
    std::vector<answer> answers{};
    std::size_t next = 0;  // of the answers, which is the oldest
  };
  static constexpr std::size_t no_group = ~std::size_t{0};

  constexpr layer::engine_number engine_at(std::size_t operation) const {
    return layer::engine_of(operations_[operation].layer.what);
  }
  // The stage needs those whose cubes the cube meets.
  constexpr void wait(std::size_t n, const plan::detail::region& cube, accesses& before) {
    if (before.cubes.size() == 0) return;
    for (const auto& a : before.answers)
      if (a.among == before.cubes.size() && *a.cube == cube) return need(n, a.group);
    std::vector<std::size_t> met;
    before.cubes.each_that_meets(cube, 0, [&](std::size_t stage) {
      met.push_back(stage);
      return true;
    });
    const auto group = met.empty() ? no_group : groups_.size();
    if (!met.empty()) groups_.push_back(std::move(met));
    const accesses::answer now{&cube, before.cubes.size(), group};
    if (before.answers.size() < accesses::most_answers) before.answers.push_back(now);
    else before.answers[before.next++ % accesses::most_answers] = now;
    need(n, group);
  }
  constexpr void need(std::size_t n, std::size_t group) {
    if (group != no_group) groups_of_[n].push_back(group);
  }

  const std::vector<plan::basic_operation<const layer::layer&>>& operations_;
  plan::detail::stages_of_task stages_;
  std::vector<std::vector<std::size_t>> groups_{};
  std::vector<std::vector<std::size_t>> groups_of_;
  std::vector<std::uint8_t> engines_;
  std::vector<layer::location> reads_at_;
};

// The order of a program's hardware layers. NVDLA's engines work beside each other, but what starts
// them does so in one order: a pooling that could run beside convolutions, and stands behind them,
// waits for them for nothing.

namespace detail {

// The order in which an engine that would be idle takes its next stage as soon as that can run.
class early_order {
 public:
  constexpr early_order(const hw::spec& hw, const stage_list& stages)
      : hw_(hw), stages_(stages), groups_(stages.groups().size()), in_groups_(stages.size()) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      groups_[g].waits_for = stages.groups()[g].size();
      for (const auto n : stages.groups()[g]) in_groups_[n].push_back(g);
    }
  }

  constexpr std::vector<std::size_t> run() {
    done_.assign(stages_.size(), none);
    std::vector<std::size_t> order;
    for (std::size_t next = 0; next < stages_.size(); ++next) {
      if (done_[next] != none) continue;
      while (const auto other = beside(next)) take(*other, order);
      take(next, order);
      for (auto n = next + 1; n < std::min(stages_.size(), next + window); ++n)
        if (done_[n] == none && read_alike(next, n) && start_of(n) != none) take(n, order);
    }
    return order;
  }

 private:
  constexpr bool read_alike(std::size_t a, std::size_t b) const {
    if (stages_.reads_at(a) != stages_.reads_at(b)) return false;
    const auto *first = stages_.convolution(a), *second = stages_.convolution(b);
    return first != nullptr && second != nullptr && reads_the_same(*first, *second);
  }

  static constexpr std::int64_t none = -1;
  static constexpr std::size_t window = 64;  // stages that one is taken ahead of at most

  // The first stage of another engine that can start no later than `next`, and needs none of its
  // engines.
  constexpr std::optional<std::size_t> beside(std::size_t next) const {
    const auto now = start_of(next);
    std::uint8_t passed = 0;  // engines of the stages before
    for (auto n = next; n < std::min(stages_.size(), next + window); ++n) {
      if (done_[n] != none) continue;
      if ((passed & stage_list::bit(stages_.starts_on(n))) == 0 &&
          (stages_.engines(n) & stages_.engines(next)) == 0) {
        const auto start = start_of(n);
        if (start != none && start <= now) return n;
      }
      passed |= stages_.engines(n);
    }
    return std::nullopt;
  }
  // none: what it needs has no place in the order yet.
  constexpr std::int64_t start_of(std::size_t n) const {
    std::int64_t start = 0;
    for (const auto g : stages_.needs(n)) {
      if (groups_[g].waits_for != 0) return none;
      start = std::max(start, groups_[g].done);
    }
    for (std::size_t e = 0; e < layer::engines; ++e)
      if (stages_.uses(n, e)) start = std::max(start, free_[e]);
    return start;
  }
  constexpr void take(std::size_t n, std::vector<std::size_t>& order) {
    const std::vector<plan::task_view> alone(1, stages_.alone(n));
    const auto cycles = cost::cycles(alone, hw_, cost::memory_of(hw_)).totals.cycles;
    done_[n] = start_of(n) + static_cast<std::int64_t>(cycles);
    for (std::size_t e = 0; e < layer::engines; ++e)
      if (stages_.uses(n, e)) free_[e] = done_[n];
    for (const auto g : in_groups_[n]) {
      --groups_[g].waits_for;
      groups_[g].done = std::max(groups_[g].done, done_[n]);
    }
    order.push_back(n);
  }

  // The progress of a group of stages.
  struct progress {
    std::size_t waits_for = 0;  // those that have no place in the order yet
    std::int64_t done = 0;      // when the others are complete
  };

  hw::spec hw_;
  const stage_list& stages_;
  std::vector<progress> groups_;
  std::vector<std::vector<std::size_t>> in_groups_;  // by the stage
  std::vector<std::int64_t> done_{};
  std::array<std::int64_t, layer::engines> free_{};
};

// The order in which of stages that need nothing of each other, and stand behind each other, those
// are first whose results are needed first: passes of the same columns or rows of all channels. The
// stages that need them load then while the others are computed.
std::vector<std::size_t> order_of_need(const stage_list& stages);

// The stages of a task in the order of their ranks, but none before what it needs.
std::vector<std::size_t> by_rank(const stage_list& stages, std::span<const std::size_t> ranks);

}  // namespace detail

}  // namespace nvdlac::schedule

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/schedule/order.ipp>
#endif
