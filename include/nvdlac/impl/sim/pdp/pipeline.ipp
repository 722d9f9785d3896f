// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/pdp/pipeline.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void check_pooling_axis(std::string_view where, std::uint64_t in, std::uint64_t out,
                                    std::uint64_t kernel, std::uint64_t stride,
                                    std::uint64_t before, std::uint64_t after, bool exact) {
  require(kernel <= hw::pdp_line_buffers, where, "a kernel of ", kernel, " is larger than ",
          hw::pdp_line_buffers);
  require(before < kernel && after < kernel, where, "a padding of ", before, " and ", after,
          " leaves windows of ", kernel, " empty");
  require(in + before + after >= kernel, where, "the kernel is larger than the padded input");
  const auto rest = in + before + after - kernel;
  require(out == rest / stride + 1, where, out, " outputs, but ", in, " inputs padded by ", before,
          " and ", after, " have ", rest / stride + 1);
  const auto left = rest % stride;
  // With an input from memory the RTL leaves lines over and shifts the next surface.
  require(!exact || left == 0, where, "(height + pads - kernel) is not a multiple of the stride");
  // The windows that end in the padding behind the input, but for the first: the RTL counts them as
  // padding / stride (flush_num in NV_NVDLA_PDP_CORE_cal1d.v and cal2d.v), and where not even the
  // first window ends before it, as (input + pads - kernel) / stride if nothing is left over.
  const bool small = in + before < kernel;
  const auto ending = small ? rest / stride : (after - std::min(after, left)) / stride;
  const auto counted = !small ? after / stride : after < stride || left != 0 ? 0 : rest / stride;
  require(ending == counted, where, "(input + pads - kernel) is not a multiple of the stride: the "
          "hardware sees ", counted + 1, " windows at the end of the input, not ", ending + 1);
  require((out - 1) * stride < in + before, where, "the last window lies in the padding");
}

NVDLAC_IMPL void check_split(const pdp_layer& l) {
  const auto& s = l.split;
  if (s.parts == 1) return;
  const auto total = [&](const auto& w) { return w[0] + (s.parts - 2) * w[1] + w[2]; };
  require(total(s.in) == l.width, "PDP.D_PARTIAL_WIDTH_IN", "the parts have ", total(s.in),
          " columns, not ", l.width);
  require(total(s.out) == l.out_width, "PDP.D_PARTIAL_WIDTH_OUT", "the parts have ", total(s.out),
          " columns, not ", l.out_width);
  std::uint64_t in = 0, out = 0;
  for (std::uint64_t part = 0; part + 1 < s.parts; ++part) {
    const std::uint64_t own = s.in[part == 0 ? 0 : 1], next = s.in[part + 2 < s.parts ? 1 : 2];
    in += own;
    out += s.out[part == 0 ? 0 : 1];
    require(l.kernel_width <= l.stride_x + own && l.stride_x < l.kernel_width + next,
            "PDP.D_PARTIAL_WIDTH_IN", "the windows at the end of part ", part,
            " reach over a whole part");
    require((out - 1) * l.stride_x + l.kernel_width == in + l.pad_left, "PDP.D_PARTIAL_WIDTH_IN",
            "part ", part, " ends at column ", in, ", its last window does not");
  }
}

NVDLAC_IMPL void check_line_buffers(const pdp_layer& l) {
  const auto& s = l.split;
  const auto widest = s.parts == 1 ? std::uint64_t{l.out_width}
                                   : std::max({s.out[0], s.parts > 2 ? s.out[1] : 0, s.out[2]});
  const auto most = hw::pdp_widest_output(l.kernel_height, l.stride_y);
  require(widest <= most, "PDP.D_DATA_CUBE_OUT_WIDTH", widest, " columns do not fit the line ",
          "buffers: a window of ", l.kernel_height, " lines with a stride of ", l.stride_y,
          " leaves room for ", most);
}

}  // namespace nvdlac::sim
