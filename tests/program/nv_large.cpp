// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/hw/configurations/nv_large.hpp>

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

namespace {

struct large_with_cvsram : nv_large {
  static constexpr std::uint64_t cvsram = 4096;
};

}  // namespace

TEST_CASE("a configuration that says how much CVSRAM a program may use: features stand there") {
  using constants = nvdlac::program<large_with_cvsram, networks::branches>;
  static_assert(constants::cvsram.size > 0);
  static_assert(constants::cvsram.size <= large_with_cvsram::cvsram);
  static_assert(nvdlac::program<nv_large, networks::branches>::cvsram.size == 0);
  for (const std::uint64_t seed : {1u, 2u})
    same::check_outputs<nv_large>(constants::view(), constants::weight_image,
                                  same::graph<networks::branches>(), seed);
}
