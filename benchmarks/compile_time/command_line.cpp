// SPDX-License-Identifier: Apache-2.0
// What the command line compiles anew for each configuration.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <tools/nvdlac/target_of.hpp>

const nvdlac::cli::target& nv_small() {
  static const nvdlac::cli::target_of<nvdlac::nv_small> it;
  return it;
}
