// SPDX-License-Identifier: Apache-2.0
// Convolutions that are padded by as much as their kernels, or more: the kernel stays what it is,
// and the result is that of the reference.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <random>

#include <nvdlac/quantised/graph.hpp>

#include "compiled.hpp"

using namespace nvdlac;
using hw::precision;

namespace {

std::mt19937 random_bits(1501);
std::int32_t below(std::int32_t n) {
  return static_cast<std::int32_t>(random_bits() % static_cast<std::uint32_t>(n));
}

// In fp16, of small magnitude.
std::int16_t number(precision p) {
  const auto bits = random_bits();
  if (p != precision::fp16) return static_cast<std::int16_t>(bits);
  return static_cast<std::int16_t>((bits & 0x83ff) | 0x3000u | (random_bits() & 0x400));
}

quantised::graph network(net::shape in, const net::window& w, std::int32_t kernels,
                            std::int32_t groups, precision p, bool pixels = false) {
  quantised::convolution op{.kernels = kernels, .window = w, .groups = groups, .relu = true};
  const auto taps = static_cast<std::size_t>(in.c / groups * w.kernel_h * w.kernel_w * kernels);
  std::vector<std::int8_t> weights(p == precision::int8 ? taps : 0);
  std::vector<std::int16_t> wide(p == precision::int8 ? 0 : taps), bias, multiplier;
  for (auto& v : weights) v = static_cast<std::int8_t>(random_bits());
  for (auto& v : wide) v = number(p);
  for (std::int32_t k = 0; k < kernels; ++k) bias.push_back(number(p));
  for (std::int32_t k = 0; k < kernels; ++k)
    multiplier.push_back(p == precision::fp16 ? number(p)
                                              : static_cast<std::int16_t>(1 + below(900)));
  op.weights = weights;
  op.wide_weights = wide;
  op.bias = bias;
  op.multiplier = multiplier;
  if (p == precision::int8) {
    op.shift = 15;
    op.pad = static_cast<std::int8_t>(below(2) * -128);
  }
  if (p == precision::int16) {
    op.shift = 20;
    op.bias_shift = 8;
  }
  quantised::graph g;
  quantised::input input{.shape = in};
  if (pixels) input.pixels = quantised::pixels{.mean = {3, 100, -7, 0}};
  const auto data = g.add("data", input);
  const auto conv = g.add("conv", op, {data});
  g[data].precision = g[conv].precision = p;
  g[conv].output = true;
  net::infer_shapes(g);
  return g;
}

quantised::feed feed(const quantised::graph& g) {
  const auto& in = std::get<quantised::input>(g[0].op);
  if (in.pixels) {
    std::vector<std::uint8_t> bytes(in.shape.size());
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random_bits());
    return bytes;
  }
  auto t = net::make_tensor(g[0].precision, in.shape);
  std::visit([&]<class T>(net::tensor<T>& typed) {
    for (auto& v : typed.values)
      if constexpr (sizeof(T) == 1) v = static_cast<T>(random_bits());
      else v = std::bit_cast<T>(number(g[0].precision));
  }, t);
  return quantised::feed_of(std::move(t));
}

template <class Target>
void expect_agreement(const Target& target, const quantised::graph& g) {
  compiled on(target, g);
  const std::vector<quantised::feed> feeds{feed(g)};
  CHECK(on.infer_any(feeds) ==
        quantised::evaluate_any(g, std::span<const quantised::feed>(feeds)));
  CHECK(on.trace_differences(feeds) == 0);
}

std::vector<const layer::convolution*> convolutions(const plan::program_data& p) {
  std::vector<const layer::convolution*> found;
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations)
      if (const auto* c = std::get_if<layer::convolution>(&op.layer.what)) found.push_back(c);
  return found;
}

}  // namespace

TEST_CASE("a 1x1 kernel that is padded by 1 stays one") {
  const auto g = network({32, 13, 13}, {.pad_top = 1, .pad_left = 1, .pad_bottom = 1,
                                        .pad_right = 1}, 100, 1, precision::int8);
  const auto& target = hardware<nv_small>();
  compiled on(target, g);
  const auto all = convolutions(on.program());
  std::int32_t rows = 0;  // of all tiles
  for (const auto* c : all) {
    CHECK(c->window == net::window{});
    CHECK(c->output.w == 13);
    CHECK(c->weights.size == 3200);  // nine times as much as a 3x3 kernel of zeros around it
    rows += c->output.h;
  }
  CHECK(rows == 13);
  expect_agreement(target, g);
}

TEST_CASE("convolutions that see nothing but padding at their edges agree with the reference") {
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    net::window w{.kernel_h = 1 + below(3), .kernel_w = 1 + below(3), .stride_h = 1 + below(4),
                  .stride_w = 1 + below(4), .dilation_h = 1 + below(2), .dilation_w = 1 + below(2)};
    for (auto* pad : {&w.pad_top, &w.pad_left, &w.pad_bottom, &w.pad_right}) *pad = below(7);
    const auto groups = 1 + below(2);
    const net::shape in{groups * (1 + below(20)), 1 + below(6), 1 + below(6)};
    if (w.extent_h() > in.h + w.pad_top + w.pad_bottom) continue;
    if (w.extent_w() > in.w + w.pad_left + w.pad_right) continue;
    const auto p = static_cast<precision>(round % 3);
    const auto g = network(in, w, groups * (1 + below(20)), groups, p);
    expect_agreement(hardware<nv_full>(), g);
    if (p == precision::int8) expect_agreement(hardware<nv_small>(), g);
  }
}

TEST_CASE("pixels are read by a kernel with zeros around it where their padding reaches beyond") {
  const net::window w{.stride_w = 2, .pad_top = 1, .pad_left = 1, .pad_right = 1};
  const auto g = network({3, 6, 9}, w, 9, 1, precision::int8, true);
  const auto& target = hardware<nv_small>();
  CHECK(convolutions(compiled(target, g).program())[0]->window.kernel_w == 3);
  expect_agreement(target, g);
}
