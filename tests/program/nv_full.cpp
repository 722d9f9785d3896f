// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <nvdlac/hw/configurations/nv_full.hpp>

#include "networks.hpp"
#include "same.hpp"

using nvdlac::nv_full;

// LeNet's pixels, 5 to a line of its kernels, fill 20 of the MAC array's 64 elements instead of 5.
static_assert(std::ranges::any_of(
    nvdlac::program<nv_full, networks::lenet>::steps, [](const nvdlac::step& s) {
      using nvdlac::hw::address, nvdlac::hw::register_map;
      return s.address == address<register_map::full, "CSC.D_POST_Y_EXTENSION"> && s.value == 2;
    }));

TEST_CASE("LeNet compiled by the C++ compiler is LeNet compiled at run time: nv_full") {
  same::check<nv_full, networks::lenet>();
}

TEST_CASE("ResNet-8 of weights that are somewhere else: nv_full") {
  same::check_sizes<nv_full, networks::resnet8>();
}

TEST_CASE("a network with branches and two inputs: nv_full") {
  same::check<nv_full, networks::branches>();
}

TEST_CASE("a network that is normalised across channels: nv_full") {
  same::check<nv_full, networks::normalised>();
}

TEST_CASE("a transposed convolution: nv_full, by Rubik") {
  same::check<nv_full, networks::transposed>();
}
