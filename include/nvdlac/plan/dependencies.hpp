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

// What an operation reads.
struct reader {
  std::size_t operation = 0;
  std::vector<layer::surface> cubes{};
};

// Layers that hand their results on without memory, or a single layer: it starts with its first
// operation and is complete with its last. The others are enabled before the first, and then read
// their operands at once.
struct stage {
  std::size_t first = 0, last = 0;
  std::vector<reader> readers{};
  std::vector<layer::surface> writes{};
};

// Whether two cubes have bytes in common.
constexpr bool overlap(const std::vector<buffer>& buffers, const layer::surface& a,
                       const layer::surface& b) {
  const auto& in_a = buffers[static_cast<std::size_t>(a.at.buffer)];
  const auto& in_b = buffers[static_cast<std::size_t>(b.at.buffer)];
  if (in_a.memory != in_b.memory) return false;
  const bool pooled = in_a.memory == memory::weights || in_a.memory == memory::features;
  if (!pooled && a.at.buffer != b.at.buffer) return false;
  const auto begin_a = in_a.offset + a.at.offset, begin_b = in_b.offset + b.at.offset;
  if (begin_a + a.size <= begin_b || begin_b + b.size <= begin_a) return false;
  const bool same_grid = a.at.buffer == b.at.buffer && a.line_stride == b.line_stride &&
                         a.surface_stride == b.surface_stride && a.line_stride != 0 &&
                         a.surface_stride != 0;
  if (!same_grid) return true;
  // Parts of one cube, whose lines stand in surfaces, or whose surfaces stand in lines: compare
  // lines, columns in bytes, and in lines the surfaces. Other surfaces that do not touch were found
  // above; a false positive only costs time.
  const std::uint64_t line = a.line_stride, surface = a.surface_stride;
  const bool in_lines = surface < line;
  if (std::max(line, surface) % std::min(line, surface) != 0) return true;
  const auto spans = [&](const layer::surface& s) {
    const auto inside = in_lines ? s.at.offset : s.at.offset % surface;
    const auto lines = static_cast<std::uint64_t>(s.shape.h);
    const auto rest = s.size - (lines - 1) * line - 1;  // of its last line
    const auto of_line = inside % line, row = in_lines ? rest % surface : rest % surface % line;
    const auto column = in_lines ? of_line % surface : of_line;
    const auto first = in_lines ? of_line / surface : 0;
    return std::array{inside / line, inside / line + lines, column, column + row + 1,
                      first, first + (in_lines ? rest / surface : 0) + 1};
  };
  const auto p = spans(a), q = spans(b);
  for (std::size_t i = 0; i < p.size(); i += 2)
    if (p[i] >= q[i + 1] || q[i] >= p[i + 1]) return false;
  return true;
}

constexpr bool any_overlap(const std::vector<buffer>& buffers,
                           const std::vector<layer::surface>& a,
                           const std::vector<layer::surface>& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& x) {
    return std::any_of(b.begin(), b.end(), [&](const auto& y) { return overlap(buffers, x, y); });
  });
}

constexpr std::vector<stage> stages(const task& t) {
  std::vector<stage> result;
  for (std::size_t i = 0; i < t.operations.size(); ++i) {
    const auto& what = t.operations[i].layer.what;
    const bool is_fed = i > 0 && layer::gives_on_the_fly(t.operations[i - 1].layer.what);
    if (!is_fed) result.push_back({.first = i});
    auto& s = result.back();
    s.last = i;
    reader r{.operation = i};
    layer::for_each_read(what, [&](const layer::surface& cube) { r.cubes.push_back(cube); });
    s.readers.push_back(std::move(r));
    layer::for_each_write(what, [&](const layer::surface& cube) { s.writes.push_back(cube); });
  }
  return result;
}

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

  const auto all = detail::stages(t);
  std::array<std::vector<std::size_t>, engines> earlier{};  // by the engine that ends the stage
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto& s = all[n];
    for (std::size_t from = s.first; from < s.last; ++from) {
      notify(from, engine_of(ops[from + 1].layer.what), from + 1, event::programmed);
      ops[from + 1].fused_parent = {static_cast<std::int16_t>(from), event::enabled};
      ++ops[from].dependency_count;
    }
    // Operation `of` waits for the last stage of each engine that is needed.
    const auto wait = [&](std::size_t of, const auto& is_needed) {
      const auto own = engine_of(ops[of].layer.what);
      for (auto& of_engine : earlier)
        for (std::size_t i = of_engine.size(); i-- > 0;) {
          const auto& m = all[of_engine[i]];
          if (!is_needed(m)) continue;
          if (&of_engine == &earlier[index(own)]) {
            // An engine has registers for two layers, so that those before the last one are done
            // when this one is programmed; reading ahead may not pass the last one.
            if (m.last == *predecessor[of])
              ops[m.last].consumers[index(own)].event = event::completed;
          } else if (ops[m.last].consumers[index(own)].operation < 0) {
            notify(m.last, own, of, event::completed);
          }
          break;
        }
    };
    for (const auto& r : s.readers) {
      const bool starts = r.operation == s.first;
      wait(r.operation, [&](const detail::stage& m) {
        return detail::any_overlap(buffers, m.writes, r.cubes) ||
               (starts && (detail::any_overlap(buffers, m.writes, s.writes) ||
                           std::ranges::any_of(m.readers, [&](const detail::reader& other) {
                             return detail::any_overlap(buffers, other.cubes, s.writes);
                           })));
      });
    }
    earlier[index(engine_of(ops[s.last].layer.what))].push_back(n);
  }
}

}  // namespace nvdlac::plan
