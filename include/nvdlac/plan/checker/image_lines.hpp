// SPDX-License-Identifier: Apache-2.0
#pragma once
// Images of which no line may lie across the end of the data banks: those of which CSC reads two
// entries at once, as their windows are further apart than an entry and begin within entries
// (NV_NVDLA_CSC_dl.v, which finds the first entry wrong where the second is entry 0). CDMA and CSC
// go on in the data banks where they stopped, over programs too, and begin with entry 0 only where
// DATA_BANK changes.
#include <cstdint>
#include <optional>
#include <variant>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan::checker {

class image_line_checker {
 public:
  constexpr image_line_checker(const hw::spec& hw, bool in_registers, diagnostics& found)
      : hw_(hw), in_registers_(in_registers), found_(found) {}

  // The next convolution of the program.
  constexpr void see(const layer::layer& l) {
    const auto& c = std::get<layer::convolution>(l.what);
    const std::uint32_t own = c.register_data_banks;
    const std::uint32_t banks = in_registers_ && own != 0 ? own : c.data_banks;
    if (banks == 0) return;  // another rule
    const std::uint64_t ring = banks * std::uint64_t{hw_.cbuf_entries_per_bank};
    if (banks_ && *banks_ != banks) {
      known_ = true;
      written_ = 0;
      read_ = 0;
    }
    banks_ = banks;
    // Data that CDMA brings is behind what it brought before. Of what CSC left, only a layer that
    // reuses it makes use.
    auto lines = static_cast<std::uint64_t>(c.input.shape.h);
    if (c.winograd) lines = static_cast<std::uint64_t>(c.window.pad_top + c.input.shape.h +
                                                       c.window.pad_bottom);
    const auto slice = c.entries_per_slice * static_cast<std::uint64_t>(c.input.pictures);
    if (!c.data_reuse) {
      read_ = written_;
      written_ = (written_ + lines * slice) % ring;
    }
    if (is_image_with_jumps(c)) check(l, c, ring);
    if (!c.skip_data_release && !c.winograd && c.input.pictures == 1)
      read_ = (read_ + std::uint64_t{c.release} * slice) % ring;
  }

 private:
  constexpr std::uint64_t bytes_of(const layer::convolution& c, std::int32_t pixels) const {
    return static_cast<std::uint64_t>(pixels * c.input.shape.c) * hw::element_bytes(c.precision);
  }
  constexpr bool is_image_with_jumps(const layer::convolution& c) const {
    const auto apart = bytes_of(c, c.window.stride_w);
    return c.is_pixel() && apart > hw_.cbuf_entry && apart % hw_.cbuf_entry != 0;
  }
  constexpr void check(const layer::layer& l, const layer::convolution& c, std::uint64_t ring) {
    if (!known_)
      return found_.add({.layer = l.name,
                         .reason = "CONV: the lines of its image may lie across the end of the "
                                   "data banks, because none before it in the program has other "
                                   "banks"});
    auto at = read_;
    for (std::int32_t y = 0; y < c.input.shape.h; ++y) {
      const auto first = at;
      at = (at + c.entries_per_slice) % ring;
      if (at >= first || at == 0) continue;
      if (!is_split(c, (ring - first) * hw_.cbuf_entry)) continue;
      return found_.add({.layer = l.name,
                         .reason = text("CONV: line ", y, " of its image lies across the end of "
                                        "the data banks, where CSC reads it wrong")});
    }
  }
  // Whether some output takes a block, an entry at most, with bytes before and behind that one.
  constexpr bool is_split(const layer::convolution& c, std::uint64_t border) const {
    const auto kernel = bytes_of(c, c.window.kernel_w), apart = bytes_of(c, c.window.stride_w);
    for (std::uint64_t x = 0; x < static_cast<std::uint64_t>(c.output.w); ++x)
      for (std::uint64_t taken = 0; taken < kernel; taken += hw_.cbuf_entry) {
        const auto begin = x * apart + taken;
        const auto end = x * apart + (taken + hw_.cbuf_entry < kernel ? taken + hw_.cbuf_entry
                                                                      : kernel);
        if (begin < border && border < end) return true;
      }
    return false;
  }

  hw::spec hw_;
  bool in_registers_;
  diagnostics& found_;
  std::optional<std::uint32_t> banks_{};
  bool known_ = false;  // where the ring stands
  std::uint64_t written_ = 0, read_ = 0;  // entries of the ring before CDMA and CSC
};

constexpr void check_image_lines(const program_data& p, const hw::spec& hw, diagnostics& found) {
  for (const bool in_registers : {false, true}) {
    image_line_checker lines(hw, in_registers, found);
    for (const auto& t : p.tasks)
      for (const auto& op : t.operations)
        if (std::holds_alternative<layer::convolution>(op.layer.what)) lines.see(op.layer);
    if (!found.empty()) return;
  }
}

}  // namespace nvdlac::plan::checker
