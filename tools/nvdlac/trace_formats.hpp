// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "target.hpp"

namespace nvdlac::cli {

// The words that --trace-format knows.
inline const std::vector<std::string> trace_formats{"nvtrace", "public", "c", "uio"};

// A usage_error if the format cannot be in a file of this name.
void check_trace_name(const std::string& format, const std::filesystem::path& path);

// The files of a trace (an nvtrace and what is beside it) in another format; the first is to be
// `path`, the others lie beside it.
std::vector<emit::file> in_format(const std::string& format, const target&,
                                  std::vector<emit::file> trace,
                                  const std::filesystem::path& path);

}  // namespace nvdlac::cli
