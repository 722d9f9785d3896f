// SPDX-License-Identifier: Apache-2.0
// Kernels of pixels whose lines CSC would read wrong get columns of zeros; the result stays.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <variant>
#include <vector>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "../sim/run_program.hpp"

using namespace nvdlac;

namespace {

std::mt19937 random_bits(1313);

// One convolution of a picture as wide as `w` needs for so many columns of output.
quantised::graph network(std::int32_t channels, net::window w, std::int32_t columns) {
  const net::shape in{channels, w.kernel_h + 1 - w.pad_top,
                      (columns - 1) * w.stride_w + w.kernel_w - w.pad_left - w.pad_right};
  quantised::convolution op{.kernels = 9, .window = w};
  std::vector<std::int8_t> weights(
      static_cast<std::size_t>(op.kernels * channels * w.kernel_h * w.kernel_w));
  for (auto& v : weights) v = static_cast<std::int8_t>(random_bits());
  op.weights = weights;
  op.bias.assign(9, 5);
  op.multiplier.assign(9, 700);
  op.shift = 21;
  op.pad = -3;
  quantised::graph g;
  const auto data = g.add("data", quantised::input{in, quantised::pixels{.mean = {3, 100}}});
  g[g.add("conv", op, {data})].output = true;
  net::infer_shapes(g);
  return g;
}

const layer::convolution& convolution(const plan::program_data& p) {
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations)
      if (const auto* c = std::get_if<layer::convolution>(&op.layer.what)) return *c;
  throw std::logic_error("no convolution");
}

// Lowers and runs the network; the columns of its kernel on CONV.
std::int32_t run_like_the_reference(const quantised::graph& g) {
  const auto p = plan::make_program<nv_small>(lower::lower<nv_small>(g, "picture"));
  CHECK(plan::verify(p).empty());
  std::vector<std::uint8_t> bytes(g.shape(0).size());
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random_bits());
  const quantised::feed picture = bytes;
  program_run<nv_small> run(p, 1);
  const auto wanted = quantised::evaluate(g, std::span(&picture, 1));
  CHECK(run.run({&picture, 1})[0] == wanted[0].values);
  return convolution(p).window.kernel_w;
}

}  // namespace

TEST_CASE("kernels of pixels of all widths run as CSC reads them, with the reference's result") {
  int widened = 0;
  for (const std::int32_t channels : {1, 3})
    for (std::int32_t width = 1; width <= 32; ++width)
      for (const std::int32_t columns : {1, 2, 16, 17}) {
        CAPTURE(channels);
        CAPTURE(width);
        CAPTURE(columns);
        net::window w{.kernel_h = 2, .kernel_w = width, .stride_w = 1 + width % 2};
        if (width > 2) {
          w.pad_left = 1;
          w.pad_right = width % 3 == 0;
        }
        widened += run_like_the_reference(network(channels, w, columns)) != width;
      }
  CHECK(widened > 30);
}

TEST_CASE("a kernel of pixels that is widened over its padding is so on the right as well") {
  // 3 and 2 * 5 columns of 4 channels are 52 elements, of which 4 are in the last block of 8.
  CHECK(run_like_the_reference(network(3, {.kernel_h = 2, .kernel_w = 3, .pad_left = 7,
                                           .pad_right = 4}, 17)) == 14);
  CHECK(run_like_the_reference(network(1, {.kernel_h = 1, .kernel_w = 3, .pad_left = 3,
                                           .pad_right = 9}, 12)) == 18);
}

TEST_CASE("a kernel of pixels becomes no wider than it must") {
  const auto width = [](const hw::spec& hw, std::int32_t channels, std::int32_t kernel,
                        std::int32_t out) {
    const auto w = lower::pixel_window(hw, channels, {.kernel_w = kernel}, out);
    CHECK(w.pad_right == w.kernel_w - kernel);
    CHECK(w.pad_left == 0);
    return w.kernel_w;
  };
  CHECK(width(nv_small::spec, 4, 11, 1) == 12);
  CHECK(width(nv_small::spec, 4, 11, 55) == 11);
  CHECK(width(nv_small::spec, 4, 7, 112) == 7);
  CHECK(width(nv_small::spec, 4, 31, 17) == 32);
  CHECK(width(nv_small::spec, 1, 17, 5) == 18);
  CHECK(width(nv_small::spec, 1, 25, 5) == 26);
  CHECK(width(nv_small::spec, 1, 25, 1) == 29);
  CHECK(width(nv_small_256::spec, 4, 25, 1) == 29);
  CHECK(width(nv_full::spec, 4, 25, 1) == 25);
}
