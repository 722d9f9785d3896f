// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/data_ring.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan {

// Something that needs memory from one step to another, both included.
struct tenant {
  std::uint64_t size = 0;  // bytes, a multiple of the alignment
  std::size_t first = 0, last = 0;

  constexpr bool meets(const tenant& o) const { return first <= o.last && o.first <= last; }
};

struct placement {
  std::vector<std::uint64_t> offsets{};  // of each tenant
  std::uint64_t peak = 0;                // bytes that the placement takes
  std::uint64_t bound = 0;               // most bytes alive at one step: no placement takes less
};

namespace detail {

// The tenants that have a place, found by the time of their lives: in a long program most live
// briefly, and meet few others.
class placed_tenants {
 public:
  constexpr explicit placed_tenants(const std::vector<tenant>& all) : all_(all) {
    if (all.size() < period) return;
    std::size_t last = 0;
    for (const auto& t : all) last = std::max(last, t.last);
    periods_.resize(last / period + 1);
  }

  constexpr void add(std::size_t t, const std::vector<std::uint64_t>& offsets) {
    insert(everyone_, t, offsets);
    if (periods_.empty()) return;
    if (!is_brief(t)) return insert(lasting_, t, offsets);
    for (auto p = all_[t].first / period; p <= all_[t].last / period; ++p)
      insert(periods_[p], t, offsets);
  }
  // By offset, those that may meet t, some of them twice; until the next call.
  constexpr const std::vector<std::size_t>& around(std::size_t t,
                                                   const std::vector<std::uint64_t>& offsets) {
    if (periods_.empty() || !is_brief(t)) return everyone_;
    around_ = lasting_;
    for (auto p = all_[t].first / period; p <= all_[t].last / period; ++p)
      around_.insert(around_.end(), periods_[p].begin(), periods_[p].end());
    std::sort(around_.begin(), around_.end(),
              [&](std::size_t a, std::size_t b) { return offsets[a] < offsets[b]; });
    return around_;
  }

 private:
  static constexpr std::size_t period = 64;  // steps

  constexpr bool is_brief(std::size_t t) const {
    return all_[t].last / period <= all_[t].first / period + 1;
  }
  static constexpr void insert(std::vector<std::size_t>& to, std::size_t t,
                               const std::vector<std::uint64_t>& offsets) {
    to.insert(std::upper_bound(to.begin(), to.end(), offsets[t],
                               [&](std::uint64_t offset, std::size_t p) {
                                 return offset < offsets[p];
                               }),
              t);
  }

  const std::vector<tenant>& all_;
  std::vector<std::size_t> everyone_{}, lasting_{}, around_{};
  std::vector<std::vector<std::size_t>> periods_{};  // those that live briefly; none if all are few
};

// Puts the tenants in the given order, each into the smallest gap that it fits.
constexpr placement place_in_order(const std::vector<tenant>& tenants,
                                   const std::vector<std::size_t>& order) {
  placement result;
  result.offsets.resize(tenants.size(), std::uint64_t{0});
  placed_tenants placed(tenants);
  for (const auto t : order) {
    std::uint64_t free_from = 0, best = 0, best_gap = std::numeric_limits<std::uint64_t>::max();
    for (const auto p : placed.around(t, result.offsets)) {
      if (!tenants[p].meets(tenants[t])) continue;
      const auto at = result.offsets[p];
      if (at >= free_from + tenants[t].size && at - free_from < best_gap) {
        best = free_from;
        best_gap = at - free_from;
      }
      free_from = std::max(free_from, at + tenants[p].size);
    }
    const auto at = best_gap == std::numeric_limits<std::uint64_t>::max() ? free_from : best;
    result.offsets[t] = at;
    result.peak = std::max(result.peak, at + tenants[t].size);
    placed.add(t, result.offsets);
  }
  return result;
}

// Places in the given order, then again and again after the tenant that sticks out has moved half
// its way to the front; the best of all that.
constexpr placement place_and_improve(const std::vector<tenant>& tenants,
                                      std::vector<std::size_t> order, std::uint64_t bound) {
  constexpr int tries = 100;
  auto best = place_in_order(tenants, order);
  auto last = best;
  for (int i = 0; i < tries && best.peak > bound; ++i) {
    const auto highest = std::find_if(order.begin(), order.end(), [&](std::size_t t) {
      return last.offsets[t] + tenants[t].size == last.peak;
    });
    if (highest == order.begin()) break;
    std::rotate(order.begin() + (highest - order.begin()) / 2, highest, highest + 1);
    last = place_in_order(tenants, order);
    if (last.peak < best.peak) best = last;
  }
  return best;
}

}  // namespace detail

// Places tenants so that no two that meet overlap. Several orders are tried and improved, and the
// lowest peak wins, the first at a tie; it stops as soon as one reaches the bound.
constexpr placement place(const std::vector<tenant>& tenants) {
  std::size_t steps = 0;
  for (const auto& t : tenants) steps = std::max(steps, t.last + 1);
  std::vector<std::uint64_t> alive(steps + 1, std::uint64_t{0});
  for (const auto& t : tenants)
    for (std::size_t s = t.first; s <= t.last; ++s) alive[s] += t.size;
  const auto bound = *std::max_element(alive.begin(), alive.end());

  const auto by = [&](auto key) {
    std::vector<std::size_t> order(tenants.size(), std::size_t{0});
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const auto of_a = key(tenants[a]), of_b = key(tenants[b]);
      return of_a != of_b ? of_a > of_b : a < b;
    });
    return order;
  };
  const auto pressure = [&](const tenant& t) {
    return *std::max_element(alive.begin() + static_cast<std::ptrdiff_t>(t.first),
                             alive.begin() + static_cast<std::ptrdiff_t>(t.last) + 1);
  };
  placement best;
  best.peak = std::numeric_limits<std::uint64_t>::max();
  const auto try_by = [&](auto key) {
    if (best.peak == bound) return;
    auto candidate = detail::place_and_improve(tenants, by(key), bound);
    if (candidate.peak < best.peak) best = std::move(candidate);
  };
  try_by([](const tenant& t) { return t.size; });
  try_by([](const tenant& t) { return t.size * (t.last - t.first + 1); });
  try_by([](const tenant& t) { return t.last - t.first; });
  try_by([&](const tenant& t) { return std::pair(pressure(t), t.size); });
  try_by([&](const tenant& t) { return std::pair(pressure(t), t.last - t.first); });
  try_by([&](const tenant& t) { return steps - t.first; });
  best.bound = bound;
  return best;
}

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

// Places the buffers of one kind behind each other; the bytes that they take.
constexpr std::uint64_t place_weights(std::vector<buffer>& buffers, bool cvsram) {
  std::uint64_t end = 0;
  for (auto& b : buffers)
    if (b.memory == memory::weights && b.cvsram == cvsram)
      b.offset = std::exchange(end, end + align_up(b.size, alignment));
  return end;
}

// Places the feature buffers by their lives, and the weights that stand in CVSRAM; those of DRAM have
// their places. The layers say which memory holds a buffer. A buffer keeps its memory for `overlap`
// stages more than it is needed, so that these need not wait for those that read it.
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
// programs follow. Throws if the network does not fit the address space of Hw.
template <hw::hardware Hw>
constexpr program<Hw> make_program(lowered from) {
  settle_data_ring(Hw::spec, from);
  program<Hw> p;
  p.network = std::move(from.network);
  p.buffers = std::move(from.buffers);
  p.luts = std::move(from.luts);
  p.calls = std::move(from.calls);
  p.inputs = std::move(from.inputs);
  p.outputs = std::move(from.outputs);
  p.remarks = std::move(from.remarks);
  p.parts = std::move(from.parts);
  p.weights_size = from.weights_size;
  p.tasks = detail::tasks_of(std::move(from.layers));
  const auto placed = detail::place_buffers(p.buffers, p.tasks, from.overlap);
  p.features_size = placed.features.peak;
  p.features_bound = placed.features.bound;
  p.cvsram = placed.cvsram;
  p.cvsram.limit = from.cvsram_limit;
  if (p.cvsram.weights != 0) p.weights_size = detail::place_weights(p.buffers, false);
  if (p.cvsram.size > p.cvsram.limit)
    throw error(text("the network would use ", p.cvsram.size, " bytes of CVSRAM, more than the ",
                     p.cvsram.limit, " that it may"));
  if (Hw::spec.address_bits <= 32 && p.weights_size + p.features_size > std::uint64_t{1} << 31)
    throw error(text("the network needs ", p.weights_size, " bytes of weights and ",
                     p.features_size, " bytes of features, more than the 2 GiB that ",
                     Hw::spec.address_bits, "-bit addresses leave for memory"));
  for (auto& t : p.tasks)
    if (!t.host) link_operations(t, p.buffers, Hw::spec);
  return p;
}

}  // namespace nvdlac::plan

// What stands in the secondary memory where no schedule decides it: in programs that the C++
// compiler makes, the features that are moved most for their bytes.

namespace nvdlac::plan {
namespace detail {

// A buffer of features as the layers use it.
struct feature_use {
  std::int32_t buffer = 0;
  tenant needs{};
  std::uint64_t moved = 0;  // bytes
  bool used = false, host = false;
};

// By buffer.
constexpr std::vector<feature_use> feature_uses(const lowered& l) {
  std::vector<feature_use> uses(l.buffers.size(), feature_use{});
  std::size_t step = 0;
  for (const auto& each : l.layers) {
    const auto touch = [&](const layer::surface& s) {
      auto& u = uses[static_cast<std::size_t>(s.at.buffer)];
      if (!u.used) u.needs.first = step;
      u.used = true, u.needs.last = step, u.moved += s.size;
      u.host = u.host || layer::on_host(each.what);
    };
    layer::for_each_read(each.what, touch);
    layer::for_each_write(each.what, touch);
    if (!layer::gives_on_the_fly(each.what)) ++step;
  }
  for (std::size_t b = 0; b < uses.size(); ++b) {
    uses[b].buffer = static_cast<std::int32_t>(b);
    uses[b].needs.size = align_up(l.buffers[b].size, alignment);
  }
  return uses;
}

}  // namespace detail

// Puts features into CVSRAM, of which the program may use `limit` bytes.
constexpr void place_in_cvsram(lowered& l, std::uint64_t limit) {
  l.cvsram_limit = limit;
  if (limit == 0) return;
  auto uses = detail::feature_uses(l);
  std::erase_if(uses, [&](const detail::feature_use& u) {
    return !u.used || u.host ||
           l.buffers[static_cast<std::size_t>(u.buffer)].memory != memory::features;
  });
  std::sort(uses.begin(), uses.end(), [](const auto& a, const auto& b) {
    const auto of_a = a.moved * b.needs.size, of_b = b.moved * a.needs.size;
    return of_a != of_b ? of_a > of_b : a.buffer < b.buffer;
  });
  std::vector<tenant> inside;
  std::vector<char> chosen(l.buffers.size(), char{0});
  for (const auto& u : uses) {
    inside.push_back(u.needs);
    if (place(inside).peak <= limit) chosen[static_cast<std::size_t>(u.buffer)] = 1;
    else inside.pop_back();
  }
  for (auto& each : l.layers)
    layer::for_each_cube(each.what, [&](layer::surface& s, layer::access) {
      s.at.cvsram = !s.at.on_the_fly() && chosen[static_cast<std::size_t>(s.at.buffer)] != 0;
    });
}

// Bytes of CVSRAM that programs of a configuration may use: its member `cvsram`, or else none.
template <hw::hardware Hw>
constexpr std::uint64_t cvsram_bytes() {
  if constexpr (requires { Hw::cvsram; }) {
    static_assert(Hw::spec.has_sram(), "nvdlac: the configuration has a member `cvsram`, but no "
                                       "secondary memory");
    return Hw::cvsram;
  } else {
    return 0;
  }
}

}  // namespace nvdlac::plan
