// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/batch.hpp>
#include <nvdlac/lower/copy.hpp>
#include <nvdlac/lower/given_choices.hpp>
#include <nvdlac/lower/allocation.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/on_the_fly.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/lower/rules.hpp>
#include <nvdlac/lower/sdp_parts.hpp>
#include <nvdlac/lower/siblings.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

namespace detail {

template <class Graph, class Op>
constexpr void check_in_network(const target& hw, const Graph& g, std::size_t n, const Op& op,
                                std::vector<problem>& problems) {
  const auto why = support_in_network<Op>::check(hw, g, n, op, g.precision(n));
  if (why == reason::none) return;
  const bool picture = why == reason::pixels_are_not_read_by_a_convolution;
  problems.push_back({.layer = std::string(std::string_view(g.label_of(n))),
                      .reason = std::string(to_text(why)),
                      .remedy = picture ? "give it as int8 values" : ""});
}

// Whether the host alone has the numbers of node n: they are its results, or an input that no
// engine reads.
template <class Graph>
constexpr bool is_of_host(const Graph& g, std::size_t n) {
  const auto by_host = [&](std::size_t node) {
    return g.template get_if<quantised::on_host>(node) != nullptr;
  };
  if (g.template get_if<quantised::input>(n) == nullptr) return by_host(n);
  const auto readers = g.consumers(n);
  return !readers.empty() && std::ranges::all_of(readers, by_host);
}

// Adds a problem if the operator is not computed in the precision of the node.
template <class Graph, class Op>
constexpr void check_precision_of(const target& hw, const Graph& g, std::size_t n, const Op& op,
                                  std::vector<problem>& problems) {
  const auto p = g.inputs(n).empty() ? g.precision(n) : g.precision(g.inputs(n)[0]);
  if (p == hw::precision::int8 && g.precision(n) == hw::precision::int8) return;
  std::vector<net::shape> in;
  for (const auto i : g.inputs(n)) in.push_back(g.shape(i));
  // The host may have numbers that only it or the user reads.
  const bool by_host = is_of_host(g, n);
  auto why = by_host ? reason::none : check_precision(hw, p);
  if (why == reason::none && !by_host) why = check_precision(hw, g.precision(n));
  if (why == reason::none) why = check_support(hw, op, in, p);
  if (why != reason::none)
    problems.push_back({.layer = std::string(std::string_view(g.label_of(n))),
                        .reason = text(type_name<Op>(), " does not run on ", hw.name, ": ",
                                       to_text(why))});
}

// Copies a tensor of the user's that stands elsewhere.
template <class Graph>
constexpr void copy_outputs(const Graph& g, std::size_t n, const allocation& at, assembly& to) {
  for (const auto& copy_out : at.copies)
    if (copy_out.node == n)
      copy(to, label(to.named(g.label_of(n)), "/output"), at.of[n], copy_out.to);
}

// The layers of a node of one picture.
template <integer_network Graph>
constexpr void lower_node(const target& hw, const Graph& g, std::size_t n, const allocation& at,
                          assembly& to, std::vector<problem>& problems) {
  g.visit(n, [&]<class Op>(const Op& op) {
    detail::check_in_network(hw, g, n, op, problems);
    const auto known = problems.size();
    detail::check_precision_of(hw, g, n, op, problems);
    if (problems.size() > known) return;
    if constexpr (!has_no_layers<Op>) {
      to.begin_tensor(numbering_of(g, n));
      site<Op> s{.op = op,
                 .name = to.named(g.label_of(n)),
                 .out = at.of[n],
                 .out_scale = g.scale(n),
                 .in_place = at.in_place[n],
                 .staging = at.staging[n]};
      for (const auto i : g.inputs(n)) {
        s.in.push_back(at.of[i]);
        s.in_scale.push_back(g.scale(i));
        if (const auto* in = g.template get_if<quantised::input>(i)) s.pixels = in->pixels;
      }
      if constexpr (std::is_same_v<Op, quantised::move>)
        if (at.is_view[n]) return;
      if constexpr (std::is_same_v<Op, quantised::pool> || std::is_same_v<Op, quantised::lookup>)
        if (at.together[n] != n) return;  // the convolution's layers compute it
      if constexpr (std::is_same_v<Op, quantised::convolution>) {
        if (!std::is_constant_evaluated()) s.node = g.label_of(n);
        if (!at.siblings.empty())
          if (const auto group = group_of(at.siblings, n); !group.empty()) {
            if (group[0].first != n) return;
            return lower_joint(hw, g, group, at.of[group[0].convolution], to, std::move(s));
          }
        if (const auto behind = at.together[n]; behind != n) {
          s.out = at.of[behind];
          if (const auto* table = g.template get_if<quantised::lookup>(behind)) {
            s.table = to.keep_lut(lut_of_bytes(table->values));
            s.tabulated = to.named(g.label_of(behind));
          } else {
            s.pool = pooled_by(*g.template get_if<quantised::pool>(behind), g.shape(n),
                                g.shape(behind));
            s.pool->name = to.named(g.label_of(behind));
          }
        }
      }
      try {
        lower_operator(hw, to, s);
      } catch (const error& e) {
        for (const auto& p : e.problems()) problems.push_back(p);
      }
    }
  });
  copy_outputs(g, n, at, to);
}

// Calls run(at, number) for each picture of a batch; what it adds is named by the number.
constexpr void for_each_picture(std::span<const allocation> at, assembly& to, const auto& run) {
  for (int picture = 0; const auto& at_picture : at) {
    to.begin_picture(picture, static_cast<int>(at.size()));
    run(at_picture, picture++);
  }
}

// The layer of a node that is computed for all pictures at once.
template <integer_network Graph>
constexpr void lower_together(const target& hw, const Graph& g, std::size_t n,
                              const together_in_batch& batch, std::span<const allocation> at,
                              assembly& to) {
  const std::size_t from = g.inputs(n)[0];
  if (g.template get_if<quantised::input>(from))
    for_each_picture(at, to, [&](const allocation& at_picture, int picture) {
      copy(to, label(to.named(g.label_of(n)), "/input"), at_picture.of[from],
           of_picture(hw, batch.cubes[from], g.shape(from), picture));
    });
  to.begin_all();
  to.begin_tensor(numbering_of(g, n));
  auto op = *g.template get_if<quantised::convolution>(n);
  const auto how = batch.layers[n];
  const bool is_below = how == at_once::below_each_other;
  const bool connects_all = is_below && is_fully_connected(op.window, g.shape(from));
  if (is_below) op.window = over_pictures(op.window);
  int copies = 0;
  const auto cube = [&](std::size_t t) {
    if (how != at_once::as_lines) return batch.cubes[t];
    return lines_of_pictures(hw, batch.cubes[t], to.named(g.label_of(n)), copies, to);
  };
  site<quantised::convolution> s{.op = op,
                                 .name = to.named(g.label_of(n)),
                                 .out = cube(n),
                                 .out_scale = g.scale(n),
                                 .of_batch = connects_all,
                                 .node = g.label_of(n)};
  for (const auto i : g.inputs(n)) {
    s.in.push_back(cube(i));
    s.in_scale.push_back(g.scale(i));
  }
  lower_operator(hw, to, s);
  for_each_picture(at, to, [&](const allocation& at_picture, int) {
    copy_outputs(g, n, at_picture, to);
  });
}

// Groups of which some or all are computed for all pictures at once are no groups of one picture.
constexpr void leave_to_batch(std::span<sibling> siblings, const together_in_batch& batch) {
  const auto is_of_batch = [&](const sibling& s) {
    return batch.has_cube(s.convolution) ||
           (s.concat != sibling::nowhere && batch.has_cube(s.concat));
  };
  for (auto i = siblings.begin(); i != siblings.end(); ++i) {
    const auto group = group_of(siblings, i->convolution);
    if (!std::ranges::any_of(group, is_of_batch)) continue;
    for (auto left = group.size(); left-- > 0; ++i) i->why = lone::in_batch;
    --i;
  }
}

// Tables that are computed with a convolution leave it to the batch, which a pooling does not.
template <class Graph>
constexpr together_in_batch find_batch(const target& hw, const Graph& g,
                                       std::vector<convolution_and_reader>& together,
                                       batch_of wanted) {
  if (wanted.pictures == 1) return batch_finder<Graph>(hw, g, together, wanted).find();
  auto poolings = together;
  std::erase_if(poolings, [&](const auto& p) {
    return g.template get_if<quantised::lookup>(p.reader) != nullptr;
  });
  auto batch = batch_finder<Graph>(hw, g, poolings, wanted).find();
  for (auto& p : together)
    if (p.why == apart::none && batch.has_cube(p.convolution)) p.why = apart::in_batch;
  return batch;
}

template <class Graph>
constexpr void tell_of_together(const Graph& g, std::span<const convolution_and_reader> together,
                                plan::lowered& to) {
  for (const auto& p : together)
    if (p.why != apart::none)
      to.remarks.push_back({g.label_of(p.reader),
                            label("reads the result of '", g.label_of(p.convolution),
                                  "' from memory: ", to_text(p.why))});
    else if (!std::is_constant_evaluated())
      to.fused.push_back(g.label_of(p.reader));
}

// The layers of so many pictures: one after the other up to a layer that is computed for all at
// once, and from there on.
template <integer_network Graph>
constexpr void lower_pictures(const target& hw, const Graph& g, assembly& to,
                              std::vector<convolution_and_reader> together,
                              std::vector<sibling> siblings, batch_of wanted, bool images,
                              std::vector<problem>& problems) {
  const int pictures = wanted.pictures;
  auto batch = find_batch(hw, g, together, wanted);
  tell_of_together(g, together, to.result);
  for (std::size_t n = 0; n < batch.cubes.size(); ++n)
    if (batch.has_cube(n)) {
      to.begin_tensor(numbering_of(g, n));
      batch.cubes[n].at =
          to.reserve(g.label_of(n), plan::memory::features, batch.cubes[n].size);
      if (batch.is_in_a_row(n)) to.result.buffers.back().unit = hw::pair_of_atoms;
    }
  if (!siblings.empty()) {
    leave_to_batch(siblings, batch);
    tell_of_siblings(g, siblings, to.result);
  }
  std::vector<allocation> at;
  for (int picture = 0; picture < pictures; ++picture) {
    to.begin_picture(picture, pictures);
    at.push_back(allocate(hw, g, to, together, siblings, batch, picture, images));
  }
  const auto order = g.order();
  for (auto begin = order.begin(); begin != order.end() && problems.empty();) {
    if (batch.has(*begin)) {
      lower_together(hw, g, *begin++, batch, at, to);
      continue;
    }
    auto end = order.end();
    if (!batch.layers.empty())
      end = std::find_if(begin, end, [&](auto n) { return batch.has(n); });
    for_each_picture(at, to, [&](const allocation& at_picture, int) {
      if (!problems.empty()) return;  // those of one picture are all
      for (auto n = begin; n != end; ++n) lower_node(hw, g, *n, at_picture, to, problems);
    });
    begin = end;
  }
}

// With what is known of siblings, and of what is computed together with the convolution it reads.
template <integer_network Graph>
constexpr plan::lowered lower_with(const target& hw, const Graph& g,
                                   std::span<const convolution_and_reader> together,
                                   std::span<const sibling> siblings, label network,
                                   contents values, batch_of batch, bool images,
                                   const plan::lowering_choices* given = nullptr,
                                   std::string_view file = {}) {
  assembly to(values);
  if (given != nullptr) to.result.given = *given;
  to.result.network = std::move(network);
  std::vector<problem> problems;
  lower_pictures(hw, g, to, {together.begin(), together.end()}, {siblings.begin(), siblings.end()},
                 batch, images, problems);
  if (given != nullptr)
    for (auto& p : check_given(g, together, siblings, *given, to.result.foldable,
                              to.refused())) {
      p.file = file;
      problems.push_back(std::move(p));
    }
  if (!problems.empty()) throw error(std::move(problems));
  split_cubes(hw, to.result.layers);
  return std::move(to.result);
}

// Layers computed together in a network that is a constant, which the compiler evaluates once.
template <hw::hardware Hw, const auto& Net>
inline constexpr auto together_of = [] {
  constexpr std::size_t count = find_together(target_of<Hw>, Net).size();
  std::array<convolution_and_reader, count> all{};
  std::ranges::copy(find_together(target_of<Hw>, Net), all.begin());
  return all;
}();
// Its siblings, likewise.
template <hw::hardware Hw, const auto& Net>
inline constexpr auto siblings_of = [] {
  constexpr auto find = [] { return find_siblings(target_of<Hw>, Net, together_of<Hw, Net>); };
  constexpr std::size_t count = find().size();
  std::array<sibling, count> all{};
  std::ranges::copy(find(), all.begin());
  return all;
}();

}  // namespace detail

// The integer network as hardware layers, in the order of execution; buffers have sizes but
// no addresses yet. `values` tells what becomes of the bytes of trained values. A batch computes
// its pictures one after the other, but for the layers that it computes for all at once; each
// picture has inputs and outputs of its own: "name@1", "name@2", .. `images`: whether inputs of
// integers may stand as pixels (image_input); `siblings`: what find_siblings says of these.
// `given`: what a schedule chooses of all this, and `file`, where from, for messages.
// Throws one error with all layers that the hardware cannot compute, and why; while compiling, the
// first ends it.
template <integer_network Graph>
constexpr plan::lowered lower(const target& hw, const Graph& g, label network, contents values,
                              batch_of batch, bool images, std::span<const sibling> siblings,
                              const plan::lowering_choices& given = {},
                              std::string_view file = {}) {
  return detail::lower_with(hw, g, find_together(hw, g, images, given.unfused),
                            without_named(g, siblings, given.unfused), std::move(network),
                            values, batch, images, &given, file);
}
template <integer_network Graph>
constexpr plan::lowered lower(const target& hw, const Graph& g, label network,
                              contents values = {}, batch_of batch = {}, bool images = true,
                              const plan::lowering_choices& given = {},
                              std::string_view file = {}) {
  return lower(hw, g, std::move(network), values, batch, images,
               find_siblings(hw, g, find_together(hw, g, images), images), given, file);
}
template <hw::hardware Hw, integer_network Graph>
constexpr plan::lowered lower(const Graph& g, label network, contents values = {},
                              batch_of batch = {}, bool images = true,
                              const plan::lowering_choices& given = {},
                              std::string_view file = {}) {
  return lower(target_of<Hw>, g, std::move(network), values, batch, images, given, file);
}

// The layers of a network that is a constant.
template <hw::hardware Hw, const auto& Net>
constexpr plan::lowered lower_constant(contents values) {
  return detail::lower_with(target_of<Hw>, Net, detail::together_of<Hw, Net>,
                            detail::siblings_of<Hw, Net>, "network", values, {}, true);
}

}  // namespace nvdlac::lower
