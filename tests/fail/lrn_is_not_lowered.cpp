// SPDX-License-Identifier: Apache-2.0
// EXPECT: unsupported<nvdlac::net::lrn, nvdlac::nv_full, nvdlac::lower::reason::lrn_is_not_lowered>
#include <nvdlac/hw/nv_full.hpp>
#include <nvdlac/lower/runs_on.hpp>

// A kind of operator, whatever its attributes. nvdlac lowers LRN for no configuration yet: the right
// program asks for another operator.
#ifdef FIXED
static_assert(nvdlac::runs_on<nvdlac::net::batch_norm, nvdlac::nv_full>());
#else
static_assert(nvdlac::runs_on<nvdlac::net::lrn, nvdlac::nv_full>());
#endif
