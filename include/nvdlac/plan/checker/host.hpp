// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of the host's layers.
#include <cstddef>

#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/plan/checker/rules.hpp>

namespace nvdlac::plan::checker {

template <hw::register_map Map>
constexpr void check_layer(const layer::host_softmax& s, rules r) {
  r.expect(s.input.shape == s.output.shape, "the output ", s.output.shape, " is not the input ",
           s.input.shape);
  r.expect(s.input.shape.h == 1 && s.input.shape.w == 1, "the softmax of ", s.input.shape,
           " is not over channels alone");
  for (const auto* cube : {&s.input, &s.output}) {
    r.cube(*cube, "the cube");
    r.expect(layer::surfaces(cube->shape, r.hw().atom(), cube->precision) == 1 ||
                 cube->surface_stride == r.hw().memory_atom,
             "the channels are not contiguous: surfaces stand ", cube->surface_stride,
             " bytes apart");
  }
  for (const float scale : {s.input_scale, s.output_scale})
    r.expect(is_scale(scale), "a scale of ", scale, " is not above 0");
}

template <hw::register_map Map>
constexpr void check_layer(const layer::host_call& c, rules r) {
  r.expect(c.call >= 0 && c.call < r.calls(), "it is call ", c.call, " of ", r.calls());
  r.expect(c.input_count >= 1, "it reads nothing");
  for (const auto& cube : c.inputs()) r.cube(cube, "an input");
  r.cube(c.output, "the output");
  for (std::size_t i = 0; i < c.inputs().size(); ++i)
    r.expect(is_scale(c.input_scales[i]), "the scale of input ", i,
             " is ", c.input_scales[i]);
  r.expect(is_scale(c.output_scale), "the output's scale is ",
           c.output_scale);
}

}  // namespace nvdlac::plan::checker
