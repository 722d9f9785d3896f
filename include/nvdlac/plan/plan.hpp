// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/data_ring.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/placement.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan {

namespace detail {

// The layers of a task among those of a program.
struct task_range {
  std::size_t first = 0, count = 0;
  bool host = false;
};

// A host layer is a task of its own; the hardware layers between two of them are one task, or
// several of at most `most` operations. Layers that hand on without memory stay together.
constexpr std::vector<task_range> task_ranges(
    std::span<const layer::layer> layers,
    std::size_t most = 32767) {  // the firmware's index is a signed 16-bit number
  std::vector<task_range> tasks;
  for (std::size_t first = 0, last = 0; first < layers.size(); first = last) {
    while (layer::gives_on_the_fly(layers[last].what) && last + 1 < layers.size()) ++last;
    ++last;
    const bool host = layer::on_host(layers[first].what);
    if (tasks.empty() || host || tasks.back().host || tasks.back().count + (last - first) > most)
      tasks.push_back({.first = first, .host = host});
    tasks.back().count += last - first;
  }
  return tasks;
}
// The tasks with `of(n)`, the layer of that number or a reference to it.
template <class Layer, class Of>
constexpr std::vector<basic_task<Layer>> tasks_with(const std::vector<task_range>& ranges,
                                                    const Of& of) {
  std::vector<basic_task<Layer>> tasks;
  tasks.reserve(ranges.size());
  for (const auto& r : ranges) {
    tasks.push_back({.host = r.host, .operations = {}});
    auto& operations = tasks.back().operations;
    operations.reserve(r.count);
    for (auto n = r.first; n < r.first + r.count; ++n) operations.push_back({.layer = of(n)});
  }
  return tasks;
}
constexpr std::vector<task> tasks_of(std::vector<layer::layer> layers, std::size_t most = 32767) {
  return tasks_with<layer::layer>(
      task_ranges(layers, most),
      [&](std::size_t n) -> layer::layer&& { return std::move(layers[n]); });
}

// Where the buffers stand: the features of DRAM, and all of CVSRAM.
struct places {
  placement features{};
  cvsram_pool cvsram{};
};

constexpr bool holds_weights(const buffer& b, bool cvsram) {
  return b.memory == memory::weights && b.cvsram == cvsram;
}

// Places weights behind each other, those of the same bytes, such as the ones of all steps of a
// recurrent network, once; the bytes that they take.
inline std::uint64_t place_weights_once(std::vector<buffer>& buffers, bool cvsram) {
  std::uint64_t end = 0;
  std::unordered_map<std::string_view, std::uint64_t> places;
  for (auto& b : buffers) {
    if (!holds_weights(b, cvsram)) continue;
    b.offset = end;
    if (!b.content.empty())
      b.offset = places.try_emplace({reinterpret_cast<const char*>(b.content.data()),
                                     b.content.size()}, end).first->second;
    if (b.offset == end) end += align_up(b.size, alignment);
  }
  return end;
}

// Places the weights of one memory behind each other; the bytes that they take.
constexpr std::uint64_t place_weights(std::vector<buffer>& buffers, bool cvsram) {
  if (!std::is_constant_evaluated()) return place_weights_once(buffers, cvsram);
  std::uint64_t end = 0;
  for (auto& b : buffers)
    if (holds_weights(b, cvsram)) b.offset = std::exchange(end, end + align_up(b.size, alignment));
  return end;
}

// Places the feature buffers by their lives, and the weights that stand in CVSRAM; those of DRAM
// have their places. The layers say which memory holds a buffer. A buffer keeps its memory for
// `overlap` stages more than it is needed, so that these need not wait for those that read it.
template <class Layer>
constexpr places place_buffers(std::vector<buffer>& buffers,
                               const std::vector<basic_task<Layer>>& tasks,
                               std::size_t overlap = 0) {
  struct life { std::size_t first = 0, last = 0; bool used = false; };
  std::vector<life> lives(buffers.size());
  std::size_t step = 0;
  for (const auto& t : tasks)
    for (const auto& op : t.operations) {
      const auto touch = [&](const layer::surface& s) {
        auto& l = lives[static_cast<std::size_t>(s.at.buffer)];
        if (!std::exchange(l.used, true)) l.first = step;
        l.last = step;
        buffers[static_cast<std::size_t>(s.at.buffer)].cvsram = s.at.cvsram;
      };
      layer::for_each_read(op.layer.what, touch);
      layer::for_each_write(op.layer.what, touch);
      // A layer runs together with what takes its result.
      if (!layer::gives_on_the_fly(op.layer.what)) ++step;
    }

  std::uint64_t unit = alignment;  // of all features: one's place depends on the sizes of others
  for (const auto& b : buffers) unit = std::max(unit, b.unit);
  const auto place_features = [&](bool cvsram, std::uint64_t base) {
    std::vector<tenant> tenants;
    std::vector<std::size_t> owner;
    for (std::size_t b = 0; b < buffers.size(); ++b) {
      const auto& buffer = buffers[b];
      if (buffer.memory != memory::features || buffer.cvsram != cvsram || !lives[b].used) continue;
      tenants.push_back(
          {align_up(buffer.size, unit), lives[b].first, lives[b].last + overlap});
      owner.push_back(b);
    }
    auto placed = place(tenants);
    for (std::size_t i = 0; i < owner.size(); ++i)
      buffers[owner[i]].offset = base + placed.offsets[i];
    return placed;
  };
  places all{.features = place_features(false, 0)};
  const auto weights = all.cvsram.weights = place_weights(buffers, true);
  const auto beside = place_features(true, align_up(weights, unit));
  all.cvsram.size = align_up(weights, unit) + beside.peak;
  all.cvsram.bound = align_up(weights, unit) + beside.bound;
  return all;
}

}  // namespace detail

// Layers in order -> a program: tasks, memory, and the dependencies that the firmware and register
// programs follow. Throws if the network does not fit the address space.
constexpr program_data make_program(const hw::spec& hw, lowered from) {
  settle_data_ring(hw, from);
  program_data p;
  p.network = std::move(from.network);
  p.buffers = std::move(from.buffers);
  p.luts = std::move(from.luts);
  p.calls = std::move(from.calls);
  p.inputs = std::move(from.inputs);
  p.outputs = std::move(from.outputs);
  p.remarks = std::move(from.remarks);
  p.parts = std::move(from.parts);
  p.transposed = from.given.transposed;
  p.weights_size = from.weights_size;
  p.tasks = detail::tasks_of(std::move(from.layers));
  const auto placed = detail::place_buffers(p.buffers, p.tasks, from.overlap);
  p.features_size = placed.features.peak;
  p.features_bound = placed.features.bound;
  p.cvsram = placed.cvsram;
  p.cvsram.limit = from.cvsram_limit;
  if (!std::is_constant_evaluated() || p.cvsram.weights != 0)
    p.weights_size = detail::place_weights(p.buffers, false);
  if (p.cvsram.size > p.cvsram.limit)
    throw error(text("the network would use ", p.cvsram.size, " bytes of CVSRAM, more than the ",
                     p.cvsram.limit, " that it may"));
  if (hw.address_bits <= 32 && p.weights_size + p.features_size > std::uint64_t{1} << 31)
    throw error(text("the network needs ", p.weights_size, " bytes of weights and ",
                     p.features_size, " bytes of features, more than the 2 GiB that ",
                     hw.address_bits, "-bit addresses leave for memory"));
  for (auto& t : p.tasks)
    if (!t.host) link_operations(t, p.buffers, hw);
  return p;
}
template <hw::hardware Hw>
constexpr program<Hw> make_program(lowered from) {
  return {make_program(Hw::spec, std::move(from))};
}

}  // namespace nvdlac::plan
