// SPDX-License-Identifier: Apache-2.0
#pragma once
// The fields of the registers; registers that look alike share them.
// Written by tools/generate_registers.py.
#include <nvdlac/hw/register_types.hpp>

namespace nvdlac::hw::detail {

using namespace std::string_view_literals;

inline constexpr enumerator values_no_yes[]{{"NO"sv, 0}, {"YES"sv, 1}};
inline constexpr enumerator values_idle_running_pending[]{{"IDLE"sv, 0}, {"RUNNING"sv, 1},
    {"PENDING"sv, 2}};
inline constexpr enumerator values_group_0_group_1[]{{"GROUP_0"sv, 0}, {"GROUP_1"sv, 1}};
inline constexpr enumerator values_disable_enable[]{{"DISABLE"sv, 0}, {"ENABLE"sv, 1}};
inline constexpr enumerator values_direct_winograd[]{{"DIRECT"sv, 0}, {"WINOGRAD"sv, 1}};
inline constexpr enumerator values_int8_int16_fp16[]{{"INT8"sv, 0}, {"INT16"sv, 1}, {"FP16"sv, 2}};
inline constexpr enumerator values_feature_pixel[]{{"FEATURE"sv, 0}, {"PIXEL"sv, 1}};
inline constexpr enumerator values_r8_to_y16_v16u16[]{{"R8"sv, 0}, {"R10"sv, 1}, {"R12"sv, 2},
    {"R16"sv, 3}, {"R16_I"sv, 4}, {"R16_F"sv, 5}, {"A16B16G16R16"sv, 6}, {"X16B16G16R16"sv, 7},
    {"A16B16G16R16_F"sv, 8}, {"A16Y16U16V16"sv, 9}, {"V16U16Y16A16"sv, 10},
    {"A16Y16U16V16_F"sv, 11}, {"A8B8G8R8"sv, 12}, {"A8R8G8B8"sv, 13}, {"B8G8R8A8"sv, 14},
    {"R8G8B8A8"sv, 15}, {"X8B8G8R8"sv, 16}, {"X8R8G8B8"sv, 17}, {"B8G8R8X8"sv, 18},
    {"R8G8B8X8"sv, 19}, {"A2B10G10R10"sv, 20}, {"A2R10G10B10"sv, 21}, {"B10G10R10A2"sv, 22},
    {"R10G10B10A2"sv, 23}, {"A2Y10U10V10"sv, 24}, {"V10U10Y10A2"sv, 25}, {"A8Y8U8V8"sv, 26},
    {"V8U8Y8A8"sv, 27}, {"Y8_U8V8"sv, 28}, {"Y8_V8U8"sv, 29}, {"Y10_U10V10"sv, 30},
    {"Y10_V10U10"sv, 31}, {"Y12_U12V12"sv, 32}, {"Y12_V12U12"sv, 33}, {"Y16_U16V16"sv, 34},
    {"Y16_V16U16"sv, 35}};
inline constexpr enumerator values_pitch_linear_reserved_linear[]{{"PITCH_LINEAR"sv, 0},
    {"RESERVED_LINEAR"sv, 1}};
inline constexpr enumerator values_unsigned_int_signed_int[]{{"UNSIGNED_INT"sv, 0},
    {"SIGNED_INT"sv, 1}};
inline constexpr enumerator values_cv_mc[]{{"CV"sv, 0}, {"MC"sv, 1}};
inline constexpr enumerator values_false_true[]{{"FALSE"sv, 0}, {"TRUE"sv, 1}};
inline constexpr enumerator values_uncompressed_compressed[]{{"UNCOMPRESSED"sv, 0},
    {"COMPRESSED"sv, 1}};
inline constexpr enumerator values_mul_alu_both[]{{"MUL"sv, 0}, {"ALU"sv, 1}, {"BOTH"sv, 2}};
inline constexpr enumerator values_one_byte_two_byte[]{{"ONE_BYTE"sv, 0}, {"TWO_BYTE"sv, 1}};
inline constexpr enumerator values_per_kernel_per_element[]{{"PER_KERNEL"sv, 0},
    {"PER_ELEMENT"sv, 1}};
inline constexpr enumerator values_off_on[]{{"OFF"sv, 0}, {"ON"sv, 1}};
inline constexpr enumerator values_le_lo[]{{"LE"sv, 0}, {"LO"sv, 1}};
inline constexpr enumerator values_read_write[]{{"READ"sv, 0}, {"WRITE"sv, 1}};
inline constexpr enumerator values_exponent_linear[]{{"EXPONENT"sv, 0}, {"LINEAR"sv, 1}};
inline constexpr enumerator values_max_min_sum[]{{"MAX"sv, 0}, {"MIN"sv, 1}, {"SUM"sv, 2}};
inline constexpr enumerator values_reg_mem[]{{"REG"sv, 0}, {"MEM"sv, 1}};
inline constexpr enumerator values_max_min_sum_eql[]{{"MAX"sv, 0}, {"MIN"sv, 1}, {"SUM"sv, 2},
    {"EQL"sv, 3}};
inline constexpr enumerator values_mem_pdp[]{{"MEM"sv, 0}, {"PDP"sv, 1}};
inline constexpr enumerator values_on_flying_off_flying[]{{"ON_FLYING"sv, 0}, {"OFF_FLYING"sv, 1}};
inline constexpr enumerator values_1_to_8[]{{"1"sv, 0}, {"2"sv, 1}, {"3"sv, 2}, {"4"sv, 3},
    {"5"sv, 4}, {"6"sv, 5}, {"7"sv, 6}, {"8"sv, 7}};
inline constexpr enumerator values_average_max_min[]{{"AVERAGE"sv, 0}, {"MAX"sv, 1}, {"MIN"sv, 2}};
inline constexpr enumerator values_readphile_writephile_ordinary[]{{"READPHILE"sv, 0},
    {"WRITEPHILE"sv, 1}, {"ORDINARY"sv, 2}};
inline constexpr enumerator values_len3_len5_len7_len9[]{{"LEN3"sv, 0}, {"LEN5"sv, 1},
    {"LEN7"sv, 2}, {"LEN9"sv, 3}};
inline constexpr enumerator values_lock_unlock[]{{"LOCK"sv, 0}, {"UNLOCK"sv, 225}};
inline constexpr enumerator values_noforce_force[]{{"NOFORCE"sv, 0}, {"FORCE"sv, 1}};
inline constexpr enumerator values_noreload_reload[]{{"NORELOAD"sv, 0}, {"RELOAD"sv, 1}};
inline constexpr enumerator values_contract_split_merge[]{{"CONTRACT"sv, 0}, {"SPLIT"sv, 1},
    {"MERGE"sv, 2}};

inline constexpr field glb_s_nvdla_hw_version_fields[]{{"MAJOR"sv, 7, 0, 0x31, {}},
    {"MINOR"sv, 23, 8, 0x3030, {}}};
inline constexpr field glb_s_intr_mask_fields[]{{"SDP_DONE_MASK0"sv, 0, 0, 0x0, {}},
    {"SDP_DONE_MASK1"sv, 1, 1, 0x0, {}}, {"CDP_DONE_MASK0"sv, 2, 2, 0x0, {}},
    {"CDP_DONE_MASK1"sv, 3, 3, 0x0, {}}, {"PDP_DONE_MASK0"sv, 4, 4, 0x0, {}},
    {"PDP_DONE_MASK1"sv, 5, 5, 0x0, {}}, {"BDMA_DONE_MASK0"sv, 6, 6, 0x0, {}},
    {"BDMA_DONE_MASK1"sv, 7, 7, 0x0, {}}, {"RUBIK_DONE_MASK0"sv, 8, 8, 0x0, {}},
    {"RUBIK_DONE_MASK1"sv, 9, 9, 0x0, {}}, {"CDMA_DAT_DONE_MASK0"sv, 16, 16, 0x0, {}},
    {"CDMA_DAT_DONE_MASK1"sv, 17, 17, 0x0, {}}, {"CDMA_WT_DONE_MASK0"sv, 18, 18, 0x0, {}},
    {"CDMA_WT_DONE_MASK1"sv, 19, 19, 0x0, {}}, {"CACC_DONE_MASK0"sv, 20, 20, 0x0, {}},
    {"CACC_DONE_MASK1"sv, 21, 21, 0x0, {}}};
inline constexpr field glb_s_intr_set_fields[]{{"SDP_DONE_SET0"sv, 0, 0, 0x0, {}},
    {"SDP_DONE_SET1"sv, 1, 1, 0x0, {}}, {"CDP_DONE_SET0"sv, 2, 2, 0x0, {}},
    {"CDP_DONE_SET1"sv, 3, 3, 0x0, {}}, {"PDP_DONE_SET0"sv, 4, 4, 0x0, {}},
    {"PDP_DONE_SET1"sv, 5, 5, 0x0, {}}, {"BDMA_DONE_SET0"sv, 6, 6, 0x0, {}},
    {"BDMA_DONE_SET1"sv, 7, 7, 0x0, {}}, {"RUBIK_DONE_SET0"sv, 8, 8, 0x0, {}},
    {"RUBIK_DONE_SET1"sv, 9, 9, 0x0, {}}, {"CDMA_DAT_DONE_SET0"sv, 16, 16, 0x0, {}},
    {"CDMA_DAT_DONE_SET1"sv, 17, 17, 0x0, {}}, {"CDMA_WT_DONE_SET0"sv, 18, 18, 0x0, {}},
    {"CDMA_WT_DONE_SET1"sv, 19, 19, 0x0, {}}, {"CACC_DONE_SET0"sv, 20, 20, 0x0, {}},
    {"CACC_DONE_SET1"sv, 21, 21, 0x0, {}}};
inline constexpr field glb_s_intr_status_fields[]{{"SDP_DONE_STATUS0"sv, 0, 0, 0x0, {}},
    {"SDP_DONE_STATUS1"sv, 1, 1, 0x0, {}}, {"CDP_DONE_STATUS0"sv, 2, 2, 0x0, {}},
    {"CDP_DONE_STATUS1"sv, 3, 3, 0x0, {}}, {"PDP_DONE_STATUS0"sv, 4, 4, 0x0, {}},
    {"PDP_DONE_STATUS1"sv, 5, 5, 0x0, {}}, {"BDMA_DONE_STATUS0"sv, 6, 6, 0x0, {}},
    {"BDMA_DONE_STATUS1"sv, 7, 7, 0x0, {}}, {"RUBIK_DONE_STATUS0"sv, 8, 8, 0x0, {}},
    {"RUBIK_DONE_STATUS1"sv, 9, 9, 0x0, {}}, {"CDMA_DAT_DONE_STATUS0"sv, 16, 16, 0x0, {}},
    {"CDMA_DAT_DONE_STATUS1"sv, 17, 17, 0x0, {}}, {"CDMA_WT_DONE_STATUS0"sv, 18, 18, 0x0, {}},
    {"CDMA_WT_DONE_STATUS1"sv, 19, 19, 0x0, {}}, {"CACC_DONE_STATUS0"sv, 20, 20, 0x0, {}},
    {"CACC_DONE_STATUS1"sv, 21, 21, 0x0, {}}};
inline constexpr field mcif_cfg_rd_weight_0_fields[]{{"RD_WEIGHT_BDMA"sv, 7, 0, 0x1, {}},
    {"RD_WEIGHT_SDP"sv, 15, 8, 0x1, {}}, {"RD_WEIGHT_PDP"sv, 23, 16, 0x1, {}},
    {"RD_WEIGHT_CDP"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_rd_weight_1_fields[]{{"RD_WEIGHT_SDP_B"sv, 7, 0, 0x1, {}},
    {"RD_WEIGHT_SDP_N"sv, 15, 8, 0x1, {}}, {"RD_WEIGHT_SDP_E"sv, 23, 16, 0x1, {}},
    {"RD_WEIGHT_CDMA_DAT"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_rd_weight_2_fields[]{{"RD_WEIGHT_CDMA_WT"sv, 7, 0, 0x1, {}},
    {"RD_WEIGHT_RBK"sv, 15, 8, 0x1, {}}, {"RD_WEIGHT_RSV_1"sv, 23, 16, 0x1, {}},
    {"RD_WEIGHT_RSV_0"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_wr_weight_0_fields[]{{"WR_WEIGHT_BDMA"sv, 7, 0, 0x1, {}},
    {"WR_WEIGHT_SDP"sv, 15, 8, 0x1, {}}, {"WR_WEIGHT_PDP"sv, 23, 16, 0x1, {}},
    {"WR_WEIGHT_CDP"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_wr_weight_1_fields[]{{"WR_WEIGHT_RBK"sv, 7, 0, 0x1, {}},
    {"WR_WEIGHT_RSV_2"sv, 15, 8, 0x1, {}}, {"WR_WEIGHT_RSV_1"sv, 23, 16, 0x1, {}},
    {"WR_WEIGHT_RSV_0"sv, 31, 24, 0x1, {}}};
inline constexpr field mcif_cfg_outstanding_cnt_fields[]{{"RD_OS_CNT"sv, 7, 0, 0xff, {}},
    {"WR_OS_CNT"sv, 15, 8, 0xff, {}}};
inline constexpr field mcif_status_fields[]{{"IDLE"sv, 8, 8, 0x1, values_no_yes}};
inline constexpr field cdma_s_status_fields[]{
    {"STATUS_0"sv, 1, 0, 0x0, values_idle_running_pending},
    {"STATUS_1"sv, 17, 16, 0x0, values_idle_running_pending}};
inline constexpr field cdma_s_pointer_fields[]{{"PRODUCER"sv, 0, 0, 0x0, values_group_0_group_1},
    {"CONSUMER"sv, 16, 16, 0x0, values_group_0_group_1}};
inline constexpr field cdma_s_arbiter_fields[]{{"ARB_WEIGHT"sv, 3, 0, 0xf, {}},
    {"ARB_WMB"sv, 19, 16, 0x3, {}}};
inline constexpr field cdma_s_cbuf_flush_status_fields[]{{"FLUSH_DONE"sv, 0, 0, 0x0, {}}};
inline constexpr field cdma_d_op_enable_fields[]{{"OP_EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdma_d_misc_cfg_fields[]{{"CONV_MODE"sv, 0, 0, 0x0, values_direct_winograd},
    {"IN_PRECISION"sv, 9, 8, 0x1, values_int8_int16_fp16},
    {"PROC_PRECISION"sv, 13, 12, 0x1, values_int8_int16_fp16},
    {"DATA_REUSE"sv, 16, 16, 0x0, values_disable_enable},
    {"WEIGHT_REUSE"sv, 20, 20, 0x0, values_disable_enable},
    {"SKIP_DATA_RLS"sv, 24, 24, 0x0, values_disable_enable},
    {"SKIP_WEIGHT_RLS"sv, 28, 28, 0x0, values_disable_enable}};
inline constexpr field cdma_d_datain_format_fields[]{
    {"DATAIN_FORMAT"sv, 0, 0, 0x0, values_feature_pixel},
    {"PIXEL_FORMAT"sv, 13, 8, 0xc, values_r8_to_y16_v16u16},
    {"PIXEL_MAPPING"sv, 16, 16, 0x0, values_pitch_linear_reserved_linear},
    {"PIXEL_SIGN_OVERRIDE"sv, 20, 20, 0x0, values_unsigned_int_signed_int}};
inline constexpr field cdma_d_datain_size_0_fields[]{{"DATAIN_WIDTH"sv, 12, 0, 0x0, {}},
    {"DATAIN_HEIGHT"sv, 28, 16, 0x0, {}}};
inline constexpr field cdma_d_datain_size_1_fields[]{{"DATAIN_CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field cdma_d_datain_size_ext_0_fields[]{{"DATAIN_WIDTH_EXT"sv, 12, 0, 0x0, {}},
    {"DATAIN_HEIGHT_EXT"sv, 28, 16, 0x0, {}}};
inline constexpr field cdma_d_pixel_offset_fields[]{{"PIXEL_X_OFFSET"sv, 4, 0, 0x0, {}},
    {"PIXEL_Y_OFFSET"sv, 18, 16, 0x0, {}}};
inline constexpr field cdma_d_dain_ram_type_fields[]{
    {"DATAIN_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field cdma_d_dain_addr_high_0_fields[]{{"DATAIN_ADDR_HIGH_0"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_low_0_fields[]{{"DATAIN_ADDR_LOW_0"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_high_1_fields[]{{"DATAIN_ADDR_HIGH_1"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_low_1_fields[]{{"DATAIN_ADDR_LOW_1"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_line_stride_fields[]{{"LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_line_uv_stride_fields[]{{"UV_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_surf_stride_fields[]{{"SURF_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_map_fields[]{{"LINE_PACKED"sv, 0, 0, 0x0, values_false_true},
    {"SURF_PACKED"sv, 16, 16, 0x0, values_false_true}};
inline constexpr field cdma_d_reserved_x_cfg_fields[]{{"RSV_PER_LINE"sv, 9, 0, 0x0, {}},
    {"RSV_PER_UV_LINE"sv, 25, 16, 0x0, {}}};
inline constexpr field cdma_d_reserved_y_cfg_fields[]{{"RSV_HEIGHT"sv, 2, 0, 0x0, {}},
    {"RSV_Y_INDEX"sv, 20, 16, 0x0, {}}};
inline constexpr field cdma_d_batch_number_fields[]{{"BATCHES"sv, 4, 0, 0x0, {}}};
inline constexpr field cdma_d_batch_stride_fields[]{{"BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_entry_per_slice_fields[]{{"ENTRIES"sv, 13, 0, 0x0, {}}};
inline constexpr field cdma_d_fetch_grain_fields[]{{"GRAINS"sv, 11, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_format_fields[]{
    {"WEIGHT_FORMAT"sv, 0, 0, 0x0, values_uncompressed_compressed}};
inline constexpr field cdma_d_weight_size_0_fields[]{{"BYTE_PER_KERNEL"sv, 17, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_size_1_fields[]{{"WEIGHT_KERNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_ram_type_fields[]{
    {"WEIGHT_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field cdma_d_weight_addr_high_fields[]{{"WEIGHT_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_addr_low_fields[]{{"WEIGHT_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_bytes_fields[]{{"WEIGHT_BYTES"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wgs_addr_high_fields[]{{"WGS_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wgs_addr_low_fields[]{{"WGS_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wmb_addr_high_fields[]{{"WMB_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wmb_addr_low_fields[]{{"WMB_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_wmb_bytes_fields[]{{"WMB_BYTES"sv, 27, 0, 0x0, {}}};
inline constexpr field cdma_d_mean_format_fields[]{
    {"MEAN_FORMAT"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdma_d_mean_global_0_fields[]{{"MEAN_RY"sv, 15, 0, 0x0, {}},
    {"MEAN_GU"sv, 31, 16, 0x0, {}}};
inline constexpr field cdma_d_mean_global_1_fields[]{{"MEAN_BV"sv, 15, 0, 0x0, {}},
    {"MEAN_AX"sv, 31, 16, 0x0, {}}};
inline constexpr field cdma_d_cvt_cfg_fields[]{{"CVT_EN"sv, 0, 0, 0x0, values_disable_enable},
    {"CVT_TRUNCATE"sv, 9, 4, 0x0, {}}};
inline constexpr field cdma_d_cvt_offset_fields[]{{"CVT_OFFSET"sv, 15, 0, 0x0, {}}};
inline constexpr field cdma_d_cvt_scale_fields[]{{"CVT_SCALE"sv, 15, 0, 0x0, {}}};
inline constexpr field cdma_d_conv_stride_fields[]{{"CONV_X_STRIDE"sv, 2, 0, 0x0, {}},
    {"CONV_Y_STRIDE"sv, 18, 16, 0x0, {}}};
inline constexpr field cdma_d_zero_padding_fields[]{{"PAD_LEFT"sv, 4, 0, 0x0, {}},
    {"PAD_RIGHT"sv, 13, 8, 0x0, {}}, {"PAD_TOP"sv, 20, 16, 0x0, {}},
    {"PAD_BOTTOM"sv, 29, 24, 0x0, {}}};
inline constexpr field cdma_d_zero_padding_value_fields[]{{"PAD_VALUE"sv, 15, 0, 0x0, {}}};
inline constexpr field cdma_d_bank_fields[]{{"DATA_BANK"sv, 4, 0, 0x0, {}},
    {"WEIGHT_BANK"sv, 20, 16, 0x0, {}}};
inline constexpr field cdma_d_nan_flush_to_zero_fields[]{
    {"NAN_TO_ZERO"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdma_d_nan_input_data_num_fields[]{{"NAN_DATA_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_nan_input_weight_num_fields[]{{"NAN_WEIGHT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_inf_input_data_num_fields[]{{"INF_DATA_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_inf_input_weight_num_fields[]{{"INF_WEIGHT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_enable_fields[]{{"DMA_EN"sv, 0, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_dat_read_stall_fields[]{{"DAT_RD_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_wt_read_stall_fields[]{{"WT_RD_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_dat_read_latency_fields[]{{"DAT_RD_LATENCY"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_perf_wt_read_latency_fields[]{{"WT_RD_LATENCY"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_cya_fields[]{{"CYA"sv, 31, 0, 0x0, {}}};
inline constexpr field csc_d_datain_format_fields[]{
    {"DATAIN_FORMAT"sv, 0, 0, 0x0, values_feature_pixel}};
inline constexpr field csc_d_datain_size_ext_1_fields[]{{"DATAIN_CHANNEL_EXT"sv, 12, 0, 0x0, {}}};
inline constexpr field csc_d_post_y_extension_fields[]{{"Y_EXTENSION"sv, 1, 0, 0x0, {}}};
inline constexpr field csc_d_weight_size_ext_0_fields[]{{"WEIGHT_WIDTH_EXT"sv, 4, 0, 0x0, {}},
    {"WEIGHT_HEIGHT_EXT"sv, 20, 16, 0x0, {}}};
inline constexpr field csc_d_weight_size_ext_1_fields[]{{"WEIGHT_CHANNEL_EXT"sv, 12, 0, 0x0, {}},
    {"WEIGHT_KERNEL"sv, 28, 16, 0x0, {}}};
inline constexpr field csc_d_dataout_size_0_fields[]{{"DATAOUT_WIDTH"sv, 12, 0, 0x0, {}},
    {"DATAOUT_HEIGHT"sv, 28, 16, 0x0, {}}};
inline constexpr field csc_d_dataout_size_1_fields[]{{"DATAOUT_CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field csc_d_atomics_fields[]{{"ATOMICS"sv, 20, 0, 0x1, {}}};
inline constexpr field csc_d_release_fields[]{{"RLS_SLICES"sv, 11, 0, 0x1, {}}};
inline constexpr field csc_d_conv_stride_ext_fields[]{{"CONV_X_STRIDE_EXT"sv, 2, 0, 0x0, {}},
    {"CONV_Y_STRIDE_EXT"sv, 18, 16, 0x0, {}}};
inline constexpr field csc_d_dilation_ext_fields[]{{"X_DILATION_EXT"sv, 4, 0, 0x0, {}},
    {"Y_DILATION_EXT"sv, 20, 16, 0x0, {}}};
inline constexpr field csc_d_zero_padding_fields[]{{"PAD_LEFT"sv, 4, 0, 0x0, {}},
    {"PAD_TOP"sv, 20, 16, 0x0, {}}};
inline constexpr field csc_d_pra_cfg_fields[]{{"PRA_TRUNCATE"sv, 1, 0, 0x0, {}}};
inline constexpr field cmac_a_d_misc_cfg_fields[]{
    {"CONV_MODE"sv, 0, 0, 0x0, values_direct_winograd},
    {"PROC_PRECISION"sv, 13, 12, 0x1, values_int8_int16_fp16}};
inline constexpr field cacc_d_dataout_addr_fields[]{{"DATAOUT_ADDR"sv, 31, 0, 0x0, {}}};
inline constexpr field cacc_d_line_stride_fields[]{{"LINE_STRIDE"sv, 23, 0, 0x0, {}}};
inline constexpr field cacc_d_surf_stride_fields[]{{"SURF_STRIDE"sv, 23, 0, 0x0, {}}};
inline constexpr field cacc_d_clip_cfg_fields[]{{"CLIP_TRUNCATE"sv, 4, 0, 0x0, {}}};
inline constexpr field cacc_d_out_saturation_fields[]{{"SAT_COUNT"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_data_cube_width_fields[]{{"WIDTH"sv, 12, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_data_cube_height_fields[]{{"HEIGHT"sv, 12, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_data_cube_channel_fields[]{{"CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_base_addr_low_fields[]{
    {"SRC_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_base_addr_high_fields[]{
    {"SRC_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_line_stride_fields[]{{"SRC_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_surface_stride_fields[]{
    {"SRC_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_brdma_cfg_fields[]{{"BRDMA_DISABLE"sv, 0, 0, 0x1, values_no_yes},
    {"BRDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"BRDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"BRDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"BRDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_bs_base_addr_low_fields[]{
    {"BS_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_base_addr_high_fields[]{
    {"BS_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_line_stride_fields[]{{"BS_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_surface_stride_fields[]{
    {"BS_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_batch_stride_fields[]{{"BS_BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_nrdma_cfg_fields[]{{"NRDMA_DISABLE"sv, 0, 0, 0x1, values_no_yes},
    {"NRDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"NRDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"NRDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"NRDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_bn_base_addr_low_fields[]{
    {"BN_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_base_addr_high_fields[]{
    {"BN_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_line_stride_fields[]{{"BN_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_surface_stride_fields[]{
    {"BN_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_batch_stride_fields[]{{"BN_BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_erdma_cfg_fields[]{{"ERDMA_DISABLE"sv, 0, 0, 0x1, values_no_yes},
    {"ERDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"ERDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"ERDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"ERDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_ew_base_addr_low_fields[]{
    {"EW_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_base_addr_high_fields[]{
    {"EW_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_line_stride_fields[]{{"EW_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_surface_stride_fields[]{
    {"EW_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_batch_stride_fields[]{{"EW_BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_feature_mode_cfg_fields[]{
    {"FLYING_MODE"sv, 0, 0, 0x0, values_off_on}, {"WINOGRAD"sv, 1, 1, 0x0, values_off_on},
    {"IN_PRECISION"sv, 3, 2, 0x1, values_int8_int16_fp16},
    {"PROC_PRECISION"sv, 5, 4, 0x1, values_int8_int16_fp16},
    {"OUT_PRECISION"sv, 7, 6, 0x0, values_int8_int16_fp16}, {"BATCH_NUMBER"sv, 12, 8, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_dma_cfg_fields[]{
    {"SRC_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_status_nan_input_num_fields[]{
    {"STATUS_NAN_INPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_status_inf_input_num_fields[]{
    {"STATUS_INF_INPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_perf_enable_fields[]{{"PERF_DMA_EN"sv, 0, 0, 0x0, values_no_yes},
    {"PERF_NAN_INF_COUNT_EN"sv, 1, 1, 0x0, values_no_yes}};
inline constexpr field sdp_rdma_d_perf_mrdma_read_stall_fields[]{
    {"MRDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_perf_brdma_read_stall_fields[]{
    {"BRDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_perf_nrdma_read_stall_fields[]{
    {"NRDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_rdma_d_perf_erdma_read_stall_fields[]{
    {"ERDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_access_cfg_fields[]{{"LUT_ADDR"sv, 9, 0, 0x0, {}},
    {"LUT_TABLE_ID"sv, 16, 16, 0x0, values_le_lo},
    {"LUT_ACCESS_TYPE"sv, 17, 17, 0x0, values_read_write}};
inline constexpr field sdp_s_lut_access_data_fields[]{{"LUT_DATA"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_cfg_fields[]{
    {"LUT_LE_FUNCTION"sv, 0, 0, 0x0, values_exponent_linear},
    {"LUT_UFLOW_PRIORITY"sv, 4, 4, 0x0, values_le_lo},
    {"LUT_OFLOW_PRIORITY"sv, 5, 5, 0x0, values_le_lo},
    {"LUT_HYBRID_PRIORITY"sv, 6, 6, 0x0, values_le_lo}};
inline constexpr field sdp_s_lut_info_fields[]{{"LUT_LE_INDEX_OFFSET"sv, 7, 0, 0x0, {}},
    {"LUT_LE_INDEX_SELECT"sv, 15, 8, 0x0, {}}, {"LUT_LO_INDEX_SELECT"sv, 23, 16, 0x0, {}}};
inline constexpr field sdp_s_lut_le_start_fields[]{{"LUT_LE_START"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_le_end_fields[]{{"LUT_LE_END"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_lo_start_fields[]{{"LUT_LO_START"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_lo_end_fields[]{{"LUT_LO_END"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_s_lut_le_slope_scale_fields[]{
    {"LUT_LE_SLOPE_UFLOW_SCALE"sv, 15, 0, 0x0, {}},
    {"LUT_LE_SLOPE_OFLOW_SCALE"sv, 31, 16, 0x0, {}}};
inline constexpr field sdp_s_lut_le_slope_shift_fields[]{
    {"LUT_LE_SLOPE_UFLOW_SHIFT"sv, 4, 0, 0x0, {}}, {"LUT_LE_SLOPE_OFLOW_SHIFT"sv, 9, 5, 0x0, {}}};
inline constexpr field sdp_s_lut_lo_slope_scale_fields[]{
    {"LUT_LO_SLOPE_UFLOW_SCALE"sv, 15, 0, 0x0, {}},
    {"LUT_LO_SLOPE_OFLOW_SCALE"sv, 31, 16, 0x0, {}}};
inline constexpr field sdp_s_lut_lo_slope_shift_fields[]{
    {"LUT_LO_SLOPE_UFLOW_SHIFT"sv, 4, 0, 0x0, {}}, {"LUT_LO_SLOPE_OFLOW_SHIFT"sv, 9, 5, 0x0, {}}};
inline constexpr field sdp_d_dst_base_addr_low_fields[]{{"DST_BASE_ADDR_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dst_base_addr_high_fields[]{{"DST_BASE_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dst_line_stride_fields[]{{"DST_LINE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dst_surface_stride_fields[]{{"DST_SURFACE_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_cfg_fields[]{{"BS_BYPASS"sv, 0, 0, 0x1, values_no_yes},
    {"BS_ALU_BYPASS"sv, 1, 1, 0x1, values_no_yes}, {"BS_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum},
    {"BS_MUL_BYPASS"sv, 4, 4, 0x1, values_no_yes}, {"BS_MUL_PRELU"sv, 5, 5, 0x1, values_no_yes},
    {"BS_RELU_BYPASS"sv, 6, 6, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_bs_alu_cfg_fields[]{{"BS_ALU_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"BS_ALU_SHIFT_VALUE"sv, 13, 8, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_alu_src_value_fields[]{{"BS_ALU_OPERAND"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_mul_cfg_fields[]{{"BS_MUL_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"BS_MUL_SHIFT_VALUE"sv, 15, 8, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_mul_src_value_fields[]{{"BS_MUL_OPERAND"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_bn_cfg_fields[]{{"BN_BYPASS"sv, 0, 0, 0x1, values_no_yes},
    {"BN_ALU_BYPASS"sv, 1, 1, 0x1, values_no_yes}, {"BN_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum},
    {"BN_MUL_BYPASS"sv, 4, 4, 0x1, values_no_yes}, {"BN_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"BN_RELU_BYPASS"sv, 6, 6, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_bn_alu_cfg_fields[]{{"BN_ALU_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"BN_ALU_SHIFT_VALUE"sv, 13, 8, 0x0, {}}};
inline constexpr field sdp_d_dp_bn_alu_src_value_fields[]{{"BN_ALU_OPERAND"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_bn_mul_cfg_fields[]{{"BN_MUL_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"BN_MUL_SHIFT_VALUE"sv, 15, 8, 0x0, {}}};
inline constexpr field sdp_d_dp_bn_mul_src_value_fields[]{{"BN_MUL_OPERAND"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_cfg_fields[]{{"EW_BYPASS"sv, 0, 0, 0x1, values_no_yes},
    {"EW_ALU_BYPASS"sv, 1, 1, 0x1, values_no_yes},
    {"EW_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum_eql},
    {"EW_MUL_BYPASS"sv, 4, 4, 0x1, values_no_yes}, {"EW_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"EW_LUT_BYPASS"sv, 6, 6, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_ew_alu_cfg_fields[]{{"EW_ALU_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"EW_ALU_CVT_BYPASS"sv, 1, 1, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_ew_alu_src_value_fields[]{{"EW_ALU_OPERAND"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_alu_cvt_offset_value_fields[]{
    {"EW_ALU_CVT_OFFSET"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_alu_cvt_scale_value_fields[]{
    {"EW_ALU_CVT_SCALE"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_alu_cvt_truncate_value_fields[]{
    {"EW_ALU_CVT_TRUNCATE"sv, 5, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_mul_cfg_fields[]{{"EW_MUL_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"EW_MUL_CVT_BYPASS"sv, 1, 1, 0x1, values_no_yes}};
inline constexpr field sdp_d_dp_ew_mul_src_value_fields[]{{"EW_MUL_OPERAND"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_mul_cvt_offset_value_fields[]{
    {"EW_MUL_CVT_OFFSET"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_mul_cvt_scale_value_fields[]{
    {"EW_MUL_CVT_SCALE"sv, 15, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_mul_cvt_truncate_value_fields[]{
    {"EW_MUL_CVT_TRUNCATE"sv, 5, 0, 0x0, {}}};
inline constexpr field sdp_d_dp_ew_truncate_value_fields[]{{"EW_TRUNCATE"sv, 9, 0, 0x0, {}}};
inline constexpr field sdp_d_feature_mode_cfg_fields[]{{"FLYING_MODE"sv, 0, 0, 0x0, values_off_on},
    {"OUTPUT_DST"sv, 1, 1, 0x0, values_mem_pdp}, {"WINOGRAD"sv, 2, 2, 0x0, values_off_on},
    {"NAN_TO_ZERO"sv, 3, 3, 0x0, values_disable_enable}, {"BATCH_NUMBER"sv, 12, 8, 0x0, {}}};
inline constexpr field sdp_d_dst_dma_cfg_fields[]{{"DST_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field sdp_d_dst_batch_stride_fields[]{{"DST_BATCH_STRIDE"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_data_format_fields[]{
    {"PROC_PRECISION"sv, 1, 0, 0x0, values_int8_int16_fp16},
    {"OUT_PRECISION"sv, 3, 2, 0x0, values_int8_int16_fp16}};
inline constexpr field sdp_d_cvt_offset_fields[]{{"CVT_OFFSET"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_cvt_shift_fields[]{{"CVT_SHIFT"sv, 5, 0, 0x0, {}}};
inline constexpr field sdp_d_status_fields[]{{"STATUS_UNEQUAL"sv, 0, 0, 0x0, {}}};
inline constexpr field sdp_d_status_nan_output_num_fields[]{
    {"STATUS_NAN_OUTPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_enable_fields[]{{"PERF_DMA_EN"sv, 0, 0, 0x0, values_no_yes},
    {"PERF_LUT_EN"sv, 1, 1, 0x0, values_no_yes}, {"PERF_SAT_EN"sv, 2, 2, 0x0, values_no_yes},
    {"PERF_NAN_INF_COUNT_EN"sv, 3, 3, 0x0, values_no_yes}};
inline constexpr field sdp_d_perf_wdma_write_stall_fields[]{{"WDMA_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_uflow_fields[]{{"LUT_UFLOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_oflow_fields[]{{"LUT_OFLOW"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_out_saturation_fields[]{{"OUT_SATURATION"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_hybrid_fields[]{{"LUT_HYBRID"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_le_hit_fields[]{{"LUT_LE_HIT"sv, 31, 0, 0x0, {}}};
inline constexpr field sdp_d_perf_lut_lo_hit_fields[]{{"LUT_LO_HIT"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_data_cube_in_width_fields[]{{"CUBE_IN_WIDTH"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_data_cube_in_height_fields[]{
    {"CUBE_IN_HEIGHT"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_data_cube_in_channel_fields[]{
    {"CUBE_IN_CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_flying_mode_fields[]{
    {"FLYING_MODE"sv, 0, 0, 0x0, values_on_flying_off_flying}};
inline constexpr field pdp_rdma_d_data_format_fields[]{
    {"INPUT_DATA"sv, 1, 0, 0x0, values_int8_int16_fp16}};
inline constexpr field pdp_rdma_d_operation_mode_cfg_fields[]{{"SPLIT_NUM"sv, 7, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_pooling_kernel_cfg_fields[]{
    {"KERNEL_WIDTH"sv, 3, 0, 0x0, values_1_to_8}, {"KERNEL_STRIDE_WIDTH"sv, 7, 4, 0x0, {}}};
inline constexpr field pdp_rdma_d_pooling_padding_cfg_fields[]{{"PAD_WIDTH"sv, 3, 0, 0x0, {}}};
inline constexpr field pdp_rdma_d_partial_width_in_fields[]{
    {"PARTIAL_WIDTH_IN_FIRST"sv, 9, 0, 0x0, {}}, {"PARTIAL_WIDTH_IN_LAST"sv, 19, 10, 0x0, {}},
    {"PARTIAL_WIDTH_IN_MID"sv, 29, 20, 0x0, {}}};
inline constexpr field pdp_rdma_d_perf_enable_fields[]{
    {"DMA_EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field pdp_rdma_d_perf_read_stall_fields[]{{"PERF_READ_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_d_data_cube_out_width_fields[]{{"CUBE_OUT_WIDTH"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_d_data_cube_out_height_fields[]{{"CUBE_OUT_HEIGHT"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_d_data_cube_out_channel_fields[]{
    {"CUBE_OUT_CHANNEL"sv, 12, 0, 0x0, {}}};
inline constexpr field pdp_d_operation_mode_cfg_fields[]{
    {"POOLING_METHOD"sv, 1, 0, 0x0, values_average_max_min},
    {"FLYING_MODE"sv, 4, 4, 0x0, values_on_flying_off_flying}, {"SPLIT_NUM"sv, 15, 8, 0x0, {}}};
inline constexpr field pdp_d_partial_width_out_fields[]{
    {"PARTIAL_WIDTH_OUT_FIRST"sv, 9, 0, 0x0, {}}, {"PARTIAL_WIDTH_OUT_LAST"sv, 19, 10, 0x0, {}},
    {"PARTIAL_WIDTH_OUT_MID"sv, 29, 20, 0x0, {}}};
inline constexpr field pdp_d_pooling_kernel_cfg_fields[]{
    {"KERNEL_WIDTH"sv, 3, 0, 0x0, values_1_to_8}, {"KERNEL_HEIGHT"sv, 11, 8, 0x0, values_1_to_8},
    {"KERNEL_STRIDE_WIDTH"sv, 19, 16, 0x0, {}}, {"KERNEL_STRIDE_HEIGHT"sv, 23, 20, 0x0, {}}};
inline constexpr field pdp_d_recip_kernel_width_fields[]{{"RECIP_KERNEL_WIDTH"sv, 16, 0, 0x0, {}}};
inline constexpr field pdp_d_recip_kernel_height_fields[]{
    {"RECIP_KERNEL_HEIGHT"sv, 16, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_cfg_fields[]{{"PAD_LEFT"sv, 2, 0, 0x0, {}},
    {"PAD_TOP"sv, 6, 4, 0x0, {}}, {"PAD_RIGHT"sv, 10, 8, 0x0, {}},
    {"PAD_BOTTOM"sv, 14, 12, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_1_cfg_fields[]{
    {"PAD_VALUE_1X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_2_cfg_fields[]{
    {"PAD_VALUE_2X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_3_cfg_fields[]{
    {"PAD_VALUE_3X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_4_cfg_fields[]{
    {"PAD_VALUE_4X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_5_cfg_fields[]{
    {"PAD_VALUE_5X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_6_cfg_fields[]{
    {"PAD_VALUE_6X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_pooling_padding_value_7_cfg_fields[]{
    {"PAD_VALUE_7X"sv, 18, 0, 0x0, {}}};
inline constexpr field pdp_d_inf_input_num_fields[]{{"INF_INPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_d_nan_input_num_fields[]{{"NAN_INPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_d_nan_output_num_fields[]{{"NAN_OUTPUT_NUM"sv, 31, 0, 0x0, {}}};
inline constexpr field pdp_d_perf_write_stall_fields[]{{"PERF_WRITE_STALL"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_rdma_d_src_compression_en_fields[]{
    {"SRC_COMPRESSION_EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdp_rdma_d_operation_mode_fields[]{
    {"OPERATION_MODE"sv, 1, 0, 0x0, values_readphile_writephile_ordinary}};
inline constexpr field cdp_s_lut_le_start_low_fields[]{{"LUT_LE_START_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_le_start_high_fields[]{{"LUT_LE_START_HIGH"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_le_end_low_fields[]{{"LUT_LE_END_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_le_end_high_fields[]{{"LUT_LE_END_HIGH"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_lo_start_low_fields[]{{"LUT_LO_START_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_lo_start_high_fields[]{{"LUT_LO_START_HIGH"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_lo_end_low_fields[]{{"LUT_LO_END_LOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_s_lut_lo_end_high_fields[]{{"LUT_LO_END_HIGH"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_d_func_bypass_fields[]{
    {"SQSUM_BYPASS"sv, 0, 0, 0x0, values_disable_enable},
    {"MUL_BYPASS"sv, 1, 1, 0x0, values_disable_enable}};
inline constexpr field cdp_d_dst_compression_en_fields[]{
    {"DST_COMPRESSION_EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field cdp_d_data_format_fields[]{
    {"INPUT_DATA_TYPE"sv, 1, 0, 0x1, values_int8_int16_fp16}};
inline constexpr field cdp_d_lrn_cfg_fields[]{
    {"NORMALZ_LEN"sv, 1, 0, 0x0, values_len3_len5_len7_len9}};
inline constexpr field cdp_d_datin_offset_fields[]{{"DATIN_OFFSET"sv, 15, 0, 0x0, {}}};
inline constexpr field cdp_d_datin_scale_fields[]{{"DATIN_SCALE"sv, 15, 0, 0x1, {}}};
inline constexpr field cdp_d_datin_shifter_fields[]{{"DATIN_SHIFTER"sv, 4, 0, 0x0, {}}};
inline constexpr field cdp_d_datout_offset_fields[]{{"DATOUT_OFFSET"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_datout_scale_fields[]{{"DATOUT_SCALE"sv, 15, 0, 0x1, {}}};
inline constexpr field cdp_d_datout_shifter_fields[]{{"DATOUT_SHIFTER"sv, 5, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_enable_fields[]{{"DMA_EN"sv, 0, 0, 0x0, values_disable_enable},
    {"LUT_EN"sv, 1, 1, 0x0, values_disable_enable}};
inline constexpr field cdp_d_perf_lut_uflow_fields[]{{"PERF_LUT_UFLOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_lut_oflow_fields[]{{"PERF_LUT_OFLOW"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_lut_hybrid_fields[]{{"PERF_LUT_HYBRID"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_lut_le_hit_fields[]{{"PERF_LUT_LE_HIT"sv, 31, 0, 0x0, {}}};
inline constexpr field cdp_d_perf_lut_lo_hit_fields[]{{"PERF_LUT_LO_HIT"sv, 31, 0, 0x0, {}}};
inline constexpr field gec_feature_fields[]{{"NUM_ERR_SLICES"sv, 5, 0, 0x3, {}},
    {"NUM_ERR"sv, 31, 16, 0x43, {}}};
inline constexpr field gec_swreset_fields[]{{"SWRST"sv, 0, 0, 0x0, {}}};
inline constexpr field gec_missionerr_type_fields[]{{"CODE"sv, 5, 0, 0x5, {}}};
inline constexpr field gec_current_counter_value_fields[]{{"VALUE"sv, 8, 0, 0x0, {}}};
inline constexpr field gec_missionerr_index_fields[]{{"IDX"sv, 6, 0, 0x0, {}}};
inline constexpr field gec_correctable_threshold_fields[]{{"COUNT"sv, 7, 0, 0xff, {}}};
inline constexpr field gec_missionerr_inject_unlock_fields[]{
    {"VALUE"sv, 7, 0, 0x0, values_lock_unlock}};
inline constexpr field gec_errslice0_missionerr_enable_fields[]{
    {"ERR0"sv, 0, 0, 0x1, values_disable_enable}, {"ERR1"sv, 1, 1, 0x1, values_disable_enable},
    {"ERR2"sv, 2, 2, 0x1, values_disable_enable}, {"ERR3"sv, 3, 3, 0x1, values_disable_enable},
    {"ERR4"sv, 4, 4, 0x1, values_disable_enable}, {"ERR5"sv, 5, 5, 0x1, values_disable_enable},
    {"ERR6"sv, 6, 6, 0x1, values_disable_enable}, {"ERR7"sv, 7, 7, 0x1, values_disable_enable},
    {"ERR8"sv, 8, 8, 0x1, values_disable_enable}, {"ERR9"sv, 9, 9, 0x1, values_disable_enable},
    {"ERR10"sv, 10, 10, 0x1, values_disable_enable},
    {"ERR11"sv, 11, 11, 0x1, values_disable_enable},
    {"ERR12"sv, 12, 12, 0x1, values_disable_enable},
    {"ERR13"sv, 13, 13, 0x1, values_disable_enable},
    {"ERR14"sv, 14, 14, 0x1, values_disable_enable},
    {"ERR15"sv, 15, 15, 0x1, values_disable_enable},
    {"ERR16"sv, 16, 16, 0x1, values_disable_enable},
    {"ERR17"sv, 17, 17, 0x1, values_disable_enable},
    {"ERR18"sv, 18, 18, 0x1, values_disable_enable},
    {"ERR19"sv, 19, 19, 0x1, values_disable_enable},
    {"ERR20"sv, 20, 20, 0x1, values_disable_enable},
    {"ERR21"sv, 21, 21, 0x1, values_disable_enable},
    {"ERR22"sv, 22, 22, 0x1, values_disable_enable},
    {"ERR23"sv, 23, 23, 0x1, values_disable_enable},
    {"ERR24"sv, 24, 24, 0x1, values_disable_enable},
    {"ERR25"sv, 25, 25, 0x1, values_disable_enable},
    {"ERR26"sv, 26, 26, 0x1, values_disable_enable},
    {"ERR27"sv, 27, 27, 0x1, values_disable_enable},
    {"ERR28"sv, 28, 28, 0x1, values_disable_enable},
    {"ERR29"sv, 29, 29, 0x1, values_disable_enable},
    {"ERR30"sv, 30, 30, 0x1, values_disable_enable},
    {"ERR31"sv, 31, 31, 0x1, values_disable_enable}};
inline constexpr field gec_errslice0_missionerr_force_fields[]{
    {"ERR0"sv, 0, 0, 0x0, values_noforce_force}, {"ERR1"sv, 1, 1, 0x0, values_noforce_force},
    {"ERR2"sv, 2, 2, 0x0, values_noforce_force}, {"ERR3"sv, 3, 3, 0x0, values_noforce_force},
    {"ERR4"sv, 4, 4, 0x0, values_noforce_force}, {"ERR5"sv, 5, 5, 0x0, values_noforce_force},
    {"ERR6"sv, 6, 6, 0x0, values_noforce_force}, {"ERR7"sv, 7, 7, 0x0, values_noforce_force},
    {"ERR8"sv, 8, 8, 0x0, values_noforce_force}, {"ERR9"sv, 9, 9, 0x0, values_noforce_force},
    {"ERR10"sv, 10, 10, 0x0, values_noforce_force}, {"ERR11"sv, 11, 11, 0x0, values_noforce_force},
    {"ERR12"sv, 12, 12, 0x0, values_noforce_force}, {"ERR13"sv, 13, 13, 0x0, values_noforce_force},
    {"ERR14"sv, 14, 14, 0x0, values_noforce_force}, {"ERR15"sv, 15, 15, 0x0, values_noforce_force},
    {"ERR16"sv, 16, 16, 0x0, values_noforce_force}, {"ERR17"sv, 17, 17, 0x0, values_noforce_force},
    {"ERR18"sv, 18, 18, 0x0, values_noforce_force}, {"ERR19"sv, 19, 19, 0x0, values_noforce_force},
    {"ERR20"sv, 20, 20, 0x0, values_noforce_force}, {"ERR21"sv, 21, 21, 0x0, values_noforce_force},
    {"ERR22"sv, 22, 22, 0x0, values_noforce_force}, {"ERR23"sv, 23, 23, 0x0, values_noforce_force},
    {"ERR24"sv, 24, 24, 0x0, values_noforce_force}, {"ERR25"sv, 25, 25, 0x0, values_noforce_force},
    {"ERR26"sv, 26, 26, 0x0, values_noforce_force}, {"ERR27"sv, 27, 27, 0x0, values_noforce_force},
    {"ERR28"sv, 28, 28, 0x0, values_noforce_force}, {"ERR29"sv, 29, 29, 0x0, values_noforce_force},
    {"ERR30"sv, 30, 30, 0x0, values_noforce_force}, {"ERR31"sv, 31, 31, 0x0, values_noforce_force}};
inline constexpr field gec_errslice0_missionerr_status_fields[]{{"ERR0"sv, 0, 0, 0x0, {}},
    {"ERR1"sv, 1, 1, 0x0, {}}, {"ERR2"sv, 2, 2, 0x0, {}}, {"ERR3"sv, 3, 3, 0x0, {}},
    {"ERR4"sv, 4, 4, 0x0, {}}, {"ERR5"sv, 5, 5, 0x0, {}}, {"ERR6"sv, 6, 6, 0x0, {}},
    {"ERR7"sv, 7, 7, 0x0, {}}, {"ERR8"sv, 8, 8, 0x0, {}}, {"ERR9"sv, 9, 9, 0x0, {}},
    {"ERR10"sv, 10, 10, 0x0, {}}, {"ERR11"sv, 11, 11, 0x0, {}}, {"ERR12"sv, 12, 12, 0x0, {}},
    {"ERR13"sv, 13, 13, 0x0, {}}, {"ERR14"sv, 14, 14, 0x0, {}}, {"ERR15"sv, 15, 15, 0x0, {}},
    {"ERR16"sv, 16, 16, 0x0, {}}, {"ERR17"sv, 17, 17, 0x0, {}}, {"ERR18"sv, 18, 18, 0x0, {}},
    {"ERR19"sv, 19, 19, 0x0, {}}, {"ERR20"sv, 20, 20, 0x0, {}}, {"ERR21"sv, 21, 21, 0x0, {}},
    {"ERR22"sv, 22, 22, 0x0, {}}, {"ERR23"sv, 23, 23, 0x0, {}}, {"ERR24"sv, 24, 24, 0x0, {}},
    {"ERR25"sv, 25, 25, 0x0, {}}, {"ERR26"sv, 26, 26, 0x0, {}}, {"ERR27"sv, 27, 27, 0x0, {}},
    {"ERR28"sv, 28, 28, 0x0, {}}, {"ERR29"sv, 29, 29, 0x0, {}}, {"ERR30"sv, 30, 30, 0x0, {}},
    {"ERR31"sv, 31, 31, 0x0, {}}};
inline constexpr field gec_errslice0_missionerr_inject_fields[]{
    {"ERR0"sv, 0, 0, 0x0, values_disable_enable}, {"ERR1"sv, 1, 1, 0x0, values_disable_enable},
    {"ERR2"sv, 2, 2, 0x0, values_disable_enable}, {"ERR3"sv, 3, 3, 0x0, values_disable_enable},
    {"ERR4"sv, 4, 4, 0x0, values_disable_enable}, {"ERR5"sv, 5, 5, 0x0, values_disable_enable},
    {"ERR6"sv, 6, 6, 0x0, values_disable_enable}, {"ERR7"sv, 7, 7, 0x0, values_disable_enable},
    {"ERR8"sv, 8, 8, 0x0, values_disable_enable}, {"ERR15"sv, 15, 15, 0x0, values_disable_enable},
    {"ERR16"sv, 16, 16, 0x0, values_disable_enable},
    {"ERR17"sv, 17, 17, 0x0, values_disable_enable},
    {"ERR18"sv, 18, 18, 0x0, values_disable_enable},
    {"ERR19"sv, 19, 19, 0x0, values_disable_enable},
    {"ERR20"sv, 20, 20, 0x0, values_disable_enable},
    {"ERR21"sv, 21, 21, 0x0, values_disable_enable},
    {"ERR22"sv, 22, 22, 0x0, values_disable_enable},
    {"ERR23"sv, 23, 23, 0x0, values_disable_enable},
    {"ERR24"sv, 24, 24, 0x0, values_disable_enable},
    {"ERR25"sv, 25, 25, 0x0, values_disable_enable},
    {"ERR26"sv, 26, 26, 0x0, values_disable_enable},
    {"ERR27"sv, 27, 27, 0x0, values_disable_enable},
    {"ERR28"sv, 28, 28, 0x0, values_disable_enable},
    {"ERR29"sv, 29, 29, 0x0, values_disable_enable},
    {"ERR30"sv, 30, 30, 0x0, values_disable_enable},
    {"ERR31"sv, 31, 31, 0x0, values_disable_enable}};
inline constexpr field gec_errslice0_counter_reload_fields[]{
    {"ERR0"sv, 0, 0, 0x0, values_noreload_reload}, {"ERR1"sv, 1, 1, 0x0, values_noreload_reload},
    {"ERR2"sv, 2, 2, 0x0, values_noreload_reload}, {"ERR3"sv, 3, 3, 0x0, values_noreload_reload},
    {"ERR4"sv, 4, 4, 0x0, values_noreload_reload}, {"ERR5"sv, 5, 5, 0x0, values_noreload_reload},
    {"ERR6"sv, 6, 6, 0x0, values_noreload_reload}, {"ERR7"sv, 7, 7, 0x0, values_noreload_reload},
    {"ERR8"sv, 8, 8, 0x0, values_noreload_reload}, {"ERR9"sv, 9, 9, 0x0, values_noreload_reload},
    {"ERR10"sv, 10, 10, 0x0, values_noreload_reload},
    {"ERR11"sv, 11, 11, 0x0, values_noreload_reload},
    {"ERR12"sv, 12, 12, 0x0, values_noreload_reload},
    {"ERR13"sv, 13, 13, 0x0, values_noreload_reload},
    {"ERR14"sv, 14, 14, 0x0, values_noreload_reload},
    {"ERR15"sv, 15, 15, 0x0, values_noreload_reload},
    {"ERR16"sv, 16, 16, 0x0, values_noreload_reload},
    {"ERR17"sv, 17, 17, 0x0, values_noreload_reload},
    {"ERR18"sv, 18, 18, 0x0, values_noreload_reload},
    {"ERR19"sv, 19, 19, 0x0, values_noreload_reload},
    {"ERR20"sv, 20, 20, 0x0, values_noreload_reload},
    {"ERR21"sv, 21, 21, 0x0, values_noreload_reload},
    {"ERR22"sv, 22, 22, 0x0, values_noreload_reload},
    {"ERR23"sv, 23, 23, 0x0, values_noreload_reload},
    {"ERR24"sv, 24, 24, 0x0, values_noreload_reload},
    {"ERR25"sv, 25, 25, 0x0, values_noreload_reload},
    {"ERR26"sv, 26, 26, 0x0, values_noreload_reload},
    {"ERR27"sv, 27, 27, 0x0, values_noreload_reload},
    {"ERR28"sv, 28, 28, 0x0, values_noreload_reload},
    {"ERR29"sv, 29, 29, 0x0, values_noreload_reload},
    {"ERR30"sv, 30, 30, 0x0, values_noreload_reload},
    {"ERR31"sv, 31, 31, 0x0, values_noreload_reload}};
inline constexpr field gec_errslice1_missionerr_enable_fields[]{
    {"ERR32"sv, 0, 0, 0x1, values_disable_enable}, {"ERR33"sv, 1, 1, 0x1, values_disable_enable},
    {"ERR34"sv, 2, 2, 0x1, values_disable_enable}, {"ERR35"sv, 3, 3, 0x1, values_disable_enable},
    {"ERR36"sv, 4, 4, 0x1, values_disable_enable}, {"ERR37"sv, 5, 5, 0x1, values_disable_enable},
    {"ERR38"sv, 6, 6, 0x1, values_disable_enable}, {"ERR39"sv, 7, 7, 0x1, values_disable_enable},
    {"ERR40"sv, 8, 8, 0x1, values_disable_enable}, {"ERR41"sv, 9, 9, 0x1, values_disable_enable},
    {"ERR42"sv, 10, 10, 0x1, values_disable_enable},
    {"ERR43"sv, 11, 11, 0x1, values_disable_enable},
    {"ERR44"sv, 12, 12, 0x1, values_disable_enable},
    {"ERR45"sv, 13, 13, 0x1, values_disable_enable},
    {"ERR46"sv, 14, 14, 0x1, values_disable_enable},
    {"ERR47"sv, 15, 15, 0x1, values_disable_enable},
    {"ERR48"sv, 16, 16, 0x1, values_disable_enable},
    {"ERR49"sv, 17, 17, 0x1, values_disable_enable},
    {"ERR50"sv, 18, 18, 0x1, values_disable_enable},
    {"ERR51"sv, 19, 19, 0x1, values_disable_enable},
    {"ERR52"sv, 20, 20, 0x1, values_disable_enable},
    {"ERR53"sv, 21, 21, 0x1, values_disable_enable},
    {"ERR54"sv, 22, 22, 0x1, values_disable_enable},
    {"ERR55"sv, 23, 23, 0x1, values_disable_enable},
    {"ERR56"sv, 24, 24, 0x1, values_disable_enable},
    {"ERR57"sv, 25, 25, 0x1, values_disable_enable},
    {"ERR58"sv, 26, 26, 0x1, values_disable_enable},
    {"ERR59"sv, 27, 27, 0x1, values_disable_enable},
    {"ERR60"sv, 28, 28, 0x1, values_disable_enable},
    {"ERR61"sv, 29, 29, 0x1, values_disable_enable},
    {"ERR62"sv, 30, 30, 0x1, values_disable_enable},
    {"ERR63"sv, 31, 31, 0x1, values_disable_enable}};
inline constexpr field gec_errslice1_missionerr_force_fields[]{
    {"ERR32"sv, 0, 0, 0x0, values_noforce_force}, {"ERR33"sv, 1, 1, 0x0, values_noforce_force},
    {"ERR34"sv, 2, 2, 0x0, values_noforce_force}, {"ERR35"sv, 3, 3, 0x0, values_noforce_force},
    {"ERR36"sv, 4, 4, 0x0, values_noforce_force}, {"ERR37"sv, 5, 5, 0x0, values_noforce_force},
    {"ERR38"sv, 6, 6, 0x0, values_noforce_force}, {"ERR39"sv, 7, 7, 0x0, values_noforce_force},
    {"ERR40"sv, 8, 8, 0x0, values_noforce_force}, {"ERR41"sv, 9, 9, 0x0, values_noforce_force},
    {"ERR42"sv, 10, 10, 0x0, values_noforce_force}, {"ERR43"sv, 11, 11, 0x0, values_noforce_force},
    {"ERR44"sv, 12, 12, 0x0, values_noforce_force}, {"ERR45"sv, 13, 13, 0x0, values_noforce_force},
    {"ERR46"sv, 14, 14, 0x0, values_noforce_force}, {"ERR47"sv, 15, 15, 0x0, values_noforce_force},
    {"ERR48"sv, 16, 16, 0x0, values_noforce_force}, {"ERR49"sv, 17, 17, 0x0, values_noforce_force},
    {"ERR50"sv, 18, 18, 0x0, values_noforce_force}, {"ERR51"sv, 19, 19, 0x0, values_noforce_force},
    {"ERR52"sv, 20, 20, 0x0, values_noforce_force}, {"ERR53"sv, 21, 21, 0x0, values_noforce_force},
    {"ERR54"sv, 22, 22, 0x0, values_noforce_force}, {"ERR55"sv, 23, 23, 0x0, values_noforce_force},
    {"ERR56"sv, 24, 24, 0x0, values_noforce_force}, {"ERR57"sv, 25, 25, 0x0, values_noforce_force},
    {"ERR58"sv, 26, 26, 0x0, values_noforce_force}, {"ERR59"sv, 27, 27, 0x0, values_noforce_force},
    {"ERR60"sv, 28, 28, 0x0, values_noforce_force}, {"ERR61"sv, 29, 29, 0x0, values_noforce_force},
    {"ERR62"sv, 30, 30, 0x0, values_noforce_force}, {"ERR63"sv, 31, 31, 0x0, values_noforce_force}};
inline constexpr field gec_errslice1_missionerr_status_fields[]{{"ERR32"sv, 0, 0, 0x0, {}},
    {"ERR33"sv, 1, 1, 0x0, {}}, {"ERR34"sv, 2, 2, 0x0, {}}, {"ERR35"sv, 3, 3, 0x0, {}},
    {"ERR36"sv, 4, 4, 0x0, {}}, {"ERR37"sv, 5, 5, 0x0, {}}, {"ERR38"sv, 6, 6, 0x0, {}},
    {"ERR39"sv, 7, 7, 0x0, {}}, {"ERR40"sv, 8, 8, 0x0, {}}, {"ERR41"sv, 9, 9, 0x0, {}},
    {"ERR42"sv, 10, 10, 0x0, {}}, {"ERR43"sv, 11, 11, 0x0, {}}, {"ERR44"sv, 12, 12, 0x0, {}},
    {"ERR45"sv, 13, 13, 0x0, {}}, {"ERR46"sv, 14, 14, 0x0, {}}, {"ERR47"sv, 15, 15, 0x0, {}},
    {"ERR48"sv, 16, 16, 0x0, {}}, {"ERR49"sv, 17, 17, 0x0, {}}, {"ERR50"sv, 18, 18, 0x0, {}},
    {"ERR51"sv, 19, 19, 0x0, {}}, {"ERR52"sv, 20, 20, 0x0, {}}, {"ERR53"sv, 21, 21, 0x0, {}},
    {"ERR54"sv, 22, 22, 0x0, {}}, {"ERR55"sv, 23, 23, 0x0, {}}, {"ERR56"sv, 24, 24, 0x0, {}},
    {"ERR57"sv, 25, 25, 0x0, {}}, {"ERR58"sv, 26, 26, 0x0, {}}, {"ERR59"sv, 27, 27, 0x0, {}},
    {"ERR60"sv, 28, 28, 0x0, {}}, {"ERR61"sv, 29, 29, 0x0, {}}, {"ERR62"sv, 30, 30, 0x0, {}},
    {"ERR63"sv, 31, 31, 0x0, {}}};
inline constexpr field gec_errslice1_missionerr_inject_fields[]{
    {"ERR32"sv, 0, 0, 0x0, values_disable_enable}, {"ERR33"sv, 1, 1, 0x0, values_disable_enable},
    {"ERR34"sv, 2, 2, 0x0, values_disable_enable}, {"ERR35"sv, 3, 3, 0x0, values_disable_enable},
    {"ERR36"sv, 4, 4, 0x0, values_disable_enable}, {"ERR37"sv, 5, 5, 0x0, values_disable_enable},
    {"ERR38"sv, 6, 6, 0x0, values_disable_enable}, {"ERR39"sv, 7, 7, 0x0, values_disable_enable},
    {"ERR40"sv, 8, 8, 0x0, values_disable_enable}, {"ERR41"sv, 9, 9, 0x0, values_disable_enable},
    {"ERR42"sv, 10, 10, 0x0, values_disable_enable},
    {"ERR43"sv, 11, 11, 0x0, values_disable_enable},
    {"ERR44"sv, 12, 12, 0x0, values_disable_enable},
    {"ERR45"sv, 13, 13, 0x0, values_disable_enable},
    {"ERR46"sv, 14, 14, 0x0, values_disable_enable},
    {"ERR47"sv, 15, 15, 0x0, values_disable_enable},
    {"ERR48"sv, 16, 16, 0x0, values_disable_enable},
    {"ERR49"sv, 17, 17, 0x0, values_disable_enable},
    {"ERR50"sv, 18, 18, 0x0, values_disable_enable},
    {"ERR51"sv, 19, 19, 0x0, values_disable_enable},
    {"ERR52"sv, 20, 20, 0x0, values_disable_enable},
    {"ERR53"sv, 21, 21, 0x0, values_disable_enable},
    {"ERR54"sv, 22, 22, 0x0, values_disable_enable},
    {"ERR55"sv, 23, 23, 0x0, values_disable_enable},
    {"ERR56"sv, 24, 24, 0x0, values_disable_enable},
    {"ERR57"sv, 25, 25, 0x0, values_disable_enable},
    {"ERR58"sv, 26, 26, 0x0, values_disable_enable},
    {"ERR59"sv, 27, 27, 0x0, values_disable_enable},
    {"ERR60"sv, 28, 28, 0x0, values_disable_enable},
    {"ERR61"sv, 29, 29, 0x0, values_disable_enable},
    {"ERR62"sv, 30, 30, 0x0, values_disable_enable},
    {"ERR63"sv, 31, 31, 0x0, values_disable_enable}};
inline constexpr field gec_errslice1_counter_reload_fields[]{
    {"ERR32"sv, 0, 0, 0x0, values_noreload_reload}, {"ERR33"sv, 1, 1, 0x0, values_noreload_reload},
    {"ERR34"sv, 2, 2, 0x0, values_noreload_reload}, {"ERR35"sv, 3, 3, 0x0, values_noreload_reload},
    {"ERR36"sv, 4, 4, 0x0, values_noreload_reload}, {"ERR37"sv, 5, 5, 0x0, values_noreload_reload},
    {"ERR38"sv, 6, 6, 0x0, values_noreload_reload}, {"ERR39"sv, 7, 7, 0x0, values_noreload_reload},
    {"ERR40"sv, 8, 8, 0x0, values_noreload_reload}, {"ERR41"sv, 9, 9, 0x0, values_noreload_reload},
    {"ERR42"sv, 10, 10, 0x0, values_noreload_reload},
    {"ERR43"sv, 11, 11, 0x0, values_noreload_reload},
    {"ERR44"sv, 12, 12, 0x0, values_noreload_reload},
    {"ERR45"sv, 13, 13, 0x0, values_noreload_reload},
    {"ERR46"sv, 14, 14, 0x0, values_noreload_reload},
    {"ERR47"sv, 15, 15, 0x0, values_noreload_reload},
    {"ERR48"sv, 16, 16, 0x0, values_noreload_reload},
    {"ERR49"sv, 17, 17, 0x0, values_noreload_reload},
    {"ERR50"sv, 18, 18, 0x0, values_noreload_reload},
    {"ERR51"sv, 19, 19, 0x0, values_noreload_reload},
    {"ERR52"sv, 20, 20, 0x0, values_noreload_reload},
    {"ERR53"sv, 21, 21, 0x0, values_noreload_reload},
    {"ERR54"sv, 22, 22, 0x0, values_noreload_reload},
    {"ERR55"sv, 23, 23, 0x0, values_noreload_reload},
    {"ERR56"sv, 24, 24, 0x0, values_noreload_reload},
    {"ERR57"sv, 25, 25, 0x0, values_noreload_reload},
    {"ERR58"sv, 26, 26, 0x0, values_noreload_reload},
    {"ERR59"sv, 27, 27, 0x0, values_noreload_reload},
    {"ERR60"sv, 28, 28, 0x0, values_noreload_reload},
    {"ERR61"sv, 29, 29, 0x0, values_noreload_reload},
    {"ERR62"sv, 30, 30, 0x0, values_noreload_reload},
    {"ERR63"sv, 31, 31, 0x0, values_noreload_reload}};
inline constexpr field gec_errslice1_missionerr_ecc_correction_dis_fields[]{
    {"ERR63"sv, 31, 31, 0x0, values_disable_enable}};
inline constexpr field gec_errslice2_missionerr_enable_fields[]{
    {"ERR64"sv, 0, 0, 0x1, values_disable_enable}, {"ERR65"sv, 1, 1, 0x1, values_disable_enable},
    {"ERR66"sv, 2, 2, 0x1, values_disable_enable}, {"ERR67"sv, 3, 3, 0x1, values_disable_enable}};
inline constexpr field gec_errslice2_missionerr_force_fields[]{
    {"ERR64"sv, 0, 0, 0x0, values_noforce_force}, {"ERR65"sv, 1, 1, 0x0, values_noforce_force},
    {"ERR66"sv, 2, 2, 0x0, values_noforce_force}, {"ERR67"sv, 3, 3, 0x0, values_noforce_force}};
inline constexpr field gec_errslice2_missionerr_status_fields[]{{"ERR64"sv, 0, 0, 0x0, {}},
    {"ERR65"sv, 1, 1, 0x0, {}}, {"ERR66"sv, 2, 2, 0x0, {}}, {"ERR67"sv, 3, 3, 0x0, {}}};
inline constexpr field gec_errslice2_missionerr_inject_fields[]{
    {"ERR64"sv, 0, 0, 0x0, values_disable_enable}, {"ERR65"sv, 1, 1, 0x0, values_disable_enable}};
inline constexpr field gec_errslice2_counter_reload_fields[]{
    {"ERR64"sv, 0, 0, 0x0, values_noreload_reload}, {"ERR65"sv, 1, 1, 0x0, values_noreload_reload},
    {"ERR66"sv, 2, 2, 0x0, values_noreload_reload}, {"ERR67"sv, 3, 3, 0x0, values_noreload_reload}};
inline constexpr field bdma_cfg_src_addr_low_fields[]{{"V32"sv, 31, 5, 0x0, {}}};
inline constexpr field bdma_cfg_src_addr_high_fields[]{{"V8"sv, 31, 0, 0x0, {}}};
inline constexpr field bdma_cfg_line_fields[]{{"SIZE"sv, 12, 0, 0x0, {}}};
inline constexpr field bdma_cfg_cmd_fields[]{{"SRC_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc},
    {"DST_RAM_TYPE"sv, 1, 1, 0x0, values_cv_mc}};
inline constexpr field bdma_cfg_line_repeat_fields[]{{"NUMBER"sv, 23, 0, 0x0, {}}};
inline constexpr field bdma_cfg_src_line_fields[]{{"STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field bdma_cfg_op_fields[]{{"EN"sv, 0, 0, 0x0, values_disable_enable}};
inline constexpr field bdma_cfg_launch0_fields[]{{"GRP0_LAUNCH"sv, 0, 0, 0x0, values_no_yes}};
inline constexpr field bdma_cfg_launch1_fields[]{{"GRP1_LAUNCH"sv, 0, 0, 0x0, values_no_yes}};
inline constexpr field bdma_cfg_status_fields[]{{"STALL_COUNT_EN"sv, 0, 0, 0x0, values_no_yes}};
inline constexpr field bdma_status_fields[]{{"FREE_SLOT"sv, 7, 0, 0x14, {}},
    {"IDLE"sv, 8, 8, 0x1, values_no_yes}, {"GRP0_BUSY"sv, 9, 9, 0x0, values_no_yes},
    {"GRP1_BUSY"sv, 10, 10, 0x0, values_no_yes}};
inline constexpr field bdma_status_grp0_read_stall_fields[]{{"COUNT"sv, 31, 0, 0x0, {}}};
inline constexpr field rbk_d_misc_cfg_fields[]{
    {"RUBIK_MODE"sv, 1, 0, 0x0, values_contract_split_merge},
    {"IN_PRECISION"sv, 9, 8, 0x1, values_int8_int16_fp16}};
inline constexpr field rbk_d_dain_addr_high_fields[]{{"DAIN_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field rbk_d_dain_addr_low_fields[]{{"DAIN_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_dain_line_stride_fields[]{{"DAIN_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_dain_surf_stride_fields[]{{"DAIN_SURF_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_dain_planar_stride_fields[]{{"DAIN_PLANAR_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_daout_ram_type_fields[]{
    {"DATAOUT_RAM_TYPE"sv, 0, 0, 0x0, values_cv_mc}};
inline constexpr field rbk_d_daout_addr_high_fields[]{{"DAOUT_ADDR_HIGH"sv, 31, 0, 0x0, {}}};
inline constexpr field rbk_d_daout_addr_low_fields[]{{"DAOUT_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_daout_line_stride_fields[]{{"DAOUT_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_contract_stride_0_fields[]{{"CONTRACT_STRIDE_0"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_contract_stride_1_fields[]{{"CONTRACT_STRIDE_1"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_daout_surf_stride_fields[]{{"DAOUT_SURF_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_daout_planar_stride_fields[]{
    {"DAOUT_PLANAR_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field rbk_d_deconv_stride_fields[]{{"DECONV_X_STRIDE"sv, 4, 0, 0x0, {}},
    {"DECONV_Y_STRIDE"sv, 20, 16, 0x0, {}}};
inline constexpr field rbk_d_perf_enable_fields[]{{"PERF_EN"sv, 0, 0, 0x0, {}}};
inline constexpr field rbk_d_perf_read_stall_fields[]{{"RD_STALL_CNT"sv, 31, 0, 0x0, {}}};
inline constexpr field rbk_d_perf_write_stall_fields[]{{"WR_STALL_CNT"sv, 31, 0, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_low_0_fields_[]{{"DATAIN_ADDR_LOW_0"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_dain_addr_low_1_fields_[]{{"DATAIN_ADDR_LOW_1"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_line_stride_fields_[]{{"LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_line_uv_stride_fields_[]{{"UV_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_surf_stride_fields_[]{{"SURF_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_batch_stride_fields_[]{{"BATCH_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_entry_per_slice_fields_[]{{"ENTRIES"sv, 11, 0, 0x0, {}}};
inline constexpr field cdma_d_weight_addr_low_fields_[]{{"WEIGHT_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_weight_bytes_fields_[]{{"WEIGHT_BYTES"sv, 31, 7, 0x0, {}}};
inline constexpr field cdma_d_wgs_addr_low_fields_[]{{"WGS_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_wmb_addr_low_fields_[]{{"WMB_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field cdma_d_wmb_bytes_fields_[]{{"WMB_BYTES"sv, 27, 7, 0x0, {}}};
inline constexpr field cdma_d_bank_fields_[]{{"DATA_BANK"sv, 3, 0, 0x0, {}},
    {"WEIGHT_BANK"sv, 19, 16, 0x0, {}}};
inline constexpr field cacc_d_dataout_addr_fields_[]{{"DATAOUT_ADDR"sv, 31, 5, 0x0, {}}};
inline constexpr field cacc_d_line_stride_fields_[]{{"LINE_STRIDE"sv, 23, 5, 0x0, {}}};
inline constexpr field cacc_d_surf_stride_fields_[]{{"SURF_STRIDE"sv, 23, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_base_addr_low_fields_[]{
    {"SRC_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_line_stride_fields_[]{{"SRC_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_src_surface_stride_fields_[]{
    {"SRC_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_brdma_cfg_fields_[]{
    {"BRDMA_DISABLE"sv, 0, 0, 0x0, values_no_yes},
    {"BRDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"BRDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"BRDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"BRDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_bs_base_addr_low_fields_[]{
    {"BS_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_line_stride_fields_[]{{"BS_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_surface_stride_fields_[]{
    {"BS_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bs_batch_stride_fields_[]{{"BS_BATCH_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_nrdma_cfg_fields_[]{
    {"NRDMA_DISABLE"sv, 0, 0, 0x0, values_no_yes},
    {"NRDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"NRDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"NRDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"NRDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_bn_base_addr_low_fields_[]{
    {"BN_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_line_stride_fields_[]{{"BN_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_surface_stride_fields_[]{
    {"BN_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_bn_batch_stride_fields_[]{{"BN_BATCH_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_erdma_cfg_fields_[]{
    {"ERDMA_DISABLE"sv, 0, 0, 0x0, values_no_yes},
    {"ERDMA_DATA_USE"sv, 2, 1, 0x0, values_mul_alu_both},
    {"ERDMA_DATA_SIZE"sv, 3, 3, 0x0, values_one_byte_two_byte},
    {"ERDMA_DATA_MODE"sv, 4, 4, 0x0, values_per_kernel_per_element},
    {"ERDMA_RAM_TYPE"sv, 5, 5, 0x0, values_cv_mc}};
inline constexpr field sdp_rdma_d_ew_base_addr_low_fields_[]{
    {"EW_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_line_stride_fields_[]{{"EW_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_surface_stride_fields_[]{
    {"EW_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_rdma_d_ew_batch_stride_fields_[]{{"EW_BATCH_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_d_dst_base_addr_low_fields_[]{{"DST_BASE_ADDR_LOW"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_d_dst_line_stride_fields_[]{{"DST_LINE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_d_dst_surface_stride_fields_[]{
    {"DST_SURFACE_STRIDE"sv, 31, 5, 0x0, {}}};
inline constexpr field sdp_d_dp_bs_cfg_fields_[]{{"BS_BYPASS"sv, 0, 0, 0x0, values_no_yes},
    {"BS_ALU_BYPASS"sv, 1, 1, 0x0, values_no_yes}, {"BS_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum},
    {"BS_MUL_BYPASS"sv, 4, 4, 0x0, values_no_yes}, {"BS_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"BS_RELU_BYPASS"sv, 6, 6, 0x0, values_no_yes}};
inline constexpr field sdp_d_dp_bn_cfg_fields_[]{{"BN_BYPASS"sv, 0, 0, 0x0, values_no_yes},
    {"BN_ALU_BYPASS"sv, 1, 1, 0x0, values_no_yes}, {"BN_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum},
    {"BN_MUL_BYPASS"sv, 4, 4, 0x0, values_no_yes}, {"BN_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"BN_RELU_BYPASS"sv, 6, 6, 0x0, values_no_yes}};
inline constexpr field sdp_d_dp_ew_cfg_fields_[]{{"EW_BYPASS"sv, 0, 0, 0x0, values_no_yes},
    {"EW_ALU_BYPASS"sv, 1, 1, 0x0, values_no_yes},
    {"EW_ALU_ALGO"sv, 3, 2, 0x0, values_max_min_sum_eql},
    {"EW_MUL_BYPASS"sv, 4, 4, 0x0, values_no_yes}, {"EW_MUL_PRELU"sv, 5, 5, 0x0, values_no_yes},
    {"EW_LUT_BYPASS"sv, 6, 6, 0x0, values_no_yes}};
inline constexpr field sdp_d_dp_ew_alu_cfg_fields_[]{{"EW_ALU_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"EW_ALU_CVT_BYPASS"sv, 1, 1, 0x0, values_no_yes}};
inline constexpr field sdp_d_dp_ew_mul_cfg_fields_[]{{"EW_MUL_SRC"sv, 0, 0, 0x0, values_reg_mem},
    {"EW_MUL_CVT_BYPASS"sv, 1, 1, 0x0, values_no_yes}};
inline constexpr field sdp_d_dst_batch_stride_fields_[]{{"DST_BATCH_STRIDE"sv, 31, 5, 0x0, {}}};

}  // namespace nvdlac::hw::detail
