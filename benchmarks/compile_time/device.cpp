// SPDX-License-Identifier: Apache-2.0
// The simulated device of one configuration.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/sim/device.hpp>

template class nvdlac::sim::device<nvdlac::nv_small>;
