// SPDX-License-Identifier: Apache-2.0
// A network with operators that nvdlac does not know, from an ONNX file to the simulated NVDLA: how
// far the results are in each precision from those of the float reference.
#include <algorithm>
#include <cmath>
#include <iostream>

#include <nvdlac/all.hpp>

#include "blur.hpp"
#include "tint.hpp"

using namespace nvdlac::net;
using nvdlac::nv_full;
using nvdlac::hw::precision;

// In C++ the network of the file is this, and the compiler knows that it runs.
constexpr network warm{
    node{"picture", input{{3, 6, 8}}},
    node{"warm", tint{.gain = {1, 0.5, 0.25}}},
    node{"soft", blur{}},
    node{"small", pool{.window = square{.kernel = 2, .stride = 2}}},
};
static_assert(warm.output_shape() == shape{3, 3, 4});
static_assert(nvdlac::runs_on<nv_full>(warm));

int main() {
  // Its graph holds `tint`, which NVDLA computes as its rule says, and a convolution for `blur`.
  const auto model = nvdlac::read<nvdlac::import::network_with<tint, blur>>("warm.onnx");
  float_tensor picture{warm.shape_of("picture")};
  for (int c = 0; c < 3; ++c) picture.at(c, 2, 2 * c + 1) = 16;
  const std::vector<nvdlac::sample> samples(1, {picture});
  const auto real = evaluate(model->graph, picture)[0];
  for (const auto p : {precision::int8, precision::int16, precision::fp16}) {
    const auto program = nvdlac::compile<nv_full>(model->graph, samples, {.precision = p});
    nvdlac::runtime::session<nv_full> chip(nvdlac::emit::loadable(program));
    const auto result = nvdlac::runtime::infer(chip, samples[0])[0];
    float off = 0;
    for (std::size_t i = 0; i < real.values.size(); ++i)
      off = std::max(off, std::abs(result.values[i] - real.values[i]));
    std::cout << name_of(p) << " is off by " << off << '\n';
  }
}
