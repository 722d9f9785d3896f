// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/host/axes.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// The mean of `values` that the softmax over an axis gives them as probabilities: where a box ends,
// as detectors tell it by a distribution (DFL).
struct expectation {
  static constexpr net::arity inputs{1, 1};
  static constexpr std::string_view description = "a softmax and a sum by its probabilities";

  host::axes axes = over_channels;
  std::vector<float> values{};  // one for each element of the axis
  static constexpr void fields(auto&& field) {
    field("axes", &expectation::axes);
    field("values", &expectation::values);
  }

  net::shape infer(std::span<const net::shape> in) const;
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<expectation>);

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/expectation.ipp>
#endif
