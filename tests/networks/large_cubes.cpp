// SPDX-License-Identifier: Apache-2.0
// More channels, lines, columns or kernels than the registers of a layer hold.
#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "../net/random.hpp"
#include "compiled.hpp"

using namespace nvdlac;

namespace {

// The simulated program is the exact reference, and near the float network: the root of the mean
// square error is below `error` of that of the output.
template <class Hw>
void check(const net::graph& network, hw::precision p, double error,
           std::uint64_t most_layers = budget{}.layers) {
  CHECK(lower::check<Hw>(network, p, most_layers).empty());
  randomness random(5);
  std::vector<sample> samples;
  for (int i = 0; i < 3; ++i) {
    net::float_tensor x{network[net::input_nodes(network)[0]].shape};
    x.values = random.reals(x.values.size());
    samples.push_back({std::move(x)});
  }
  compile_options options;
  options.precision = p;
  const auto prepared = prepare(network, std::span<const sample>(samples), options,
                                pass::verify{}, [](const auto&) {});
  compiled chip(hardware<Hw>(), prepared.integers, options);
  const auto& in = chip.program().inputs[0];
  const std::vector feeds{quantised::feed_of(
      quantised::numbers_of(samples[0][0], in.scale, in.surface.precision))};
  const auto out = chip.infer_any(feeds);
  CHECK((out == quantised::evaluate_any(prepared.integers,
                                           std::span<const quantised::feed>(feeds),
                                           quantised::order_of(Hw::spec))));
  CHECK(chip.trace_differences(feeds) == 0);
  const auto found = quantised::real_of(out.at(0), chip.program().outputs[0].scale);
  const auto expected = net::evaluate(network, samples[0][0]).at(0);
  REQUIRE(found.shape == expected.shape);
  double noise = 0, signal = 0;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    const double y{expected.values[i]}, difference = y - found.values[i];
    noise += difference * difference;
    signal += y * y;
  }
  CHECK(noise < error * error * signal);
}

net::graph fully_connected(net::shape in, std::int32_t outputs) {
  randomness random(3);
  net::graph g;
  const auto x = g.add("x", net::input{in});
  net::fully_connected op{.outputs = outputs, .relu = true};
  op.weights = random.reals(in.size() * static_cast<std::size_t>(outputs));
  op.bias = random.reals(static_cast<std::size_t>(outputs));
  g[g.add("words", std::move(op), {x})].output = true;
  net::infer_shapes(g);
  return g;
}

// Every kind of SDP's operands: none, one for each channel, one for each element.
net::graph element_by_element(net::shape in) {
  randomness random(4);
  const auto channels = static_cast<std::size_t>(in.c);
  net::graph g;
  const auto x = g.add("x", net::input{in});
  const auto scaled = g.add("scaled", net::scale{random.reals(channels), random.reals(channels)},
                            {x});
  const auto sloped = g.add("sloped", net::prelu{random.reals(channels)}, {scaled});
  const auto positive = g.add("positive", net::relu{}, {x});
  const auto sum = g.add("sum", net::add{}, {sloped, positive});
  net::constant factors{net::float_tensor{in}};
  factors.value.values = random.reals(in.size());
  g[g.add("product", net::multiply{}, {sum, g.add("factors", factors, {})})].output = true;
  net::infer_shapes(g);
  return g;
}

// The outputs of a detector, pixel by pixel: [h][w][c], then c numbers of a pixel cut in fours.
net::graph boxes_of_pixels(net::shape in) {
  net::graph g;
  const auto x = g.add("x", net::input{in});
  net::box by_pixel{.loops = {{{in.c, {0, 0, 1}, {1, 0, 0}}, {in.w, {0, 1, 0}, {0, 0, 1}},
                               {in.h, {1, 0, 0}, {0, 1, 0}}}}};
  const auto turned = g.add("turned", net::move{{in.h, in.w, in.c}, {{by_pixel}}}, {x});
  const net::shape cut{in.c / 4 * in.h * in.w, 4, 1};
  g[g.add("boxes", net::reshape{cut}, {turned})].output = true;
  net::infer_shapes(g);
  return g;
}

}  // namespace

TEST_CASE("a fully connected layer of more outputs than a convolution has kernels") {
  check<nv_small>(fully_connected({8, 2, 3}, 10000), hw::precision::int8, 0.03);
}

TEST_CASE("a fully connected layer over more lines and columns than a kernel has") {
  check<nv_small>(fully_connected({3, 40, 33}, 10), hw::precision::int8, 0.05);
}

TEST_CASE("SDP over more channels, lines or columns than it counts") {
  for (const net::shape in : {net::shape{8200, 2, 1}, {3, 8200, 2}, {9, 1, 16400}}) {
    CAPTURE(in);
    check<nv_small>(element_by_element(in), hw::precision::int8, 0.05);
    check<nv_full>(element_by_element(in), hw::precision::fp16, 0.002);
  }
}

// Neighbours of the result come from the ends of lines and the beginnings of the next.
TEST_CASE("elements that are farther from each other than a cube has channels") {
  const auto network = boxes_of_pixels({12, 30, 40});
  constexpr std::uint64_t layers = 6720;
  CHECK(lower::check<nv_full>(network, {}, layers - 1).size() == 1);
  check<nv_small>(network, hw::precision::int8, 0.02, layers);
  check<nv_full>(network, hw::precision::int8, 0.02, layers);
  check<nv_full>(network, hw::precision::fp16, 0.001, layers);
}
