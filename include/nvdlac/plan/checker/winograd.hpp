// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of Winograd's mode of CONV and of SDP behind it.
#include <cstdint>

#include <nvdlac/arithmetic/winograd.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/plan/checker/rules.hpp>

namespace nvdlac::plan::checker {

// CSC takes tiles of 4x4, and at least two of them each way.
constexpr bool is_of_tiles(net::shape s) {
  return s.h >= 8 && s.w >= 8 && s.h % 4 == 0 && s.w % 4 == 0;
}

// Entries of a slice: one holds four columns of an atom.
constexpr std::uint64_t winograd_slice(const layer::convolution& c, const hw::spec& hw) {
  const auto columns = std::uint64_t(c.window.pad_left) + std::uint64_t(c.input.shape.w) +
                       std::uint64_t(c.window.pad_right);
  const auto channels = std::uint64_t(c.input.shape.c) * hw::element_bytes(c.precision);
  return columns / 4 * (channels / hw.memory_atom);
}

// The window in this mode: kernels that are transformed, and an input with padding that has four
// columns and lines more than the output. CDMA pads, so that the padding has no other bound.
template <hw::register_map Map>
constexpr void check_winograd(const layer::convolution& c, rules r) {
  constexpr const auto& limits = hw::limits<Map>.convolution;
  const auto& w = c.window;
  const net::shape in = c.input.shape, out = c.output;
  const hw::spec& hw = r.hw();
  r.expect(hw.winograd, "the configuration has no Winograd mode");
  r.expect(hw.mac_atomic_c == 64, "a MAC cell of ", hw.mac_atomic_c,
           " channels does not take 4x4 places of four");
  r.expect(hw.cbuf_entry == 4 * hw.memory_atom, "an entry of the CBUF does not hold four columns");
  r.expect(!c.is_pixel(), "Winograd's mode reads no pixels");
  r.expect(!c.convert, "Winograd's mode has no input converter");
  r.expect(w.kernel_h == 4 && w.kernel_w == 4, "transformed kernels are 4x4, not ", w.kernel_h, 'x',
           w.kernel_w);
  r.expect(w.stride_h == 1 && w.stride_w == 1 && w.dilation_h == 1 && w.dilation_w == 1,
           "Winograd's mode has neither steps nor dilation");
  r.expect(std::uint64_t(in.c) * hw::element_bytes(c.precision) % hw.memory_atom == 0,
           in.c, " channels are no whole atoms");
  r.expect(is_of_tiles(out), "an output of ", out,
           " is not of tiles of 4x4, two each way at least");
  r.expect(w.pad_top + in.h + w.pad_bottom == out.h + 4, "the input and its padding do not have 4 "
           "lines more than the output");
  r.expect(w.pad_left + in.w + w.pad_right == out.w + 4, "the input and its padding do not have 4 "
           "columns more than the output");
  r.within(w.pad_left, 0, limits.pad_left, "the left padding");
  r.within(w.pad_right, 0, limits.pad_right, "the right padding");
  r.within(w.pad_top, 0, limits.pad_top, "the top padding");
  r.within(w.pad_bottom, 0, limits.pad_bottom, "the bottom padding");
  r.size(out, limits.width, limits.height, limits.kernels, "the output");
  r.within(c.input_truncate, 0,
           c.precision == hw::precision::fp16 ? 0 : arithmetic::most_input_truncate,
           "the truncation of the transformed input");
  r.expect(c.release == out.h + 4, "it releases ", c.release, " slices, not ", out.h + 4);
}

// The rules of SDP behind sums of this mode.
constexpr void check_winograd(const layer::sdp& s, rules r) {
  if (!s.winograd) return;
  r.expect(s.input.at.on_the_fly(), "it takes Winograd's order from memory");
  r.expect(!s.output.at.on_the_fly(), "it hands Winograd's order on to PDP");
  r.expect(is_of_tiles(s.input.shape), "a cube of ", s.input.shape, " is not of Winograd's tiles");
  r.expect(s.input.precision == s.output.precision, "it changes the data type in Winograd's order");
}

}  // namespace nvdlac::plan::checker
