// SPDX-License-Identifier: Apache-2.0
#pragma once
// The links between the hardware layers of a task, as the firmware follows them: every layer waits
// for `dependency_count` events, and notifies at most one layer of each engine. Layers of one
// engine run in the order of their chain, so a layer needs an event from an engine only for the
// last of that engine's layers that it depends on, and only if no earlier layer of its own engine
// already waits for it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan {

using layer::engine_of;

namespace detail {

// The bytes of a cube in memory, as they are compared with those of thousands of others.
class region {
 public:
  constexpr region(const std::vector<plan::buffer>& buffers, const layer::surface& s)
      : buffer_(s.at.buffer), line_(s.line_stride), surface_(s.surface_stride) {
    const auto& in = buffers[static_cast<std::size_t>(buffer_)];
    memory_ = in.memory;
    begin_ = in.offset + s.at.offset, end_ = begin_ + s.size;
    // Parts of one cube, whose lines stand in surfaces, or whose surfaces stand in lines, are
    // compared by lines, columns in bytes, and in lines the surfaces. Other surfaces that do not
    // touch have no bytes between the same two; a false positive only costs time.
    if (line_ == 0 || surface_ == 0) return;
    is_grid_ = std::max(line_, surface_) % std::min(line_, surface_) == 0;
    if (!is_grid_) return;
    const bool in_lines = surface_ < line_;
    const auto inside = in_lines ? s.at.offset : s.at.offset % surface_;
    const auto lines = static_cast<std::uint64_t>(s.shape.h);
    const auto rest = s.size - (lines - 1) * line_ - 1;  // of its last line
    const auto of_line = inside % line_, row = in_lines ? rest % surface_ : rest % surface_ % line_;
    const auto column = in_lines ? of_line % surface_ : of_line;
    const auto first = in_lines ? of_line / surface_ : 0;
    spans_ = {inside / line_, inside / line_ + lines, column, column + row + 1,
              first, first + (in_lines ? rest / surface_ : 0) + 1};
  }

  constexpr std::size_t buffer() const { return static_cast<std::size_t>(buffer_); }
  constexpr plan::memory memory() const { return memory_; }
  constexpr std::uint64_t begin() const { return begin_; }
  constexpr std::uint64_t end() const { return end_; }

  // Whether two cubes have bytes in common.
  constexpr bool meets(const region& o) const {
    if (memory_ != o.memory_ || end_ <= o.begin_ || o.end_ <= begin_) return false;
    if (buffer_ != o.buffer_)
      return memory_ == plan::memory::weights || memory_ == plan::memory::features;
    if (!is_grid_ || line_ != o.line_ || surface_ != o.surface_) return true;
    for (std::size_t i = 0; i < spans_.size(); i += 2)
      if (spans_[i] >= o.spans_[i + 1] || o.spans_[i] >= spans_[i + 1]) return false;
    return true;
  }

 private:
  plan::memory memory_{};
  std::int32_t buffer_;
  std::uint64_t begin_ = 0, end_ = 0, line_, surface_;
  bool is_grid_ = false;
  std::array<std::uint64_t, 6> spans_{};  // begin and end of lines, columns, surfaces
};

// What an operation reads.
struct reader {
  std::size_t operation = 0;
  std::vector<region> cubes{};
};

// Layers that hand their results on without memory, or a single layer: it starts with its first
// operation and is complete with its last. The others are enabled before the first, and then read
// their operands at once.
struct stage {
  std::size_t first = 0, last = 0;
  std::vector<reader> readers{};
  std::vector<region> writes{};
};

constexpr std::vector<stage> stages(const task& t, const std::vector<buffer>& buffers) {
  std::vector<stage> result;
  for (std::size_t i = 0; i < t.operations.size(); ++i) {
    const auto& what = t.operations[i].layer.what;
    const bool is_fed = i > 0 && layer::gives_on_the_fly(t.operations[i - 1].layer.what);
    if (!is_fed) result.push_back({.first = i});
    auto& s = result.back();
    s.last = i;
    reader r{.operation = i};
    layer::for_each_read(what, [&](const layer::surface& cube) {
      r.cubes.emplace_back(buffers, cube);
    });
    s.readers.push_back(std::move(r));
    layer::for_each_write(what, [&](const layer::surface& cube) {
      s.writes.emplace_back(buffers, cube);
    });
  }
  return result;
}

// The cubes of the stages so far: a program of thousands of layers asks for each of them which ones
// before it touched the same memory.
class touched_cubes {
  using access = layer::access;

 public:
  // A stage behind all others, which ends on that engine; it stays where it is.
  constexpr void add(std::size_t number, const stage& s, engine e) {
    for (const auto& r : s.readers)
      for (const auto& cube : r.cubes) lists_[place(e, access::read)].add(number, cube);
    for (const auto& cube : s.writes) lists_[place(e, access::write)].add(number, cube);
  }

  // The last stage of that engine, none of them before `from`, which reads or writes what has bytes
  // in common with one of the cubes; `found` if there is none behind it.
  constexpr std::optional<std::size_t> last(engine e, access how, const std::vector<region>& cubes,
                                            std::optional<std::size_t> found,
                                            std::size_t from = 0) const {
    const auto& l = lists_[place(e, how)];
    for (const auto& cube : cubes) found = l.last(cube, found, from);
    return found;
  }

 private:
  struct extent {
    std::uint64_t begin = ~std::uint64_t{0}, end = 0;
  };
  struct touched {
    std::size_t stage = 0;
    const region* cube = nullptr;
  };
  struct list {
    std::vector<touched> all{};
    std::vector<extent> hulls{};  // of `span` cubes each, which are near each other
    static constexpr std::size_t span = 32;

    constexpr void add(std::size_t number, const region& cube) {
      if (all.size() % span == 0) hulls.push_back({});
      auto& h = hulls.back();
      h = {std::min(h.begin, cube.begin()), std::max(h.end, cube.end())};
      all.push_back({number, &cube});
    }
    constexpr std::optional<std::size_t> last(const region& cube, std::optional<std::size_t> found,
                                              std::size_t from) const {
      for (std::size_t i = all.size(); i-- > 0;) {
        const auto stage = all[i].stage;
        if (stage < from || (found && stage <= *found)) break;
        const auto& h = hulls[i / span];
        if (cube.end() <= h.begin || h.end <= cube.begin()) i = i / span * span;
        else if (all[i].cube->meets(cube)) found = stage;
      }
      return found;
    }
  };

  static constexpr std::size_t place(engine e, access how) {
    return 2 * index(e) + static_cast<std::size_t>(how);
  }

  std::array<list, 2 * engines> lists_{};  // by engine and access
};

}  // namespace detail

// Sets the links of a hardware task. The buffers have their final offsets.
constexpr void link_operations(task& t, const std::vector<buffer>& buffers) {
  auto& ops = t.operations;
  const auto notify = [&](std::size_t from, engine slot, std::size_t to, event e) {
    ops[from].consumers[index(slot)] = {static_cast<std::int16_t>(to), e};
    ++ops[to].dependency_count;
  };
  std::array<std::optional<std::size_t>, engines> before{};  // by engine
  std::vector<std::optional<std::size_t>> predecessor(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto e = engine_of(ops[i].layer.what);
    auto& previous = before[index(e)];
    if (previous) notify(*previous, e, i, event::programmed);
    predecessor[i] = std::exchange(previous, i);
  }

  const auto all = detail::stages(t, buffers);
  detail::touched_cubes earlier;
  std::array<std::size_t, engines> last_on{};  // stage that ends on an engine
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto& s = all[n];
    for (std::size_t from = s.first; from < s.last; ++from) {
      notify(from, engine_of(ops[from + 1].layer.what), from + 1, event::programmed);
      ops[from + 1].fused_parent = {static_cast<std::int16_t>(from), event::enabled};
      ++ops[from].dependency_count;
    }
    // An operation waits for the last stage of each engine that it needs.
    for (const auto& r : s.readers) {
      const auto own = engine_of(ops[r.operation].layer.what);
      for (std::size_t i = 0; i < engines; ++i) {
        const auto e = static_cast<engine>(i);
        // Of its own engine only the last stage counts, see below.
        const auto from = e == own ? last_on[i] : std::size_t{0};
        auto needed = earlier.last(e, layer::access::write, r.cubes, std::nullopt, from);
        if (r.operation == s.first) {
          needed = earlier.last(e, layer::access::write, s.writes, needed, from);
          needed = earlier.last(e, layer::access::read, s.writes, needed, from);
        }
        if (!needed) continue;
        const auto before_it = all[*needed].last;
        if (e == own) {
          // An engine has registers for two layers, so that those before the last one are done
          // when this one is programmed; reading ahead may not pass the last one.
          if (before_it == *predecessor[r.operation])
            ops[before_it].consumers[index(own)].event = event::completed;
        } else if (ops[before_it].consumers[index(own)].operation < 0) {
          notify(before_it, own, r.operation, event::completed);
        }
      }
    }
    const auto ends_on = engine_of(ops[s.last].layer.what);
    earlier.add(n, s, ends_on);
    last_on[index(ends_on)] = n;
  }
}

}  // namespace nvdlac::plan
