// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions that read one cube and become one (sibling_groups.hpp).
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/convolution.hpp>
#include <nvdlac/lower/image_mode.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/move.hpp>
#include <nvdlac/lower/on_the_fly.hpp>
#include <nvdlac/lower/sibling_groups.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/pass/large_window.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/input.hpp>

namespace nvdlac::lower {

// Finds the siblings of a network. Those of one group have equal forms of SDP, but for the operands
// of kernels; their results have no place, or places beside each other in the cube of a concat, or
// those without a place stand before or behind that cube.
template <class Graph, class Cycles>
class sibling_finder {
  using id = std::size_t;
  using group_type = std::vector<sibling>;

 public:
  constexpr sibling_finder(const target& hw, const Graph& g,
                           std::span<const convolution_and_reader> together, bool images,
                           const joining& how, const Cycles& cycles)
      : hw_(hw), g_(g), together_(together), images_(images), how_(how), cycles_(cycles),
        tensors_(hw, g) {}

  constexpr std::vector<sibling> find() {
    if (!how_.wanted) return {};
    const auto order = g_.order();
    positions_.assign(g_.size(), std::size_t{0});
    for (std::size_t i = 0; i < order.size(); ++i) positions_[order[i]] = i;
    for (const id n : order)
      if (g_.uses(n) > 1) find_readers(n);
    return std::move(found_);
  }

 private:
  struct concat_slot {
    id concat = sibling::nowhere;
    std::size_t input = 0;

    constexpr auto operator<=>(const concat_slot&) const = default;
  };

  constexpr const quantised::convolution& op(id n) const {
    return *g_.template get_if<quantised::convolution>(n);
  }
  // Whether both can be told by one layer of CONV.
  constexpr bool see_the_same(id a, id b) const {
    return op(a).window == op(b).window && g_.precision(a) == g_.precision(b);
  }
  // Whether SDP does the same with the sums of both, but for what it has for each kernel.
  constexpr bool have_equal_numbers(id i, id j) const {
    const auto &a = op(i), &b = op(j);
    const bool one_slope = a.slope.size() == 1;
    const int most = how_.any_shifts && g_.precision(i) != hw::precision::fp16 ? 4 : 0;
    const auto are_near = [most](int x, int y) { return std::max(x, y) - std::min(x, y) <= most; };
    return are_near(a.bias_shift, b.bias_shift) && are_near(a.shift, b.shift) &&
           a.truncate == b.truncate &&
           a.pad == b.pad && a.relu == b.relu && a.slope_shift == b.slope_shift &&
           a.slope.empty() == b.slope.empty() && one_slope == (b.slope.size() == 1) &&
           (!one_slope || a.slope == b.slope) && a.low == b.low && a.high == b.high &&
           a.out == b.out;
  }

  constexpr std::size_t position(id n) const { return positions_[n]; }

  constexpr void find_readers(id input) {
    std::vector<id> readers;
    for (const id c : g_.consumers(input)) {
      const auto* o = g_.template get_if<quantised::convolution>(c);
      if (o != nullptr && o->groups == 1 && !o->winograd && g_.inputs(c).size() == 1)
        readers.push_back(c);
    }
    if (readers.size() < 2) return;
    std::ranges::sort(readers, {}, [&](id n) { return position(n); });
    while (!readers.empty()) {
      const auto alike = taken(readers, [&](id n) { return see_the_same(readers[0], n); });
      if (alike.size() > 1) find_among(alike);
    }
  }
  // Takes out the elements for which it holds, and returns them.
  template <class Holds>
  static constexpr std::vector<id> taken(std::vector<id>& from, const Holds& holds) {
    std::vector<id> result, rest;
    for (const id n : from) (holds(n) ? result : rest).push_back(n);
    from = std::move(rest);
    return result;
  }
  constexpr void leave(id n, lone why) {
    found_.push_back({.convolution = n, .first = n, .why = why});
  }
  constexpr void find_among(const std::vector<id>& alike) {
    std::vector<id> free;
    for (const id n : alike)
      if (const auto why = why_apart(n); why != lone::none) leave(n, why);
      else free.push_back(n);
    while (!free.empty()) {
      const auto equal = taken(free, [&](id n) { return have_equal_numbers(free[0], n); });
      if (equal.size() == 1) leave(equal[0], lone::other_numbers);
      else find_places(equal);
    }
  }

  constexpr lone why_apart(id n) const {
    if (tensors_.is_output(n)) return lone::output;
    for (const auto& p : together_)
      if (p.convolution == n && p.why == apart::none) return lone::on_the_fly;
    if (tensors_.is_in_pairs(n)) return lone::in_pairs;
    if (tensors_.arranged(n).surface_stride != tensors_.packed(n, g_.shape(n)).surface_stride)
      return lone::in_lines;
    if (may_be_moved(n)) return lone::no_place;
    const auto in = g_.inputs(n)[0];
    const std::array shapes{g_.shape(in)};
    const auto p = g_.precision(n);
    const auto* picture = g_.template get_if<quantised::input>(in);
    const bool runs =
        g_.precision(in) == p && check_precision(hw_, p) == reason::none &&
        check_support(hw_, op(n), shapes, p) == reason::none &&
        (picture == nullptr || !picture->pixels ||
         reason_of_pixels(hw_, op(n), shapes[0], p) == reason::none) &&
        (op(n).slope.size() != 1 || op(n).slope.known()) &&
        pass::convolution_core::of(op(n).window, shapes[0], g_.shape(n)).whole;
    return runs ? lone::none : lone::not_supported;
  }

  // Whether Rubik may take the tensor to a cube of its own.
  constexpr bool may_be_moved(id n) const {
    return hw_.rubik && std::ranges::any_of(g_.consumers(n), [&](id c) {
      return g_.template get_if<quantised::move>(c) || (tensors_.is_alias(c) && may_be_moved(c));
    });
  }

  // Groups of convolutions with equal numbers, by the places that their results have.
  constexpr void find_places(const std::vector<id>& equal) {
    group_type free;
    std::vector<group_type> rows;  // neighbours in the cube of a concat
    std::vector<concat_slot> ends;  // of these, the place behind the last
    auto placed = equal;
    std::ranges::sort(placed, {}, [&](id n) { return std::pair(slot_of(n), position(n)); });
    for (const id n : placed) {
      const auto at = slot_of(n);
      if (at.concat == sibling::nowhere) {
        free.push_back({.convolution = n});
        continue;
      }
      if (ends.empty() || ends.back() != at) {
        rows.emplace_back();
        ends.push_back(at);
      }
      rows.back().push_back({.convolution = n, .concat = at.concat});
      ++ends.back().input;
    }
    put_ragged_last(free);
    for (std::size_t i = 0; i < rows.size() && !free.empty(); ++i) {
      const id c = ends[i].concat;
      const bool begins = ends[i].input == rows[i].size();
      if (!(begins || ends[i].input == g_.inputs(c).size()) || !can_grow(c)) continue;
      auto& row = rows[i];
      for (auto& s : free) s.is_beside = true;
      row.insert(begins ? row.begin() : row.end(), free.begin(), free.end());
      for (auto& s : row) {
        s.concat = c;
        s.behind = !begins;
      }
      free.clear();
    }
    if (!free.empty()) rows.push_back(std::move(free));
    for (auto& row : rows) finish(row);
  }
  constexpr bool is_ragged(const sibling& s) const {
    const auto lanes = layer::lanes_of(hw_.atom(), g_.precision(s.convolution));
    return static_cast<std::uint64_t>(g_.shape(s.convolution).c) % lanes != 0;
  }
  // One that does not fill its last atom needs no kernels beside its own at the end.
  constexpr void put_ragged_last(group_type& row) const {
    const auto ragged = std::ranges::find_if(row, [&](const auto& s) { return is_ragged(s); });
    if (ragged != row.end()) std::rotate(ragged, ragged + 1, row.end());
  }

  // Where in a concat's cube a tensor stands, in the order of allocate(): from the last concat on.
  constexpr concat_slot slot_of(id n) {
    if (slots_.empty()) find_slots_of_concats();
    return slots_[n];
  }
  constexpr void find_slots_of_concats() {
    slots_.assign(g_.size(), {});
    const auto order = g_.order();
    for (auto c = order.rbegin(); c != order.rend(); ++c) {
      const auto* concat = g_.template get_if<quantised::concat>(*c);
      if (concat == nullptr) continue;
      const auto& inputs = g_.inputs(*c);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const id from = tensors_.origin(inputs[i]);
        if (!concat->multiplier[i] && g_.shape(from) == g_.shape(inputs[i]) &&
            slots_[from].concat == sibling::nowhere && !tensors_.is_output(from) &&
            !tensors_.is_in_pairs(from))
          slots_[from] = {*c, i};
      }
    }
  }
  // Whether a concat's cube may get further channels before or behind it.
  constexpr bool can_grow(id c) {
    std::vector<net::shape> shapes;
    for (const id i : g_.inputs(c)) shapes.push_back(g_.shape(i));
    if (tensors_.is_in_pairs(c)) return false;
    if (!concat_is_aligned(shapes, layer::lanes_of(hw_.atom(), g_.precision(c)))) return true;
    return !may_be_moved(c) && !tensors_.is_output(c) && slot_of(c).concat == sibling::nowhere &&
           tensors_.arranged(c).surface_stride ==
               tensors_.packed(c, g_.shape(c)).surface_stride;
  }

  using partition = std::vector<group_type>;

  // The ways in which a row may be computed: each alone, all as one, those that have places in a
  // concat apart from the others, and without those that need kernels of zeros beside them.
  constexpr std::vector<partition> ways_of(const group_type& row) const {
    partition alone, without_ragged(1);
    group_type beside, inside;
    for (const auto& s : row) {
      sibling own{.convolution = s.convolution,
                  .concat = s.is_beside ? sibling::nowhere : s.concat};
      alone.push_back({own});
      (s.is_beside ? beside : inside).push_back(own);
      const bool can_go = own.concat == sibling::nowhere;  // from between its neighbours
      if (can_go && is_ragged(s) && &s != &row.back()) without_ragged.push_back({own});
      else without_ragged[0].push_back(s);
    }
    std::vector<partition> ways{std::move(alone), {row}};
    if (!beside.empty() && !inside.empty() && row.size() > 2) {
      put_ragged_last(beside);
      ways.push_back({std::move(beside), std::move(inside)});
    }
    if (without_ragged.size() > 1 && without_ragged[0].size() > 1)
      ways.push_back(std::move(without_ragged));
    return ways;
  }
  constexpr void finish(const group_type& row) {
    auto why = row.size() < 2 ? lone::no_place : lone::none;
    if (why == lone::none && !is_supported(row)) why = lone::not_supported;
    auto ways = ways_of(row);
    std::size_t best = 0;
    if (why == lone::none) {
      why = lone::slower;
      auto least = cycles_(layers(ways[0]));
      for (std::size_t i = 1; i < ways.size(); ++i)
        if (const auto now = cycles_(layers(ways[i])); now < least) {
          best = i;
          least = now;
        }
    }
    for (const auto& group : ways[best]) {
      const auto first = std::ranges::min_element(
          group, {}, [&](const sibling& s) { return position(s.convolution); })->convolution;
      for (auto s : group) {
        s.first = first;
        s.why = group.size() > 1 ? lone::none : why;
        found_.push_back(s);
      }
    }
  }
  constexpr bool is_supported(const group_type& row) const {
    const id n = row[0].convolution, in = g_.inputs(n)[0];
    const auto image = interleaved_input(hw_, g_, in, images_);
    const auto view = image ? pixel_view::of(*image) : pixel_view{};
    const net::shape shape = image ? view.image(*image).shape : g_.shape(in);
    auto out = g_.shape(n);
    out.c = channels_of(hw_, g_, row).back();
    const auto window =
        image ? pixel_window(hw_, shape.c, view.window(op(n).window), out.w) : op(n).window;
    return check_convolution(hw_, shape, out, window, image.has_value(), g_.precision(n)) ==
           reason::none;
  }
  // Groups of one tensor's readers as a program, each as one layer.
  constexpr plan::lowered layers(const partition& groups) const {
    assembly to(contents::none());
    const id n = groups[0][0].convolution, in = g_.inputs(n)[0];
    const auto cube = [&](label name, plan::memory where, layer::surface s) {
      s.at = to.reserve(std::move(name), where, s.size);
      return s;
    };
    const auto image = interleaved_input(hw_, g_, in, images_);
    const auto input = cube("input", plan::memory::input,
                            image ? *image : tensors_.packed(in, g_.shape(in)));
    for (const auto& group : groups) {
      auto shape = g_.shape(n);
      shape.c = channels_of(hw_, g_, group).back();
      const joint_layer<Graph> joint(
          hw_, g_, group, cube("output", plan::memory::output,
                               layer::packed(shape, hw_.atom(), {}, g_.precision(n))));
      site<quantised::convolution> s{.op = op(group[0].convolution),
                                     .name = g_.label_of(group[0].convolution),
                                     .out = joint.out};
      s.joined = joint.all;
      s.in.push_back(input);
      if (const auto* picture = g_.template get_if<quantised::input>(in))
        s.pixels = picture->pixels;
      lower_operator(hw_, to, s);
    }
    return std::move(to.result);
  }

  const target& hw_;
  const Graph& g_;
  std::span<const convolution_and_reader> together_;
  bool images_;
  const joining& how_;
  const Cycles& cycles_;
  tensors<Graph> tensors_;
  std::vector<concat_slot> slots_{};  // by node, as soon as they are asked for
  std::vector<std::size_t> positions_{};  // in the order of the graph, by node
  std::vector<sibling> found_{};
};

// The layers of a group of siblings, of which the first has its place at `first`; `s` is that of
// one of them.
template <class Graph>
constexpr void lower_joint(const target& hw, const Graph& g, std::span<const sibling> group,
                           const layer::surface& first, assembly& to,
                           site<quantised::convolution> s) {
  const joint_layer<Graph> joint(hw, g, group, first);
  s.name = to.named(name_of_group(g, group));
  s.out = joint.out;
  s.joined = joint.all;
  lower_operator(hw, to, s);
}

// All convolutions of the network that read a cube as another one does, in groups; and why those
// that are not joined are not. `cycles(layers)` says what a program takes.
template <class Graph, class Cycles>
constexpr std::vector<sibling> find_siblings(const target& hw, const Graph& g,
                                             std::span<const convolution_and_reader> together,
                                             bool images, const joining& how,
                                             const Cycles& cycles) {
  return sibling_finder<Graph, Cycles>(hw, g, together, images, how, cycles).find();
}
template <class Graph>
constexpr std::vector<sibling> find_siblings(const target& hw, const Graph& g,
                                             std::span<const convolution_and_reader> together,
                                             bool images = true, const joining& how = {}) {
  return find_siblings(hw, g, together, images, how,
                       [&](plan::lowered l) {
                         return cycles_in_order(hw, std::move(l), cost::memory_of(hw));
                       });
}

}  // namespace nvdlac::lower
