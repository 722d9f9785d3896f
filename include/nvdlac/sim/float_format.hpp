// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/arithmetic/float_format.hpp>

namespace nvdlac::sim {

// fp16, fp17, fp32 and what they compute.
using namespace arithmetic;

}  // namespace nvdlac::sim
