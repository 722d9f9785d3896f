// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/hw/configurations.hpp>

#include "networks.hpp"
#include "same.hpp"

using nvdlac::nv_large;

TEST_CASE("LeNet compiled by the C++ compiler is LeNet compiled at run time: nv_large") {
  same::check<nv_large, networks::lenet>();
}

TEST_CASE("ResNet-8 of weights that are somewhere else: nv_large") {
  same::check_sizes<nv_large, networks::resnet8>();
}

TEST_CASE("a network with branches and two inputs: nv_large") {
  same::check<nv_large, networks::branches>();
}
