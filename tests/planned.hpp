// SPDX-License-Identifier: Apache-2.0
#pragma once
// Programs that the command line's compiler makes, which the tests need not compile again.
#include <nvdlac/compile_options.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "hardware.hpp"

// The program of the network, of a configuration that the command line has.
nvdlac::plan::program_data planned(const nvdlac::cli::target&, const nvdlac::quantised::graph&,
                                   const nvdlac::compile_options& = {});

// Makes the same program as nvdlac::build<Hw>.
template <nvdlac::hw::hardware Hw>
nvdlac::plan::program<Hw> built(const nvdlac::quantised::graph& g,
                                const nvdlac::compile_options& options = {}) {
  return {planned(hardware<Hw>(), g, options)};
}
