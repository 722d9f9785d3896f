// SPDX-License-Identifier: Apache-2.0
// Random models that another engine reads as well: the float reference is OpenCV's result, and the
// simulated program is near both and equal, bit for bit, to the integer reference.
#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "opencv_reference.hpp"
#include "pipeline.hpp"
#include "random_onnx.hpp"

using namespace nvdlac;

namespace {

template <class Hw>
void check_models(std::uint64_t first, std::uint64_t last, bool tables) {
  for (auto seed = first; seed < last; ++seed) {
    const auto content = random_onnx::make(seed, tables);
    INFO("seed ", seed, ": ", content);
    const auto binary = encode(import::onnx_format::schema(), "ModelProto", content);
    const auto g = onnx_model::read(binary);
    const auto shape = g[net::input_nodes(g).at(0)].shape;
    std::vector<sample> samples;
    for (std::uint64_t i = 0; i < 8; ++i)
      samples.push_back({random_onnx::input(shape, 100 * seed + i)});
    const auto r = networks::run_on(hardware<Hw>(), g, std::span<const sample>(samples),
                                    samples[0], {}, networks::replay::yes);
    const auto others = opencv_reference::run(binary, samples[0][0]);
    CHECK(opencv_reference::distance(r.real.at(0).values, others) < 1e-4);
    CHECK((r.simulated == r.exact));
    CHECK(r.trace_differences == 0);
    CHECK(networks::cosine(r.values.at(0), r.real[0]) > 0.97);
  }
}

}  // namespace

TEST_CASE("random models: OpenCV, the float reference and the simulator agree") {
  check_models<nv_small>(0, 25, false);
  check_models<nv_large>(25, 50, true);
}
