// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/bytes.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/task_steps.hpp>

namespace nvdlac::runtime {

namespace detail {

class task_cutter {
 public:
  task_cutter(const loaded_task& task, const memory_reader& read)
      : task_(task),
        network_(emit::read_record<emit::firmware::network>(
            read(task.places.at(0), emit::byte_size<emit::firmware::network>()), 0,
            emit::byte_size<emit::firmware::network>())),
        operations_(list_of(network_.operation_desc, emit::firmware::operation_bytes, read)),
        surfaces_(list_of(network_.surface_desc, emit::firmware::surface_bytes, read)) {
    join_fused();
  }

  // Orders steps: of those that wait for none left, the one with the first operation is the next.
  std::vector<task_step> steps() const {
    const auto n = task_.layers.size();
    std::vector<std::size_t> waits(n);  // of each step, by its first operation
    for_each_link([&](std::size_t, std::size_t to) { ++waits[first_[to]]; });
    std::vector<task_step> result;
    std::vector<bool> done(n);
    for (std::size_t left = n; left > 0;) {
      std::size_t next = 0;
      while (next < n && (first_[next] != next || done[next] || waits[next] != 0)) ++next;
      if (next == n)
        throw error(text(left, " operations of a task wait for each other"));
      done[next] = true;
      result.push_back(step_from(next));
      left -= result.back().operations.size();
      for_each_link([&](std::size_t from, std::size_t to) {
        if (first_[from] == next) --waits[first_[to]];
      });
    }
    return result;
  }

 private:
  std::vector<std::uint8_t> list_of(std::int16_t index, std::size_t bytes,
                                    const memory_reader& read) const {
    return read(task_.places.at(static_cast<std::size_t>(index)), task_.layers.size() * bytes);
  }

  // Joins fused operations, which end at once: each gets the first one of its step.
  void join_fused() {
    first_.resize(task_.layers.size());
    std::iota(first_.begin(), first_.end(), std::size_t{0});
    for (std::size_t i = 0; i < first_.size(); ++i) {
      const auto parent = task_.dependencies[i].fused_parent.index;
      if (parent < 0) continue;
      const auto own = first_[i], other = first_[static_cast<std::size_t>(parent)];
      std::ranges::replace(first_, std::max(own, other), std::min(own, other));
    }
  }

  // Calls f(from, to) for each event that an operation of one step gives to one of another.
  template <class F>
  void for_each_link(F f) const {
    for (std::size_t from = 0; from < first_.size(); ++from)
      for (const auto& c : task_.dependencies[from].consumers) {
        const auto to = static_cast<std::size_t>(std::max<std::int16_t>(c.index, 0));
        if (c.index >= 0 && first_[to] != first_[from]) f(from, to);
      }
  }

  task_step step_from(std::size_t first) const {
    task_step s;
    for (std::size_t i = first; i < first_.size(); ++i)
      if (first_[i] == first) s.operations.push_back(i);
    std::vector<std::uint8_t> graph, operations, surfaces, network;
    auto header = network_;
    header.op_head.fill(-1);
    header.num_operations = static_cast<std::uint16_t>(s.operations.size());
    for (std::size_t number = 0; number < s.operations.size(); ++number) {
      const auto op = s.operations[number];
      emit::write_record(graph, links_of(op, number, s.operations),
                         emit::byte_size<emit::firmware::common>());
      append(operations, operations_, op, emit::firmware::operation_bytes);
      append(surfaces, surfaces_, op, emit::firmware::surface_bytes);
      auto& head = header.op_head[task_.dependencies[op].op_type];
      if (head < 0) head = static_cast<std::int16_t>(number);
    }
    emit::write_record(network, header, emit::byte_size<emit::firmware::network>());
    const auto at = [](std::int16_t index) { return static_cast<std::size_t>(index); };
    s.lists = {task_step::list{0, std::move(network)},
               task_step::list{at(network_.dependency_graph), std::move(graph)},
               task_step::list{at(network_.operation_desc), std::move(operations)},
               task_step::list{at(network_.surface_desc), std::move(surfaces)}};
    return s;
  }

  // The links of an operation within its step, in which it has this number: what other steps would
  // tell it has happened.
  emit::firmware::common links_of(std::size_t op, std::size_t number,
                                  const std::vector<std::size_t>& step) const {
    auto links = task_.dependencies[op];
    links.index = static_cast<std::int16_t>(number);
    for_each_link([&](std::size_t, std::size_t to) {
      if (to != op) return;
      if (links.dependency_count == 0)
        throw error(problem{.layer = task_.layers[op].name,
                            .reason = "gets more events than its dependency count"});
      --links.dependency_count;
    });
    const auto renumber = [&](emit::firmware::consumer& c) {
      if (c.index < 0) return;
      const auto at = std::ranges::find(step, static_cast<std::size_t>(c.index));
      c.index = at == step.end() ? std::int16_t{-1} : static_cast<std::int16_t>(at - step.begin());
    };
    std::ranges::for_each(links.consumers, renumber);
    renumber(links.fused_parent);
    return links;
  }

  static void append(std::vector<std::uint8_t>& to, std::span<const std::uint8_t> list,
                     std::size_t number, std::size_t bytes) {
    const auto record = list.subspan(number * bytes, bytes);
    to.insert(to.end(), record.begin(), record.end());
  }

  const loaded_task& task_;
  emit::firmware::network network_;
  std::vector<std::uint8_t> operations_, surfaces_;
  std::vector<std::size_t> first_{};
};

}  // namespace detail

NVDLAC_IMPL std::vector<task_step> steps_of(const loaded_task& task, const memory_reader& read) {
  if (task.layers.empty()) return {};
  return detail::task_cutter(task, read).steps();
}

NVDLAC_IMPL stepper::stepper(const loaded_program& program, const allocator& allocate,
                             const memory_reader& read)
    : program_(program) {
  std::array<std::uint64_t, 4> sizes{};
  for (const auto& t : program.tasks) {
    steps_.push_back(t.host ? std::vector<task_step>{} : steps_of(t, read));
    for (const auto& s : steps_.back())
      for (std::size_t i = 0; i < sizes.size(); ++i)
        sizes[i] = std::max<std::uint64_t>(sizes[i], s.lists[i].bytes.size());
  }
  std::ranges::transform(sizes, places_.begin(),
                         [&](std::uint64_t size) { return allocate(size, true); });
}

NVDLAC_IMPL void stepper::run(std::size_t task,
                              const std::function<void(const memory_content&)>& load,
                              const std::function<void(std::span<const emit::dma_address>)>& submit,
                              const std::function<void(std::size_t)>& ended) const {
  const auto& t = program_.tasks.at(task);
  for (const auto& s : steps_.at(task)) {
    auto places = t.places;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      load({places_[i], s.lists[i].bytes});
      places.at(s.lists[i].index) = places_[i];
    }
    try {
      submit(places);
    } catch (const error& e) {
      std::vector<std::string> names;
      for (const auto op : s.operations) names.emplace_back(t.layers[op].name.view());
      auto problems = e.problems();
      for (auto& p : problems)
        if (p.layer.empty()) p.layer = joined(names);
      throw error(std::move(problems));
    }
    std::ranges::for_each(s.operations, ended);
  }
}

}  // namespace nvdlac::runtime
