// SPDX-License-Identifier: Apache-2.0
// What nvdlac_add_product compiles for each configuration, beside what it compiles once for all.
#define NVDLAC_COMPILED
#include <nvdlac/hw/configurations/nv_small.hpp>

#include <nvdlac/chip_definitions.hpp>

NVDLAC_PRODUCT(nvdlac::nv_small)
