// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <nvdlac/nvdlac.hpp>
using namespace nvdlac::net;
using nvdlac::nv_small;

constexpr network edges{
    node{"picture", input{{1, 6, 8}}},
    node{"laplace", convolution{.window = square{.kernel = 3, .pad = 1}, .relu = true}},
    node{"peaks", pool{.window = square{.kernel = 2, .stride = 2}}},
};
static_assert(edges.output_shape() == shape{1, 3, 4});
static_assert(nvdlac::runs_on<nv_small, edges>());  // what cannot run does not compile

int main() {
  const nvdlac::model trained(edges, {{"laplace.weights", {0, -1, 0, -1, 4, -1, 0, -1, 0}}});
  float_tensor picture{edges.shape_of("picture")};
  for (int x = 2; x < 6; ++x) picture.at(0, 2, x) = picture.at(0, 3, x) = 1;
  const std::vector<nvdlac::sample> samples(1, {picture});
  auto chip = nvdlac::compile<nv_small>(trained, samples);
  for (const float y : chip.run(picture).only().values) std::cout << y << ' ';
}
