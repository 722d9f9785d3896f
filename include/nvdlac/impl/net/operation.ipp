// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::net {

// Long because it has a text for each rule, and nothing else.
NVDLAC_IMPL std::string fitting::reason() const {
  const auto& n = numbers;
  const auto cube = [&](std::size_t i) { return text(n[i], 'x', n[i + 1], 'x', n[i + 2]); };
  switch (broken) {
    case rule::none: break;
    case rule::dimension_below_1: return text("the shape ", cube(0), " has a dimension below 1");
    case rule::more_than_268435456_elements:
      return text("the shape ", cube(0), " has more than 268435456 elements");
    case rule::window_with_a_number_below_1:
      return "its window has a kernel, stride or dilation below 1";
    case rule::window_with_a_number_above_65535: return "its window has a number above 65535";
    case rule::window_with_a_negative_padding: return "its window has a negative padding";
    case rule::window_larger_than_the_padded_input:
      return text("its window spans ", n[0], " elements but the padded input has only ", n[1]);
    case rule::less_than_one_kernel_or_group: return "it has less than one kernel or group";
    case rule::groups_do_not_divide_channels_and_kernels:
      return text("its ", n[0], " groups do not divide the ", n[1], " input channels and the ",
                  n[2], " kernels");
    case rule::more_than_268435456_weights: return "it has more than 268435456 weights";
    case rule::pooling_with_a_dilation: return "it is a pooling with a dilation";
    case rule::pooling_with_a_padding_not_smaller_than_its_window:
      return "it is a pooling whose padding is not smaller than its window";
    case rule::pooling_of_fp16_with_a_padding_value:
      return "it is a pooling of fp16, whose padding has no value but 0";
    case rule::inputs_of_different_shapes:
      return text("its inputs have different shapes, ", cube(0), " and ", cube(3));
    case rule::inputs_of_different_heights_or_widths:
      return text("its inputs have different heights or widths, ", cube(0), " and ", cube(3));
    case rule::reshape_to_another_number_of_elements:
      return text("it reshapes ", cube(0), " to ", cube(3),
                  ", which has another number of elements");
    case rule::moves_elements_outside_its_tensors:
      return text("its box ", n[0], " reaches beyond a tensor");
    case rule::moves_another_number_of_elements_than_its_result_has:
      return text("its boxes hold ", n[0], " elements, not the ", n[1], " of its result");
    case rule::local_size_is_not_a_positive_odd_number:
      return text("its local size ", n[0], " is not a positive odd number");
    case rule::local_size_is_not_3_5_7_or_9:
      return text("its local size ", n[0], " is none of 3, 5, 7 and 9");
    case rule::offset_or_table_beyond_the_registers:
      return "an offset or its lookup table has a number beyond the registers";
    case rule::shift_above_its_range: return text("its ", name, " is above ", n[0]);
    case rule::more_than_one_of_slope_low_high_and_operand:
      return "it has more than one of slopes, a lower bound, an upper bound and a second input";
    case rule::not_winograd:
      return "Winograd's mode computes dense kernels of 3x3 with steps and dilation of 1 only";
    case rule::no_order_of_an_image:
      return "the order of an image is one of dense kernels without a dilation, of lines and of no "
             "fewer channels than the input has";
    case rule::pooling_with_a_window_larger_than_that_of_pdp:
      return "it pools a window larger than PDP's";
    case rule::picture_of_other_than_1_3_or_4_channels:
      return text("a picture of ", n[0], " channels is none of 1, 3 or 4 bytes a pixel");
    case rule::constants_of_another_number_than_needed:
      return text(name, ": ", count_of(n[0], "value"), " instead of ", n[1]);
    case rule::constants_that_only_have_a_size:
      return text(name, ": the values are somewhere else");
    case rule::reads_a_name_of_no_node_before_it:
      return text("no node before it is named '", name, "'");
    case rule::reads_the_node_before_the_first:
      return "it reads the node before it but is the first";
    case rule::reads_another_number_of_inputs_than_its_operator_takes:
      return text("it reads ", count_of(n[0], "input"), ", which is not what its operator takes");
    case rule::has_the_name_of_another_node: return "another node has its name";
  }
  return {};
}

}  // namespace nvdlac::net
