// SPDX-License-Identifier: Apache-2.0
#pragma once
// Declares the layers that the host can compute, for headers that only name them.
#include <nvdlac/base/version.hpp>

namespace nvdlac::host {

class registry;

}  // namespace nvdlac::host
