// SPDX-License-Identifier: Apache-2.0
// Large published topologies with seeded random weights: the simulator computes what the integer
// reference says, bit for bit.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/import/onnx.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/net/to_graph.hpp>
#include <shared.hpp>

#include "pipeline.hpp"

using namespace nvdlac;

namespace {

// The constant weights of the network give way to random ones that keep the spread of the tensors.
void randomise(net::graph& g, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double range) {
    return static_cast<float>((static_cast<double>(random()) / 4294967296.0 * 2 - 1) * range);
  };
  for (net::graph::id n = 0; n < g.size(); ++n) {
    if (auto* conv = std::get_if<net::convolution>(&g[n].op)) {
      const double taps = static_cast<double>(conv->weights.size()) / conv->kernels;
      for (auto& w : conv->weights) w = uniform(std::sqrt(6 / taps));
      for (auto& b : conv->bias) b = uniform(0.1);
    } else if (auto* fc = std::get_if<net::fully_connected>(&g[n].op)) {
      const double taps = static_cast<double>(fc->weights.size()) / fc->outputs;
      for (auto& w : fc->weights) w = uniform(std::sqrt(6 / taps));
      for (auto& b : fc->bias) b = uniform(0.1);
    } else if (auto* norm = std::get_if<net::batch_norm>(&g[n].op)) {
      for (auto& v : norm->mean) v = uniform(0.1);
      for (auto& v : norm->variance) v = 1 + uniform(0.3);
      for (auto& v : norm->gamma) v = 0.7F + uniform(0.2);
      for (auto& v : norm->beta) v = uniform(0.1);
    }
  }
}

void check(std::string_view model, net::graph network, std::uint32_t seed) {
  randomise(network, seed);
  net::infer_shapes(network);
  std::mt19937 random(seed);
  const auto in = net::input_nodes(network).at(0);
  net::float_tensor picture{network[in].shape};
  for (auto& v : picture.values) v = static_cast<float>(random() % 256);

  const std::vector<sample> samples{{picture}};
  const auto prepared =
      prepare(network, std::span<const sample>(samples), {}, pass::verify{},
              [](const net::graph& g) { CHECK(lower::check<nv_small>(g).empty()); });
  compiled chip(hardware<nv_small>(), prepared.integers);
  const auto& program = chip.program();
  const net::integer::feed feed = networks::quantised(picture, program.inputs[0].scale);
  const auto out = chip.infer({feed});
  const auto expected = net::integer::evaluate(prepared.integers, feed);
  CHECK(out == expected);
  CHECK(chip.trace_differences({feed}) == 0);
  // The last tensor is not of one value, or equality would say little.
  const auto [low, high] = std::minmax_element(out[0].values.begin(), out[0].values.end());
  CHECK(*low < *high);
  MESSAGE(model << ": " << program.tasks[0].operations.size() << " hardware layers, weights "
                << program.weights_size << " B, features " << program.features_size
                << " B (at least " << program.features_bound << " B)");
}

void check_file(std::string_view model, std::uint32_t seed) {
  if (const auto path = shared_path("nets/light/" + std::string(model)))
    check(model, import::onnx(*path), seed);
  else
    MESSAGE("shared material is absent: " << model << " is not tested");
}

// YOLO's spatial pyramid: maxima over windows that PDP takes in steps.
constexpr net::network pyramid{
    net::node{"data", net::input{{12, 19, 17}}},
    net::node{"max5", net::pool{.window = net::square{.kernel = 5, .pad = 2}}, "data"},
    net::node{"max9", net::pool{.window = net::square{.kernel = 9, .pad = 4}}, "data"},
    net::node{"max13", net::pool{.window = net::square{.kernel = 13, .pad = 6}}, "data"},
    net::node{"all", net::concat{}, "data", "max5", "max9", "max13"},
};
static_assert(runs_on<nv_small>(pyramid));

}  // namespace

TEST_CASE("squeezenet on nv_small") { check_file("light_squeezenet.onnx", 1); }
TEST_CASE("resnet50 on nv_small") { check_file("light_resnet50.onnx", 2); }
TEST_CASE("a spatial pyramid on nv_small") { check("pyramid", net::to_graph(pyramid), 3); }
