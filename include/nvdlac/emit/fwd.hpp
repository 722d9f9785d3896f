// SPDX-License-Identifier: Apache-2.0
#pragma once
// Declares what a run leaves and what is written, for headers that only name it.
#include <nvdlac/base/version.hpp>

namespace nvdlac::emit {

struct file;
struct run_record;

}  // namespace nvdlac::emit
