// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions that read one cube in the same way and may become one, with their kernels behind
// each other: their results then stand behind each other in one buffer, and whoever reads one reads
// a part of it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/move.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// Why a convolution is computed apart from others that read the same cube through the same window.
enum class lone : std::uint8_t {
  none,  // it is not
  given,
  output,
  on_the_fly,
  in_pairs,
  in_lines,
  other_numbers,
  no_place,
  not_supported,
  in_batch,
  slower,
};

constexpr std::string_view to_text(lone why) {
  switch (why) {
    case lone::none: return "";
    case lone::given: return "the schedule says so";
    case lone::output: return "its result is an output of the network";
    case lone::on_the_fly: return "a pooling or a table takes its result on the fly";
    case lone::in_pairs: return "a conversion to or from 8 bits takes its surfaces in pairs";
    case lone::in_lines: return "its result stands with the surfaces of each line side by side";
    case lone::other_numbers: return "its sums are shifted, bounded or rectified in another way";
    case lone::no_place:
      return "its result has its place where none of the others can be beside it";
    case lone::not_supported: return "the configuration does not run them as one";
    case lone::in_batch: return "it is computed for all pictures at once";
    case lone::slower: return "as one they are not predicted to take fewer cycles";
  }
  return "";
}

// The siblings that lowering may join.
struct joining {
  bool wanted = true;
  // Whether all shifts of sums and biases join, but for a few bits, which quantisation could share.
  bool any_shifts = false;
};

// A convolution beside others that read the same cube in the same way. Those of one group follow
// each other in the order in which their results stand in memory.
struct sibling {
  static constexpr std::size_t nowhere = ~std::size_t{0};

  std::size_t convolution = 0;
  std::size_t first = 0;  // of its group in the order of the network, in whose place all run
  lone why = lone::none;
  std::size_t concat = nowhere;  // in whose cube some of the group stand
  bool is_beside = false;        // whether it is none of those
  bool behind = false;           // whether those beside stand behind that cube, not before it

  constexpr bool operator==(const sibling&) const = default;
};

// The group of a convolution that is joined with others; empty: it is not.
constexpr std::span<const sibling> group_of(std::span<const sibling> all, std::size_t n) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].convolution != n) continue;
    if (all[i].why != lone::none) return {};
    std::size_t begin = i, end = i + 1;
    const auto belongs = [&](const sibling& s) {
      return s.why == lone::none && s.first == all[i].first;
    };
    while (begin > 0 && belongs(all[begin - 1])) --begin;
    while (end < all.size() && belongs(all[end])) ++end;
    return all.subspan(begin, end - begin);
  }
  return {};
}

// Returns the siblings, with the groups of which a schedule names one marked as left apart.
template <class Graph>
std::vector<sibling> without_named(const Graph& g, std::span<const sibling> all,
                                   std::span<const label> unfused) {
  std::vector<sibling> result(all.begin(), all.end());
  for (auto& s : result)
    for (const auto& one : group_of(all, s.convolution))
      for (const auto& name : unfused)
        if (name == g.label_of(one.convolution)) s.why = lone::given;
  return result;
}

// Where the channels of each of a group begin, and behind the last where those of all end.
template <class Graph>
constexpr std::vector<std::int32_t> channels_of(const hw::spec& hw, const Graph& g,
                                                std::span<const sibling> group) {
  std::vector<net::shape> shapes;
  for (const auto& s : group) shapes.push_back(g.shape(s.convolution));
  const auto p = g.precision(group.front().convolution);
  auto begin = aligned_offsets(shapes, layer::lanes_of(hw.atom(), p));
  begin.back() = begin[group.size() - 1] + shapes.back().c;
  return begin;
}

// The name of a group: "block/a+b+c" of "block/a", "block/b" and "block/c".
template <class Graph>
constexpr label name_of_group(const Graph& g, std::span<const sibling> group) {
  constexpr std::size_t most = 4;
  label name(g.label_of(group[0].convolution));
  std::size_t same = name.size();
  for (const auto& s : group) {
    const label other(g.label_of(s.convolution));
    std::size_t i = 0;
    while (i < std::min(same, other.size()) && other.view()[i] == name.view()[i]) ++i;
    same = i;
  }
  while (same > 0 && name.view()[same - 1] != '/') --same;
  for (std::size_t i = 1; i < group.size() && i < most; ++i) {
    const label other(g.label_of(group[i].convolution));
    name = label(name, "+", other.view().substr(same));
  }
  if (group.size() > most) name = label(name, "+", group.size() - most, "more");
  return name;
}

// Tells which convolutions became one, and why others did not.
template <class Graph>
constexpr void tell_of_siblings(const Graph& g, std::span<const sibling> siblings,
                                plan::lowered& to) {
  for (const auto& s : siblings) {
    const auto group = group_of(siblings, s.convolution);
    if (group.empty())
      to.remarks.push_back({g.label_of(s.convolution),
                            label("reads the same as other convolutions, but apart from them: ",
                                  to_text(s.why))});
    else if (&group[0] == &s) {
      label members("is one convolution for");
      for (std::size_t i = 0; i < group.size(); ++i)
        members = label(members, i == 0 ? " '" : i + 1 < group.size() ? ", '" : " and '",
                        g.label_of(group[i].convolution), "'");
      to.remarks.push_back({name_of_group(g, group), std::move(members)});
      if (!std::is_constant_evaluated()) to.fused.push_back(g.label_of(s.first));
    }
  }
}

// The convolutions that a group computes as one layer, the first of them at `out`.
template <class Graph>
struct joint_layer {
  std::vector<joined_convolution> all{};  // of one alone: none
  layer::surface out{};

  constexpr joint_layer(const hw::spec& hw, const Graph& g, std::span<const sibling> group,
                        layer::surface first)
      : out(first) {
    const auto begin = channels_of(hw, g, group);
    out.shape.c = begin.back();
    out.size = layer::extent(out, hw.atom());
    for (std::size_t i = 0; i < group.size() && group.size() > 1; ++i)
      all.push_back({g.template get_if<quantised::convolution>(group[i].convolution), begin[i]});
  }
};

}  // namespace nvdlac::lower
