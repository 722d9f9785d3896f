// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nvdlac::net {

// The sum of two tensors of one shape.
struct add {
  bool relu = false;
};

}  // namespace nvdlac::net
