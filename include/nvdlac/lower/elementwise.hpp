// SPDX-License-Identifier: Apache-2.0
#pragma once
// Scalings, sums, products and extrema: SDP over tensors in memory.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/hw/limits.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/lower/convolve.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/support_integer.hpp>

namespace nvdlac::lower {

namespace detail {

// One int16 operand for each channel, padded with zeros to whole atoms.
template <class Hw>
constexpr layer::surface per_channel(assembly& to, const label& name,
                                     const net::constants<std::int16_t>& values,
                                     hw::precision p) {
  const auto size = align_up(values.size(), layer::lanes_of(Hw::spec.atom(), p)) * 2;
  const auto write = [&](std::uint8_t* bytes_of_values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      put_two_bytes(values[i], bytes_of_values + 2 * i);
  };
  return {.at = to.keep_trained(name, size, values.known(), write),
          .shape = {static_cast<std::int32_t>(values.size()), 1, 1},
          .size = size};
}

// What a unit multiplies by or adds: a single number in its register, or one for each channel in
// memory.
template <class Hw, class Op>
constexpr void set_operand(assembly& to, const site<Op>& s,
                           const net::constants<std::int16_t>& values, const char* what,
                           layer::sdp_unit& unit, std::int16_t layer::sdp_unit::*single) {
  if (values.size() == 1) {
    net::require_known(values, what);
    unit.*single = values[0];
  } else {
    unit.mode = layer::sdp_mode::per_kernel;
    unit.operands = per_channel<Hw>(to, label(s.name, "/", what), values, s.in[0].precision);
  }
}

}  // namespace detail

template <class Hw>
struct lowering<quantised::scale, Hw> {
  static constexpr void run(assembly& to, const site<quantised::scale>& s) {
    const auto& op = s.op;
    layer::sdp sdp{.input = s.in[0], .out = op.out, .output = s.out};
    sdp.x1.mul = true;
    detail::set_operand<Hw>(to, s, op.multiplier, "multiplier", sdp.x1,
                            &layer::sdp_unit::mul_operand);
    sdp.x2.relu = op.relu;
    if (!op.addend.empty()) {
      sdp.x2.alu = true;
      sdp.x2.alu_shift = op.addend_shift;
      detail::set_operand<Hw>(to, s, op.addend, "addend", sdp.x2, &layer::sdp_unit::alu_operand);
    }
    to.add(s.name, sdp);
  }
};

namespace detail {

// A unit of X1 or X2 that takes the second input: one operand for each element, or for each
// channel.
template <class Hw>
constexpr layer::sdp_unit operands_of(const layer::surface& first, const layer::surface& second) {
  layer::sdp_unit u{.mode = layer::sdp_mode::per_point,
                    .operand_bytes = static_cast<std::uint8_t>(hw::element_bytes(second.precision)),
                    .operands = second};
  if (first.shape == second.shape) return u;
  // A cube of height and width 1 whose surfaces stand side by side is a list of its channels.
  u.mode = layer::sdp_mode::per_kernel;
  u.operands = {.at = second.at,
                .shape = second.shape,
                .size = layer::surfaces(second.shape, Hw::spec.atom(), second.precision) *
                        Hw::spec.memory_atom};
  return u;
}

// alu(a * multiplier, b << shift) on X1 and X2.
template <class Hw, class Op>
constexpr layer::sdp two_inputs(const site<Op>& s, layer::sdp_alu algorithm) {
  layer::sdp sdp{.input = s.in[0], .out = s.op.out, .output = s.out};
  sdp.x1 = {.mul = true, .mul_operand = s.op.multiplier};
  sdp.x2 = operands_of<Hw>(s.in[0], s.in[1]);
  sdp.x2.alu = true;
  sdp.x2.algorithm = algorithm;
  sdp.x2.alu_shift = s.op.operand_shift;
  sdp.x2.relu = s.op.relu;
  return sdp;
}

}  // namespace detail

template <class Hw>
struct lowering<quantised::add, Hw> {
  static constexpr void run(assembly& to, const site<quantised::add>& s) {
    to.add(s.name, detail::two_inputs<Hw>(s, layer::sdp_alu::sum));
  }
};

template <class Hw>
struct lowering<quantised::extremum, Hw> {
  static constexpr void run(assembly& to, const site<quantised::extremum>& s) {
    const bool maximum = s.op.kind == net::extremum_kind::maximum;
    to.add(s.name, detail::two_inputs<Hw>(s, maximum ? layer::sdp_alu::maximum
                                                     : layer::sdp_alu::minimum));
  }
};

template <class Hw>
struct lowering<quantised::convert, Hw> {
  static constexpr void run(assembly& to, const site<quantised::convert>& s) {
    require_support<Hw>(s);
    to.add(s.name, layer::sdp{.input = s.in[0], .out = s.op.out, .output = s.out});
  }
};

template <class Hw>
struct lowering<quantised::multiply, Hw> {
  static constexpr void run(assembly& to, const site<quantised::multiply>& s) {
    layer::sdp sdp{.input = s.in[0], .out = s.op.out, .output = s.out};
    sdp.x1 = detail::operands_of<Hw>(s.in[0], s.in[1]);
    sdp.x1.mul = true;
    sdp.x1.relu = s.op.relu;
    to.add(s.name, sdp);
  }
};

// Clipping and PReLU: SDP over tensors in memory.

template <class Hw>
struct lowering<quantised::clip, Hw> {
  static constexpr void run(assembly& to, const site<quantised::clip>& s) {
    const auto& op = s.op;
    const bool low = op.low != quantised::no_low, high = op.high != quantised::no_high;
    layer::sdp sdp{.input = s.in[0], .output = s.out};
    const auto minimum = bounded(layer::sdp_alu::minimum, op.high);
    const auto maximum = bounded(layer::sdp_alu::maximum, op.low);
    if (op.multiplier == 1 && op.shift == 0) {
      if (low) sdp.x1 = maximum;
      if (high) sdp.x2 = minimum;
      return to.add(s.name, sdp);
    }
    sdp.x1 = {.mul = true, .relu = op.low == 0, .mul_shift = op.shift,
              .mul_operand = op.multiplier};
    if (high) sdp.x2 = minimum;
    else if (low && op.low != 0) sdp.x2 = maximum;
    if (!high || !low || op.low == 0) return to.add(s.name, sdp);
    // X1 and X2 have one adder each, and the first one is before the multiplier.
    auto scratch = layer::packed(s.out.shape, Hw::spec.atom(), {}, s.out.precision);
    scratch.at = to.reserve(label(s.name, "/scratch"), plan::memory::features, scratch.size);
    sdp.output = scratch;
    to.add(label(s.name, "/high"), sdp);
    to.add(s.name, layer::sdp{.input = scratch, .x1 = maximum, .output = s.out});
  }
};

template <class Hw>
struct lowering<quantised::prelu, Hw> {
  static constexpr void run(assembly& to, const site<quantised::prelu>& s) {
    const auto& op = s.op;
    layer::sdp sdp{.input = s.in[0], .out = op.out, .output = s.out};
    sdp.x1 = {.mul = true, .mul_operand = op.multiplier};
    sdp.x2 = {.mul = true, .prelu = true, .mul_shift = op.shift};
    detail::set_operand<Hw>(to, s, op.slope, "slope", sdp.x2, &layer::sdp_unit::mul_operand);
    to.add(s.name, sdp);
  }
};

// LO has an entry for each int8 value, one apart: nothing is interpolated. Values below answer with
// the first entry and values above with the last one. LE starts where no int8 value is above it, so
// that it never answers.
constexpr layer::lut lut_of_bytes(const net::constants<std::int8_t>& values) {
  layer::lut lut;
  lut.settings = {.exponential = false,
                  .underflow_lo = true,
                  .overflow_lo = true,
                  .hybrid_lo = true,
                  .le = {.start = 127, .end = 127},
                  .lo = {.start = -128, .end = 127}};
  for (std::size_t i = 0; i < lut.tables.lo.size(); ++i)
    lut.tables.lo[i] = values[i < values.size() ? i : values.size() - 1];
  return lut;
}

template <class Hw>
struct lowering<quantised::lookup, Hw> {
  static constexpr void run(assembly& to, const site<quantised::lookup>& s) {
    require_support<Hw>(s);
    s.op.fit_constants(std::array{s.out.shape}).value();
    if (s.op.interpolates() != (s.in[0].precision != hw::precision::int8))
      throw error(problem{.layer = std::string(std::string_view(s.name)),
                          .reason = "its tables are of another precision than its tensor"});
    const auto lut = s.op.interpolates()
                         ? layer::lut{s.op.table, quantised::tables_of(s.op.le, s.op.lo)}
                         : lut_of_bytes(s.op.values);
    to.add(s.name, layer::sdp{.input = s.in[0], .output = s.out, .lut = to.keep_lut(lut)});
  }
};

// SDP over cubes beyond its registers, part by part. Engines that look at neighbours have rules of
// their own.

namespace detail {

// Where a part of a cube begins: c is a multiple of the channels of an atom.
struct corner {
  std::int32_t c = 0, y = 0, x = 0;
};

// The operands of the part.
constexpr layer::sdp_unit part(const layer::sdp_unit& whole, bytes atom, corner from,
                               net::shape shape) {
  layer::sdp_unit u = whole;
  if (u.mode == layer::sdp_mode::per_point)
    u.operands = layer::part(whole.operands, atom, from.c, from.y, from.x, shape);
  if (u.mode == layer::sdp_mode::per_kernel) {
    const std::uint64_t each = u.alu && u.mul ? 2 * u.operand_bytes : u.operand_bytes;
    const auto before = each * static_cast<std::uint64_t>(from.c);
    u.operands.at.offset += before;
    u.operands.shape.c = shape.c;
    u.operands.size = std::min(whole.operands.size - before,
                               each * align_up(static_cast<std::uint64_t>(shape.c), atom.n));
  }
  return u;
}

constexpr layer::sdp part(const layer::sdp& whole, bytes atom, corner from, net::shape shape) {
  layer::sdp s = whole;
  s.input = layer::part(whole.input, atom, from.c, from.y, from.x, shape);
  s.output = layer::part(whole.output, atom, from.c, from.y, from.x, shape);
  s.x1 = part(whole.x1, atom, from, shape);
  s.x2 = part(whole.x2, atom, from, shape);
  return s;
}

}  // namespace detail

// Layers from memory to memory whose cubes SDP's registers cannot hold, in their place as several.
template <hw::hardware Hw>
constexpr void split_cubes(std::vector<layer::layer>& layers) {
  using limits = typename hw::limits<Hw::spec.map>::sdp;
  constexpr net::shape most{static_cast<std::int32_t>(limits::channels),
                            static_cast<std::int32_t>(limits::height),
                            static_cast<std::int32_t>(limits::width)};
  static_assert(limits::channels % 32 == 0);  // the largest atom
  const auto is_large = [&](const layer::layer& l) {
    const auto* s = std::get_if<layer::sdp>(&l.what);
    return s != nullptr && !s->input.at.on_the_fly() && !s->output.at.on_the_fly() &&
           (s->input.shape.c > most.c || s->input.shape.h > most.h || s->input.shape.w > most.w);
  };
  if (std::none_of(layers.begin(), layers.end(), is_large)) return;
  std::vector<layer::layer> result;
  for (auto& l : layers) {
    if (!is_large(l)) {
      result.push_back(std::move(l));
      continue;
    }
    const auto& whole = std::get<layer::sdp>(l.what);
    const net::shape all = whole.input.shape;
    std::size_t number = 0;
    for (detail::corner at; at.c < all.c; at.c += most.c)
      for (at.y = 0; at.y < all.h; at.y += most.h)
        for (at.x = 0; at.x < all.w; at.x += most.w) {
          const net::shape shape{std::min(most.c, all.c - at.c), std::min(most.h, all.h - at.y),
                                 std::min(most.w, all.w - at.x)};
          result.push_back({label(l.name, "/part", number++),
                            detail::part(whole, Hw::spec.atom(), at, shape)});
        }
  }
  layers = std::move(result);
}

}  // namespace nvdlac::lower
