// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program's layers, memory and dependencies as text and as Graphviz.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/plan/program.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/report/prediction.hpp>

namespace nvdlac::report {

// A summary of what was made and what is predicted of it, in lines: "digits for nv_small: 17
// hardware layers in 2 tasks, ..". `in_loadable` is of the loadable, of so many bytes, `in_trace`
// of the register trace, where one was made.
std::string summary(const plan::program_data& program, std::string_view configuration,
                    const prediction& in_loadable, std::size_t loadable_bytes,
                    const prediction* in_trace = nullptr);

// In lines of at most `most` letters; 0: of any length.
std::string layer_table(const std::vector<layer_row>& rows, std::size_t most = 0);

std::string_view to_string(plan::event e);

// An operation on each line, with those that wait for it and for which event.
std::string dependency_list(const std::vector<plan::task>& tasks);

// One node for each operation, one cluster for each task; edges carry the event they wait for.
std::string dependency_graph(const std::vector<plan::task>& tasks);

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/program.ipp>
#endif
