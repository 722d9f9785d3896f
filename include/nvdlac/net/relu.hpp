// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nvdlac::net {

// max(x, 0)
struct relu {};

}  // namespace nvdlac::net
