// SPDX-License-Identifier: Apache-2.0
#pragma once
// Declares what a layer did and how the device runs, for headers that only name it.
#include <nvdlac/base/version.hpp>

namespace nvdlac::sim {

struct layer_record;
struct settings;

}  // namespace nvdlac::sim
