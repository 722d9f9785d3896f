// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/hw/configurations/nv_large.hpp>

#include "nvdla.hpp"

namespace nvdlac::board {

std::unique_ptr<nvdla> make_nv_large() { return std::make_unique<nvdla_of<nv_large>>(); }

}  // namespace nvdlac::board
