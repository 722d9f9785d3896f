// SPDX-License-Identifier: Apache-2.0
// The loadable of LeNet-5 with its 61 thousand weights, compiled by the C++ compiler.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/loadable.hpp>

#include "tests/program/networks.hpp"

extern const auto lenet_loadable = nvdlac::loadable<nvdlac::nv_small, networks::lenet>;
