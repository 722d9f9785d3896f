// SPDX-License-Identifier: Apache-2.0
#include "floor.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <span>

#include <nvdlac/net/builder.hpp>
#include <nvdlac/prepare.hpp>
#include <nvdlac/quant/quantise.hpp>
#include <nvdlac/quantised/numbers.hpp>

using namespace nvdlac;

namespace {

net::float_tensor noise(net::shape s, std::uint32_t seed) {
  std::mt19937 random(seed);
  net::float_tensor t{s};
  for (float& v : t.values) v = static_cast<float>(random() % 2001) / 1000 - 1;
  return t;
}

// A convolution with ReLU and one more behind it.
net::graph two_convolutions() {
  net::graph g;
  const auto filters = [](std::int32_t kernels, std::int32_t channels) {
    net::convolution c{.kernels = kernels, .window = {.kernel_h = 3, .kernel_w = 3}};
    c.weights = noise({kernels, channels, 9}, static_cast<std::uint32_t>(kernels)).values;
    return c;
  };
  auto first = filters(6, 3);
  first.relu = true;
  const auto x = g.add("x", net::input{.shape = {3, 9, 9}});
  const auto a = g.add("a", first, {x});
  const auto b = g.add("b", filters(4, 6), {a});
  g[b].output = true;
  CHECK(net::verify(g).empty());
  return g;
}

struct measured {
  double error = 0, expected = 0;
};
// `change` spoils the scales between calibration and quantisation.
measured measure(void (*change)(quant::scale_table&)) {
  const auto g = two_convolutions();
  std::vector<std::vector<net::float_tensor>> samples;
  for (std::uint32_t s = 0; s < 4; ++s) samples.push_back({noise({3, 9, 9}, 10 + s)});
  const compile_options options{};
  auto network = prepare(g, std::span<const sample>(samples), options, pass::silent{},
                         [](net::graph&) {});
  change(network.scales);
  const auto integers = quant::quantise(network.graph, network.scales, {});
  const std::vector<quantised::feed> feeds{quantised::feed{
      quant::feeds_of(integers, samples[0], std::nullopt).front()}};
  const auto given = quantised::evaluate_any(integers, std::span(feeds)).front();
  const auto n = integers.outputs().front();
  const auto real = quantised::real_of(given, integers[n].scale, integers[n].zero);
  const auto e = judge::expected_error_of(network.graph, network.scales, {}, samples, 0, false, 1);
  measured m{.expected = e.rms.front()};
  for (std::size_t i = 0; i < real.values.size(); ++i)
    m.error += std::pow(double{real.values[i]} - double{e.exact[0].values[i]}, 2);
  m.error = std::sqrt(m.error / static_cast<double>(real.values.size()));
  return m;
}

}  // namespace

TEST_CASE("the error of rounding is what the floor expects") {
  const auto m = measure([](quant::scale_table&) {});
  CHECK(m.error < judge::explained * m.expected);
  CHECK(m.error > m.expected / judge::explained);
}

TEST_CASE("a scale that is too small or far too large is beyond the floor") {
  const auto small = measure([](quant::scale_table& t) {
    t.entries.at(1).range = t.entries.at(1).range.over(4);
  });
  CHECK(small.error > judge::explained * small.expected);
  const auto large = measure([](quant::scale_table& t) {
    t.entries.at(1).range = t.entries.at(1).range.times(64);
  });
  CHECK(large.error > judge::explained * large.expected);
}

TEST_CASE("equal values are off by the same, which adds up in their sum") {
  net::graph g;
  net::convolution ones{.kernels = 1};
  ones.weights = std::vector<float>(64, 1.0F);
  const auto x = g.add("x", net::input{.shape = {64, 1, 1}});
  const auto sum = g.add("sum", ones, {x});
  g[sum].output = true;
  CHECK(net::verify(g).empty());
  const auto expected = [&](const net::float_tensor& values) {
    net::float_tensor range{{64, 1, 1}};
    for (std::size_t i = 0; i < 64; ++i) range.values[i] = i % 2 == 0 ? 1.0F : -1.0F;
    const std::vector<std::vector<net::float_tensor>> samples{{values}, {range}};
    double all = 0;  // of several seeds
    for (std::uint64_t seed = 1; seed <= 8; ++seed)
      all += judge::expected_error_of(g, {}, {}, samples, 0, false, seed).rms.front();
    return all / 8;
  };
  net::float_tensor same{{64, 1, 1}};
  same.values.assign(64, 0.37F);
  CHECK(expected(same) > 3 * expected(noise({64, 1, 1}, 3)));
}
