// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/type_list.hpp>

namespace nvdlac::cli {

// The operators of the user's own that networks of this tool may have: none. Where there are some,
// nvdlac_add_cli writes a header of this name that is found before this one.
using own_operators = type_list<>;

}  // namespace nvdlac::cli
