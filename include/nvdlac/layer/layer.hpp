// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <variant>

#include <nvdlac/base/label.hpp>
#include <nvdlac/layer/cdp.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/layer/rubik.hpp>
#include <nvdlac/layer/sdp.hpp>

namespace nvdlac::layer {

// A hardware layer: one programming of one engine (or one computation of the host). A convolution
// is always followed by the SDP layer that takes its result.
using any = std::variant<convolution, sdp, pdp, cdp, rubik, host_softmax, host_call>;

struct layer {
  label name;  // of the network's layer it computes, with a suffix when that is split
  any what;
};

constexpr bool on_host(const any& what) {
  return std::visit([]<class Layer>(const Layer&) { return computed_on_host<Layer>; }, what);
}

}  // namespace nvdlac::layer
