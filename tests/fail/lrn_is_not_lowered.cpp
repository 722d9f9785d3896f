// SPDX-License-Identifier: Apache-2.0
// EXPECT: "every such layer"
// EXPECT: unsupported<net::lrn, nv_full, lower::reason::lrn_is_not_lowered>
// MEANS: nvdlac does not program CDP, the unit that normalises, for any configuration.
// REMEDY: Use a network without local response normalisation; batch normalisation runs everywhere.
#include <nvdlac/hw/nv_full.hpp>
#include <nvdlac/lower/runs_on.hpp>

// A kind of operator, whatever its attributes.
#ifdef FIXED
static_assert(nvdlac::runs_on<nvdlac::net::batch_norm, nvdlac::nv_full>());
#else
static_assert(nvdlac::runs_on<nvdlac::net::lrn, nvdlac::nv_full>());
#endif
