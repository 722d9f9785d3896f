// SPDX-License-Identifier: Apache-2.0
// What a program with nv_small compiles once: reader, compiler, emitter and simulator.
#include <nvdlac/src.hpp>

NVDLAC_PRODUCT(nvdlac::nv_small)
