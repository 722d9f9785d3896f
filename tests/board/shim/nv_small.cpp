// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "nvdla.hpp"

namespace nvdlac::board {

std::unique_ptr<nvdla> make_nv_small() { return std::make_unique<nvdla_of<nv_small>>(); }

}  // namespace nvdlac::board
