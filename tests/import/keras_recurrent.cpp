// SPDX-License-Identifier: Apache-2.0
// Keras' layers with a state, beside their definitions.
#include "keras_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
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

// All outputs, in the order of the file.
std::vector<std::vector<float>> outputs_of(const net::graph& g, std::vector<float> in = {2, -1}) {
  const auto& n = g[net::input_nodes(g).at(0)];
  net::float_tensor x{n.shape, std::move(in)};
  if (!n.in_file.empty()) x.values = n.in_file[0].to_cube(std::span<const float>(x.values));
  std::vector<std::vector<float>> all;
  for (auto& y : in_file::outputs(g, x)) all.push_back(std::move(y.values));
  return all;
}
// The outputs for step t of a sequence of small numbers, some of which are negative.
std::vector<std::vector<float>> counted_outputs(const net::graph& g, std::int64_t t = 0) {
  const auto size = g[net::input_nodes(g).at(0)].shape.size();
  std::vector<float> in;
  for (std::size_t i = 0; i < size; ++i)
    in.push_back(std::sin(0.7F * static_cast<float>(static_cast<std::size_t>(t) * size + i)));
  return outputs_of(g, std::move(in));
}
std::vector<float> result(const char* type, const std::string& config,
                          const keras_model::layer& l) {
  return outputs_of(import::keras_from(
      keras_model::hdf5(keras_model::sequence("[null, 2, 1]", type, config), {l}),
      "model.h5")).at(0);
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

TEST_CASE("Keras: gates go through the functions that a layer names") {
  const auto l = unit::layer_of(4, {4});
  const auto u = unit::of(l);
  const auto relu = [](double v) { return std::max(v, 0.0); };
  for (const bool third : {false, true}) {  // Keras 3 has another slope
    CAPTURE(third);
    const auto hard = [&](double v) {
      return std::clamp((third ? 1 / 6.0 : 0.2) * v + 0.5, 0.0, 1.0);
    };
    double h = 0, c = 0;
    for (const double x : steps) {
      const double before = h;
      c = hard(u.gate(1, x, before)) * c + hard(u.gate(0, x, before)) * relu(u.gate(2, x, before));
      h = hard(u.gate(3, x, before)) * relu(c);
    }
    const std::string as_word = R"("hard_sigmoid")", as_object =
        R"({"module": "keras.activations", "class_name": "function", "config": "hard_sigmoid"})";
    const auto config = R"("units": 1, "activation": "relu", "recurrent_activation": )" +
                        (third ? as_object : as_word);
    const auto g = import::keras_from(
        keras_model::hdf5(keras_model::sequence("[null, 2, 1]", "LSTM", config), {l},
                          third ? "3.1.0" : "2.4.0"),
        "model.h5");
    check(outputs_of(g).at(0), {h});
  }
  const auto one = unit::layer_of(1, {1});
  double h = 0;
  for (const double x : steps) h = unit::of(one).gate(0, x, h);
  check(result("SimpleRNN", R"("units": 1, "activation": "linear")", one), {h});
  CHECK(mentions(complaints([&] {
                   (void)result("SimpleRNN", R"("units": 1, "activation": "gelu")", one);
                 }),
                 "its activation is \"gelu\" (elu, hard_sigmoid, "));
}

namespace {

// The result of a bidirectional layer of one unit each way, as of a plain layer's two directions.
struct both_ways {
  keras_model::layer forward = unit::layer_of(4, {4}), backward{"it", {
      {"it/backward_x/k:0", {1, 4}, -0.3F}, {"it/backward_x/r:0", {1, 4}, 0.4F},
      {"it/backward_x/b:0", {4}, 0.2F}}};

  // Returns the results of all steps, in the order of the sequence.
  std::vector<float> run(bool backwards) const {
    auto all = result("LSTM", text(R"("units": 1, "return_sequences": true, "go_backwards": )",
                                   backwards ? "true" : "false"),
                      backwards ? backward : forward);
    if (backwards) std::ranges::reverse(all);
    return all;
  }
  keras_model::layer weights() const {
    auto all = forward;
    all.weights.insert(all.weights.end(), backward.weights.begin(), backward.weights.end());
    return all;
  }
  static std::string config(const std::string& merge, bool sequence) {
    return text(R"("merge_mode": )", merge,
                R"(, "layer": {"class_name": "LSTM", "config": {"name": "l", "units": 1,
                "go_backwards": false, "return_sequences": )", sequence ? "true" : "false", "}}");
  }
};

}  // namespace

TEST_CASE("Keras: a bidirectional layer merges what its directions give") {
  const both_ways both;
  const auto f = both.run(false), b = both.run(true);
  for (const bool sequence : {true, false}) {
    CAPTURE(sequence);
    // Where the sequence is not given, the last step that each direction takes counts.
    const std::vector<std::pair<float, float>> pairs =
        sequence ? std::vector<std::pair<float, float>>{{f[0], b[0]}, {f[1], b[1]}}
                 : std::vector<std::pair<float, float>>{{f[1], b[0]}};
    const auto merged = [&](const char* mode) {
      return result("Bidirectional", both_ways::config(mode, sequence), both.weights());
    };
    std::vector<double> joined, sums, products, means;
    for (const auto& [x, y] : pairs) {
      joined.push_back(x);
      joined.push_back(y);
      sums.push_back(x + y);
      products.push_back(double{x} * y);
      means.push_back((x + y) / 2);
    }
    check(merged(R"("concat")"), joined);
    check(merged(R"("sum")"), sums);
    check(merged(R"("mul")"), products);
    check(merged(R"("ave")"), means);
    const auto g = import::keras_from(
        keras_model::hdf5(keras_model::sequence("[null, 2, 1]", "Bidirectional",
                                                both_ways::config("null", sequence)),
                          {both.weights()}),
        "model.h5");
    const auto apart = outputs_of(g);
    REQUIRE(apart.size() == 2);
    std::vector<double> first, second;
    for (const auto& [x, y] : pairs) {
      first.push_back(x);
      second.push_back(y);
    }
    check(apart[0], first);
    check(apart[1], second);
  }
  const auto refused = [&](const std::string& config) {
    return complaints([&] { (void)result("Bidirectional", config, both.weights()); });
  };
  CHECK(mentions(refused(both_ways::config(R"("max")", true)), "its merge_mode is max"));
  CHECK(mentions(refused(R"("layer": {"class_name": "Dense", "config": {"name": "l"}})"),
                 "it tells no layer that it applies"));
  CHECK(mentions(refused(R"("merge_mode": "sum")"), "it tells no layer that it applies"));
}

TEST_CASE("Keras: weights of layers in layers are found in every form of file") {
  const both_ways both;
  const auto expected = result("Bidirectional", both_ways::config(R"("concat")", true),
                               both.weights());
  const auto description = keras_model::sequence("[null, 2, 1]", "Bidirectional",
                                                 both_ways::config(R"("concat")", true));
  const auto group = [](const std::string& name, const keras_model::layer& l) {
    return keras_model::layer{"layers/" + name, l.weights};
  };
  const auto read = [](const std::string& config, const std::vector<keras_model::layer>& all) {
    return outputs_of(import::keras_from(
        keras_model::archive_of_3(config, keras_model::groups_of_3(all)), "model.keras"))[0];
  };
  CHECK(read(description, {group("bidirectional/forward_layer/cell", both.forward),
                           group("bidirectional/backward_layer/cell", both.backward)}) ==
        expected);
  CHECK(read(keras_model::sequence("[null, 2, 1]", "LSTM", R"("units": 1)"),
             {group("lstm/cell", both.forward)}) ==
        result("LSTM", R"("units": 1)", both.forward));
  // A model in a model, whose weights stand in one group.
  auto named = both.weights();
  named.group = "inner";
  const char* const parts[]{"k:0", "r:0", "b:0"};
  for (std::size_t i = 0; i < 6; ++i)
    named.weights[i].name = text("inner/it/", i < 3 ? "forward_l" : "backward_l", "/lstm_cell_",
                                 i / 3 + 1, '/', parts[i % 3]);
  const auto inner = R"({"class_name": "Sequential", "config": {"name": "net", "layers": [
    {"class_name": "InputLayer", "config": {"name": "in", "batch_input_shape": [null, 2, 1]}},
    {"class_name": "Sequential", "config": {"name": "inner", "layers": [
      {"class_name": "Bidirectional", "config": {"name": "it", )" +
                     both_ways::config(R"("concat")", true) + "}}]}}]}}";
  CHECK(outputs_of(import::keras_from(keras_model::hdf5(inner, {named}), "model.h5")).at(0) ==
        expected);
}

TEST_CASE("Keras: a layer is applied to each step of a sequence") {
  const auto distributed = [](const std::string& shape, const std::string& of,
                              const std::string& config, const keras_model::layer& l) {
    const auto g = import::keras_from(
        keras_model::hdf5(keras_model::sequence(
            shape, "TimeDistributed",
            R"("layer": {"class_name": ")" + of + R"(", "config": {"name": "l")" +
                (config.empty() ? "" : ", ") + config + "}}"), {l}),
        "model.h5");
    return counted_outputs(g).at(0);
  };
  // The layer by itself, on each step in turn.
  const auto by_steps = [](const std::string& shape, std::int64_t many, const std::string& of,
                           const std::string& config, const keras_model::layer& l) {
    const auto g = import::keras_from(
        keras_model::hdf5(keras_model::sequence(shape, of, config), {l}), "model.h5");
    std::vector<float> all;
    for (std::int64_t t = 0; t < many; ++t) {
      const auto y = counted_outputs(g, t).at(0);
      all.insert(all.end(), y.begin(), y.end());
    }
    return all;
  };
  const keras_model::layer none{"it", {}},
      dense{"it", {{"it/kernel:0", {2, 3}}, {"it/bias:0", {3}}}},
      conv{"it", {{"it/kernel:0", {2, 2, 2, 3}}, {"it/bias:0", {3}}}};
  struct subject {
    const char *of, *config;
    keras_model::layer weights;
    bool picture = false;
  };
  const std::vector<subject> all{
      {"Dense", R"("units": 3)", dense},
      {"Dense", R"("units": 3, "activation": "softmax")", dense},
      {"LeakyReLU", "", none},
      {"Dropout", R"("rate": 0.5)", none},
      {"Dense", R"("units": 3)", dense, true},
      {"Conv2D", R"("filters": 3, "kernel_size": [2, 2], "activation": "relu")", conv, true},
      {"MaxPooling2D", R"("pool_size": [2, 2])", none, true},
      {"GlobalAveragePooling2D", "", none, true},
      {"Flatten", "", none, true},
      {"Activation", R"("activation": "tanh")", none, true}};
  for (const auto& s : all) {
    CAPTURE(s.of);
    CAPTURE(s.picture);
    const auto found = distributed(s.picture ? "[null, 2, 3, 4, 2]" : "[null, 2, 2]", s.of,
                                   s.config, s.weights);
    const auto expected =
        by_steps(s.picture ? "[null, 3, 4, 2]" : "[null, 2]", 2, s.of, s.config, s.weights);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
  }
  const auto refused = [&](const std::string& shape, const std::string& of) {
    return complaints([&] { (void)distributed(shape, of, R"("units": 3)", dense); });
  };
  CHECK(mentions(refused("[null, 2]", "Dense"), "its input has the shape [1, 2]"));
  CHECK(mentions(refused("[null, 2, 2]", "LSTM"), "of the class LSTM, which is not supported in"));
  CHECK(mentions(refused("[null, 2, 2]", "Mine"), "of the class Mine"));
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
