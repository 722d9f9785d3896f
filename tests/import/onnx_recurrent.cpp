// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN of ONNX, beside the equations of its definition.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "onnx_model.hpp"

using namespace nvdlac;
using namespace onnx_model;

namespace {

constexpr std::size_t steps = 3, inputs = 2, hidden = 2;

// Weights of so many gates: small numbers, none the same.
std::vector<float> numbers_from(std::size_t n, float first) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = std::sin(first + 1.7F * static_cast<float>(i)) * 0.6F;
  return v;
}
struct weights {
  std::size_t gates;
  std::vector<float> w{}, r{}, b{};
  explicit weights(std::size_t n, std::size_t directions = 1)
      : gates(n), w(numbers_from(directions * n * hidden * inputs, 0.3F)),
        r(numbers_from(directions * n * hidden * hidden, 1.1F)),
        b(numbers_from(directions * 2 * n * hidden, 2.3F)) {}
  std::string as_text(std::int64_t directions = 1) const {
    const auto rows = static_cast<std::int64_t>(gates * hidden);
    return floats("w", {directions, rows, inputs}, w) +
           floats("r", {directions, rows, hidden}, r) + floats("b", {directions, 2 * rows}, b);
  }
  // Gate `g`, unit `k`, of one direction: what comes from the inputs, and from the state.
  double of_inputs(const float* x, std::size_t g, std::size_t k, std::size_t d = 0) const {
    double sum = b[d * 2 * gates * hidden + g * hidden + k];
    for (std::size_t i = 0; i < inputs; ++i)
      sum += double{w[((d * gates + g) * hidden + k) * inputs + i]} * double{x[i]};
    return sum;
  }
  double of_state(const std::vector<double>& h, std::size_t g, std::size_t k,
                  std::size_t d = 0) const {
    double sum = b[d * 2 * gates * hidden + (gates + g) * hidden + k];
    for (std::size_t i = 0; i < hidden; ++i)
      sum += double{r[((d * gates + g) * hidden + k) * hidden + i]} * h[i];
    return sum;
  }
};
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<float> sequence() { return numbers_from(steps * inputs, 0.9F); }

// The outputs of all steps, [steps][hidden].
std::vector<float> computed(const std::string& node_text, const std::string& output = "y",
                            int opset = 14) {
  const auto g = read(model("input " + value_info("x", {steps, 1, inputs}) + "output " +
                            value_info(output, {1}) + node_text, opset));
  for (const auto& p : net::verify(g)) FAIL_CHECK(to_string(p));
  const auto& n = g[net::input_nodes(g).at(0)];
  net::float_tensor x{n.shape, sequence()};
  if (!n.in_file.empty()) x.values = n.in_file[0].to_cube(std::span<const float>(x.values));
  return in_file::outputs(g, x).at(0).values;
}

}  // namespace

TEST_CASE("an RNN adds what it makes of its state") {
  const weights of(1);
  const auto x = sequence();
  std::vector<double> h(hidden, 0);
  std::vector<float> all;
  for (std::size_t t = 0; t < steps; ++t) {
    std::vector<double> next(hidden);
    for (std::size_t k = 0; k < hidden; ++k)
      next[k] = std::tanh(of.of_inputs(&x[t * inputs], 0, k) + of.of_state(h, 0, k));
    h = next;
    for (const double v : h) all.push_back(static_cast<float>(v));
  }
  const auto text_of = of.as_text() + node("RNN", "x w r b", "y l", integer("hidden_size", 2));
  check_close(computed(text_of), all);
  check_close(computed(text_of, "l"), {all.end() - 2, all.end()});
}

TEST_CASE("an LSTM keeps its cell") {
  const weights of(4, 2);
  const auto x = sequence();
  std::vector<float> all(steps * 2 * hidden);
  std::vector<float> cells;
  for (std::size_t d = 0; d < 2; ++d) {
    std::vector<double> h(hidden, 0), c(hidden, 0);
    for (std::size_t i = 0; i < steps; ++i) {
      const std::size_t t = d == 0 ? i : steps - 1 - i;
      std::vector<double> next(hidden);
      for (std::size_t k = 0; k < hidden; ++k) {
        const auto gate = [&](std::size_t g) {
          return of.of_inputs(&x[t * inputs], g, k, d) + of.of_state(h, g, k, d);
        };
        c[k] = sigmoid(gate(2)) * c[k] + sigmoid(gate(0)) * std::tanh(gate(3));
        next[k] = sigmoid(gate(1)) * std::tanh(c[k]);
      }
      h = next;
      for (std::size_t k = 0; k < hidden; ++k)
        all[(t * 2 + d) * hidden + k] = static_cast<float>(h[k]);
    }
    for (const double v : c) cells.push_back(static_cast<float>(v));
  }
  const auto both = of.as_text(2) + node("LSTM", "x w r b", "y h c",
                                         word("direction", "bidirectional"));
  check_close(computed(both), all);
  check_close(computed(both, "c"), cells);
  CHECK(mentions(refused(model("input " + value_info("x", {steps, 1, inputs}) + "output " +
                               value_info("y", {1}) + of.as_text(2) +
                               node("LSTM", "x w r b", "y"), 14)),
                 "do not fit 1 direction of 4 gates"));
}

TEST_CASE("a GRU resets its state before or behind the product") {
  const weights of(3);
  const auto x = sequence();
  for (const bool behind : {false, true}) {
    CAPTURE(behind);
    std::vector<double> h(hidden, 0);
    std::vector<float> all;
    for (std::size_t t = 0; t < steps; ++t) {
      const auto gate = [&](std::size_t g, std::size_t k) {
        return sigmoid(of.of_inputs(&x[t * inputs], g, k) + of.of_state(h, g, k));
      };
      std::vector<double> next(hidden), left(hidden);
      for (std::size_t k = 0; k < hidden; ++k) left[k] = gate(1, k) * h[k];
      for (std::size_t k = 0; k < hidden; ++k) {
        const double state = behind ? gate(1, k) * of.of_state(h, 2, k) : of.of_state(left, 2, k);
        const double told = std::tanh(of.of_inputs(&x[t * inputs], 2, k) + state);
        next[k] = (1 - gate(0, k)) * told + gate(0, k) * h[k];
      }
      h = next;
      for (const double v : h) all.push_back(static_cast<float>(v));
    }
    check_close(computed(of.as_text() + node("GRU", "x w r b", "y",
                                             integer("linear_before_reset", behind ? 1 : 0))),
                all);
  }
}

TEST_CASE("a recurrent layer goes on from a given state") {
  const weights of(1);
  const auto text_of = of.as_text() + floats("h", {1, 1, 2}, {0.5F, -0.25F});
  const auto x = sequence();
  const std::vector<double> h{0.5, -0.25};
  const auto y = computed(text_of + node("RNN", "x w r b - h", "y"));
  for (std::size_t k = 0; k < hidden; ++k)
    CHECK(y[k] == doctest::Approx(std::tanh(of.of_inputs(&x[0], 0, k) + of.of_state(h, 0, k))));
}

TEST_CASE("what recurrent layers do not do is refused") {
  const auto with = [](const std::string& type, std::size_t gates, const std::string& a) {
    return refused(model("input " + value_info("x", {steps, 1, inputs}) + "output " +
                         value_info("y", {1}) + weights(gates).as_text() +
                         node(type, "x w r b", "y", a), 14));
  };
  CHECK(mentions(with("LSTM", 4, integer("input_forget", 1)), "input_forget"));
  CHECK(mentions(with("RNN", 1, number("clip", 1)), "it clips"));
  CHECK(mentions(with("RNN", 1, integer("hidden_size", 5)), "hidden_size is 5"));
  CHECK(mentions(with("GRU", 3, word("direction", "sideways")), "direction 'sideways'"));
}
