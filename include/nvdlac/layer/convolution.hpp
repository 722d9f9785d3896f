// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers of CONV: CDMA, CSC, CMAC and CACC, which are one engine.
#include <array>
#include <cstdint>
#include <optional>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/read_jump.hpp>
#include <nvdlac/layer/engine.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::layer {

// Requests for data that MCIF's arbiter takes from CDMA for each of its requests for weights, in
// programs that may write MCIF's registers. A layer waits for all its data, but only for the
// weights of its first kernels, so that what the arbiter does after a reset, one for one, makes it
// wait for others. The public firmware leaves it so.
inline constexpr std::uint32_t data_turns = 4;

// CDMA's pixel formats, by register code; feature is the firmware's code for feature cubes.
enum class pixel_format : std::uint8_t {
  r8 = 0, r16_i = 4, r16_f = 5, a16b16g16r16 = 6, a16b16g16r16_f = 8, a8b8g8r8 = 12, x8b8g8r8 = 16,
  feature = 36
};

// The pixels of a format: how many numbers each has, and of what data type they are; int8: or
// unsigned bytes.
struct pixel_layout {
  std::int32_t channels = 1;
  hw::precision precision = hw::precision::int8;
};
// nullopt: it is none of pixels.
constexpr std::optional<pixel_layout> layout_of(pixel_format f) {
  using enum hw::precision;
  switch (f) {
    case pixel_format::r8: return pixel_layout{1, int8};
    case pixel_format::r16_i: return pixel_layout{1, int16};
    case pixel_format::r16_f: return pixel_layout{1, fp16};
    case pixel_format::a16b16g16r16: return pixel_layout{4, int16};
    case pixel_format::a16b16g16r16_f: return pixel_layout{4, fp16};
    case pixel_format::a8b8g8r8:
    case pixel_format::x8b8g8r8: return pixel_layout{4, int8};
    case pixel_format::feature: break;
  }
  return std::nullopt;
}
// The format of pixels of one or of four channels.
constexpr pixel_format format_of_pixels(std::int32_t channels, hw::precision p) {
  using enum pixel_format;
  switch (p) {
    case hw::precision::int16: return channels == 1 ? r16_i : a16b16g16r16;
    case hw::precision::fp16: return channels == 1 ? r16_f : a16b16g16r16_f;
    case hw::precision::int8: break;
  }
  return channels == 1 ? r8 : a8b8g8r8;
}

// One pass of CDMA, CSC, CMAC and CACC: its result goes to SDP on the fly.
// All sizes are counts as meant, not the register's minus-one codes.
// In Winograd's mode the window is that of the transformed kernels, 4x4; the input has whole atoms
// of channels, and with its padding 4 columns and lines more than the output.
// In batch mode the input is of several pictures, and so is what SDP takes: weights are fetched
// once, and those in the MACs are applied to the pixels of all pictures.
struct convolution {
  layer::surface input{};                // feature cube, or pixel cube when format != feature
  pixel_format format = pixel_format::feature;
  hw::precision precision = hw::precision::int8;  // of the arithmetic and of a feature cube
  layer::surface weights{};              // in CBUF order, size padded as the hardware wants
  // Tables of compressed weights, which are those that are not 0: a bit for each element, whether
  // it is there (WMB), and 32 bits for each kernel group, its bytes (WGS). Else they are empty.
  layer::surface mask{}, group_sizes{};
  net::shape output{};                   // c: kernels of this pass
  net::window window{};                  // of the picture: kernel_w not multiplied by channels
  std::int16_t pad_value = 0;
  // Pixel input only: means that replace cvt.offset when `use_mean`.
  std::array<std::int16_t, 4> mean{};    // R/Y, G/U, B/V, A/X
  bool use_mean = false;
  bool pixels_signed = false;
  bool convert = false;                  // cvt is applied to the input
  converter cvt{};
  std::uint8_t kernel_lines = 1;         // post-extension: 1, 2 or 4 lines of the kernel at a time
  std::uint16_t entries_per_slice = 1;
  std::uint8_t data_banks = 1, weight_banks = 1;
  std::uint16_t fetch_grain = 1;         // lines
  std::uint16_t release = 1;             // slices: lines of the input that are free afterwards
  bool data_reuse = false, weight_reuse = false;
  bool skip_data_release = false, skip_weight_release = false;
  // In programs that write registers: what CDMA brings behind the operation of this layer, in
  // operations of its own, for later convolutions of the task: the weights of all until the
  // so-manieth next one, and of that one those of the first so many kernels; 0: none. And the
  // division of the CBUF; 0: the one above.
  std::uint16_t layers_ahead = 0, kernels_ahead = 0;
  std::uint8_t register_data_banks = 0, register_weight_banks = 0;
  std::uint8_t truncate = 0;             // CACC
  bool winograd = false;
  std::uint8_t input_truncate = 0;       // PRA: of the transformed input, in integers

  constexpr bool is_compressed() const { return mask.size != 0; }
  constexpr bool is_pixel() const { return format != pixel_format::feature; }
  constexpr hw::precision input_precision() const {
    const auto pixels = layout_of(format);
    return pixels ? pixels->precision : precision;
  }
  constexpr bool operator==(const convolution&) const = default;

  // Whether programs that write registers have it otherwise than loadables, and then no more.
  constexpr bool differs_in_registers() const {
    return layers_ahead != 0 || register_data_banks != 0 || register_weight_banks != 0;
  }
  constexpr void be_as_in_loadables() {
    layers_ahead = kernels_ahead = 0;
    register_data_banks = register_weight_banks = 0;
  }
  // As programs have it that write registers.
  constexpr convolution in_registers() const {
    auto c = *this;
    if (c.register_data_banks != 0) c.data_banks = c.register_data_banks;
    if (c.register_weight_banks != 0) c.weight_banks = c.register_weight_banks;
    return c;
  }

  // The input as CSC reads it from the CBUF: in Winograd's mode CDMA has padded it.
  constexpr net::shape input_csc() const {
    if (!winograd) return input.shape;
    return {input.shape.c, window.pad_top + input.shape.h + window.pad_bottom,
            window.pad_left + input.shape.w + window.pad_right};
  }
  // A kernel as CSC sees it: a pixel kernel is one column of kernel_w * C channels.
  constexpr std::int32_t kernel_width_csc() const { return is_pixel() ? 1 : window.kernel_w; }
  constexpr std::int32_t kernel_channels_csc() const {
    return is_pixel() ? input.shape.c * window.kernel_w : input.shape.c;
  }
  // How CSC reads a line of an image, and whether it jumps in it.
  constexpr hw::image_windows windows_of_line() const {
    const auto size = [&](std::int32_t pixels) {
      return static_cast<std::uint64_t>(pixels) * static_cast<std::uint64_t>(input.shape.c) *
             hw::element_bytes(precision);
    };
    return {size(window.kernel_w), size(window.stride_w), static_cast<std::uint64_t>(output.w)};
  }
  constexpr bool jumps_in_lines(const hw::spec& hw) const {
    return is_pixel() && hw::jumps(hw, windows_of_line());
  }
  // Steps of the MACs for a kernel group, each with so many channels at most of every pixel.
  constexpr std::uint64_t mac_steps(std::uint32_t channels) const {
    return ceil_div(static_cast<std::uint64_t>(window.kernel_h), kernel_lines) *
           static_cast<std::uint64_t>(kernel_width_csc()) *
           ceil_div(static_cast<std::uint64_t>(kernel_channels_csc()), channels);
  }
  constexpr std::uint64_t elements_per_kernel() const {
    return static_cast<std::uint64_t>(input.shape.c) * static_cast<std::uint64_t>(window.kernel_h) *
           static_cast<std::uint64_t>(window.kernel_w);
  }
  constexpr std::uint64_t bytes_per_kernel() const {
    return elements_per_kernel() * hw::element_bytes(precision);
  }
};

// CDMA, CSC, CMAC and CACC are one engine, and CDMA is its reader. A layer is done when CACC is.
template <>
struct engine<convolution> {
  static constexpr const char* name = "CONV";
  static constexpr auto number = engine_number::convolution;
  static constexpr fixed_string done{"GLB.S_INTR_STATUS.CACC_DONE_STATUS0"};
  static constexpr register_blocks<"CACC", "CMAC_A", "CMAC_B", "CSC"> cores{};
  static constexpr register_blocks<"CACC", "CMAC_A", "CMAC_B"> behind_sequencer{};
  static constexpr fixed_string reader{"CDMA"};
  static constexpr bool uses_reader(const convolution&) { return true; }
  static constexpr fixed_string ready{"CDMA.S_CBUF_FLUSH_STATUS"};
  template <class Visit>
  static constexpr void cubes(auto& l, Visit visit) {
    visit(l.input, access::read);
    visit(l.weights, access::read);
    if (!l.is_compressed()) return;
    visit(l.mask, access::read);
    visit(l.group_sizes, access::read);
  }
};

}  // namespace nvdlac::layer
