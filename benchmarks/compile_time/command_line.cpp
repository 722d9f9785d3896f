// SPDX-License-Identifier: Apache-2.0
// What the command line compiles anew for each configuration.
#include <nvdlac/hardware_of.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

const nvdlac::any_hardware& nv_small() {
  static const nvdlac::hardware_of<nvdlac::nv_small> it;
  return it;
}
