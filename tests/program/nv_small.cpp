// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "networks.hpp"
#include "same.hpp"

using nvdlac::nv_small;

// Programs that the C++ compiler makes pass both checkers while they are compiled.
static_assert(nvdlac::is_verified<nv_small, networks::lenet>);
static_assert(nvdlac::is_validated<nv_small, networks::lenet>);
static_assert(nvdlac::is_validated<nv_small, networks::branches>);

TEST_CASE("LeNet compiled by the C++ compiler is LeNet compiled at run time: nv_small") {
  same::check<nv_small, networks::lenet>();
}

TEST_CASE("ResNet-8 of weights that are somewhere else: nv_small") {
  same::check_sizes<nv_small, networks::resnet8>();
}

TEST_CASE("a network with branches and two inputs: nv_small") {
  same::check<nv_small, networks::branches>();
}

TEST_CASE("a network with siblings: nv_small") {
  static_assert(nvdlac::is_validated<nv_small, networks::siblings>);
  same::check<nv_small, networks::siblings>();
}

TEST_CASE("a network that is normalised across channels: nv_small") {
  same::check<nv_small, networks::normalised>();
}
