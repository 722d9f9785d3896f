// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/hw/configurations/nv_large.hpp>

#include "chip.hpp"

namespace nvdlac::shim {

std::unique_ptr<chip> make_nv_large() { return std::make_unique<chip_of<nv_large>>(); }

}  // namespace nvdlac::shim
