// SPDX-License-Identifier: Apache-2.0
#pragma once
// Declares the session of a loadable, for headers that only name it.
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::runtime {

template <hw::hardware Hw>
class session;

}  // namespace nvdlac::runtime
