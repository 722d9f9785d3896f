// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nvdlac::net {

// y = x: dropout at inference, Caffe's Split, ONNX's Identity.
struct identity {};

}  // namespace nvdlac::net
