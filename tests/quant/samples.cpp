// SPDX-License-Identifier: Apache-2.0
// Samples on several threads: what is seen, and what goes wrong, is that of one thread.
#include <nvdlac/quant/calibrate.hpp>
#include <nvdlac/quant/evaluate_samples.hpp>

#include <stdexcept>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include <nvdlac/net/network.hpp>

#include "networks.hpp"

using namespace quant_test;

namespace {

// Three layers whose evaluation takes turns of different lengths, and that are large enough for
// several threads.
net::graph layers_in_a_row() {
  net::graph g;
  const auto in = g.add("in", net::input{{2, 48, 48}});
  const auto wide = g.add("wide", net::convolution{.kernels = 16,
                                                   .window = net::square{.kernel = 3, .pad = 1},
                                                   .weights = std::vector<float>(288, 0.1F)}, {in});
  const auto relu = g.add("relu", net::relu{}, {wide});
  mark(g, g.add("narrow", net::convolution{.kernels = 1, .weights = std::vector<float>(16, 0.3F)},
                {relu}));
  return g;
}

quant::sample_stream numbered_samples(std::size_t count) {
  return {count, [count](const auto& visit) {
            for (std::size_t i = 0; i < count; ++i) {
              net::float_tensor x{{2, 48, 48}};
              for (std::size_t k = 0; k < x.values.size(); ++k)
                x.values[k] = static_cast<float>((i * 37 + k * 11) % 101) / 50 - 1;
              visit({x});
            }
          }};
}

// Gives another range when it sees tensors in another order.
struct in_order {
  static constexpr std::string_view name = "in order";
  void observe(std::span<const float> values) {
    for (const float x : values) seen = seen * 0.75 + double{x} * double{x};
  }
  double range() const { return seen; }
  double seen = 1;
};
static_assert(quant::observer<in_order>);

const auto no_progress = [](std::size_t, std::size_t) {};

}  // namespace

TEST_CASE("every node sees the samples in their order, on any number of threads") {
  const auto g = layers_in_a_row();
  for (const std::size_t threads : {1u, 2u, 3u, 8u}) {
    CAPTURE(threads);
    std::vector<std::vector<std::size_t>> seen(g.size());
    quant::evaluate_samples(g, numbered_samples(11), threads,
                            [&](auto n, const net::float_tensor&, std::size_t sample) {
                              seen[n].push_back(sample);
                            }, no_progress);
    for (const auto& of_node : seen) {
      REQUIRE(of_node.size() == 11);
      for (std::size_t i = 0; i < 11; ++i) CHECK(of_node[i] == i);
    }
  }
}

TEST_CASE("some samples are spread over all") {
  const auto first_values = [](const quant::sample_stream& samples) {
    std::vector<float> seen;
    samples.each([&](const auto& s) { seen.push_back(s.at(0).values.at(0)); });
    CHECK(seen.size() == samples.size);
    return seen;
  };
  const auto all = first_values(numbered_samples(11));
  CHECK(first_values(quant::spread_over(numbered_samples(11), 4)) ==
        std::vector{all[0], all[2], all[5], all[8]});
  CHECK(first_values(quant::spread_over(numbered_samples(11), 11)) == all);
  CHECK(first_values(quant::spread_over(numbered_samples(11), 20)) == all);
}

TEST_CASE("small samples wake no thread") {
  net::graph g;
  mark(g, g.add("small", net::relu{}, {g.add("in", net::input{{2, 48, 48}})}));
  std::size_t seen = 0;
  quant::evaluate_samples(g, numbered_samples(5), 4,
                          [&, caller = std::this_thread::get_id()](auto&&...) {
                            CHECK(std::this_thread::get_id() == caller);
                            ++seen;
                          }, no_progress);
  CHECK(seen == 10);
}

TEST_CASE("scales and means do not depend on the number of threads") {
  const auto g = layers_in_a_row();
  const auto samples = numbered_samples(9);
  const auto table_by = [&]<class Observer>(const Observer& prototype, std::size_t threads) {
    return quant::calibrate(g, samples, no_progress, prototype,
                            [](const std::string&, const quant::magnitudes&) {}, threads);
  };
  const auto check = [&](const auto& prototype) {
    const auto alone = table_by(prototype, 1);
    for (const std::size_t threads : {2u, 3u, 4u, 20u})
      CHECK(table_by(prototype, threads) == alone);
  };
  check(quant::default_observer{});
  check(quant::entropy{});
  check(in_order{});
}

TEST_CASE("progress is told in order, by the thread that calls") {
  const auto g = layers_in_a_row();
  std::vector<std::size_t> told;
  quant::evaluate_samples(g, numbered_samples(7), 3, [](auto&&...) {},
                          [&, caller = std::this_thread::get_id()](std::size_t done,
                                                                   std::size_t all) {
                            CHECK(std::this_thread::get_id() == caller);
                            CHECK(all == 7);
                            told.push_back(done);
                          });
  CHECK(told == std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("the error of the first sample that fails is thrown, whatever the others do") {
  const auto g = layers_in_a_row();
  const auto last = g.size() - 1;
  for (const std::size_t threads : {1u, 2u, 4u}) {
    CAPTURE(threads);
    // Sample 3 fails at its last node; sample 4 would at its first.
    const auto fail = [&](auto n, const net::float_tensor&, std::size_t sample) {
      if (sample == 3 && n == last) throw std::runtime_error("sample 3");
      if (sample == 4 && n == 0) throw std::runtime_error("sample 4");
    };
    CHECK_THROWS_WITH(quant::evaluate_samples(g, numbered_samples(20), threads, fail, no_progress),
                      doctest::Contains("sample 3"));
    // A sample that cannot be read comes behind those before it.
    const quant::sample_stream broken{6, [](const auto& visit) {
                                        numbered_samples(5).each(visit);
                                        throw std::runtime_error("unreadable");
                                      }};
    CHECK_THROWS_WITH(quant::evaluate_samples(g, broken, threads, fail, no_progress),
                      doctest::Contains("sample 3"));
    CHECK_THROWS_WITH(quant::evaluate_samples(g, broken, threads, [](auto&&...) {}, no_progress),
                      doctest::Contains("unreadable"));
    // So does what the caller's progress throws.
    CHECK_THROWS_WITH(
        quant::evaluate_samples(g, numbered_samples(20), threads, [](auto&&...) {},
                                [](std::size_t done, std::size_t) {
                                  if (done == 2) throw std::runtime_error("stopped");
                                }),
        doctest::Contains("stopped"));
  }
}

TEST_CASE("values that are not finite name the first sample on several threads, too") {
  net::graph g;
  const auto in = g.add("in", net::input{{1, 256, 256}});
  mark(g, g.add("boom", net::scale{.factor = {3e38F}}, {in}));
  const quant::sample_stream samples{8, [](const auto& visit) {
                                       for (int i = 0; i < 8; ++i) {
                                         net::float_tensor x{{1, 256, 256}};
                                         x.values[1] = i < 5 ? 1.0F : 9.0F;
                                         visit({x});
                                       }
                                     }};
  CHECK_THROWS_WITH_AS(
      quant::calibrate(g, samples, no_progress, quant::min_max{},
                       [](const std::string&, const quant::magnitudes&) {}, 3),
      doctest::Contains("layer 'boom': value 1 of its tensor is inf for calibration sample 5"),
      nvdlac::error);
}
