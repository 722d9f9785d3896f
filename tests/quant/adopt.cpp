// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/adopt.hpp>
#include <nvdlac/quant/calibrate.hpp>

#include <doctest/doctest.h>

#include <nvdlac/host/arg_max.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/quant/quantise.hpp>

#include "networks.hpp"

using namespace quant_test;

namespace {

struct fixture {
  net::graph original{}, g{};

  fixture() {
    const auto in = original.add("in", net::input{{1, 2, 2}});
    const auto conv = original.add("conv", net::convolution{.weights = {2}}, {in});
    const auto relu = original.add("relu", net::relu{}, {conv});
    const auto pool =
        original.add("pool", net::pool{.window = {.kernel_h = 2, .kernel_w = 2}}, {relu});
    mark(original, original.add("prob", net::softmax{}, {pool}));
    g = original;
    pass::standard::run(g);
    REQUIRE(g.size() == 4);
  }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "where layers were fused the last one's scale counts") {
  const auto table = quant::adopt(
      {.entries = {{"in", 1}, {"conv", 2}, {"relu", 3}, {"pool", 4}, {"prob", 5}}}, original, g);
  CHECK(table.find("conv") == 3);
  CHECK_NOTHROW(quant::quantise(g, table));
  CHECK(quant::adopt({.entries = {{"in", 1}, {"conv", 2}}}, original, g).find("conv") == 2);
}

TEST_CASE_FIXTURE(fixture, "unknown and missing layers are named, together") {
  CHECK_THROWS_WITH_AS(
      quant::adopt({.entries = {{"in", 1}, {"convolution", 2}}, .file = "t.json"}, original, g),
      "t.json: layer 'convolution': is in the scale table but not in the network\n"
      "t.json: layer 'conv': no scale of its values is known (calibrate with this network; to "
      "keep what the table has, --calibration with --scales or --keep-scales, in C++ "
      "compile_options::known)",
      error);
}

TEST_CASE("the parts of a layer that the passes made a sum have ranges of twice the layer's") {
  net::graph original;
  const auto in = original.add("in", net::input{{1, 33, 70}});
  const std::vector<float> weights(33 * 70 * 2, 0.5F);
  mark(original, original.add("y", net::fully_connected{.outputs = 2, .weights = weights}, {in}));
  auto g = original;
  pass::standard::run(g);
  const auto table = quant::adopt({.entries = {{"in", 1}, {"y", 3}}}, original, g);
  CHECK_NOTHROW(quant::quantise(g, table));
  CHECK(table.find("y") == 3);
  std::size_t parts = 0;
  for (const auto& e : table.entries) {
    if (!e.layer.starts_with("y/part") && !e.layer.starts_with("y/sum")) continue;
    ++parts;
    CHECK(e.range.step() == 6);
  }
  CHECK(parts > 3);
}

TEST_CASE_FIXTURE(fixture, "a table that no user gave is none that he is told of") {
  CHECK_THROWS_WITH_AS(
      quant::adopt({.entries = {{"in", 1}}}, original, g),
      doctest::Contains("layer 'conv': no scale of its values is known (calibrate with"), error);
}

TEST_CASE("a layer that counts needs no scale of a table") {
  net::graph g;
  const auto in = g.add("in", net::input{{5, 2, 2}});
  const auto conv = g.add(
      "conv", net::convolution{.kernels = 21, .weights = std::vector<float>(105, 1)}, {in});
  mark(g, g.add("place", host::on_host(host::arg_max{}), {conv}));
  quant::scale_table own{.entries = {{"in", 1}, {"conv", 2}}};
  CHECK_NOTHROW(quant::quantise(g, quant::adopt(own, g, g)));
  quant::complete(own, g, [](const std::string&) { return false; });  // as a reader does
  CHECK(own.find("place") == doctest::Approx(20.0 / 127));
  const auto q = quant::quantise(g, quant::adopt(own, g, g));
  CHECK(q[q.outputs().at(0)].scale == 1);
}

TEST_CASE_FIXTURE(fixture, "a table of this network is adopted as it is") {
  const std::vector<net::float_tensor> samples{{{1, 2, 2}, {1, 2, 3, 4}}};
  const auto table = quant::calibrate(g, samples);
  CHECK(quant::adopt(table, original, g) == table);
}

TEST_CASE_FIXTURE(fixture, "a calibration completes a table") {
  const std::vector<net::float_tensor> samples{{{1, 2, 2}, {1, 2, 3, 4}}};
  const auto all = quant::calibrate(g, samples);
  const auto table = quant::completed(all, {.entries = {{"relu", 3, {}, -0.5}}}, original, g);
  REQUIRE(table.entries.size() == all.entries.size());
  for (std::size_t i = 0; i < all.entries.size(); ++i) {
    auto expected = all.entries[i];
    if (expected.layer == "conv") {  // with its ReLU
      expected.range = 3;
      expected.low = -0.5;
      expected.measured = false;
    }
    CHECK(table.entries[i] == expected);
  }
  CHECK_THROWS_WITH_AS(
      quant::completed(all, {.entries = {{"gone", 1}, {"in", -1}}, .file = "t.json"}, original, g),
      "t.json: layer 'in': scale -1 is not usable (a scale is a positive number)\n"
      "t.json: layer 'gone': is in the scale table but not in the network",
      error);
}

TEST_CASE_FIXTURE(fixture, "a layer too many is a warning for who takes warnings") {
  std::vector<std::string> warnings;
  const auto table = quant::adopt({.entries = {{"in", 1}, {"conv", 2}, {"gone", 3}}, .file = "t"},
                                  original, g, [&](const problem& p) {
                                    warnings.push_back(to_string(p));
                                  });
  CHECK(table.find("conv") == 2);
  CHECK(table.entries.size() == 2);
  CHECK(warnings == std::vector<std::string>{
                        "t: layer 'gone': is in the scale table but not in the network"});
}
