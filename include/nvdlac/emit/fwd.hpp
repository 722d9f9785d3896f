// SPDX-License-Identifier: Apache-2.0
#pragma once
// Declares what a run leaves, what is written and what that was made from, for headers that only
// name it.
#include <nvdlac/base/version.hpp>

namespace nvdlac::emit {

struct file;
struct provenance;
struct run_record;

}  // namespace nvdlac::emit
