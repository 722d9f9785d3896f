// SPDX-License-Identifier: Apache-2.0
#pragma once
// The configurations of this tool. Each is compiled in a translation unit of its own
// (target.cpp.in); the subcommands know only the interface.
#include <span>

#include <nvdlac/any_hardware.hpp>

namespace nvdlac::cli {

// A network in float with the operators of this tool, which float_graph.hpp names.
struct float_graph;

using target = basic_any_hardware<float_graph>;
using target_list = std::span<const target* const>;

target_list targets();

}  // namespace nvdlac::cli
