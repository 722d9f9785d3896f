// SPDX-License-Identifier: Apache-2.0
// Layers of TensorFlow Lite that keep a variable from one run to the next.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "stepper.hpp"
#include "tflite_model.hpp"

using namespace tflite_model;

namespace {

// Two units of two filters each, over three steps of two features.
const floats of_features{0.5F, -0.25F, 1, 0.75F, -0.5F, 0.25F, 0.125F, 1},
    of_steps{0.25F, 0.5F, 1, -1, 0.5F, 0.25F, 1, 1, -0.5F, 0.5F, -0.25F, 2}, biases{0.5F, -0.25F};

std::string svdf_file(int steps = 3, int function = 1, int rank = 2) {
  builder b;
  const auto x = b.tensor("x", {1, 2}), y = b.tensor("y", {1, 2}),
             state = b.tensor("kept", {1, 4 * steps});
  b.set_flag(state, 5);
  const auto w = b.real("w", {4, 2}, of_features),
             t = b.real("t", {4, steps},
                        steps == 3 ? of_steps : floats(4 * static_cast<std::size_t>(steps), 0.5F)),
             bias = b.real("b", {2}, biases);
  b.op(27, {x, w, t, bias, state}, {y}, 6,
       {integer(0, rank), byte(1, function), byte(2, 0)});
  return b.file({x}, {y});
}
import::network read_tflite(const std::string& file, bool states) {
  return import::tflite_network_from(file, "net.tflite", {.states = states});
}

}  // namespace

TEST_CASE("TFLite: an SVDF weighs the last steps") {
  const auto n = read_tflite(svdf_file(), true);
  stepper steps(n);
  CHECK(steps.states() == std::vector<std::string>{"y/state"});
  std::vector<std::vector<double>> kept(4, std::vector<double>(3, 0.0));
  for (const auto& x : {std::pair{1.0F, 2.0F}, {-1.0F, 0.5F}, {3.0F, 1.0F}, {0.0F, -2.0F}}) {
    std::vector<float> expected;
    for (std::size_t f = 0; f < 4; ++f) {
      kept[f].erase(kept[f].begin());
      kept[f].push_back(double{of_features[2 * f]} * double{x.first} +
                        double{of_features[2 * f + 1]} * double{x.second});
    }
    for (std::size_t u = 0; u < 2; ++u) {
      double sum{biases[u]};
      for (std::size_t f = 2 * u; f < 2 * u + 2; ++f)
        for (std::size_t t = 0; t < 3; ++t) sum += kept[f][t] * double{of_steps[3 * f + t]};
      expected.push_back(static_cast<float>(std::max(sum, 0.0)));
    }
    check_close(steps.run({x.first, x.second}), expected);
  }
}

TEST_CASE("TFLite: an SVDF without its state, or that is not understood, is refused") {
  CHECK(mentions(complaints([] { (void)read_tflite(svdf_file(), false); }),
                 "layer 'y': it keeps a state from one run to the next (--state step makes that an "
                 "input and an output"));
  // One that looks at one step alone keeps nothing.
  check_close(in_file::outputs(read_tflite(svdf_file(1, 0), false).graph,
                               net::float_tensor{{2, 1, 1}, {1, 2}}).at(0).values,
              {0.5F * (0 + 2.5F) + 0.5F, 0.5F * (0 + 2.125F) - 0.25F});
  CHECK(mentions(complaints([] { (void)read_tflite(svdf_file(3, 1, 3), true); }),
                 "its rank is 3 for 4 filters"));
}

namespace {

// One unit. Peepholes are of the input, the forget and the output gate; NaN: one is left out.
const floats lstm_w{0.5F, -0.25F, 1, 0.75F}, lstm_r{0.25F, 0.5F, -0.5F, 1},
    lstm_b{0.1F, 0.2F, 0.3F, 0.4F};

std::string lstm_file(int steps, const floats& peepholes = {}) {
  builder b;
  const auto x = b.tensor("x", {1, steps, 1}), y = b.tensor("y", {1, steps, 1}),
             h = b.tensor("h", {1, 1}), c = b.tensor("c", {1, 1});
  b.set_flag(h, 5);
  b.set_flag(c, 5);
  ints in{x};
  for (const float w : lstm_w) in.push_back(b.real("w", {1, 1}, {w}));
  for (const float r : lstm_r) in.push_back(b.real("r", {1, 1}, {r}));
  for (std::size_t i = 0; i < 3; ++i)
    in.push_back(peepholes.empty() || std::isnan(peepholes[i])
                     ? -1 : b.real("p", {1}, {peepholes[i]}));
  for (const float v : lstm_b) in.push_back(b.real("b", {1}, {v}));
  in.insert(in.end(), {-1, -1, h, c});
  b.op(44, in, {y}, 71, {byte(0, 4), number(1, 0), number(2, 0), byte(3, 0)});
  return b.file({x}, {y});
}

}  // namespace

TEST_CASE("TFLite: gates of an LSTM see the cell through peepholes") {
  const floats holes{0.5F, -0.75F, 1.25F};
  const auto g = read_tflite(lstm_file(3, holes), false).graph;
  const floats x{2, -1, 0.5F};
  std::vector<float> expected;
  double h = 0, c = 0;
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  for (const float v : x) {
    const double before = h;
    const auto sum = [&](std::size_t gate) {
      return double{lstm_w[gate]} * v + double{lstm_r[gate]} * before + double{lstm_b[gate]};
    };
    const double in = sigmoid(sum(0) + double{holes[0]} * c),
                 forget = sigmoid(sum(1) + double{holes[1]} * c);
    c = forget * c + in * std::tanh(sum(2));
    h = sigmoid(sum(3) + double{holes[2]} * c) * std::tanh(c);
    expected.push_back(static_cast<float>(h));
  }
  check_close(in_file::outputs(g, {g[net::input_nodes(g).at(0)].shape, x}).at(0).values, expected);
  CHECK(mentions(complaints([] { (void)read_tflite(lstm_file(1, {1, std::nanf(""), 1}), false); }),
                 "it has peepholes of some of its gates alone"));
}

TEST_CASE("TFLite: an LSTM whose states are variables is run step after step") {
  const auto file = [](int steps) { return lstm_file(steps); };
  const auto whole = read_tflite(file(2), false).graph;
  const net::float_tensor both{whole[net::input_nodes(whole).at(0)].shape, {2, -1}};
  const auto expected = in_file::outputs(whole, both).at(0).values;
  const auto n = read_tflite(file(1), true);
  stepper steps(n);
  CHECK(steps.states() == std::vector<std::string>{"y/state", "y/cell"});
  CHECK(steps.run({2}).at(0) == doctest::Approx(expected.at(0)));
  CHECK(steps.run({-1}).at(0) == doctest::Approx(expected.at(1)));
}
