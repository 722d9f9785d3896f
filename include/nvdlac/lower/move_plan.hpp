// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the boxes of a move become copies of whole atoms: which channels stand together where.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/lower/element_moves.hpp>
#include <nvdlac/net/box.hpp>

namespace nvdlac::lower {

// Channels that lie together at the beginning of an atom: channel i is `source[i]` of another cube.
struct channel_run {
  std::int32_t input = 0;  // of the move, or box::filled
  std::vector<std::int32_t> source{};
  std::int32_t first = 0;  // in the cube where they are brought together

  constexpr bool contiguous() const {
    for (std::size_t i = 1; i < source.size(); ++i)
      if (source[i] != source[0] + static_cast<std::int32_t>(i)) return false;
    return true;
  }
  // They already stand so in their cube.
  constexpr bool in_place(std::int32_t atom) const {
    return source[0] % atom == 0 && contiguous();
  }
};

// One box, or those of its channels that belong to one run of the result.
struct move_piece {
  std::size_t box = 0;
  std::size_t result = 0;  // index into move_plan::results
  std::size_t origin = 0;  // index into move_plan::origins
};

struct move_plan {
  std::vector<net::box> boxes{};       // none of which crosses, unless all elements move singly
  std::vector<channel_run> origins{};  // of the inputs; equal ones are kept once
  std::vector<channel_run> results{};  // `source`: channels of the result
  std::vector<move_piece> pieces{};
  bool results_in_place = true;
  // One selection of channels of the whole input is all: the source of each channel of the result.
  bool only_channels = false;
  std::vector<std::int32_t> selection{};
  // Elements go from channels to lines or columns or back, best one by one.
  bool single_elements = false;
};

namespace detail {

constexpr bool moves_channels(const net::box_loop& l) { return l.to.c != 0 || l.from.c != 0; }
constexpr bool is_crossing(const net::box&, const net::box_loop& l) {
  const bool to = l.to.y != 0 || l.to.x != 0, from = l.from.y != 0 || l.from.x != 0;
  return moves_channels(l) && (to || from);
}

// The boxes cut along the loops that `cut_at(box, loop)` chooses.
template <class Choice>
constexpr std::vector<net::box> cut_along(std::span<const net::box> boxes, const Choice& cut_at) {
  std::vector<net::box> result(boxes.begin(), boxes.end());
  for (std::size_t i = 0; i < net::box::most_loops; ++i) {
    std::vector<net::box> cut;
    for (auto b : result) {
      const auto l = b.loops[i];
      const bool chosen = l.count > 1 && cut_at(b, l);
      if (chosen) b.loops[i] = {};
      for (std::int32_t n = 0; n < (chosen ? l.count : 1); ++n) {
        cut.push_back(b);
        cut.back().to = b.to + l.to * n;
        cut.back().from = b.from + l.from * n;
      }
    }
    result = std::move(cut);
  }
  return result;
}
// How many they become.
template <class Choice>
constexpr std::int64_t cut_count(std::span<const net::box> boxes, const Choice& cut_at) {
  std::int64_t n = 0;
  for (const auto& b : boxes) {
    std::int64_t cuts = 1;
    for (const auto& l : b.loops)
      if (l.count > 1 && cut_at(b, l)) cuts *= l.count;
    n += cuts;
  }
  return n;
}

struct channel_pair {
  std::int32_t to = 0, from = 0;
};
// The channels of a box in the result and in the input.
constexpr std::vector<channel_pair> channels_of(const net::box& b) {
  std::vector<channel_pair> all{{b.to.c, b.from.c}};
  for (const auto& l : b.loops) {
    if (l.count == 1 || !moves_channels(l)) continue;
    const auto before = all;
    for (std::int32_t n = 1; n < l.count; ++n)
      for (const auto& p : before) all.push_back({p.to + n * l.to.c, p.from + n * l.from.c});
  }
  std::sort(all.begin(), all.end(),
            [](const channel_pair& a, const channel_pair& b2) { return a.to < b2.to; });
  return all;
}

// The box takes every line and every column of a surface to where it was.
constexpr bool keeps_surfaces(const net::box& b, net::shape in, net::shape out) {
  if (in.h != out.h || in.w != out.w) return false;
  if (b.input >= 0 && (b.to.y != b.from.y || b.to.x != b.from.x)) return false;
  std::int64_t area = 1;
  for (const auto& l : b.loops) {
    if (moves_channels(l)) continue;
    if (b.input >= 0 && l.count > 1 && l.to != l.from) return false;
    area *= l.count;
  }
  return area == std::int64_t{out.h} * out.w;
}

constexpr std::size_t add_run(std::vector<channel_run>& runs, channel_run run) {
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].input == run.input && runs[i].source == run.source) return i;
  runs.push_back(std::move(run));
  return runs.size() - 1;
}

// Channels of the result that the same boxes hold form one run.
constexpr std::vector<std::size_t> run_of_channel(const std::vector<std::vector<channel_pair>>& of,
                                                  std::int32_t channels,
                                                  std::vector<channel_run>& results) {
  std::vector<std::vector<std::size_t>> holders(static_cast<std::size_t>(channels),
                                                std::vector<std::size_t>{});
  for (std::size_t b = 0; b < of.size(); ++b)
    for (const auto& p : of[b]) holders[static_cast<std::size_t>(p.to)].push_back(b);
  std::vector<std::size_t> run(holders.size(), std::size_t{0}), first_of{};
  for (std::size_t c = 0; c < holders.size(); ++c) {
    std::size_t r = 0;
    while (r < first_of.size() && holders[first_of[r]] != holders[c]) ++r;
    if (r == first_of.size()) {
      first_of.push_back(c);
      results.push_back({});
    }
    run[c] = r;
    results[r].source.push_back(static_cast<std::int32_t>(c));
  }
  return run;
}

}  // namespace detail

// Neither boxes nor single elements: it would take too many layers.
inline constexpr std::int64_t most_cuts = 4096;

constexpr move_plan plan_move(std::span<const net::box> given, net::shape out,
                              std::span<const net::shape> in, std::int32_t atom) {
  move_plan plan;
  const std::int64_t cuts = detail::cut_count(given, detail::is_crossing);
  std::int64_t elements = column_of(out, atom);
  for (const auto& s : in) elements = std::max(elements, column_of(s, atom));
  plan.single_elements = std::cmp_greater(cuts, given.size()) &&
                         elements <= most_single_elements && elements / (8 * atom) < cuts;
  if (plan.single_elements || cuts > most_cuts) return plan;
  plan.boxes = detail::cut_along(given, detail::is_crossing);
  const auto& boxes = plan.boxes;

  std::vector<std::vector<detail::channel_pair>> channels;
  for (const auto& b : boxes) channels.push_back(detail::channels_of(b));
  const auto run = detail::run_of_channel(channels, out.c, plan.results);
  for (const auto& r : plan.results) {
    const auto n = static_cast<std::int32_t>(r.source.size());
    const bool whole = n % atom == 0 || r.source.back() + 1 == out.c;
    plan.results_in_place = plan.results_in_place && r.in_place(atom) && whole;
  }
  plan.only_channels = in.size() == 1;
  plan.selection.assign(static_cast<std::size_t>(out.c), -1);
  bool in_place = plan.results_in_place;
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    plan.only_channels = plan.only_channels && detail::keeps_surfaces(boxes[b], in[0], out);
    // The channels of a box in each run of the result.
    std::vector<std::size_t> seen;
    for (const auto& p : channels[b]) {
      const auto r = run[static_cast<std::size_t>(p.to)];
      if (boxes[b].input >= 0) plan.selection[static_cast<std::size_t>(p.to)] = p.from;
      if (std::find(seen.begin(), seen.end(), r) != seen.end()) continue;
      seen.push_back(r);
      channel_run origin{.input = boxes[b].input};
      for (const auto& q : channels[b])
        if (run[static_cast<std::size_t>(q.to)] == r)
          origin.source.push_back(boxes[b].input < 0 ? 0 : q.from);
      in_place = in_place && (origin.input < 0 || origin.in_place(atom));
      plan.pieces.push_back({b, r, detail::add_run(plan.origins, std::move(origin))});
    }
  }
  plan.only_channels = plan.only_channels && !in_place;
  return plan;
}

// The channels of one input that stand nowhere together, brought together; `first` of the others
// stays meaningless.
constexpr std::vector<std::int32_t> gathered_origins(move_plan& plan, std::int32_t input,
                                                     std::int32_t atom) {
  std::vector<std::int32_t> source;
  for (auto& r : plan.origins) {
    if (r.input != input || r.in_place(atom)) continue;
    r.first = static_cast<std::int32_t>(source.size());
    source.insert(source.end(), r.source.begin(), r.source.end());
    while (source.size() % static_cast<std::size_t>(atom) != 0) source.push_back(-1);
  }
  return source;
}

// The channels of the result in the cube where its runs stand an atom apart.
constexpr std::int32_t stack_results(move_plan& plan, std::int32_t atom,
                                     std::vector<std::int32_t>& source) {
  std::int32_t next = 0;
  for (auto& r : plan.results) {
    r.first = next;
    for (std::size_t i = 0; i < r.source.size(); ++i)
      source[static_cast<std::size_t>(r.source[i])] = next + static_cast<std::int32_t>(i);
    next += (static_cast<std::int32_t>(r.source.size()) + atom - 1) / atom * atom;
  }
  return next;
}

}  // namespace nvdlac::lower
