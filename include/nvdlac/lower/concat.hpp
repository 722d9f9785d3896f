// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <numeric>

#include <nvdlac/lower/convolution.hpp>
#include <nvdlac/lower/copy.hpp>
#include <nvdlac/lower/lowering.hpp>

namespace nvdlac::lower {

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
template <class Hw>
struct lowering<quantised::concat, Hw> {
  static constexpr void run(assembly& to, const site<quantised::concat>& s) {
    std::vector<net::shape> shapes;
    for (const auto& in : s.in) shapes.push_back(in.shape);
    const bytes atom = Hw::spec.atom();
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
    select_channels<Hw>(to, label(s.name, "/gather"), s.staging, s.out, source);
  }
};

}  // namespace nvdlac::lower
