// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>

#include <nvdlac/hw/limits.hpp>
#include <nvdlac/hw/read_jump.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/dilated_lines.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/deconvolution_phases.hpp>
#include <nvdlac/net/standard_operators.hpp>
#include <nvdlac/pass/large_window.hpp>
#include <nvdlac/quantised/bundle.hpp>

namespace nvdlac::lower {

// Why an operator cannot run on a configuration. The names appear in compile errors, the texts in
// run-time errors and in the generated tables.
enum class reason : std::uint8_t {
  none,
  unknown_operator,
  rules_of_integers_are_not_included,
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
  too_many_layers,
  pixels_are_not_read_by_a_convolution,
  precision_is_not_in_the_hardware,
  precision_is_not_lowered,
  int8_and_fp16_meet_in_int16,
  operand_of_a_convolution_in_parts,
  no_winograd,
  order_of_an_image_that_csc_does_not_read,
};

constexpr std::string_view to_text(reason r) {
  switch (r) {
    case reason::none: return "";
    case reason::unknown_operator: return "no lowering is known for this operator";
    case reason::rules_of_integers_are_not_included:
      return "whoever asks has not included the rules of integer operators "
             "(nvdlac/lower/support_integer.hpp)";
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
    case reason::too_many_layers:
      return "it would take more hardware layers than one operator's moves may";
    case reason::pixels_are_not_read_by_a_convolution:
      return "it is a picture, which only convolutions of one group can read";
    case reason::precision_is_not_in_the_hardware:
      return "the configuration does not have this data type (`nvdlac configs` tells those of "
             "each)";
    case reason::precision_is_not_lowered: return "nvdlac computes it in int8 only";
    case reason::int8_and_fp16_meet_in_int16:
      return "int8 becomes fp16, and fp16 int8, by way of int16 alone";
    case reason::operand_of_a_convolution_in_parts:
      return "a second input is added where CONV computes every output, and whole atoms of kernels";
    case reason::no_winograd:
      return "Winograd's mode needs a configuration with it, MAC cells of 64 channels, entries of "
             "four atoms in the convolution buffer, room there, and more than one line of output";
    case reason::order_of_an_image_that_csc_does_not_read:
      return "it tells the sums of fp16 in the order of an image, which this configuration does "
             "not read so";
  }
  return "";
}

// The one predicate that decides what runs where: it feeds the static assertions of `net::network`,
// the diagnostics of the compiler and the generated tables.

// The rule that all configurations share: check(numbers, op, shapes of its inputs), or with the
// precision behind these, tells why the operator cannot run.
template <class Op>
struct standard_support {
  static constexpr reason check(const hw::spec&, const Op& op, std::span<const net::shape>) {
    if constexpr (requires { has_rules_of_integers(op); })
      return reason::rules_of_integers_are_not_included;
    return reason::unknown_operator;
  }
};

// A `check` without the precision is the same in all.
template <class Op>
constexpr reason check_standard(const hw::spec& hw, const Op& op, std::span<const net::shape> in,
                                hw::precision p) {
  if constexpr (requires { standard_support<Op>::check(hw, op, in, p); })
    return standard_support<Op>::check(hw, op, in, p);
  else
    return standard_support<Op>::check(hw, op, in);
}

// check(op, shapes of its inputs), or with the precision behind these, tells why this operator
// cannot run on Hw. A user's own operator specialises it beside `quant::rule`; nvdlac's own have
// standard_support with the numbers of Hw.
template <class Op, class Hw>
struct support {
  static constexpr bool is_standard = true;

  static constexpr reason check(const Op& op, std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    return check_standard(Hw::spec, op, in, p);
  }
  // The cost of the operator, where that may be the reason: more than `most_layers` hardware layers
  // are too much.
  static constexpr auto cost(const Op& op, std::span<const net::shape> in, hw::precision p,
                             std::uint64_t most_layers)
    requires requires { standard_support<Op>::cost(Hw::spec, op, in, p, most_layers); }
  {
    return standard_support<Op>::cost(Hw::spec, op, in, p, most_layers);
  }
};

// Why an operator that runs by itself does not where it stands, as node n of a network whose
// tensors have this precision: `check(numbers, network, n, op, precision)`. Operators of NVDLA's
// numbers have such rules (support_integer.hpp).
template <class Op>
struct support_in_network {
  static constexpr reason check(const hw::spec&, const auto&, std::size_t, const Op&,
                                hw::precision) {
    return reason::none;
  }
};

// The data types: every configuration has int8.
constexpr reason check_precision(const hw::spec& hw, hw::precision p) {
  return hw.data_types.has(p) ? reason::none : reason::precision_is_not_in_the_hardware;
}

// Whether Hw computes the operator in this precision.
template <class Hw, class Op>
constexpr reason check_support(const Op& op, std::span<const net::shape> in, hw::precision p) {
  if constexpr (requires { support<Op, Hw>::check(op, in, p); })
    return support<Op, Hw>::check(op, in, p);
  else
    return support<Op, Hw>::check(op, in);
}

// Operators that cost nothing or that SDP computes element by element.
template <class Hw>
struct always_supported {
  static constexpr reason check(const auto&, std::span<const net::shape>) { return reason::none; }
};
struct runs_always {
  static constexpr reason check(const hw::spec&, const auto&, std::span<const net::shape>) {
    return reason::none;
  }
};
template <class Op>
  requires contains<Op, net::operators_of_any_hardware>
struct standard_support<Op> : runs_always {};

using quantised::groups_per_bundle;

// A dense convolution on Hw; `out.c` kernels. SDP adds an operand to each of its results, which it
// reads where it would write them.
constexpr reason check_convolution(const hw::spec& hw, net::shape in, net::shape out,
                                   net::window window, bool pixel = false,
                                   hw::precision p = hw::precision::int8, bool operand = false) {
  const auto& limits = hw::limits_of(hw.map).convolution;
  const auto above = [](std::int64_t value, std::int64_t limit) { return value > limit; };
  if (above(in.c, limits.channels) || above(in.h, limits.height) || above(in.w, limits.width) ||
      above(out.h, limits.height) || above(out.w, limits.width))
    return reason::cube_above_8192;
  net::window w = pixel ? pixel_window(hw, in.c, window, out.w) : window;
  if (const auto core = pass::convolution_core::of(w, in, out); !core.whole) {
    if (operand) return reason::operand_of_a_convolution_in_parts;
    if (!core.rows.all_but(pass::padding_lines, out.h) ||
        !core.columns.all_but(pass::padding_lines, out.w))
      return reason::padding_beyond_register;
    if (core.empty()) return reason::none;
    in = core.input(in.c);
    out = core.output(out.c);
    w = core.padded(w);
  }
  if (above(out.c, limits.kernels)) return reason::more_than_8192_kernels;
  if (above(w.kernel_h, limits.kernel_height) || above(w.kernel_w, limits.kernel_width))
    return reason::kernel_above_32x32;
  if (std::int64_t{in.c} * w.kernel_h * w.kernel_w * hw::element_bytes(p) >
      std::int64_t{limits.kernel_bytes})
    return reason::kernel_above_262144_bytes;
  if (above(w.stride_h, limits.stride) || above(w.stride_w, limits.stride))
    return reason::stride_above_8;
  if (above(w.dilation_h, limits.dilation) || above(w.dilation_w, limits.dilation))
    return reason::dilation_above_32;
  if (pixel && (w.dilation_h != 1 || w.dilation_w != 1)) return reason::pixels_are_dilated;
  if (above(w.pad_left, limits.pad_left) || above(w.pad_right, limits.pad_right) ||
      above(w.pad_top, limits.pad_top) || above(w.pad_bottom, limits.pad_bottom))
    return reason::padding_beyond_register;
  auto split = split_convolution(hw, in, out, w, pixel, p);
  if (!split && !pixel)
    if (const auto phases = dilated_lines(hw, in, out, w, p, operand); !phases.empty())
      split = split_convolution(hw, phases.in, phases.out, phases.window, false, p);
  if (!split) return reason::kernel_does_not_fit_the_cbuf;
  // Lines that may not lie across the end of the data banks need another number of these to choose
  // from (plan/data_ring.hpp).
  const auto size = [&](std::int32_t pixels) {
    return static_cast<std::uint64_t>(std::int64_t{pixels} * in.c) * hw::element_bytes(p);
  };
  if (pixel && hw.cbuf_banks < 3 &&
      hw::jumps(hw, {.kernel = size(w.kernel_w), .step = size(w.stride_w)}))
    return reason::kernel_does_not_fit_the_cbuf;
  const auto lanes = static_cast<std::int32_t>(layer::lanes_of(hw.atom(), p));
  if (operand && split->kernels < out.c && split->kernels % lanes != 0)
    return reason::operand_of_a_convolution_in_parts;
  return reason::none;
}

// Why a convolution of groups does not run.
constexpr reason check_groups(const hw::spec& hw, std::int32_t kernels, std::int32_t groups,
                              net::window window, net::shape in,
                              hw::precision p = hw::precision::int8, bool operand = false) {
  const std::int32_t c = in.c / groups, k = kernels / groups;
  const auto bundle = groups_per_bundle(
      groups, c, k, static_cast<std::int32_t>(layer::lanes_of(hw.atom(), p)));
  net::shape out = net::fit_convolution(window, kernels, groups, in).value();
  out.c = k * bundle;
  return check_convolution(hw, {c * bundle, in.h, in.w}, out, window, false, p, operand);
}

// A window that no engine has is split by a pass, which also leaves out the taps that meet padding
// alone, and so are the kernels of a single group.
template <>
struct standard_support<net::convolution> {
  static constexpr reason check(const hw::spec& hw, const net::convolution& op,
                                std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    const net::window window = pass::with_busy_taps(op.window, in[0]);
    const auto axes = pass::convolution_axes::of(window, in[0]);
    const auto kernels = pass::kernels_at_once(op);
    if (in.size() > 1)  // the passes that split leave it as it is
      return check_groups(hw, op.kernels, op.groups, op.window, in[0], p, true);
    if (axes.whole()) return check_groups(hw, kernels, op.groups, window, in[0], p);
    const auto far = pass::far_lines::of(window, in[0]);
    for (std::int32_t n = 0; far.phases > 1 && n < far.phases; ++n) {
      const auto phase = far.at(n);
      const net::convolution near{
          .kernels = op.kernels, .window = far.window_of(phase), .groups = op.groups};
      const auto why = check(hw, near, std::array{far.read_by(phase)}, p);
      if (why != reason::none || n + 1 == far.phases) return why;
    }
    for (std::int64_t i = 0; i < axes.h.parts; ++i)
      for (std::int64_t j = 0; j < axes.w.parts; ++j) {
        const net::shape piece = axes.piece(in[0].c, i, j);
        if (piece.h < 1 || piece.w < 1) continue;
        const auto why = check_groups(hw, kernels, op.groups, axes.part(i, j), piece, p);
        if (why != reason::none) return why;
      }
    return reason::none;
  }
};

template <>
struct standard_support<net::deconvolution> {
  static constexpr reason check(const hw::spec& hw, const net::deconvolution& op,
                                std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    for (const auto& phase : net::phases_of(op, in[0])) {
      const net::convolution c{
          .kernels = op.kernels, .window = phase.window(in[0]), .groups = op.groups};
      const auto why = standard_support<net::convolution>::check(hw, c, in, p);
      if (why != reason::none) return why;
    }
    return reason::none;
  }
};

template <>
struct standard_support<net::fully_connected> {
  static constexpr reason check(const hw::spec& hw, const net::fully_connected& op,
                                std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    return standard_support<net::convolution>::check(hw, 
        {.kernels = op.outputs, .window = {.kernel_h = in[0].h, .kernel_w = in[0].w}}, in, p);
  }
};

template <>
struct standard_support<net::pool> {
  static constexpr reason check(const hw::spec& hw, const net::pool& op,
                                std::span<const net::shape> in,
                                hw::precision p = hw::precision::int8) {
    if (!hw.has_pdp()) return reason::no_pdp;
    const auto& limits = hw::limits_of(hw.map).pdp;
    const auto above = [](std::int64_t value, std::int64_t limit) { return value > limit; };
    if (above(in[0].h, limits.height) || above(in[0].w, limits.width) ||
        above(in[0].c, limits.channels))
      return reason::cube_above_8192;
    if (!pass::is_convolved(op, in[0])) return reason::none;
    return standard_support<net::convolution>::check(hw, pass::convolution_of(op, in[0]), in, p);
  }
};

template <>
struct standard_support<net::softmax> {
  static constexpr reason check(const hw::spec&, const net::softmax&,
                                std::span<const net::shape> in) {
    return in[0].h == 1 && in[0].w == 1 ? reason::none : reason::softmax_over_a_plane;
  }
};

template <>
struct standard_support<net::activation> {
  static constexpr reason check(const hw::spec& hw, const net::activation&,
                                std::span<const net::shape>) {
    return hw.sdp_lut ? reason::none : reason::no_lookup_table;
  }
};

template <>
struct standard_support<net::lrn> {
  static constexpr reason check(const hw::spec& hw, const net::lrn& op,
                                std::span<const net::shape> in) {
    if (!hw.has_cdp()) return reason::no_cdp;
    const auto& limits = hw::limits_of(hw.map).cdp;
    const auto above = [](std::int64_t value, std::int64_t limit) { return value > limit; };
    if (above(in[0].h, limits.height) || above(in[0].w, limits.width) ||
        above(in[0].c, limits.channels))
      return reason::cube_above_8192;
    const bool size = op.local_size == 3 || op.local_size == 5 || op.local_size == 7 ||
                      op.local_size == 9;
    return size ? reason::none : reason::lrn_size_is_not_3_5_7_9;
  }
};

}  // namespace nvdlac::lower
