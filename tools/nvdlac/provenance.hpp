// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/emit/provenance.hpp>

namespace nvdlac::cli {

class preparation;

// The sources and options that the programs of a network are made from, once it is quantised.
// `for_traces`: whether their schedule is that of traces.
emit::provenance provenance_of(const preparation&, bool for_traces = false);

}  // namespace nvdlac::cli
