// SPDX-License-Identifier: Apache-2.0
// ResNet-8 for pictures of 32 x 32, weights as sizes, compiled by the C++ compiler.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/program.hpp>

#include "tests/program/networks.hpp"

extern const nvdlac::register_program resnet8_program =
    nvdlac::program<nvdlac::nv_small, networks::resnet8>::view();
