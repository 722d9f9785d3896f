// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <nvdlac/arithmetic/winograd.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/spec.hpp>
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

}  // namespace nvdlac::plan::checker
