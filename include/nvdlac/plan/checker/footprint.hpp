// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bytes that layers touch, for the checkers of finished programs.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nvdlac/base/visit.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan::checker {

// Runs of `length` bytes, `stride` bytes from the begin of one to that of the next.
struct row_of_runs {
  std::uint64_t begin = 0, length = 0, count = 1, stride = 0;

  struct range { std::uint64_t first, last; };
  // The runs [first, last) that have a byte of [from, to).
  constexpr range meeting(std::uint64_t from, std::uint64_t to) const {
    if (stride == 0 || count == 1) return {0, begin < to && begin + length > from ? count : 0};
    const auto first = from < begin + length ? 0 : (from - begin - length) / stride + 1;
    const auto last = to <= begin ? 0 : (to - begin - 1) / stride + 1;
    return {first, std::min(last, count)};
  }
  constexpr bool meets(std::uint64_t from, std::uint64_t to) const {
    const auto met = meeting(from, to);
    return met.first < met.last;
  }
};

// Whether two rows have a byte in common.
constexpr bool overlap(const row_of_runs& a, const row_of_runs& b) {
  if (a.count > b.count) return overlap(b, a);
  if (a.count == 1 || a.stride != b.stride || a.stride == 0) {
    for (std::uint64_t i = 0; i < a.count; ++i)
      if (b.meets(a.begin + i * a.stride, a.begin + i * a.stride + a.length)) return true;
    return false;
  }
  // Run i of a and run j of b begin (i - j) * stride - apart bytes from each other.
  const auto number = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
  const auto stride = number(a.stride), apart = number(b.begin) - number(a.begin);
  const auto too_low = apart - number(a.length), high = apart + number(b.length) - 1;
  const auto down = [&](std::int64_t n) { return n / stride - (n % stride < 0 ? 1 : 0); };
  const auto least = std::max(down(too_low) + 1, 1 - number(b.count));
  return least <= std::min(down(high), number(a.count) - 1);
}

// `planes` x `lines` runs of `length` bytes, from `begin`.
struct footprint {
  std::uint64_t begin = 0, length = 0;
  std::uint64_t lines = 1, line_stride = 0;
  std::uint64_t planes = 1, plane_stride = 0;

  constexpr std::uint64_t end() const {
    return begin + (planes - 1) * plane_stride + (lines - 1) * line_stride + length;
  }
  // visit(first byte, length) for every run.
  template <class Visit>
  constexpr void each_run(Visit visit) const {
    for (std::uint64_t p = 0; p < planes; ++p)
      for (std::uint64_t y = 0; y < lines; ++y)
        visit(begin + p * plane_stride + y * line_stride, length);
  }
  constexpr row_of_runs lines_of(std::uint64_t plane) const {
    return {begin + plane * plane_stride, length, lines, line_stride};
  }
  // Its planes, as if there were nothing between their lines.
  constexpr row_of_runs hulls() const {
    return {begin, (lines - 1) * line_stride + length, planes, plane_stride};
  }
};

// Whether two have a byte in common: exactly, by comparing planes that come near each other.
constexpr bool overlap(const footprint& a, const footprint& b) {
  if (a.end() <= b.begin || b.end() <= a.begin) return false;
  if (a.planes > b.planes) return overlap(b, a);
  const auto hulls = a.hulls();
  for (std::uint64_t p = 0; p < a.planes; ++p) {
    const auto at = a.begin + p * a.plane_stride;
    const auto near = b.hulls().meeting(at, at + hulls.length);
    for (auto q = near.first; q < near.last; ++q)
      if (overlap(a.lines_of(p), b.lines_of(q))) return true;
  }
  return false;
}

// The bytes of a cube in as few runs as their strides allow: the lines of a plane are nearer to
// each other than planes, and what stands in a row is one.
constexpr footprint merged(footprint f) {
  if (f.lines == 1 || (f.planes > 1 && f.plane_stride < f.line_stride)) {
    std::swap(f.lines, f.planes);
    std::swap(f.line_stride, f.plane_stride);
  }
  if (f.lines > 1 && f.line_stride <= f.length) {
    f.length += (f.lines - 1) * f.line_stride;
    f.lines = std::exchange(f.planes, 1);
    f.line_stride = f.plane_stride;
    return merged(f);
  }
  if (f.planes > 1 && f.plane_stride == f.lines * f.line_stride)
    f.lines *= std::exchange(f.planes, 1);
  return f;
}

enum class kind : std::uint8_t { feature, pixels, plain };

// In its buffer, from the buffer's start.
constexpr footprint footprint_of(const layer::surface& s, kind k, bytes atom) {
  if (k == kind::plain) return {.begin = s.at.offset, .length = s.size};
  const auto size = [](std::int32_t n) {
    return static_cast<std::uint64_t>(std::max<std::int32_t>(n, 1));
  };
  const auto w = size(s.shape.w), h = size(s.shape.h), c = size(s.shape.c);
  if (k == kind::pixels)
    return {.begin = s.at.offset, .length = w * c * hw::element_bytes(s.precision), .lines = h,
            .line_stride = s.line_stride};
  return {.begin = s.at.offset,
          .length = w * atom.n,
          .lines = h,
          .line_stride = s.line_stride,
          .planes = ceil_div(c, layer::lanes_of(atom, s.precision)),
          .plane_stride = s.surface_stride};
}

// One cube that a layer reads or writes.
struct use {
  const layer::surface* surface;
  checker::kind kind;
  bool write;
};

// add(surface, kind, whether it is written), reads before writes. It is told here once more, so
// that what the planner took a layer to touch is checked.
constexpr void each_use(const layer::convolution& c, auto add) {
  add(c.input, c.is_pixel() ? kind::pixels : kind::feature, false);
  add(c.weights, kind::plain, false);
  if (!c.is_compressed()) return;
  add(c.mask, kind::plain, false);
  add(c.group_sizes, kind::plain, false);
}
constexpr void each_use(const layer::sdp& s, auto add) {
  add(s.input, kind::feature, false);
  for (const layer::sdp_unit* u : {&s.x1, &s.x2})
    if (u->mode != layer::sdp_mode::per_layer)
      add(u->operands, u->mode == layer::sdp_mode::per_point ? kind::feature : kind::plain, false);
  add(s.output, kind::feature, true);
}
constexpr void each_use(const layer::host_call& called, auto add) {
  for (const auto& cube : called.inputs()) add(cube, kind::feature, false);
  add(called.output, kind::feature, true);
}
constexpr void each_use(const auto& l, auto add) {  // from memory to memory
  add(l.input, kind::feature, false);
  add(l.output, kind::feature, true);
}

constexpr std::vector<use> uses(const layer::any& what) {
  std::vector<use> found;
  const auto add = [&](const layer::surface& s, kind k, bool write) {
    if (!s.at.on_the_fly()) found.push_back({&s, k, write});
  };
  nvdlac::visit([&](const auto& l) { each_use(l, add); }, what);
  return found;
}

// A use placed in memory. Equal spaces share one range of addresses: the pools have one each, every
// input and output its own.
struct access {
  std::size_t operation;  // over all tasks
  bool write;
  std::size_t buffer;
  std::size_t space;
  footprint in_buffer, in_space;
};

constexpr std::size_t space_of(const program_data& p, std::size_t buffer) {
  const auto m = p.buffers[buffer].memory;
  if (p.buffers[buffer].cvsram) return 2;
  return m == memory::weights ? 0 : m == memory::features ? 1 : 3 + buffer;
}

constexpr bool exists(const program_data& p, const layer::location& at) {
  return at.buffer >= 0 && static_cast<std::size_t>(at.buffer) < p.buffers.size();
}

// All accesses to buffers that exist, in the order of the operations.
constexpr std::vector<access> accesses(const program_data& p, bytes atom) {
  std::vector<access> found;
  std::size_t number = 0;
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations) {
      for (const use& u : uses(op.layer.what)) {
        if (!exists(p, u.surface->at)) continue;
        const auto buffer = static_cast<std::size_t>(u.surface->at.buffer);
        auto local = merged(footprint_of(*u.surface, u.kind, atom));
        for (std::int32_t i = 0; i < u.surface->pictures; ++i) {
          auto placed = local;
          placed.begin += p.buffers[buffer].offset;
          found.push_back({number, u.write, buffer, space_of(p, buffer), local, placed});
          local.begin += u.surface->picture_stride;
        }
      }
      ++number;
    }
  return found;
}

// The operations of all tasks in one row.
constexpr std::vector<const operation*> all_operations(const program_data& p) {
  std::vector<const operation*> found;
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations) found.push_back(&op);
  return found;
}

}  // namespace nvdlac::plan::checker
