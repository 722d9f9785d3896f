// SPDX-License-Identifier: Apache-2.0
// The samples that an effort holds back, and its judge.
#include <nvdlac/quant/effort.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/network.hpp>
#include <nvdlac/quant/quantise.hpp>

#include "networks.hpp"

using namespace quant_test;

namespace {

quant::sample_stream counted(std::size_t count) {
  return {count, [count](const auto& visit) {
            for (std::size_t i = 0; i < count; ++i)
              visit({net::float_tensor{{1, 1, 1}, {static_cast<float>(i)}}});
          }};
}

std::vector<float> values_of(const quant::sample_stream& s) {
  std::vector<float> all;
  s.each([&](const auto& sample) { all.push_back(sample.at(0).values.at(0)); });
  CHECK(s.size == all.size());
  return all;
}

}  // namespace

TEST_CASE("an effort holds back every fourth sample") {
  const auto parts = [](std::size_t count) {
    const auto d = quant::divided(counted(count));
    return std::array{values_of(d.chosen_by), values_of(d.held_back)};
  };
  using numbers = std::vector<float>;
  CHECK(parts(1) == std::array{numbers{0}, numbers{0}});  // one is both
  CHECK(parts(2) == std::array{numbers{0}, numbers{1}});
  CHECK(parts(3) == std::array{numbers{0, 1}, numbers{2}});
  CHECK(parts(4) == std::array{numbers{0, 1, 2}, numbers{3}});
  CHECK(parts(9) == std::array{numbers{0, 1, 2, 4, 5, 6, 8}, numbers{3, 7}});
}

TEST_CASE("outputs are judged each by its squared error") {
  // Twice the input, and what of it is above 0.
  net::graph g;
  const auto in = g.add("in", net::input{{1, 1, 2}});
  const auto twice = g.add("twice", net::convolution{.kernels = 1, .weights = {2}}, {in});
  mark(g, twice);
  mark(g, g.add("above", net::relu{}, {twice}));
  net::infer_shapes(g);
  quant::scale_table scales{.entries = {{"in", 1}, {"twice", 4}, {"above", 3}}};
  const auto integers = quant::quantise(g, scales, quant::options{});
  const std::vector<quant::sample_stream::sample> samples{
      {net::float_tensor{{1, 1, 2}, {1, -3}}}, {net::float_tensor{{1, 1, 2}, {2, 5}}}};
  const quant::output_judge judge(g, quant::stream_of(samples), {}, 1);
  CHECK(judge.samples() == 2);
  // Twice: 2, -6, 4, 10 in steps of 4.
  const auto errors = judge.errors(integers);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0] == doctest::Approx((4 + 4 + 0 + 4) / (4.0 + 36 + 16 + 100)));
}

TEST_CASE("a softmax is judged by what it reads as well") {
  const auto network = [](bool with_softmax) {
    net::graph g;
    const auto in = g.add("in", net::input{{3, 1, 2}});
    const auto scores = g.add("scores", net::convolution{.kernels = 3, .groups = 3,
                                                         .weights = {3, -2, 1}}, {in});
    mark(g, with_softmax ? g.add("probabilities", net::softmax{}, {scores}) : scores);
    net::infer_shapes(g);
    return g;
  };
  std::mt19937 random(7);
  const std::vector<quant::sample_stream::sample> samples{{random_tensor(random, {3, 1, 2}, 3)},
                                                          {random_tensor(random, {3, 1, 2}, 3)}};
  const auto errors_of = [&](const net::graph& g) {
    quant::scale_table scales{
        .entries = {{"in", 0.05}, {"scores", 0.1}, {"probabilities", 1 / 127.0}}};
    if (g.size() == 2) scales.entries.pop_back();
    return quant::output_judge(g, quant::stream_of(samples), {}, 1)
        .errors(quant::quantise(g, scales, quant::options{}));
  };
  const auto with = errors_of(network(true)), without = errors_of(network(false));
  REQUIRE(with.size() == 2);
  REQUIRE(without.size() == 1);
  CHECK(with[0] > 0);
  CHECK(with[0] < 0.01);
  CHECK(with[1] == without[0]);
}

TEST_CASE("outputs that are worse are told with both errors") {
  net::graph g;
  const auto in = g.add("in", net::input{{1, 1, 1}});
  for (const char* name : {"a", "b", "c"})
    mark(g, g.add(name, net::convolution{.kernels = 1, .weights = {2}}, {in}));
  net::infer_shapes(g);
  quant::scale_table scales{.entries = {{"in", 1}, {"a", 1}, {"b", 1}, {"c", 1}}};
  const auto integers = quant::quantise(g, scales, quant::options{});
  const auto worse = quant::worse_outputs(integers, {0.01, 0.01, 0}, {0.01, 0.02, 0.001});
  REQUIRE(worse.size() == 2);
  CHECK(worse[0].layer == "b");
  CHECK(worse[0].reason == "SNR 17 dB, 20 dB by default");
  CHECK(worse[1].layer == "c");
  CHECK(worse[1].reason == "SNR 30 dB, exact by default");
  CHECK(quant::worse_outputs(integers, {1, 1, 1}, {1, 0.5, 0}).empty());
}
