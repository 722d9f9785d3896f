// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nvdlac::net {

// The channels of all inputs, one behind the other; at least one input, equal heights and widths.
struct concat {};

}  // namespace nvdlac::net
