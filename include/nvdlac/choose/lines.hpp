// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether kernels of one line that step over lines read those that they need alone.
#include <vector>

#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::choose {

// The lines that kernels of one line need, and all lines, where some step over lines: others may
// share all of them, and read them as images. A schedule that is given has chosen already.
std::vector<candidate> with_lines(const candidate& from, const quantised::graph& integers,
                                  const compile_options& options);

}  // namespace nvdlac::choose

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/choose/lines.ipp>
#endif
