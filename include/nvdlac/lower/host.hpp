// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that the host computes.
#include <cstddef>
#include <cstdint>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

template <>
struct standard_lowering<quantised::softmax> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::softmax>& s) {
    using quantised::softmax;
    require_support(hw, s);
    to.add(s.name, layer::host_softmax{.input = s.in[0],
                                       .output = s.out,
                                       .input_scale = softmax::given_scale(s.in_scale[0]),
                                       .output_scale = static_cast<float>(s.out_scale)});
  }
};

template <>
struct standard_lowering<quantised::on_host> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::on_host>& s) {
    require_support(hw, s);
    layer::host_call call{.call = to.keep_call(s.op.call),
                          .input_count = static_cast<std::uint8_t>(s.in.size()),
                          .output = s.out,
                          .output_scale = s.out_scale};
    for (std::size_t i = 0; i < s.in.size(); ++i) {
      call.input_list[i] = s.in[i];
      call.input_scales[i] = s.in_scale[i];
    }
    to.add(s.name, call);
  }
};

}  // namespace nvdlac::lower
