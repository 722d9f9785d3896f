// SPDX-License-Identifier: Apache-2.0
#pragma once
// The simulators that the command line's library has, so that no room compiles them again.
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/sim/device.hpp>

namespace nvdlac {

extern template class sim::device<nv_full>;
extern template class sim::device<nv_large>;
extern template class sim::device<nv_small>;
extern template class runtime::session<nv_full>;
extern template class runtime::session<nv_large>;
extern template class runtime::session<nv_small>;

}  // namespace nvdlac
