// SPDX-License-Identifier: Apache-2.0
// The part of the command line that each configuration compiles anew.
#include <nvdlac/hardware_of.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

const nvdlac::any_hardware& nv_small() {
  static const nvdlac::hardware_of<nvdlac::nv_small> it;
  return it;
}
