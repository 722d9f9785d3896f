// SPDX-License-Identifier: Apache-2.0
// A network with operators that nvdlac does not know, on the simulated NVDLA: each result beside
// that of the float reference.
#include <iostream>

#include <nvdlac/nvdlac.hpp>

#include "blur.hpp"
#include "tint.hpp"

using namespace nvdlac::net;
using nvdlac::nv_small;

constexpr network warm{
    node{"picture", input{{3, 6, 8}}},
    node{"warm", tint{.gain = {1, 0.5, 0.25}}},
    node{"soft", blur{}},
    node{"small", pool{.window = square{.kernel = 2, .stride = 2}}},
};
static_assert(warm.output_shape() == shape{3, 3, 4});
static_assert(nvdlac::runs_on<nv_small>(warm));

int main() {
  float_tensor picture{warm.shape_of("picture")};
  for (int c = 0; c < 3; ++c) picture.at(c, 2, 2 * c + 1) = 16;
  const std::vector<nvdlac::sample> samples(1, {picture});
  // The graph holds `tint`, which it lists, and a convolution for `blur`, which it does not.
  const auto trained = to_graph<graph_with<tint>>(warm);
  const auto program = nvdlac::compile<nv_small>(trained, samples);
  nvdlac::runtime::session<nv_small> chip(nvdlac::emit::loadable(program));
  const auto result = nvdlac::runtime::infer(chip, samples[0])[0];
  const auto real = evaluate(trained, picture)[0];
  for (std::size_t i = 0; i < real.values.size(); ++i)
    std::cout << result.values[i] << '~' << real.values[i] << ' ';
}
