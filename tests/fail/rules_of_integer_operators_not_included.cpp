// SPDX-License-Identifier: Apache-2.0
// EXPECT: <quantised::scale, nv_small, lower::reason::rules_of_integers_are_not_included>
// MEANS: Whether NVDLA's integer operators run is asked where their rules are not included.
// REMEDY: Include nvdlac/lower/runs_in_integers.hpp for whole networks, or
// REMEDY: nvdlac/lower/support_integer.hpp for operators.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/quantised/operators.hpp>
#ifdef FIXED
#include <nvdlac/lower/support_integer.hpp>
#endif

namespace quantised = nvdlac::quantised;

static_assert(nvdlac::runs_on<quantised::scale, nvdlac::nv_small>());
