// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/report/json.hpp>

#include "target.hpp"

namespace nvdlac::cli {

// The document that `nvdlac configs --json` prints.
report::json configurations_in_json(target_list);

}  // namespace nvdlac::cli
