// SPDX-License-Identifier: Apache-2.0
// The part of a program with nv_small that is compiled once: reader, compiler, simulator.
#include <nvdlac/src.hpp>

NVDLAC_PRODUCT(nvdlac::nv_small)
