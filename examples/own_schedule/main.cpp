// SPDX-License-Identifier: Apache-2.0
// A schedule of one's own: the compiler's, but a convolution is cut where two lines say.
#include <iostream>
#include <nvdlac/all.hpp>
using namespace nvdlac::net;
using nvdlac::nv_small;

struct six_rows_first {
  nvdlac::schedule::choices operator()(const nvdlac::schedule::draft& d) const {
    return d.tile(nvdlac::schedule::standard{}(d), "sharpen", {6});
  }
};

constexpr network blurs{
    node{"picture", input{{32, 24, 16}}},
    node{"blur", convolution{.kernels = 32, .window = square{.kernel = 3, .pad = 1}}},
    node{"sharpen", convolution{.kernels = 32, .window = square{.kernel = 3, .pad = 1}}},
};

int main() {
  const auto trained = to_graph(
      blurs, {{"blur.weights", std::vector<float>(32 * 32 * 9, 0.01F)},
                {"sharpen.weights", std::vector<float>(32 * 32 * 9, 0.02F)}});
  float_tensor picture{blurs.shape_of("picture")};
  for (std::size_t i = 0; i < picture.values.size(); ++i)
    picture.values[i] = static_cast<float>(i % 7) / 7;
  const std::vector<nvdlac::sample> samples(1, {picture});
  const auto program =
      nvdlac::compile<nv_small, nvdlac::pass::standard, six_rows_first>(trained, samples);
  for (const auto& op : program.tasks[0].operations)
    if (const auto* c = std::get_if<nvdlac::layer::convolution>(&op.layer.what))
      std::cout << op.layer.name << ": " << c->output.h << " rows\n";
}
