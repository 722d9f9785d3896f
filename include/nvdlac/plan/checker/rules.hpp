// SPDX-License-Identifier: Apache-2.0
#pragma once
// What every unit demands of its cubes and addresses.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <nvdlac/arithmetic/winograd.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/plan/checker/footprint.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan::checker {

// Collects broken rules of one layer's unit.
class rules {
 public:
  constexpr rules(const program_data& p, const hw::spec& hw, std::string_view layer,
                  std::string_view unit, diagnostics& found)
      : program_(p), hw_(hw), layer_(layer), unit_(unit), found_(found) {}

  // `reason` says what is wrong, after the name of the unit.
  template <class... Reason>
  constexpr void expect(bool holds, const Reason&... reason) {
    if (!holds) found_.add({.layer = std::string(layer_), .reason = text(unit_, ": ", reason...)});
  }
  constexpr void within(std::int64_t value, std::int64_t low, std::int64_t high, const char* what) {
    expect(low <= value && value <= high, what, " is ", value, ", not ", low, " to ", high);
  }
  // A cube of at most this width, height and number of channels.
  constexpr void size(net::shape s, std::int64_t width, std::int64_t height,
                      std::int64_t channels, const char* what) {
    expect(s.w >= 1 && s.h >= 1 && s.c >= 1 && s.w <= width && s.h <= height && s.c <= channels,
           what, " of ", s, " is not of 1x1x1 to ", channels, 'x', height, 'x', width);
  }
  // Addresses and strides are in atoms; the full map's fields leave out the lowest 5 bits.
  constexpr std::uint64_t unit_of_addresses() const {
    return hw_.map == hw::register_map::full ? std::max<std::uint64_t>(hw_.memory_atom, 32)
                                             : hw_.memory_atom;
  }
  constexpr void address(const layer::surface& s, const char* what) {
    if (!exists(program_, s.at))
      return expect(false, what, " is in buffer ", s.at.buffer, ", which is none");
    expect(!s.at.cvsram || hw_.has_sram(), what,
           " stands in CVSRAM, for which the configuration has no interface");
    const auto at = program_.buffers[static_cast<std::size_t>(s.at.buffer)].offset + s.at.offset;
    expect(at % unit_of_addresses() == 0, what, " stands at byte ", at, ", not a multiple of ",
           unit_of_addresses());
    expect(at <= UINT32_MAX, what, " stands at byte ", at, ", beyond 32 bits");
  }
  constexpr void multiple(const layer::location& at, std::uint64_t unit, const char* what) {
    if (!exists(program_, at)) return;
    const auto byte = program_.buffers[static_cast<std::size_t>(at.buffer)].offset + at.offset;
    expect(byte % unit == 0, what, " is at byte ", byte, ", not a multiple of ", unit);
  }
  // A feature cube in memory, of so many atoms beside each other for one of the layer's.
  constexpr void cube(const layer::surface& s, const char* what, std::uint64_t atoms = 1) {
    address(s, what);
    const auto unit = unit_of_addresses();
    const auto line = static_cast<std::uint64_t>(s.shape.w) * hw_.memory_atom * atoms;
    expect(s.line_stride % unit == 0 && s.surface_stride % unit == 0, what, " has strides of ",
           s.line_stride, " and ", s.surface_stride, ", not multiples of ", unit);
    expect(s.line_stride >= line, what, " has a line stride of ", s.line_stride,
           " for lines of ", line, " bytes");
    const auto plane = static_cast<std::uint64_t>(s.shape.h - 1) * s.line_stride + line;
    const auto surfaces = layer::surfaces(s.shape, hw_.atom(), s.precision);
    // Lines stand in surfaces, or surfaces in lines.
    const bool in_lines = s.line_stride >= (surfaces - 1) * s.surface_stride + line;
    expect(surfaces == 1 || s.surface_stride >= plane || (in_lines && s.surface_stride >= line),
           what,
           " has a surface stride of ", s.surface_stride, " for surfaces of ", plane, " bytes");
  }
  // Cubes of one data type.
  constexpr void from_memory_to_memory(const layer::surface& input, const layer::surface& output) {
    expect(input.precision == output.precision, "the data types of its cubes differ");
    expect(hw_.data_types.has(input.precision), "the configuration does not have the data type");
    expect(!input.at.on_the_fly(), "its input cannot come on the fly");
    expect(!output.at.on_the_fly(), "its result cannot go on the fly");
    if (!input.at.on_the_fly()) cube(input, "the input");
    if (!output.at.on_the_fly()) cube(output, "the output");
  }
  // The bytes of weights, as far as the program has them.
  constexpr std::span<const std::uint8_t> content(const layer::surface& s) const {
    if (!exists(program_, s.at)) return {};
    const auto& all = program_.buffers[static_cast<std::size_t>(s.at.buffer)].content;
    if (s.at.offset > all.size() || s.size > all.size() - s.at.offset) return {};
    return std::span(all).subspan(static_cast<std::size_t>(s.at.offset),
                                  static_cast<std::size_t>(s.size));
  }
  constexpr const hw::spec& hw() const { return hw_; }
  constexpr std::int32_t luts() const { return static_cast<std::int32_t>(program_.luts.size()); }
  constexpr std::int32_t calls() const { return static_cast<std::int32_t>(program_.calls.size()); }

 private:
  const program_data& program_;
  const hw::spec& hw_;
  std::string_view layer_, unit_;
  diagnostics& found_;
};

constexpr bool is_scale(double scale) {
  return scale > 0 && scale <= std::numeric_limits<double>::max();
}

// One dimension of a window: does the size of the output follow, with nothing left over?
constexpr bool slides_exactly(std::int64_t in, std::int64_t before, std::int64_t after,
                              std::int64_t extent, std::int64_t stride, std::int64_t out) {
  return in + before + after - extent == (out - 1) * stride;
}

// The rules of Winograd's mode of CONV and of SDP behind it.

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
  using limits = typename hw::limits<Map>::convolution;
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
  r.expect(is_of_tiles(out), "an output of ", out, " is not of tiles of 4x4, two each way at least");
  r.expect(w.pad_top + in.h + w.pad_bottom == out.h + 4, "the input and its padding do not have 4 "
           "lines more than the output");
  r.expect(w.pad_left + in.w + w.pad_right == out.w + 4, "the input and its padding do not have 4 "
           "columns more than the output");
  r.within(w.pad_left, 0, limits::pad_left, "the left padding");
  r.within(w.pad_right, 0, limits::pad_right, "the right padding");
  r.within(w.pad_top, 0, limits::pad_top, "the top padding");
  r.within(w.pad_bottom, 0, limits::pad_bottom, "the bottom padding");
  r.size(out, limits::width, limits::height, limits::kernels, "the output");
  r.within(c.input_truncate, 0, c.precision == hw::precision::fp16 ? 0 : arithmetic::most_input_truncate,
           "the truncation of the transformed input");
  r.expect(c.release == out.h + 4, "it releases ", c.release, " slices, not ", out.h + 4);
}

// What SDP does with sums in this mode.
constexpr void check_winograd(const layer::sdp& s, rules r) {
  if (!s.winograd) return;
  r.expect(s.input.at.on_the_fly(), "it takes Winograd's order from memory");
  r.expect(!s.output.at.on_the_fly(), "it hands Winograd's order on to PDP");
  r.expect(is_of_tiles(s.input.shape), "a cube of ", s.input.shape, " is not of Winograd's tiles");
  r.expect(s.input.precision == s.output.precision, "it changes the data type in Winograd's order");
}

// The rules of batch mode: CONV takes the cubes of several pictures, and SDP behind it.

// The strides between pictures, of which none reaches into the next one.
constexpr void check_pictures(const layer::surface& s, const char* what, rules r) {
  const auto unit = r.unit_of_addresses();
  const auto cube = layer::surfaces(s.shape, r.hw().atom(), s.precision) *
                    std::uint64_t{s.surface_stride};
  r.expect(s.picture_stride % unit == 0, what, " has pictures ", s.picture_stride,
           " bytes apart, not a multiple of ", unit);
  r.expect(s.picture_stride >= cube, what, " has pictures ", s.picture_stride,
           " bytes apart, but each takes ", cube);
}

template <hw::register_map Map>
constexpr void check_batch(const layer::convolution& c, rules r) {
  r.within(c.input.pictures, 1, hw::limits<Map>::convolution::batch, "the number of pictures");
  if (c.input.pictures <= 1) return;
  const auto entries = std::uint64_t{c.entries_per_slice} *
                       static_cast<std::uint64_t>(c.input.pictures);
  r.expect(r.hw().batch, "the configuration has no batch mode");
  r.expect(!c.winograd, "batch mode is none of Winograd's");
  r.expect(!c.is_pixel(), "batch mode reads no pixels");
  r.expect(entries <= hw::most_entries_of_pictures, "a line of all pictures has ", entries,
           " entries of the CBUF, more than ", hw::most_entries_of_pictures);
  r.expect(!c.data_reuse && !c.skip_data_release, "data of several pictures do not stay");
  check_pictures(c.input, "the input", r);
}

// CACC hands over pairs of atoms of each picture, and SDP writes them so, where they share 64
// bytes; single pixels go one by one.
constexpr void check_batch(const layer::sdp& s, rules r) {
  r.expect(s.input.pictures == s.output.pictures, "it takes ", s.input.pictures,
           " pictures and writes ", s.output.pictures);
  if (s.input.pictures == 1) return;
  constexpr auto pair = hw::pair_of_atoms;
  const auto& out = s.output;
  r.expect(s.input.at.on_the_fly(), "it takes several pictures from memory");
  r.expect(!s.winograd, "it takes several pictures in Winograd's order");
  r.expect(s.input.precision == out.precision, "it changes the data type of several pictures");
  for (const auto& unit : {s.x1, s.x2})
    r.expect(!unit.reads_memory() || unit.mode != layer::sdp_mode::per_point,
             "all pictures would get the same operands for each element");
  if (out.at.on_the_fly()) return r.expect(false, "it hands several pictures on to PDP");
  check_pictures(out, "the output", r);
  r.multiple(out.at, pair, "the output's start");
  r.expect(out.picture_stride % pair == 0, "the output has pictures ", out.picture_stride,
           " bytes apart, not a multiple of ", pair);
  r.expect((out.shape.h == 1 && out.shape.w == 1) ||
               (out.line_stride % pair == 0 && out.surface_stride % pair == 0),
           "the output of several pictures has strides of ", out.line_stride, " and ",
           out.surface_stride, ", not multiples of ", pair);
}

}  // namespace nvdlac::plan::checker
