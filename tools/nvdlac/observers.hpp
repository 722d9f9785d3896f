// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace nvdlac {
struct compile_options;
}

namespace nvdlac::cli {

// Calibrates with the observer of this name; an empty name means the default, an unknown one is a
// usage_error.
void choose_observer(const std::string& name, compile_options&);

// "min-max, percentile, .."
std::string observer_names();
std::string default_observer_name();

}  // namespace nvdlac::cli
