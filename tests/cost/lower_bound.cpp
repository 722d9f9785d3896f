// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/cost/lower_bound.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/net/graph.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

using namespace nvdlac;

namespace {

struct kernels {
  std::int32_t count, channels, size = 1, groups = 1, stride = 1, pad = 0;
};
quantised::convolution convolution(const kernels& k, std::int8_t weight = 1) {
  quantised::convolution c{.kernels = k.count,
                           .window = {.kernel_h = k.size, .kernel_w = k.size,
                                      .stride_h = k.stride, .stride_w = k.stride,
                                      .pad_top = k.pad, .pad_left = k.pad, .pad_bottom = k.pad,
                                      .pad_right = k.pad},
                           .groups = k.groups};
  c.weights.assign(static_cast<std::size_t>(k.count * k.channels / k.groups * k.size * k.size),
                   weight);
  c.bias.assign(static_cast<std::size_t>(k.count), 0);
  c.multiplier.assign(static_cast<std::size_t>(k.count), 1);
  return c;
}

quantised::graph network(net::shape in, const std::vector<quantised::convolution>& layers) {
  quantised::graph g;
  auto last = g.add("data", quantised::input{.shape = in});
  for (std::size_t i = 0; i < layers.size(); ++i)
    last = g.add("conv" + std::to_string(i), layers[i], {last});
  g[last].output = true;
  net::infer_shapes(g);
  return g;
}

template <class Hw>
cost::lower_bound bound(const quantised::graph& g, std::int32_t pictures = 1) {
  auto m = cost::memory_of(Hw::spec);
  m.read_latency = 64;
  return cost::lower_bound_of(g, Hw::spec, m, pictures);
}

}  // namespace

TEST_CASE("products fill all MACs, but for taps that meet padding") {
  const auto inner = network({64, 28, 28}, {convolution({64, 64, 3})});
  CHECK(bound<nv_small>(inner).mac == 26 * 26 * 9 * 8 * 8);
  CHECK(bound<nv_small>(inner).limited_by() == cost::limit::mac);
  CHECK(bound<nv_large>(inner).mac == 26 * 26 * 9 * 2);
  // The first and the last of 28 lines have two of three taps.
  const auto padded = network({64, 28, 28}, {convolution({64, 64, 3, 1, 1, 1})});
  CHECK(bound<nv_small>(padded).mac == (28 * 3 - 2) * (28 * 3 - 2) * 8 * 8);
  CHECK(bound<nv_small>(padded, 4).mac == 4 * bound<nv_small>(padded).mac);
  // A depthwise kernel is the only one that its channel has.
  const auto depthwise = network({64, 28, 28}, {convolution({64, 64, 3, 64})});
  CHECK(bound<nv_small>(depthwise).mac == 26 * 26 * 9 * 64 / 8);
}

TEST_CASE("a fully connected layer waits for the cells to take its weights, or for the memory") {
  const auto g = network({1024, 1, 1}, {convolution({512, 1024})});
  CHECK(bound<nv_small>(g).mac == 512 * 1024 / 8);
  CHECK(bound<nv_small>(g).memory == (512 * 1024 + 1024) / 8);
  CHECK(bound<nv_small>(g).limited_by() == cost::limit::memory);
  // Weights come once for several pictures.
  CHECK(bound<nv_small>(g, 8).mac == 512 * 1024 / 8);
  CHECK(bound<nv_small>(g, 8).memory == (512 * 1024 + 8 * 1024) / 8);
}

TEST_CASE("results leave by SDP, eight lanes and a cycle between on nv_small") {
  const auto g = network({8, 28, 28}, {convolution({64, 8})});
  CHECK(bound<nv_small>(g).output == 28 * 28 * 8 * 9);
  CHECK(bound<nv_small>(g).limited_by() == cost::limit::output);
}

TEST_CASE("tensors are read once, but as an operand, and written where somebody reads them") {
  quantised::graph g = network({64, 8, 8}, {convolution({64, 64}), convolution({64, 64})});
  const auto cube = 64 * 64, weights = 64 * 64;
  // The input and the first result are read, that and the output written.
  CHECK(bound<nv_small>(g).memory == (2 * weights + 2 * cube) / 8);
  // Another reader of the first result finds it in the CBUF, SDP does not.
  const auto sibling = g.add("sibling", convolution({64, 64}), {1});
  g[g.add("sum", quantised::add{}, {sibling, 1})].output = true;
  net::infer_shapes(g);
  CHECK(bound<nv_small>(g).memory == (3 * weights + 3 * cube) / 8);
  // A stride beyond the window leaves lines and columns out.
  const auto strided = network({64, 8, 8}, {convolution({64, 64, 1, 1, 2})});
  CHECK(bound<nv_small>(strided).memory == (weights + cube / 4) / 8);
}

TEST_CASE("compressed weights are those beside 0 and a bit for each") {
  const auto zeros = network({1024, 1, 1}, {convolution({512, 1024}, 0)});
  const auto others = network({1024, 1, 1}, {convolution({512, 1024})});
  const auto width = nv_full::spec.dram.width_bits / 8;
  CHECK(bound<nv_full>(others).memory == (512 * 1024 + 1024) / width);
  CHECK(bound<nv_full>(zeros).memory == (512 * 1024 / 8 + 1024) / width);
}

TEST_CASE("a network without a layer needs nothing") {
  const auto none = bound<nv_small>(network({3, 4, 4}, {}));
  CHECK(none.cycles() == 0);
  CHECK(none.limited_by() == cost::limit::none);
}
