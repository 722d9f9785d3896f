// SPDX-License-Identifier: Apache-2.0
// Layers that cannot run are refused by name, all at once.
#include <doctest/doctest.h>

#include <string>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

using namespace nvdlac;
using quantised::graph;

namespace {

quantised::convolution convolution(std::int32_t channels, std::int32_t kernels, net::window w,
                                      std::int32_t groups = 1) {
  quantised::convolution op{.kernels = kernels, .window = w, .groups = groups};
  op.weights.assign(static_cast<std::size_t>(channels / groups * kernels * w.kernel_h * w.kernel_w),
                    1);
  op.bias.assign(static_cast<std::size_t>(kernels), 0);
  op.multiplier.assign(static_cast<std::size_t>(kernels), 1);
  return op;
}

template <class Hw = nv_small>
std::string refusal(graph g) {
  for (graph::id n = 0; n < g.size(); ++n) g[n].output = g[n].output || g.consumers(n).empty();
  net::infer_shapes(g);
  try {
    lower::lower<Hw>(g, "refused");
  } catch (const error& e) {
    return e.what();
  }
  return "nothing";
}

std::string refusal_of_convolution(net::shape in, std::int32_t kernels, net::window w) {
  graph g;
  const auto i = g.add("in", quantised::input{in});
  g.add("conv1", convolution(in.c, kernels, w), {i});
  return refusal(std::move(g));
}

bool names(const std::string& text, std::string_view part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a convolution beyond a limit names layer, hardware and limit") {
  const auto large = refusal_of_convolution({1, 40, 40}, 8, {.kernel_h = 33, .kernel_w = 3});
  CHECK(names(large, "layer 'conv1'"));
  CHECK(names(large, "1x40x40 by 33x3"));
  CHECK(names(large, "nv_small"));
  CHECK(names(large, "at most 32 x 32"));
  CHECK(names(refusal_of_convolution({1, 40, 40}, 8, {.stride_h = 9}), "a stride is at most 8"));
  CHECK(names(refusal_of_convolution({1, 40, 40}, 8, {.kernel_h = 2, .dilation_h = 33}),
              "a dilation is at most 32"));
  CHECK(names(
      refusal_of_convolution({1, 40, 40}, 8, {.kernel_h = 20, .pad_top = 32, .dilation_h = 2}),
      "padded by at most 31"));
  CHECK(names(refusal_of_convolution({1, 1, 1}, 8193, {}), "at most 8192 kernels"));
  CHECK(names(refusal_of_convolution({8193, 1, 1}, 8, {}), "at most 8192 wide"));
  CHECK(names(refusal_of_convolution({2048, 12, 12}, 1, {.kernel_h = 12, .kernel_w = 12}),
              "262144 bytes"));
  CHECK(names(refusal_of_convolution({512, 16, 16}, 1, {.kernel_h = 16, .kernel_w = 16}),
              "do not fit the convolution buffer"));
}

TEST_CASE("all layers that cannot run are named together") {
  graph g;
  const auto in = g.add("in", quantised::input{{8, 40, 40}});
  const auto a = g.add("too_tall", convolution(8, 8, {.kernel_h = 33}), {in});
  g.add("too_far", convolution(8, 8, {.stride_w = 9}), {a});
  const auto text = refusal(std::move(g));
  CHECK(names(text, "'too_tall'"));
  CHECK(names(text, "'too_far'"));
}

TEST_CASE("a picture is read by plain convolutions only") {
  const auto with = [](auto op, net::shape shape = {3, 8, 8}) {
    graph g;
    const auto in = g.add("picture", quantised::input{shape, quantised::pixels{}});
    g.add("reader", std::move(op), {in});
    return refusal(std::move(g));
  };
  CHECK(with(convolution(3, 8, {.kernel_h = 3, .kernel_w = 3})) == "nothing");
  CHECK(
      names(with(quantised::pool{.window = {.kernel_h = 2, .kernel_w = 2}}), "layer 'picture'"));
  CHECK(names(with(convolution(4, 8, {}, 2), {4, 8, 8}), "only convolutions of one group"));
  CHECK(names(with(convolution(3, 8, {.kernel_h = 2, .dilation_h = 2})), "is not dilated"));
  graph g;
  const auto in = g.add("picture", quantised::input{{1, 8, 8}, quantised::pixels{}});
  g.add("reader", convolution(1, 8, {}), {in});
  g[in].output = true;
  CHECK(names(refusal(std::move(g)), "layer 'picture'"));
}
