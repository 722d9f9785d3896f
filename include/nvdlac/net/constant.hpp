// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// A tensor that is known when the network is compiled.
struct constant {
  float_tensor value{};
};

}  // namespace nvdlac::net
