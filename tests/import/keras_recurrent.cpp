// SPDX-License-Identifier: Apache-2.0
// Keras' layers with a state, beside their definitions.
#include "keras_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/import/keras.hpp>
#include <nvdlac/net/evaluate.hpp>

#include "files.hpp"
#include "in_file.hpp"
#include "stepper.hpp"

#ifdef NVDLAC_KERAS

using namespace nvdlac;

namespace {

// One unit over two steps of one feature.
struct unit {
  std::vector<float> k, r, b;

  static keras_model::layer layer_of(hsize_t gates, const std::vector<hsize_t>& biases) {
    return {"it", {{"it/k:0", {1, gates}, 0.2F}, {"it/r:0", {1, gates}, 0.5F},
                   {"it/b:0", biases, -0.1F}}};
  }
  static unit of(const keras_model::layer& l) {
    return {keras_model::values_of(l.weights[0]), keras_model::values_of(l.weights[1]),
            keras_model::values_of(l.weights[2])};
  }
  double of_input(std::size_t gate, double x) const {
    return double{k[gate]} * x + double{b[gate]};
  }
  double gate(std::size_t g, double x, double h) const { return of_input(g, x) + double{r[g]} * h; }
};
double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }

constexpr double steps[]{2, -1};

std::vector<float> result(const char* type, const std::string& config,
                          const keras_model::layer& l) {
  const auto g = import::keras_from(
      keras_model::hdf5(keras_model::sequence("[null, 2, 1]", type, config), {l}), "model.h5");
  const auto& n = g[net::input_nodes(g).at(0)];
  net::float_tensor x{n.shape, {2, -1}};
  return in_file::outputs(g, x).at(0).values;
}
void check(const std::vector<float>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
}

}  // namespace

TEST_CASE("Keras: gates of an LSTM are input, forget, cell and output") {
  const auto l = unit::layer_of(4, {4});
  const auto u = unit::of(l);
  const auto run = [&](bool backwards) {
    std::vector<double> all;
    double h = 0, c = 0;
    for (int t = 0; t < 2; ++t) {
      const double x = steps[backwards ? 1 - t : t];
      const double before = h;
      c = sigmoid(u.gate(1, x, before)) * c +
          sigmoid(u.gate(0, x, before)) * std::tanh(u.gate(2, x, before));
      h = sigmoid(u.gate(3, x, before)) * std::tanh(c);
      all.push_back(h);
    }
    return all;
  };
  check(result("LSTM", R"("units": 1, "return_sequences": true)", l), run(false));
  check(result("LSTM", R"("units": 1)", l), {run(false)[1]});
  const std::string backwards = R"("units": 1, "go_backwards": true)";
  check(result("LSTM", backwards, l), {run(true)[1]});
  check(result("LSTM", backwards + R"(, "return_sequences": true)", l), run(true));
}

TEST_CASE("Keras: a GRU resets its state behind the product, or before it") {
  for (const bool behind : {true, false}) {
    CAPTURE(behind);
    const auto l = unit::layer_of(3, behind ? std::vector<hsize_t>{2, 3} : std::vector<hsize_t>{3});
    const auto u = unit::of(l);
    const auto recurrent = [&](std::size_t g) { return behind ? double{u.b[3 + g]} : 0.0; };
    double h = 0;
    for (const double x : steps) {
      const double z = sigmoid(u.gate(0, x, h) + recurrent(0)),
                   r = sigmoid(u.gate(1, x, h) + recurrent(1));
      const double state = r * (double{u.r[2]} * h + recurrent(2));
      h = z * h + (1 - z) * std::tanh(u.of_input(2, x) + state);
    }
    check(result("GRU", text(R"("units": 1, "reset_after": )", behind ? "true" : "false"), l), {h});
  }
}

TEST_CASE("Keras: a simple recurrent layer") {
  const auto l = unit::layer_of(1, {1});
  const auto u = unit::of(l);
  double h = 0;
  for (const double x : steps) h = std::tanh(u.gate(0, x, h));
  check(result("SimpleRNN", R"("units": 1)", l), {h});
}

TEST_CASE("Keras: layers whose states are inputs and outputs, step after step") {
  struct { const char* type; keras_model::layer weights; std::size_t states; } const layers[] = {
      {"LSTM", unit::layer_of(4, {4}), 2}, {"GRU", unit::layer_of(3, {2, 3}), 1},
      {"SimpleRNN", unit::layer_of(1, {1}), 1}};
  for (const auto& l : layers)
    for (const bool all : {true, false}) {
      CAPTURE(l.type);
      CAPTURE(all);
      const auto config = text(R"("units": 1, "stateful": )", all ? "true" : "false",
                               R"(, "return_sequences": )", all ? "true" : "false");
      const auto of_one = import::keras_network_from(
          keras_model::hdf5(keras_model::sequence("[1, 1, 1]", l.type, config), {l.weights}),
          "model.h5", {.states = true});
      stepper run(of_one);
      CHECK(run.states() == (l.states == 2 ? std::vector<std::string>{"it/state", "it/cell"}
                                           : std::vector<std::string>{"it/state"}));
      // The outputs by their names in the file, of which states have none.
      std::vector<std::string> names;
      for (const auto n : of_one.graph.outputs())
        for (const auto& form : of_one.graph[n].in_file) {
          names.resize(std::max(names.size(), static_cast<std::size_t>(form.place) + 1));
          names[static_cast<std::size_t>(form.place)] = std::string(form.name);
        }
      std::vector<std::string> expected{"it"};
      for (const auto& state : run.states()) expected.push_back(state + "/next");
      CHECK(names == expected);
      const auto whole = result(l.type, R"("units": 1, "return_sequences": true)", l.weights);
      REQUIRE(whole.size() == 2);
      for (std::size_t t = 0; t < 2; ++t)
        CHECK(run.run({static_cast<float>(steps[t])}).at(0) ==
              doctest::Approx(whole[t]).epsilon(1e-5));
    }
}

TEST_CASE("Keras: a stateful layer says how its state is kept") {
  const auto refused = complaints([] {
    (void)result("LSTM", R"("units": 1, "stateful": true)", unit::layer_of(4, {4}));
  });
  CHECK(mentions(refused, "it is stateful: it keeps its state from one run to the next (--state "
                          "step makes that an input and an output"));
}

#endif
