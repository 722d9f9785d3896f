// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/placement.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan {

namespace detail {

// A host layer is a task of its own; the hardware layers between two of them are one task, or
// several of at most `most` operations. Layers that hand on without memory stay together.
constexpr std::vector<task> tasks_of(
    std::vector<layer::layer> layers,
    std::size_t most = 32767) {  // the firmware's index is a signed 16-bit number
  std::vector<task> tasks;
  for (std::size_t first = 0, last = 0; first < layers.size(); first = last) {
    while (layer::gives_on_the_fly(layers[last].what) && last + 1 < layers.size()) ++last;
    ++last;
    const bool host = layer::on_host(layers[first].what);
    if (tasks.empty() || host || tasks.back().host ||
        tasks.back().operations.size() + (last - first) > most)
      tasks.push_back({.host = host, .operations = {}});
    for (auto i = first; i < last; ++i)
      tasks.back().operations.push_back({.layer = std::move(layers[i])});
  }
  return tasks;
}

// Places the feature buffers by their lives; the weights have their places. A buffer keeps its memory
// for `overlap` stages more than it is needed, so that these need not wait for those that read it.
constexpr void place_buffers(program_data& p, std::size_t overlap = 0) {
  struct life { std::size_t first = 0, last = 0; bool used = false; };
  std::vector<life> lives(p.buffers.size());
  std::size_t step = 0;
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations) {
      const auto touch = [&](const layer::surface& s) {
        auto& l = lives[static_cast<std::size_t>(s.at.buffer)];
        if (!std::exchange(l.used, true)) l.first = step;
        l.last = step;
      };
      layer::for_each_read(op.layer.what, touch);
      layer::for_each_write(op.layer.what, touch);
      // A layer runs together with what takes its result.
      if (!layer::gives_on_the_fly(op.layer.what)) ++step;
    }

  std::vector<tenant> tenants;
  std::vector<std::size_t> owner;
  for (std::size_t b = 0; b < p.buffers.size(); ++b) {
    const auto& buffer = p.buffers[b];
    if (buffer.memory != memory::features || !lives[b].used) continue;
    tenants.push_back({align_up(buffer.size, alignment), lives[b].first, lives[b].last + overlap});
    owner.push_back(b);
  }
  const auto placed = place(tenants);
  for (std::size_t i = 0; i < owner.size(); ++i) p.buffers[owner[i]].offset = placed.offsets[i];
  p.features_size = placed.peak;
  p.features_bound = placed.bound;
}

}  // namespace detail

// Layers in order -> a program: tasks, memory, and the dependencies that the firmware and register
// programs follow. Throws if the network does not fit the address space of Hw.
template <hw::hardware Hw>
constexpr program<Hw> make_program(lowered from) {
  program<Hw> p;
  p.network = std::move(from.network);
  p.buffers = std::move(from.buffers);
  p.luts = std::move(from.luts);
  p.calls = std::move(from.calls);
  p.inputs = std::move(from.inputs);
  p.outputs = std::move(from.outputs);
  p.remarks = std::move(from.remarks);
  p.weights_size = from.weights_size;
  p.tasks = detail::tasks_of(std::move(from.layers));
  detail::place_buffers(p, from.overlap);
  if (Hw::spec.address_bits <= 32 && p.weights_size + p.features_size > std::uint64_t{1} << 31)
    throw error(text("the network needs ", p.weights_size, " bytes of weights and ",
                     p.features_size, " bytes of features, more than the 2 GiB that ",
                     Hw::spec.address_bits, "-bit addresses leave for memory"));
  for (auto& t : p.tasks)
    if (!t.host) link_operations(t, p.buffers);
  return p;
}

}  // namespace nvdlac::plan
