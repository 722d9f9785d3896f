// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

#include <nvdlac/base/cpp20.hpp>

namespace nvdlac::lower {

// Why an operator cannot run on a configuration. The names appear in compile errors, the texts in
// run-time errors and in the generated tables.
enum class reason : std::uint8_t {
  none,
  unknown_operator,
  cube_above_8192,
  more_than_8192_kernels,
  kernel_above_32x32,
  kernel_above_262144_bytes,
  stride_above_8,
  dilation_above_32,
  padding_beyond_register,
  pixels_are_dilated,
  kernel_does_not_fit_the_cbuf,
  no_pdp,
  lrn_size_is_not_3_5_7_9,
  no_cdp,
  softmax_over_a_plane,
  no_lookup_table,
  reshape_moves_data,
  single_elements_of_a_large_cube,
  pixels_are_not_read_by_a_convolution,
  precision_is_not_in_the_hardware,
  precision_is_not_lowered,
  int8_and_fp16_meet_in_int16,
  operand_of_a_convolution_in_parts,
};

constexpr std::string_view to_text(reason r) {
  switch (r) {
    case reason::none: return "";
    case reason::unknown_operator: return "no lowering is known for this operator";
    case reason::cube_above_8192: return "a cube is at most 8192 wide, high and deep";
    case reason::more_than_8192_kernels: return "a convolution has at most 8192 kernels";
    case reason::kernel_above_32x32: return "a convolution kernel is at most 32 x 32";
    case reason::kernel_above_262144_bytes: return "a kernel is at most 262144 bytes";
    case reason::stride_above_8: return "a stride is at most 8";
    case reason::dilation_above_32: return "a dilation is at most 32";
    case reason::padding_beyond_register:
      return "a convolution is padded by at most 31 (left, top) and 63 (right, bottom), and has at "
             "most 16 lines or columns at an edge that see nothing but padding";
    case reason::pixels_are_dilated: return "a convolution that reads pixels is not dilated";
    case reason::kernel_does_not_fit_the_cbuf:
      return "a single kernel and the input lines it reads do not fit the convolution buffer";
    case reason::no_pdp: return "the configuration has no PDP";
    case reason::lrn_size_is_not_3_5_7_9:
      return "the CDP normalises over 3, 5, 7 or 9 channels";
    case reason::no_cdp: return "the configuration has no CDP";
    case reason::softmax_over_a_plane:
      return "the host's softmax takes a tensor of height and width 1";
    case reason::no_lookup_table:
      return "the configuration's SDP has no lookup table (sdp_lut); ReLU, clipping, leaky ReLU, "
             "PReLU, absolute value, hard sigmoid and hard swish need none";
    case reason::reshape_moves_data:
      return "a reshape that moves data is possible only before a fully connected layer or an "
             "output";
    case reason::single_elements_of_a_large_cube:
      return "elements that change between channels and lines or columns are moved one by one, "
             "262144 at most";
    case reason::pixels_are_not_read_by_a_convolution:
      return "it is a picture, which only convolutions of one group can read";
    case reason::precision_is_not_in_the_hardware:
      return "the configuration does not have this data type";
    case reason::precision_is_not_lowered: return "nvdlac computes it in int8 only";
    case reason::int8_and_fp16_meet_in_int16:
      return "int8 becomes fp16, and fp16 int8, by way of int16 alone";
    case reason::operand_of_a_convolution_in_parts:
      return "a second input is added where CONV computes every output, and whole atoms of kernels";
  }
  return "";
}

}  // namespace nvdlac::lower
