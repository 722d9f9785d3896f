// SPDX-License-Identifier: Apache-2.0
// LeNet-5, its 61 thousand weights among the constants, compiled by the C++ compiler.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/program.hpp>

#include "tests/program/networks.hpp"

using lenet = nvdlac::program<nvdlac::nv_small, networks::lenet>;
extern const nvdlac::register_program lenet_program = lenet::view();
extern const auto lenet_weights = lenet::weight_image;
