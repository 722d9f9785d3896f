// SPDX-License-Identifier: Apache-2.0
// The part of a product that each configuration compiles, beside what is compiled once for all.
#define NVDLAC_COMPILED
#include <nvdlac/hw/configurations/nv_small.hpp>

#include <nvdlac/chip_definitions.hpp>

NVDLAC_PRODUCT(nvdlac::nv_small)
