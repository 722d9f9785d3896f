// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/compile.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "hardware.hpp"

// The program that the command line's compiler makes of the network.
nvdlac::plan::program_data planned(const nvdlac::cli::target&, const nvdlac::quantised::graph&,
                                   const nvdlac::compile_options& = {});
