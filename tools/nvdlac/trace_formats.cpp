// SPDX-License-Identifier: Apache-2.0
#include "trace_formats.hpp"

#include <utility>

#include <nvdlac/runtime/board_steps.hpp>
#include <nvdlac/runtime/c_trace.hpp>
#include <nvdlac/runtime/public_trace.hpp>
#include <nvdlac/runtime/uio_trace.hpp>

#include "outputs.hpp"
#include "usage.hpp"

namespace nvdlac::cli {

void check_trace_name(const std::string& format, const std::filesystem::path& path) {
  require_file("--trace", path);
  if (format == "c" && path.extension() != ".c")
    throw usage_error("--trace names a C file, OUT.c, with --trace-format c");
}

std::vector<emit::file> in_format(const std::string& format, const target& t,
                                  std::vector<emit::file> trace,
                                  const std::filesystem::path& path) {
  const auto name = path.filename().string();
  if (format != "nvtrace") {
    const auto read = runtime::parse_trace(trace);
    const auto map = t.spec().map;
    if (format == "public") trace = runtime::public_trace(read, map, name);
    else if (format == "c")
      trace = runtime::c_trace(runtime::steps_for_board(read, map), path.stem().string());
    else trace = runtime::uio_trace(runtime::steps_for_board(read, map), name);
  }
  trace.front().name = name;
  return trace;
}

}  // namespace nvdlac::cli
