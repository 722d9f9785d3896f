// SPDX-License-Identifier: Apache-2.0
#pragma once
// The limits that the register fields express, derived from their widths, and the few limits
// that are narrower than their field. Counts are those of the user, not the stored value minus
// one.
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

template <register_map Map>
struct limits {
  struct convolution {
    static constexpr auto width = max_count_of<Map, "CDMA.D_DATAIN_SIZE_0.DATAIN_WIDTH">;
    static constexpr auto height = max_count_of<Map, "CDMA.D_DATAIN_SIZE_0.DATAIN_HEIGHT">;
    static constexpr auto channels = max_count_of<Map, "CDMA.D_DATAIN_SIZE_1.DATAIN_CHANNEL">;
    static constexpr auto kernels = max_count_of<Map, "CDMA.D_WEIGHT_SIZE_1.WEIGHT_KERNEL">;
    static constexpr auto kernel_width =
        max_count_of<Map, "CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT">;
    static constexpr auto kernel_height =
        max_count_of<Map, "CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_HEIGHT_EXT">;
    static constexpr auto kernel_bytes =
        max_count_of<Map, "CDMA.D_WEIGHT_SIZE_0.BYTE_PER_KERNEL">;
    static constexpr auto stride = max_count_of<Map, "CDMA.D_CONV_STRIDE.CONV_X_STRIDE">;
    static constexpr auto dilation = max_count_of<Map, "CSC.D_DILATION_EXT.X_DILATION_EXT">;
    static constexpr auto pad_left = max_of<Map, "CDMA.D_ZERO_PADDING.PAD_LEFT">;
    static constexpr auto pad_right = max_of<Map, "CDMA.D_ZERO_PADDING.PAD_RIGHT">;
    static constexpr auto pad_top = max_of<Map, "CDMA.D_ZERO_PADDING.PAD_TOP">;
    static constexpr auto pad_bottom = max_of<Map, "CDMA.D_ZERO_PADDING.PAD_BOTTOM">;
    static_assert(kernels == conv_kernels && kernel_width == conv_kernel &&
                  kernel_height == conv_kernel && stride == conv_stride &&
                  dilation == conv_dilation &&
                  pad_left == conv_pad_before && pad_top == conv_pad_before &&
                  pad_right == conv_pad_after && pad_bottom == conv_pad_after);
    static constexpr auto entries_per_slice =
        max_count_of<Map, "CDMA.D_ENTRY_PER_SLICE.ENTRIES">;
    static constexpr auto banks = max_count_of<Map, "CDMA.D_BANK.DATA_BANK">;
    static constexpr auto fetch_lines = max_count_of<Map, "CDMA.D_FETCH_GRAIN.GRAINS">;
    static constexpr auto release_lines = max_count_of<Map, "CSC.D_RELEASE.RLS_SLICES">;
    static constexpr auto atomics = max_count_of<Map, "CSC.D_ATOMICS.ATOMICS">;
    static constexpr auto batch = max_count_of<Map, "CDMA.D_BATCH_NUMBER.BATCHES">;
    static constexpr auto input_shift = max_of<Map, "CDMA.D_CVT_CFG.CVT_TRUNCATE">;
    // The RTL keeps 16 fraction bits of the accumulator, fewer than the field can ask for.
    static constexpr std::uint32_t clip_truncate = 16;
    static_assert(clip_truncate <= max_of<Map, "CACC.D_CLIP_CFG.CLIP_TRUNCATE">);
  };

  struct sdp {
    static constexpr auto width = max_count_of<Map, "SDP.D_DATA_CUBE_WIDTH.WIDTH">;
    static constexpr auto height = max_count_of<Map, "SDP.D_DATA_CUBE_HEIGHT.HEIGHT">;
    static constexpr auto channels = max_count_of<Map, "SDP.D_DATA_CUBE_CHANNEL.CHANNEL">;
    static constexpr auto alu_shift =
        max_of<Map, "SDP.D_DP_BS_ALU_CFG.BS_ALU_SHIFT_VALUE">;
    static constexpr auto mul_shift =
        max_of<Map, "SDP.D_DP_BS_MUL_CFG.BS_MUL_SHIFT_VALUE">;
    static constexpr auto ew_truncate = max_of<Map, "SDP.D_DP_EW_TRUNCATE_VALUE">;
    static constexpr auto output_shift = max_of<Map, "SDP.D_CVT_SHIFT">;
    static constexpr std::uint32_t le_entries = 65, lo_entries = 257;  // of the LUT, CDP's too
  };

  struct pdp {
    static constexpr auto width = max_count_of<Map, "PDP.D_DATA_CUBE_IN_WIDTH">;
    static constexpr auto height = max_count_of<Map, "PDP.D_DATA_CUBE_IN_HEIGHT">;
    static constexpr auto channels = max_count_of<Map, "PDP.D_DATA_CUBE_IN_CHANNEL">;
    static constexpr std::uint32_t kernel = pdp_kernel;  // the fields could express more
    static_assert(kernel <= max_count_of<Map, "PDP.D_POOLING_KERNEL_CFG.KERNEL_WIDTH">);
    static constexpr auto stride =
        max_count_of<Map, "PDP.D_POOLING_KERNEL_CFG.KERNEL_STRIDE_WIDTH">;
    static constexpr std::uint32_t firmware_stride = pdp_stride;
    static_assert(firmware_stride <= stride);
    static constexpr std::uint32_t pad = pdp_pad;
    static_assert(pad == max_of<Map, "PDP.D_POOLING_PADDING_CFG.PAD_LEFT">);
    static constexpr auto split_width =
        max_count_of<Map, "PDP.D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_FIRST">;
    static constexpr std::uint32_t firmware_splits = 64;
    static_assert(firmware_splits <= max_count_of<Map, "PDP.D_OPERATION_MODE_CFG.SPLIT_NUM">);
  };

  struct cdp {
    static constexpr auto width = max_count_of<Map, "CDP_RDMA.D_DATA_CUBE_WIDTH">;
    static constexpr auto height = max_count_of<Map, "CDP_RDMA.D_DATA_CUBE_HEIGHT">;
    static constexpr auto channels = max_count_of<Map, "CDP_RDMA.D_DATA_CUBE_CHANNEL">;
    static constexpr auto input_shift = max_of<Map, "CDP.D_DATIN_SHIFTER">;
    static constexpr auto output_shift = max_of<Map, "CDP.D_DATOUT_SHIFTER">;
  };

  struct rubik {
    // The cube that it reads. The RTL counts the atoms of a line that it writes in as many bits.
    static constexpr auto width = max_count_of<Map, "RBK.D_DATAIN_SIZE_0.DATAIN_WIDTH">;
    static constexpr auto height = max_count_of<Map, "RBK.D_DATAIN_SIZE_0.DATAIN_HEIGHT">;
    static constexpr auto channels = max_count_of<Map, "RBK.D_DATAIN_SIZE_1.DATAIN_CHANNEL">;
    static constexpr auto stride = max_count_of<Map, "RBK.D_DECONV_STRIDE.DECONV_X_STRIDE">;
  };

  struct bdma {
    // In units of 32 bytes.
    static constexpr auto line_units = max_count_of<Map, "BDMA.CFG_LINE.SIZE">;
    static constexpr auto lines = max_count_of<Map, "BDMA.CFG_LINE_REPEAT.NUMBER">;
    static constexpr auto surfaces = max_count_of<Map, "BDMA.CFG_SURF_REPEAT.NUMBER">;
  };
};

}  // namespace nvdlac::hw
