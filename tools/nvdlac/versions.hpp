// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace nvdlac::cli {

// The commit that this was built from, with -dirty where files were changed; empty where nobody
// knows. CMake writes its definition.
std::string_view commit();

// The text of --version: nvdlac's version and commit, the compiler, and the libraries with theirs.
std::string versions();

}  // namespace nvdlac::cli
