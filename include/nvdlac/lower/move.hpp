// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/hw/limits.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/copy.hpp>
#include <nvdlac/lower/element_moves.hpp>
#include <nvdlac/lower/interleaving.hpp>
#include <nvdlac/lower/line_selection.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/move_plan.hpp>
#include <nvdlac/lower/repetition.hpp>
#include <nvdlac/lower/sdp_operands.hpp>
#include <nvdlac/lower/select_channels.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/lower/two_bytes.hpp>

namespace nvdlac::lower {

// Moves: atoms are copied by SDP, channels selected by CONV; parts alternate by Rubik, or stand in
// the result already (allocation.hpp). Ones are multiplied by one value for each channel.

namespace detail {

class mover {
 public:
  constexpr mover(const hw::spec& hw, assembly& to, const site<quantised::move>& s)
      : hw_(hw), to_(to), s_(s),
        lanes_(static_cast<std::int32_t>(layer::lanes_of(hw_.atom(), s.out.precision))) {
    for (const auto& cube : s.in) in_.push_back(cube.shape);
  }

  constexpr void run() {
    auto plan = plan_move(boxes(), s_.out.shape, in_, lanes_);
    if (plan.single_elements) return move_elements();
    if (plan.only_channels)
      return select_channels(hw_, to_, s_.name, s_.in[0], s_.out, plan.selection, s_.op.fill);

    const bool selects = selects_lines(hw_, plan, in_, s_.out.precision);
    std::vector<layer::surface> gathered;
    for (std::size_t i = 0; i < s_.in.size() && !selects; ++i) {
      const auto input = static_cast<std::int32_t>(i);
      const auto source = gathered_origins(plan, input, lanes_);
      gathered.push_back({});
      if (source.empty()) continue;
      gathered.back() = scratch(label(s_.name, "/gathered", i),
                                {static_cast<std::int32_t>(source.size()), in_[i].h, in_[i].w});
      select_channels(hw_, to_, label(s_.name, "/gather", i), s_.in[i], gathered.back(), source);
    }
    layer::surface result = s_.out;
    std::vector<std::int32_t> order(static_cast<std::size_t>(s_.out.shape.c), -1);
    if (!plan.results_in_place) {
      const auto channels = stack_results(plan, lanes_, order);
      result = scratch(label(s_.name, "/stacked"), {channels, s_.out.shape.h, s_.out.shape.w});
    }
    for (std::size_t n = 0; n < plan.pieces.size(); ++n) {
      const auto& piece = plan.pieces[n];
      const auto& origin = plan.origins[piece.origin];
      if (stands_in_result(origin.input)) continue;
      if (selects && origin.input >= 0 && !origin.in_place(lanes_))
        select_lines(*line_selection_of(plan, piece), origin.input, label(s_.name, "/box", n));
      else
        copy_piece(plan, piece, label(s_.name, "/box", n), gathered, result);
    }
    if (!plan.results_in_place)
      select_channels(hw_, to_, label(s_.name, "/select"), result, s_.out, order);
  }

 private:
  constexpr std::span<const net::box> boxes() const {
    return {s_.op.boxes.data(), s_.op.boxes.size()};
  }
  constexpr bool stands_in_result(std::int32_t input) const {
    return input >= 0 && !s_.in_place.empty() && s_.in_place[static_cast<std::size_t>(input)];
  }
  constexpr layer::surface packed(net::shape shape) const {
    return layer::packed(shape, hw_.atom(), {}, s_.out.precision);
  }
  constexpr layer::surface scratch(label name, net::shape shape) {
    auto cube = packed(shape);
    cube.at = to_.reserve(std::move(name), plan::memory::features, cube.size);
    return cube;
  }

  constexpr void select_lines(const line_selection& lines, std::int32_t input, const label& name) {
    select_channels(hw_, to_, name,
                    lines.read(s_.in[static_cast<std::size_t>(input)], hw_.atom()),
                    lines.written(s_.out, hw_.atom()),
                    {lines.source.begin(), lines.source.end()});
  }
  constexpr void copy_piece(const move_plan& plan, const move_piece& piece, const label& name,
                            const std::vector<layer::surface>& gathered,
                            const layer::surface& result) {
    const auto& origin = plan.origins[piece.origin];
    const auto i = static_cast<std::size_t>(std::max<std::int32_t>(origin.input, 0));
    auto c = copy_of(hw_, plan, piece, origin.in_place(lanes_) ? s_.in[i] : gathered[i], result);
    if (c.constants > 0) {
      const auto size = static_cast<std::uint64_t>(c.constants * atom_);
      c.copy.from = to_.keep(label(name, "/fill"), size, [&](std::uint8_t* bytes_of_values) {
        const auto width = hw::element_bytes(s_.out.precision);
        for (std::uint64_t n = 0; n < size; n += width)
          if (width == 1) bytes_of_values[n] = static_cast<std::uint8_t>(s_.op.fill & 0xff);
          else put_two_bytes(s_.op.fill, bytes_of_values + n);
      });
    }
    copy_atoms(hw_, to_, name, c.copy);
  }

  constexpr bool has_no_gaps(const layer::surface& cube) const {
    const auto same = packed(cube.shape);
    return cube.line_stride == same.line_stride && cube.surface_stride == same.surface_stride;
  }
  constexpr layer::surface column(const layer::surface& cube, std::int32_t channels) const {
    auto result = packed({channels, 1, 1});
    result.at = cube.at;
    return result;
  }
  constexpr void move_elements() {
    const auto m = move_single_elements(boxes(), s_.out.shape, in_, lanes_);
    layer::surface from = s_.in[0], result = s_.out;
    if (s_.in.size() > 1 || !has_no_gaps(from)) {
      from = scratch(label(s_.name, "/inputs"), m.in);
      for (std::size_t i = 0; i < s_.in.size(); ++i) {
        auto place = packed(in_[i]);
        place.at = from.at;
        place.at.offset += static_cast<std::uint64_t>(m.first[i] / lanes_ * atom_);
        copy(to_, label(s_.name, "/input", i), s_.in[i], place);
      }
    }
    const bool direct = has_no_gaps(result);
    if (!direct) result = scratch(label(s_.name, "/elements"), s_.out.shape);
    select_channels(hw_, to_, s_.name, column(from, m.in.c), column(result, m.out.c), m.source,
                    s_.op.fill);
    if (!direct) copy(to_, label(s_.name, "/output"), result, s_.out);
  }

  const hw::spec& hw_;
  assembly& to_;
  const site<quantised::move>& s_;
  std::int64_t atom_ = static_cast<std::int64_t>(hw_.memory_atom);
  std::int32_t lanes_;  // channels of an atom
  std::vector<net::shape> in_{};
};

// Makes the result of a repetition.
constexpr void repeat(const hw::spec& hw, assembly& to, const site<quantised::move>& s,
                      const repetition& r) {
  const auto p = s.out.precision;
  if (r.is_of_vector()) {
    auto ones = layer::packed(r.to, hw.atom(), {}, p);
    ones.at = to.keep(label(s.name, "/ones"), ones.size, [&](std::uint8_t* bytes_of_values) {
      const auto width = hw::element_bytes(p);
      for (std::uint64_t n = 0; n < ones.size; n += width)
        if (width == 1) bytes_of_values[n] = static_cast<std::uint8_t>(hw::one(p));
        else put_two_bytes(hw::one(p), bytes_of_values + n);
    });
    layer::sdp sdp{.input = ones, .output = s.out};
    sdp.x1 = operands_of(hw, ones, s.in[0]);
    sdp.x1.mul = true;
    to.add(s.name, sdp);
    return;
  }
  const auto part = [&](std::int32_t first, std::int32_t count) {
    return r.is_of_column()
               ? layer::part(s.out, hw.atom(), 0, 0, first, {r.to.c, r.to.h, count})
               : layer::part(s.out, hw.atom(), 0, first, 0, {r.to.c, count, r.to.w});
  };
  copy(to, label(s.name, "/times1"), s.in[0], part(0, 1));
  r.for_each_doubling([&](std::int32_t first, std::int32_t count) {
    copy(to, label(s.name, "/times", first + count), part(0, count), part(first, count));
  });
}

// Makes the result with Rubik, if its phases have their groups (allocation.hpp) or already stand
// so.
constexpr bool interleave_by_rubik(const hw::spec& hw, assembly& to,
                                   const site<quantised::move>& s) {
  std::vector<net::shape> in;
  for (const auto& cube : s.in) in.push_back(cube.shape);
  const auto i = find_interleaving(hw, {s.op.boxes.data(), s.op.boxes.size()}, s.out.shape, in,
                                     s.out.precision);
  const bool staged = !s.staging.at.on_the_fly();
  if (!i || !(staged || (i.is_stacked() && s.in_place.empty()))) return false;
  const bytes atom = hw.atom();
  for (std::size_t n = 0; staged && n < i.phases.size(); ++n) {
    if (s.in_place[n]) continue;
    const quantised::move op{.target = i.group, .boxes = i.boxes(i.phases[n]),
                                .fill = s.op.fill};
    const site<quantised::move> one{
        .op = op,
        .name = label(s.name, "/turn", n),
        .in = s.in,
        .out = layer::part(s.staging, atom, i.channel_of(n), 0, 0, i.group)};
    mover(hw, to, one).run();
  }
  layer::surface from = s.staging;
  if (!staged)
    from = layer::part(s.in[static_cast<std::size_t>(i.phases[0].input)], atom, 0, 0, 0,
                       i.stacked());
  to.add(s.name, layer::rubik{.input = from, .output = s.out, .stride_y = i.stride_y,
                              .stride_x = i.stride_x});
  return true;
}

}  // namespace detail

template <>
struct standard_lowering<quantised::move> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::move>& s) {
    require_support(hw, s);
    std::vector<net::shape> in;
    for (const auto& cube : s.in) in.push_back(cube.shape);
    if (const auto r = repetition_of(hw, {s.op.boxes.data(), s.op.boxes.size()}, s.out.shape, in))
      return detail::repeat(hw, to, s, *r);
    if (hw.rubik)
      if (detail::interleave_by_rubik(hw, to, s)) return;
    detail::mover(hw, to, s).run();
  }
};

// First channel of each input in the cube where the inputs stand on whole atoms of `lanes`
// channels, and behind them the number of channels of that cube.
constexpr std::vector<std::int32_t> aligned_offsets(std::span<const net::shape> inputs,
                                                    std::uint64_t lanes) {
  std::vector<std::int32_t> first{0};
  for (const auto& s : inputs)
    first.push_back(first.back() + static_cast<std::int32_t>(
                                       align_up(static_cast<std::uint64_t>(s.c), lanes)));
  return first;
}

// True if every input begins on an atom of the result: placing them is all there is to do.
constexpr bool concat_is_aligned(std::span<const net::shape> inputs, std::uint64_t lanes) {
  for (std::size_t i = 0; i + 1 < inputs.size(); ++i)
    if (static_cast<std::uint64_t>(inputs[i].c) % lanes != 0) return false;
  return true;
}

// Inputs that were not produced in place are copied, rescaled if need be, to the staging cube; that
// is the result itself, or its channels are then brought together.
template <>
struct standard_lowering<quantised::concat> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::concat>& s) {
    std::vector<net::shape> shapes;
    for (const auto& in : s.in) shapes.push_back(in.shape);
    const bytes atom = hw.atom();
    const auto lanes = layer::lanes_of(atom, s.out.precision);
    const auto offsets = aligned_offsets(shapes, lanes);
    for (std::size_t i = 0; i < s.in.size(); ++i) {
      if (s.in_place[i]) continue;
      const auto place = layer::part(s.staging, atom, offsets[i], 0, 0, shapes[i]);
      const auto multiplier = s.op.multiplier[i];
      layer::sdp sdp{.input = s.in[i], .output = place};
      if (multiplier) {
        const auto zero = s.op.zero_of(i);
        sdp.x1 = {.alu = zero != 0,
                  .mul = true,
                  .mul_shift = s.op.shift,
                  .alu_operand = static_cast<std::int16_t>(-zero),
                  .mul_operand = *multiplier};
        sdp.out.offset = -s.op.zero;
      }
      to.add(label(s.name, "/input", i), sdp);
    }
    if (concat_is_aligned(shapes, lanes)) return;
    std::vector<std::int32_t> source;
    for (std::size_t i = 0; i < shapes.size(); ++i)
      for (std::int32_t c = 0; c < shapes[i].c; ++c) source.push_back(offsets[i] + c);
    select_channels(hw, to, label(s.name, "/gather"), s.staging, s.out, source);
  }
};

}  // namespace nvdlac::lower
