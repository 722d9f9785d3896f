// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nvdlac::net {

// exp(x[c]) / sum over the channels of exp(x), at each height and width.
struct softmax {};

}  // namespace nvdlac::net
