// SPDX-License-Identifier: Apache-2.0
// A network with an operator that nvdlac does not know, on the simulated NVDLA.
#include <iostream>

#include <nvdlac/nvdlac.hpp>

#include "blur.hpp"

using namespace nvdlac::net;
using nvdlac::nv_small;

constexpr network soft{
    node{"picture", input{{3, 6, 8}}},
    node{"soft", blur{}},
    node{"small", pool{.window = square{.kernel = 2, .stride = 2}}},
};
static_assert(soft.output_shape() == shape{3, 3, 4});
static_assert(nvdlac::runs_on<nv_small>(soft));

int main() {
  float_tensor picture{soft.shape_of("picture")};
  for (int c = 0; c < 3; ++c) picture.at(c, 2, 2 * c + 1) = 16;
  const std::vector<nvdlac::sample> samples(1, {picture});
  const auto program = nvdlac::compile<nv_small>(to_graph(soft), samples);
  nvdlac::sim::runtime<nv_small> chip(nvdlac::emit::loadable(program));
  const auto result = nvdlac::sim::infer(chip, samples[0])[0];
  for (const float y : result.values) std::cout << y << ' ';
}
