// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/net/shape.hpp>

namespace nvdlac::net {

// The same values in dense c-h-w order under another shape of the same size.
struct reshape {
  net::shape target{};
};

// A reshape to (c*h*w) x 1 x 1.
struct flatten {};

}  // namespace nvdlac::net
