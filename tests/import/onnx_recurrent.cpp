// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN of ONNX, beside the equations of its definition.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
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

std::string word_list(const std::string& name, const std::vector<std::string>& all) {
  std::string s;
  for (const auto& w : all) s += " strings: '" + w + "'";
  return "attribute { name: '" + name + "' type: STRINGS" + s + " } ";
}
std::string number_list(const std::string& name, const std::vector<float>& all) {
  std::string s;
  for (const auto v : all) s += text(" floats: ", v);
  return "attribute { name: '" + name + "' type: FLOATS" + s + " } ";
}

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

namespace {

// The outputs of both directions of an LSTM, and their cells. unit(direction, unit, gate, cell)
// gives the new state of a unit from the sums of its gates, and changes its cell.
struct lstm_results {
  std::vector<float> all = std::vector<float>(steps * 2 * hidden), cells{};

  template <class Unit>
  lstm_results(const weights& of, Unit unit) {
    const auto x = sequence();
    for (std::size_t d = 0; d < 2; ++d) {
      std::vector<double> h(hidden, 0), c(hidden, 0);
      for (std::size_t i = 0; i < steps; ++i) {
        const std::size_t t = d == 0 ? i : steps - 1 - i;
        const auto before = h;
        for (std::size_t k = 0; k < hidden; ++k) {
          const auto gate = [&](std::size_t g) {
            return of.of_inputs(&x[t * inputs], g, k, d) + of.of_state(before, g, k, d);
          };
          h[k] = unit(d, k, gate, c[k]);
          all[(t * 2 + d) * hidden + k] = static_cast<float>(h[k]);
        }
      }
      for (const double v : c) cells.push_back(static_cast<float>(v));
    }
  }
};

}  // namespace

TEST_CASE("an LSTM keeps its cell") {
  const weights of(4, 2);
  const lstm_results expected(of, [](std::size_t, std::size_t, auto gate, double& c) {
    c = sigmoid(gate(2)) * c + sigmoid(gate(0)) * std::tanh(gate(3));
    return sigmoid(gate(1)) * std::tanh(c);
  });
  const auto both = of.as_text(2) + node("LSTM", "x w r b", "y h c",
                                         word("direction", "bidirectional"));
  check_close(computed(both), expected.all);
  check_close(computed(both, "c"), expected.cells);
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

TEST_CASE("gates and states go through the functions that a recurrent layer names") {
  struct named {
    std::string name;
    std::vector<float> parameters;
    std::function<double(double)> of;
  };
  const auto hard = [](double alpha, double beta) {
    return [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); };
  };
  const std::vector<named> all{
      {"Relu", {}, [](double x) { return std::max(x, 0.0); }},
      {"Tanh", {}, [](double x) { return std::tanh(x); }},
      {"Sigmoid", {}, sigmoid},
      {"Affine", {0.5F, 0.25F}, [](double x) { return 0.5 * x + 0.25; }},
      {"LeakyRelu", {0.25F}, [](double x) { return x < 0 ? 0.25 * x : x; }},
      {"LeakyRelu", {}, [](double x) { return x < 0 ? 0.01 * x : x; }},
      {"ThresholdedRelu", {0.125F}, [](double x) { return x > 0.125 ? x : 0; }},
      {"ScaledTanh", {1.5F, 0.75F}, [](double x) { return 1.5 * std::tanh(0.75 * x); }},
      {"HardSigmoid", {0.3F, 0.4F}, hard(0.3, 0.4)},
      {"HardSigmoid", {}, hard(0.2, 0.5)},
      {"Elu", {0.5F}, [](double x) { return x < 0 ? 0.5 * std::expm1(x) : x; }},
      {"Softsign", {}, [](double x) { return x / (1 + std::fabs(x)); }},
      {"Softplus", {}, [](double x) { return std::log1p(std::exp(x)); }}};
  const weights of(1);
  const auto x = sequence();
  for (const auto& f : all)
    for (const double clip : {0.0, 0.25}) {
      CAPTURE(f.name);
      CAPTURE(clip);
      std::vector<double> h(hidden, 0);
      std::vector<float> expected;
      for (std::size_t t = 0; t < steps; ++t) {
        std::vector<double> next(hidden);
        for (std::size_t k = 0; k < hidden; ++k) {
          const double sum = of.of_inputs(&x[t * inputs], 0, k) + of.of_state(h, 0, k);
          next[k] = f.of(clip == 0 ? sum : std::clamp(sum, -clip, clip));
        }
        h = next;
        for (const double v : h) expected.push_back(static_cast<float>(v));
      }
      auto attributes = word_list("activations", {f.name});
      const auto& p = f.parameters;
      if (!p.empty()) attributes += number_list("activation_alpha", {p[0]});
      if (p.size() > 1) attributes += number_list("activation_beta", {p[1]});
      if (clip != 0) attributes += number("clip", static_cast<float>(clip));
      check_close(computed(of.as_text() + node("RNN", "x w r b", "y", attributes)), expected);
    }
}

TEST_CASE("an LSTM takes parameters in the order of its functions, and sees its cell") {
  const weights of(4, 2);
  const auto holes = numbers_from(2 * 3 * hidden, 0.7F);
  struct parameters { double alpha, beta; };
  const parameters gates[]{{0.2, 0.5}, {0.3, 0.25}};  // HardSigmoid's of the directions
  constexpr double clip = 0.75;
  const auto cut = [&](double v) { return std::clamp(v, -clip, clip); };
  for (const bool sees : {false, true}) {
    CAPTURE(sees);
    const lstm_results expected(of, [&](std::size_t d, std::size_t k, auto gate, double& c) {
      const auto open = [&](std::size_t g) {
        const double seen = sees ? double{holes[(d * 3 + g) * hidden + k]} * c : 0;
        return std::clamp(gates[d].alpha * cut(gate(g) + seen) + gates[d].beta, 0.0, 1.0);
      };
      const double in = open(0), forget = open(2);
      c = forget * c + in * std::max(cut(gate(3)), 0.0);
      return open(1) * std::tanh(c);
    });
    const auto text_of = of.as_text(2) + floats("p", {2, 3 * hidden}, holes) +
                         node("LSTM", sees ? "x w r b - - - p" : "x w r b", "y h c",
                              word("direction", "bidirectional") + number("clip", clip) +
                                  word_list("activations", {"HardSigmoid", "Relu", "Tanh",
                                                            "HardSigmoid", "Relu", "Tanh"}) +
                                  number_list("activation_alpha", {0.2F, 0.3F}) +
                                  number_list("activation_beta", {0.5F, 0.25F}));
    check_close(computed(text_of), expected.all);
    check_close(computed(text_of, "c"), expected.cells);
  }
}

TEST_CASE("an LSTM whose gates are coupled forgets what its input gate does not take") {
  const weights of(4, 2);
  const lstm_results expected(of, [&](std::size_t, std::size_t, auto gate, double& c) {
    const auto open = [&](std::size_t g) { return 1 / (1 + std::exp(-gate(g))); };
    c = (1 - open(0)) * c + open(0) * std::tanh(gate(3));
    return open(1) * std::tanh(c);
  });
  const auto text_of = of.as_text(2) +
                       node("LSTM", "x w r b", "y h c",
                            word("direction", "bidirectional") + integer("input_forget", 1));
  check_close(computed(text_of), expected.all);
  check_close(computed(text_of, "c"), expected.cells);
}

TEST_CASE("functions and peepholes that a recurrent layer cannot have are refused") {
  const auto with = [](const std::string& type, std::size_t gates, const std::string& a,
                       const std::string& more = "", const std::string& in = "x w r b") {
    return refused(model("input " + value_info("x", {steps, 1, inputs}) + "output " +
                         value_info("y", {1}) + weights(gates).as_text() + more +
                         node(type, in, "y", a), 14));
  };
  CHECK(mentions(with("RNN", 1, word_list("activations", {"Sine"})),
                 "its activation 'Sine' is not supported (Affine, Elu, "));
  CHECK(mentions(with("RNN", 1, word_list("activations", {"Relu", "Relu"})),
                 "2 activations instead"));
  CHECK(mentions(with("RNN", 1, number_list("activation_alpha", {1})),
                 "it has 1 number in activation_alpha, of which its activations take 0"));
  CHECK(mentions(with("RNN", 1, word_list("activations", {"Affine"}) +
                                    number_list("activation_alpha", {1})),
                 "its activation Affine has no alpha and beta"));
  CHECK(mentions(with("LSTM", 4, "", floats("p", {1, 4}, {1, 2, 3, 4}), "x w r b - - - p"),
                 "its peepholes [1, 4] are not of 1 direction of 3 gates of 2"));
}

TEST_CASE("what recurrent layers do not do is refused") {
  const auto with = [](const std::string& type, std::size_t gates, const std::string& a) {
    return refused(model("input " + value_info("x", {steps, 1, inputs}) + "output " +
                         value_info("y", {1}) + weights(gates).as_text() +
                         node(type, "x w r b", "y", a), 14));
  };
  CHECK(mentions(with("RNN", 1, number("clip", -1)), "its clip is -1"));
  CHECK(mentions(with("RNN", 1, integer("hidden_size", 5)), "hidden_size is 5"));
  CHECK(mentions(with("GRU", 3, word("direction", "sideways")), "direction 'sideways'"));
}
