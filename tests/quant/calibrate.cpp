// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/calibrate.hpp>

#include <algorithm>
#include <limits>

#include <doctest/doctest.h>

#include "networks.hpp"

using namespace quant_test;

namespace {

const std::vector<net::float_tensor> two_samples{{{2, 2, 2}, {0, 0.5F, 1, -2, 0, 0, 0, 0}},
                                                 {{2, 2, 2}, {0, 0.5F, 1, 1, 3, 0, 0, 0}}};

quant::scale_table calibrated(const net::graph& g) {
  return quant::calibrate<quant::min_max>(g, two_samples);
}

}  // namespace

TEST_CASE("the largest magnitude over all samples becomes 127") {
  net::graph g;
  const auto in = g.add("in", net::input{{2, 2, 2}});
  mark(g, g.add("twice", net::scale{.factor = {2, -4}}, {in}));
  const auto table = calibrated(g);
  CHECK(table.method == "min-max");
  CHECK(table.find("in") == doctest::Approx(3.0 / 127));
  CHECK(table.find("twice") == doctest::Approx(12.0 / 127));
}

TEST_CASE("what observers counted is told of every tensor that has one") {
  net::graph g;
  const auto in = g.add("in", net::input{{2, 2, 2}});
  mark(g, g.add("relu", net::relu{}, {in}));
  const quant::sample_stream samples{two_samples.size(), [&](const auto& visit) {
                                       for (const auto& s : two_samples) visit({s});
                                     }};
  std::vector<std::string> told;
  const auto counted = [&](const std::string& layer, const quant::magnitudes& seen) {
    told.push_back(layer);
    CHECK(seen.total() == 16);
    CHECK(seen.largest() == 3);
  };
  const auto silent = [](std::size_t, std::size_t) {};
  quant::calibrate<quant::any_observer>(g, samples, silent, quant::percentile{}, counted);
  CHECK(told == std::vector<std::string>{"in"});  // relu shares its integers
  quant::calibrate<quant::any_observer>(g, samples, silent, quant::min_max{}, counted);
  CHECK(told.size() == 1);
}

TEST_CASE("tensors that share integers share scales") {
  net::graph g;
  const auto in = g.add("in", net::input{{2, 2, 2}});
  const auto relu = g.add("relu", net::relu{}, {in});
  const auto pool = g.add("pool", net::pool{.global = true}, {relu});
  const auto tenth = g.add("tenth", net::scale{.factor = {0.1F, 0.1F}}, {pool});
  mark(g, g.add("flat", net::flatten{}, {tenth}));
  const auto table = calibrated(g);
  const double in_scale = table.find("in").value();
  CHECK(table.find("relu") == in_scale);
  CHECK(table.find("pool") == in_scale);
  CHECK(table.find("tenth") == doctest::Approx(0.1 * in_scale));
  CHECK(table.find("flat") == table.find("tenth"));
}

TEST_CASE("an average has the scale of its own values") {
  net::graph g;
  const auto in = g.add("in", net::input{{2, 2, 2}});
  mark(g, g.add("mean", net::pool{.kind = net::pool_kind::average, .global = true}, {in}));
  double top = 0;
  for (const auto& x : two_samples) {
    const auto means = net::evaluate(g, x);
    for (const float v : means[0].values) top = std::max(top, std::fabs(double{v}));
  }
  CHECK(calibrated(g).find("mean") == doctest::Approx(top / 127));
}

TEST_CASE("dead tensors get the scale of values up to 1, constants all their range") {
  net::graph g;
  const auto in = g.add("in", net::input{{2, 2, 2}});
  const auto zero =
      g.add("zero", net::convolution{.kernels = 3, .weights = std::vector<float>(6)}, {in});
  net::float_tensor value{{3, 2, 2}};
  value.values[7] = -254;
  const auto known = g.add("known", net::constant{value});
  mark(g, g.add("sum", net::add{}, {zero, known}));
  const auto table = quant::calibrate<quant::percentile>(
      g, two_samples, [](std::size_t, std::size_t) {}, {.percent = 50});
  CHECK(table.find("zero") == doctest::Approx(1.0 / 127));
  CHECK(table.find("known") == 2);
}

TEST_CASE("values that are not finite name layer and sample") {
  net::graph g;
  const auto in = g.add("in", net::input{{2, 2, 2}});
  mark(g, g.add("boom", net::scale{.factor = {3e38F, 1}}, {in}));
  auto samples = two_samples;
  samples[0].values[3] = 0;  // 2 is the first that overflows
  samples[1].values[3] = 2;
  CHECK_THROWS_WITH_AS(
      quant::calibrate(g, samples),
      doctest::Contains("layer 'boom': value 3 of its tensor is inf for calibration sample 1"),
      error);
  samples[0].values[0] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_WITH_AS(quant::calibrate(g, samples), doctest::Contains("layer 'in': value 0"),
                       error);
}

namespace {

// Observes a range that none can be.
struct without_range {
  static constexpr std::string_view name = "none";
  double seen = 0;
  void observe(std::span<const float>) {}
  double range() const { return seen; }
};

}  // namespace

TEST_CASE("a range that an observer of the user's gives and that is none is an error") {
  net::graph g;
  const auto in = g.add("in", net::input{{2, 2, 2}});
  const auto inner = g.add("inner", net::scale{.factor = {2, -4}}, {in});
  mark(g, g.add("out", net::scale{.factor = {3, 1}}, {inner}));
  for (const double none : {std::numeric_limits<double>::quiet_NaN(), -1.0}) {
    CAPTURE(none);
    const auto table =
        quant::calibrate<without_range>(g, two_samples, [](auto, auto) {}, {.seen = none});
    diagnostics found;
    quant::check(table, found);
    REQUIRE(!found.empty());
    CHECK(found.problems()[0].reason.ends_with("is not usable"));
  }
}

TEST_CASE("without samples there is nothing to calibrate") {
  net::graph g;
  mark(g, g.add("in", net::input{{2, 2, 2}}));
  CHECK_THROWS_WITH_AS(quant::calibrate(g, std::vector<net::float_tensor>{}),
                       doctest::Contains("no calibration samples"), error);
}

TEST_CASE("progress is told after every sample, and runs do not differ") {
  net::graph g;
  mark(g, g.add("in", net::input{{2, 2, 2}}));
  std::vector<std::size_t> done;
  const auto first = quant::calibrate(g, two_samples, [&](std::size_t i, std::size_t all) {
    CHECK(all == 2);
    done.push_back(i);
  });
  CHECK(done == std::vector<std::size_t>{1, 2});
  CHECK(quant::calibrate(g, two_samples) == first);
}

TEST_CASE("what reaches above 0 less far than below has room there, unless it is compared") {
  const auto high_of = [](const quant::scale_table& table, const char* layer) {
    return std::ranges::find(table.entries, layer, &quant::scale_table::entry::layer)->high;
  };
  const std::vector<net::float_tensor> samples{{{2, 1, 1}, {-8, 1}}, {{2, 1, 1}, {-7, 2}}};
  net::graph g;
  const auto in = g.add("in", net::input{{2, 1, 1}});
  const auto logits = g.add("logits", net::scale{.factor = {1, 1}, .bias = {0, 0.5F}}, {in});
  const auto scores = g.add("scores", net::activation{net::function::sigmoid}, {logits});
  mark(g, scores);
  const auto classes = g.add("classes", net::scale{.factor = {1, 1}, .bias = {0, 0.5F}}, {in});
  mark(g, g.add("prob", net::softmax{}, {classes}));
  mark(g, g.add("out", net::scale{.factor = {1, 1}, .bias = {0, 0.5F}}, {in}));
  const auto table = quant::calibrate<quant::min_max>(g, samples);
  REQUIRE(high_of(table, "logits"));
  CHECK(*high_of(table, "logits") == doctest::Approx(2.5 + (8 - 2.5) / 2));
  for (const char* layer : {"classes", "out", "scores"}) {
    CAPTURE(layer);
    CHECK_FALSE(high_of(table, layer));
  }
}

TEST_CASE("outputs and what a softmax reads keep their whole range, other tensors do not") {
  net::graph g;
  const auto in = g.add("in", net::input{{2, 2, 2}});
  const auto hidden = g.add("hidden", net::scale{.factor = {1, 2}}, {in});
  const auto logits = g.add("logits", net::scale{.factor = {1, 2}}, {hidden});
  const auto same = g.add("same", net::reshape{{8, 1, 1}}, {logits});
  mark(g, g.add("prob", net::softmax{}, {same}));
  const quant::percentile median{.percent = 80};
  const auto table = quant::calibrate(g, two_samples, [](std::size_t, std::size_t) {}, median);
  CHECK(table.find("hidden").value() < 3.0 / 127);
  CHECK(table.find("logits") == doctest::Approx(12.0 / 127));
  CHECK(table.find("same") == table.find("logits"));
}
