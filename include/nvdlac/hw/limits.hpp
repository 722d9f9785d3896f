// SPDX-License-Identifier: Apache-2.0
#pragma once
// The limits that the register fields express, derived from their widths, and the few limits
// that are narrower than their field. Counts are those of the user, not the stored value minus
// one.
#include <cstdint>

#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/registers.hpp>

namespace nvdlac::hw {

// The greatest value that the field itself can store.
template <register_map Map, fixed_string Path>
inline constexpr std::uint32_t max_of = field_of<Map, Path>.max();

// The greatest number of a field that stores the number minus one.
template <register_map Map, fixed_string Path>
inline constexpr std::uint32_t max_count_of = max_of<Map, Path> + 1;

// The limits of the engines behind a register map.
struct engine_limits {
  struct {
    std::uint32_t width = 0, height = 0, channels = 0, kernels = 0, kernel_width = 0,
        kernel_height = 0, kernel_bytes = 0, stride = 0, dilation = 0, pad_left = 0,
        pad_right = 0, pad_top = 0, pad_bottom = 0, entries_per_slice = 0, banks = 0,
        fetch_lines = 0, release_lines = 0, atomics = 0, batch = 0, input_shift = 0,
        clip_truncate = 0;
  } convolution{};
  struct {
    std::uint32_t width = 0, height = 0, channels = 0, alu_shift = 0, mul_shift = 0,
        ew_truncate = 0, output_shift = 0, le_entries = 0, lo_entries = 0;
  } sdp{};
  struct {
    std::uint32_t width = 0, height = 0, channels = 0, kernel = 0, stride = 0,
        firmware_stride = 0, pad = 0, split_width = 0, firmware_splits = 0;
  } pdp{};
  struct {
    std::uint32_t width = 0, height = 0, channels = 0, input_shift = 0, output_shift = 0;
  } cdp{};
  struct {
    std::uint32_t width = 0, height = 0, channels = 0, stride = 0;
  } rubik{};
  struct {
    std::uint32_t line_units = 0, lines = 0, surfaces = 0;
  } bdma{};
};

template <register_map Map>
inline constexpr engine_limits limits = {
    .convolution = {
        .width = max_count_of<Map, "CDMA.D_DATAIN_SIZE_0.DATAIN_WIDTH">,
        .height = max_count_of<Map, "CDMA.D_DATAIN_SIZE_0.DATAIN_HEIGHT">,
        .channels = max_count_of<Map, "CDMA.D_DATAIN_SIZE_1.DATAIN_CHANNEL">,
        .kernels = max_count_of<Map, "CDMA.D_WEIGHT_SIZE_1.WEIGHT_KERNEL">,
        .kernel_width = max_count_of<Map, "CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT">,
        .kernel_height = max_count_of<Map, "CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_HEIGHT_EXT">,
        .kernel_bytes = max_count_of<Map, "CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL">,
        .stride = max_count_of<Map, "CDMA.D_CONV_STRIDE.CONV_X_STRIDE">,
        .dilation = max_count_of<Map, "CSC.D_DILATION_EXT.X_DILATION_EXT">,
        .pad_left = max_of<Map, "CDMA.D_ZERO_PADDING.PAD_LEFT">,
        .pad_right = max_of<Map, "CDMA.D_ZERO_PADDING.PAD_RIGHT">,
        .pad_top = max_of<Map, "CDMA.D_ZERO_PADDING.PAD_TOP">,
        .pad_bottom = max_of<Map, "CDMA.D_ZERO_PADDING.PAD_BOTTOM">,
        .entries_per_slice = max_count_of<Map, "CDMA.D_ENTRY_PER_SLICE.ENTRIES">,
        .banks = max_count_of<Map, "CDMA.D_BANK.DATA_BANK">,
        .fetch_lines = max_count_of<Map, "CDMA.D_FETCH_GRAIN.GRAINS">,
        .release_lines = max_count_of<Map, "CSC.D_RELEASE.RLS_SLICES">,
        .atomics = max_count_of<Map, "CSC.D_ATOMICS.ATOMICS">,
        .batch = max_count_of<Map, "CDMA.D_BATCH_NUMBER.BATCHES">,
        .input_shift = max_of<Map, "CDMA.D_CVT_CFG.CVT_TRUNCATE">,
        // The RTL keeps 16 fraction bits of the accumulator, fewer than the field can ask for.
        .clip_truncate = 16},
    .sdp = {
        .width = max_count_of<Map, "SDP.D_DATA_CUBE_WIDTH.WIDTH">,
        .height = max_count_of<Map, "SDP.D_DATA_CUBE_HEIGHT.HEIGHT">,
        .channels = max_count_of<Map, "SDP.D_DATA_CUBE_CHANNEL.CHANNEL">,
        .alu_shift = max_of<Map, "SDP.D_DP_BS_ALU_CFG.BS_ALU_SHIFT_VALUE">,
        .mul_shift = max_of<Map, "SDP.D_DP_BS_MUL_CFG.BS_MUL_SHIFT_VALUE">,
        .ew_truncate = max_of<Map, "SDP.D_DP_EW_TRUNCATE_VALUE">,
        .output_shift = max_of<Map, "SDP.D_CVT_SHIFT">,
        // Sizes of the LUT's tables, CDP's too.
        .le_entries = 65,
        .lo_entries = 257},
    .pdp = {
        .width = max_count_of<Map, "PDP.D_DATA_CUBE_IN_WIDTH">,
        .height = max_count_of<Map, "PDP.D_DATA_CUBE_IN_HEIGHT">,
        .channels = max_count_of<Map, "PDP.D_DATA_CUBE_IN_CHANNEL">,
        .kernel = pdp_line_buffers,
        .stride = max_count_of<Map, "PDP.D_POOLING_KERNEL_CFG.KERNEL_STRIDE_WIDTH">,
        .firmware_stride = 8,  // the public firmware rejects more
        .pad = max_of<Map, "PDP.D_POOLING_PADDING_CFG.PAD_LEFT">,
        .split_width = max_count_of<Map, "PDP.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_FIRST">,
        .firmware_splits = 64},
    .cdp = {
        .width = max_count_of<Map, "CDP_RDMA.D_DATA_CUBE_WIDTH">,
        .height = max_count_of<Map, "CDP_RDMA.D_DATA_CUBE_HEIGHT">,
        .channels = max_count_of<Map, "CDP_RDMA.D_DATA_CUBE_CHANNEL">,
        .input_shift = max_of<Map, "CDP.D_DATIN_SHIFTER">,
        .output_shift = max_of<Map, "CDP.D_DATOUT_SHIFTER">},
    .rubik = {
        // The cube that it reads. The RTL counts the atoms of a line that it writes in as many
        // bits.
        .width = max_count_of<Map, "RBK.D_DATAIN_SIZE_0.DATAIN_WIDTH">,
        .height = max_count_of<Map, "RBK.D_DATAIN_SIZE_0.DATAIN_HEIGHT">,
        .channels = max_count_of<Map, "RBK.D_DATAIN_SIZE_1.DATAIN_CHANNEL">,
        .stride = max_count_of<Map, "RBK.D_DECONV_STRIDE.DECONV_X_STRIDE">},
    .bdma = {
        // In units of 32 bytes.
        .line_units = max_count_of<Map, "BDMA.CFG_LINE.SIZE">,
        .lines = max_count_of<Map, "BDMA.CFG_LINE_REPEAT.NUMBER">,
        .surfaces = max_count_of<Map, "BDMA.CFG_SURF_REPEAT.NUMBER">}};

// Whether the limits that are narrower than their fields are.
template <register_map Map>
constexpr bool are_within_fields() {
  constexpr const auto& pdp = limits<Map>.pdp;
  return limits<Map>.convolution.clip_truncate <= max_of<Map, "CACC.D_CLIP_CFG.CLIP_TRUNCATE"> &&
         pdp.kernel <= max_count_of<Map, "PDP.D_POOLING_KERNEL_CFG.KERNEL_WIDTH"> &&
         pdp.firmware_stride <= pdp.stride &&
         pdp.firmware_splits <= max_count_of<Map, "PDP.D_OPERATION_MODE_CFG.SPLIT_NUM">;
}
static_assert(are_within_fields<register_map::small>() && are_within_fields<register_map::full>());

constexpr const engine_limits& limits_of(register_map map) {
  return map == register_map::full ? limits<register_map::full> : limits<register_map::small>;
}

}  // namespace nvdlac::hw
