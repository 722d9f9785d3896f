// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/schedule/standard.hpp>

namespace nvdlac::cli {

// The user's own parts in this tool: the operators that networks may have, the passes that go
// over them and the policy that chooses their schedule. Here there is nothing but nvdlac's; where
// there is, nvdlac_add_cli writes a header of this name that is found before this one.
using own_operators = type_list<>;
using network_passes = pass::standard;
using schedule_policy = schedule::standard;

}  // namespace nvdlac::cli
