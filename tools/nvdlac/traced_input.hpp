// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "preparation.hpp"

namespace nvdlac::cli {

// The run that a trace checks: the first calibration input, or noise where there is none.
std::vector<quantised::feed> traced_input(const preparation&, const runtime::any_session&);

}  // namespace nvdlac::cli
