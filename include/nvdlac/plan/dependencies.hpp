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
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/delivery.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan {

using layer::engine_of;

namespace detail {

// The bytes of a cube in memory, as they are compared with those of thousands of others.
class region {
 public:
  constexpr region(const std::vector<plan::buffer>& buffers, const layer::surface& s)
      : buffer_(s.at.buffer), cvsram_(s.at.cvsram), line_(s.pictures > 1 ? 0 : s.line_stride),
        surface_(s.surface_stride) {
    const auto& in = buffers[static_cast<std::size_t>(buffer_)];
    memory_ = in.memory;
    begin_ = in.offset + s.at.offset;
    end_ = begin_ + s.size;
    // Parts of one cube, whose lines stand in surfaces, or whose surfaces stand in lines, are
    // compared by lines, columns in bytes, and in lines the surfaces. Other surfaces that do not
    // touch have no bytes between the same two; a false positive only costs time. Of cubes of
    // several pictures all bytes between the first and the last are compared.
    if (line_ == 0) return;
    if (surface_ == 0) {
      set_lines(s);
      return;
    }
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
    pitch_ = std::min(line_, surface_);
  }

  constexpr std::size_t buffer() const { return static_cast<std::size_t>(buffer_); }
  constexpr plan::memory memory() const { return memory_; }
  constexpr std::uint64_t begin() const { return begin_; }
  constexpr std::uint64_t end() const { return end_; }

  constexpr bool operator==(const region&) const = default;
  // Whether both are parts of the same lines and surfaces, and which lines: those of other lines
  // do not meet.
  constexpr bool on_grid_of(const region& o) const {
    return is_grid_ && buffer_ == o.buffer_ && line_ == o.line_ && surface_ == o.surface_;
  }
  constexpr std::uint64_t first_line() const { return spans_[0]; }
  constexpr std::uint64_t end_of_lines() const { return spans_[1]; }

  // Whether two cubes have bytes in common.
  constexpr bool meets(const region& o) const {
    if (memory_ != o.memory_ || cvsram_ != o.cvsram_ || end_ <= o.begin_ || o.end_ <= begin_)
      return false;
    if (buffer_ != o.buffer_)
      return memory_ == plan::memory::weights || memory_ == plan::memory::features;
    // An image, and a cube whose surfaces are the image's lines, are told apart by columns.
    if (!on_grid_of(o))
      return pitch_ == 0 || pitch_ != o.pitch_ ||
             (spans_[2] < o.spans_[3] && o.spans_[2] < spans_[3]);
    for (std::size_t i = 0; i < spans_.size(); i += 2)
      if (spans_[i] >= o.spans_[i + 1] || o.spans_[i] >= spans_[i + 1]) return false;
    return true;
  }

 private:
  // Sets the columns of an image, if no line of it reaches into the next one.
  constexpr void set_lines(const layer::surface& s) {
    const auto column = s.at.offset % line_;
    const auto before = (static_cast<std::uint64_t>(s.shape.h) - 1) * line_;
    if (s.size <= before || column + s.size - before > line_) return;
    pitch_ = line_;
    spans_[2] = column;
    spans_[3] = column + s.size - before;
  }

  plan::memory memory_{};
  std::int32_t buffer_;
  bool cvsram_;
  std::uint64_t begin_ = 0, end_ = 0, line_, surface_;
  bool is_grid_ = false;
  std::uint64_t pitch_ = 0;  // of lines, or of surfaces in them, which no column leaves; 0: none
  std::array<std::uint64_t, 6> spans_{};  // begin and end of lines, columns, surfaces
};

// Layers that hand their results on without memory, or a single layer: it starts with its first
// operation and is complete with its last. The others are enabled before the first, and then read
// their operands at once.
struct stage {
  std::size_t first = 0, last = 0;
};

// The stages of a task, and the cubes in memory of its operations, which stay where they are.
class stages_of_task {
 public:
  template <class Layer>
  constexpr stages_of_task(const basic_task<Layer>& t, const std::vector<buffer>& buffers) {
    first_cubes_.reserve(t.operations.size() + 1);
    bool is_fed = false;
    for (std::size_t i = 0; i < t.operations.size(); ++i) {
      const auto& what = t.operations[i].layer.what;
      if (!is_fed) all_.push_back({.first = i});
      all_.back().last = i;
      first_cubes p{.reads = cubes_.size()};
      layer::for_each_read(what, [&](const layer::surface& cube) {
        cubes_.emplace_back(buffers, cube);
      });
      p.writes = cubes_.size();
      layer::for_each_write(what, [&](const layer::surface& cube) {
        cubes_.emplace_back(buffers, cube);
      });
      first_cubes_.push_back(p);
      is_fed = p.writes == cubes_.size();
    }
    first_cubes_.push_back({cubes_.size(), cubes_.size()});
  }

  constexpr std::size_t size() const { return all_.size(); }
  constexpr const stage& operator[](std::size_t n) const { return all_[n]; }
  constexpr std::span<const region> reads(std::size_t operation) const {
    return between(first_cubes_[operation].reads, first_cubes_[operation].writes);
  }
  // Returns the cubes that a stage writes, those of its last operation.
  constexpr std::span<const region> writes(const stage& s) const {
    return between(first_cubes_[s.last].writes, first_cubes_[s.last + 1].reads);
  }

 private:
  struct first_cubes {
    std::size_t reads = 0, writes = 0;  // where those of an operation begin
  };
  constexpr std::span<const region> between(std::size_t begin, std::size_t end) const {
    return std::span(cubes_).subspan(begin, end - begin);
  }

  std::vector<stage> all_{};
  std::vector<first_cubes> first_cubes_{};
  std::vector<region> cubes_{};
};

// Cubes of stages, which stay where they are, in the order of the stages.
class cube_list {
 public:
  constexpr std::size_t size() const { return all_.size(); }
  constexpr void add(std::size_t stage, const region& cube) {
    if (all_.size() % span == 0) hulls_.push_back({.grid = &cube});
    auto& h = hulls_.back();
    h.begin = std::min(h.begin, cube.begin());
    h.end = std::max(h.end, cube.end());
    h.first_line = std::min(h.first_line, cube.first_line());
    h.end_of_lines = std::max(h.end_of_lines, cube.end_of_lines());
    if (h.grid != nullptr && !cube.on_grid_of(*h.grid)) h.grid = nullptr;
    all_.push_back({stage, cube.begin(), cube.end(), &cube});
  }
  // visit(stage) from the last one on of those down to the stage `from` whose cube has bytes in
  // common with that one, until it returns false.
  template <class Visit>
  constexpr void each_that_meets(const region& cube, std::size_t from, const Visit& visit) const {
    auto end = all_.size();
    for (auto n = hulls_.size(); n-- > 0; end = n * span) {
      if (all_[end - 1].stage < from) return;
      const auto& h = hulls_[n];
      if (cube.end() <= h.begin || h.end <= cube.begin()) continue;
      if (h.grid != nullptr && cube.on_grid_of(*h.grid) &&
          (cube.end_of_lines() <= h.first_line || h.end_of_lines <= cube.first_line()))
        continue;
      for (auto i = end; i-- > n * span;) {
        const auto& one = all_[i];
        if (one.stage < from) return;
        if (cube.end() > one.begin && one.end > cube.begin() && one.cube->meets(cube) &&
            !visit(one.stage))
          return;
      }
    }
  }

 private:
  static constexpr auto none = ~std::uint64_t{0};
  struct touched {
    std::size_t stage = 0;
    std::uint64_t begin = 0, end = 0;  // bytes
    const region* cube = nullptr;
  };
  // The hull of `span` cubes, which are near each other.
  struct hull {
    std::uint64_t begin = none, end = 0;                // bytes
    std::uint64_t first_line = none, end_of_lines = 0;
    const region* grid = nullptr;                       // of all; null: they are of several
  };
  static constexpr std::size_t span = 32;

  std::vector<touched> all_{};
  std::vector<hull> hulls_{};
};

// The cubes of the stages so far but for weights, which nothing writes: a program of thousands of
// layers asks for each of them which ones before it touched the same memory.
class touched_cubes {
  using access = layer::access;

 public:
  // The stage of that number, behind all others, which ends on that engine.
  constexpr void add(std::size_t number, const stages_of_task& stages, engine e) {
    const auto put = [&](const region& cube, access how) {
      if (cube.memory() != plan::memory::weights) lists_[place(e, how)].add(number, cube);
    };
    const auto& s = stages[number];
    for (auto i = s.first; i <= s.last; ++i)
      for (const auto& cube : stages.reads(i)) put(cube, access::read);
    for (const auto& cube : stages.writes(s)) put(cube, access::write);
  }

  // The number behind the last stage of that engine, none of them before `from`, which reads or
  // writes what has bytes in common with one of the cubes; `from` if there is none.
  constexpr std::size_t behind(engine e, access how, std::span<const region> cubes,
                               std::size_t from) const {
    const auto& list = lists_[place(e, how)];
    if (list.size() == 0) return from;
    for (const auto& cube : cubes)
      if (cube.memory() != plan::memory::weights)
        list.each_that_meets(cube, from, [&](std::size_t stage) {
          from = stage + 1;
          return false;
        });
    return from;
  }

 private:
  static constexpr std::size_t place(engine e, access how) {
    return 2 * index(e) + static_cast<std::size_t>(how);
  }

  std::array<cube_list, 2 * engines> lists_{};  // by engine and access
};

// How many convolutions of a task are certainly done when stages are, of the stages so far.
class convolutions_done {
 public:
  // When the stage of that number is done.
  constexpr std::size_t with(std::size_t stage) const { return by_stage_[stage]; }
  // The next stage, which waits until `waited` convolutions are done: an engine ends its layers in
  // their order.
  template <class Layer>
  constexpr void add(const basic_task<Layer>& t, const stage& s, std::size_t waited) {
    if (is_convolution(t, s.first)) waited = ++begun_;
    for (auto i = s.first; i <= s.last; ++i)
      waited = std::max(waited, by_engine_[index(engine_of(t.operations[i].layer.what))]);
    for (auto i = s.first; i <= s.last; ++i)
      by_engine_[index(engine_of(t.operations[i].layer.what))] = waited;
    by_stage_.push_back(waited);
  }
  constexpr std::size_t begun() const { return begun_; }

  template <class Layer>
  static constexpr bool is_convolution(const basic_task<Layer>& t, std::size_t i) {
    return std::holds_alternative<layer::convolution>(t.operations[i].layer.what);
  }

 private:
  std::vector<std::size_t> by_stage_{};
  std::array<std::size_t, engines + 1> by_engine_{};
  std::size_t begun_ = 0;
};

}  // namespace detail

// Sets the links of a hardware task. The buffers have their final offsets.
template <class Layer>
constexpr void link_operations(basic_task<Layer>& t, const std::vector<buffer>& buffers,
                               const hw::spec& hw) {
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

  const detail::stages_of_task all(t, buffers);
  detail::touched_cubes earlier;
  std::array<std::size_t, engines> last_on{};  // stage that ends on an engine
  detail::convolutions_done done;
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto& s = all[n];
    const auto written = all.writes(s);
    std::size_t waited = 0;  // convolutions that are done when its first operation is enabled
    for (std::size_t from = s.first; from < s.last; ++from) {
      notify(from, engine_of(ops[from + 1].layer.what), from + 1, event::programmed);
      ops[from + 1].fused_parent = {static_cast<std::int16_t>(from), event::enabled};
      ++ops[from].dependency_count;
    }
    // An operation waits for the last stage of each engine that it needs.
    for (auto reader = s.first; reader <= s.last; ++reader) {
      const auto own = engine_of(ops[reader].layer.what);
      const auto read = all.reads(reader);
      for (std::size_t i = 0; i < engines; ++i) {
        const auto e = static_cast<engine>(i);
        // Only the last stage of its own engine counts, see below.
        const auto from = e == own ? last_on[i] : std::size_t{0};
        auto behind = earlier.behind(e, layer::access::write, read, from);
        if (reader == s.first) {
          behind = earlier.behind(e, layer::access::write, written, behind);
          behind = earlier.behind(e, layer::access::read, written, behind);
        }
        if (behind == from) continue;
        const auto before_it = all[behind - 1].last;
        waited = std::max(waited, done.with(behind - 1));
        if (e == own) {
          // An engine has registers for two layers, so that those before the last one are done
          // when this one is programmed; reading ahead may not pass the last one.
          if (before_it == *predecessor[reader])
            ops[before_it].consumers[index(own)].event = event::completed;
        } else if (ops[before_it].consumers[index(own)].operation < 0) {
          notify(before_it, own, reader, event::completed);
        }
      }
    }
    // A convolution that would confuse CACC waits for the one before, unless it does already.
    if (const auto* c = std::get_if<layer::convolution>(&ops[s.first].layer.what))
      if (waited < done.begun() && layer::confuses_delivery(*c, hw))
        ops[*predecessor[s.first]].consumers[index(engine::convolution)].event = event::completed;
    done.add(t, s, waited);
    const auto ends_on = engine_of(ops[s.last].layer.what);
    earlier.add(n, all, ends_on);
    last_on[index(ends_on)] = n;
  }
}

}  // namespace nvdlac::plan
