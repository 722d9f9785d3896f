// SPDX-License-Identifier: Apache-2.0
#pragma once
// The convolutions that take fewer cycles in Winograd's mode.
#include <cstddef>
#include <span>

#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// The form of a convolution for Winograd's mode, with weights of which only the number is told.
constexpr quantised::convolution in_winograd_form(quantised::convolution direct) {
  const auto given = direct.weights_given();
  const auto area = static_cast<std::size_t>(direct.window.kernel_h * direct.window.kernel_w);
  const net::only_size weights{given / area * quantised::winograd_taps};
  if (direct.wide_weights.empty()) direct.weights = weights;
  else direct.wide_weights = weights;
  direct.winograd = true;
  return direct;
}

// Whether the hardware computes the convolution in Winograd's mode, and takes at least an eighth
// fewer cycles by it, predicted for this memory, as the mode costs accuracy. The pooling that alone
// reads the result, if there is one, then reads it from memory. In fp16 the input fills its atoms:
// what lies in the lanes beyond the last channel is multiplied by 0, but may be no number.
bool is_faster_in_winograd(const target& hw, const quantised::convolution& direct,
                           const quantised::pool* pool, std::span<const net::shape> in,
                           hw::precision p, const cost::memory& m);

}  // namespace nvdlac::lower

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/lower/winograd_choice.ipp>
#endif
