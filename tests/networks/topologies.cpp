// SPDX-License-Identifier: Apache-2.0
// Large published topologies with seeded random weights: the simulator computes what the integer
// reference says, bit for bit.
#include <doctest/doctest.h>

#include <random>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/import/onnx.hpp>
#include <nvdlac/import/random_weights.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/net/builder.hpp>
#include <shared.hpp>

#include "pipeline.hpp"

using namespace nvdlac;

namespace {

void check(std::string_view model, net::graph network, std::uint32_t seed) {
  import::randomise(network, {seed});
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
  const quantised::feed feed = networks::quantised(picture, program.inputs[0].scale);
  const auto out = chip.infer({feed});
  const auto expected = quantised::evaluate(prepared.integers, feed);
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
