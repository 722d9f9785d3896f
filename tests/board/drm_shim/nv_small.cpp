// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "chip.hpp"

namespace nvdlac::shim {

std::unique_ptr<chip> make_nv_small() { return std::make_unique<chip_of<nv_small>>(); }

}  // namespace nvdlac::shim
