// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/keras/recurrent.hpp>
#include <nvdlac/import/translation/recurrent.hpp>

namespace nvdlac::import::keras_format {

namespace detail {

// The options of a recurrent layer beside its weights.
struct recurrent_options {
  bool bias = true, sequence = false, backwards = false;
  std::int64_t units = 0;

  static recurrent_options of(const conversion& c) {
    recurrent_options o{.bias = c.l.flag("use_bias", true),
                        .sequence = c.l.flag("return_sequences", false),
                        .backwards = c.l.flag("go_backwards", false),
                        .units = c.l.integer("units", 0)};
    for (const char* key : {"dropout", "recurrent_dropout", "implementation", "unroll",
                            "unit_forget_bias", "zero_output_for_mask", "use_cudnn"})
      (void)c.l.find(key);  // of training, or of how it is computed
    if (c.l.flag("stateful", false) && !c.from.states)
      throw error(problem{.reason = "it is stateful: it keeps its state from one run to the next",
                          .remedy = "--state step makes that an input and an output; or set "
                                    "stateful to false, so that each run begins with zeros"});
    for (const char* key : {"return_state", "time_major"})
      if (c.l.flag(key, false))
        throw error(problem{.reason = text("its ", key, " is true"),
                            .remedy = "leave it at its default"});
    c.require(o.bias ? 3 : 2);
    if (c.shape(0).size() != 3)
      throw error("its input has the shape " + onnx_format::to_text(c.shape(0)));
    return o;
  }
};

// The functions of gates and states, in ONNX's terms.
class gate_functions {
 public:
  explicit gate_functions(const conversion& c) : c_(c) {}

  // Adds the function that a key of the configuration names, or the usual one, so many times.
  void add(const char* key, const std::string& usual, int times = 1) {
    const auto* given = c_.l.find(key);
    const bool none = given == nullptr && c_.l.config.contains(key);
    const auto name = none ? "linear" : given == nullptr ? usual : name_of_function(*given);
    const float slope = c_.from.version >= 3 ? 1.0F / 6 : 0.2F;  // of hard_sigmoid
    const std::map<std::string_view, terms> all = {
        {"elu", {"Elu", {1}, {}}}, {"hard_sigmoid", {"HardSigmoid", {slope}, {0.5F}}},
        {"leaky_relu", {"LeakyRelu", {0.2F}, {}}}, {"linear", {"Affine", {1}, {0}}},
        {"relu", {"Relu", {}, {}}}, {"sigmoid", {"Sigmoid", {}, {}}},
        {"softplus", {"Softplus", {}, {}}}, {"softsign", {"Softsign", {}, {}}},
        {"tanh", {"Tanh", {}, {}}}};
    const auto known = all.find(name);
    if (known == all.end())
      throw error(problem{.reason = text("its ", key, " is ", none ? name : shown(*given)),
                          .remedy = "elu, hard_sigmoid, leaky_relu, linear, relu, sigmoid, "
                                    "softplus, softsign and tanh are supported"});
    for (int i = 0; i < times; ++i) {
      names_.emplace_back(known->second.name);
      append(alphas_, known->second.alpha);
      append(betas_, known->second.beta);
    }
  }
  void add_to(std::vector<attribute>& all) const {
    all.push_back({"activations", names_});
    if (!alphas_.empty()) all.push_back({"activation_alpha", alphas_});
    if (!betas_.empty()) all.push_back({"activation_beta", betas_});
  }

 private:
  struct terms {
    const char* name;
    std::vector<float> alpha, beta;
  };
  static void append(std::vector<float>& to, const std::vector<float>& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  const conversion& c_;
  std::vector<std::string> names_;
  std::vector<float> alphas_, betas_;
};

// The weights in ONNX's order of gates, `order[i]` being the number of gate i in Keras.
inline translation::recurrence weights_of(const conversion& c, const recurrent_options& o,
                                          const std::vector<std::int64_t>& order) {
  const auto gates = static_cast<std::int64_t>(order.size());
  const auto features = c.shape(0)[2];
  translation::recurrence r{.steps = c.shape(0)[1], .hidden = o.units, .gates = gates,
                            .backwards = o.backwards};
  const auto turned = [&](std::size_t i, std::int64_t rows, const char* what) {
    const array a = c.reals(c.weight(i), what);
    if (a.shape != dims{rows, gates * o.units})
      throw error(text("its ", what, ' ', onnx_format::to_text(a.shape), " are not of ", rows,
                       " by ", gates * o.units));
    std::vector<float> result;
    for (const auto g : order)
      for (std::int64_t u = 0; u < o.units; ++u)
        for (std::int64_t k = 0; k < rows; ++k)
          result.push_back(a.reals[static_cast<std::size_t>(k * gates * o.units + g * o.units +
                                                            u)]);
    return result;
  };
  r.of_inputs = turned(0, features, "weights");
  r.of_state = turned(1, o.units, "recurrent weights");
  r.biases.assign(static_cast<std::size_t>(2 * gates * o.units), 0.0F);
  if (!o.bias) return r;
  const array b = c.reals(c.weight(2), "biases");
  const auto rows = static_cast<std::int64_t>(b.size()) / (gates * o.units);
  if (rows < 1 || rows > 2 || static_cast<std::int64_t>(b.size()) != rows * gates * o.units)
    throw error(text("it has ", b.size(), " biases"));
  std::size_t to = 0;
  for (std::int64_t row = 0; row < rows; ++row)
    for (const auto g : order)
      for (std::int64_t u = 0; u < o.units; ++u)
        r.biases[to++] = b.reals[static_cast<std::size_t>((row * gates + g) * o.units + u)];
  return r;
}

// All steps or the last one, in the order in which they were computed.
inline void give(const conversion& c, const char* type, const recurrent_options& o,
                 const translation::recurrence& r, const gate_functions& functions,
                 std::vector<attribute> more = {}) {
  functions.add_to(more);
  dims shape{1, r.steps, r.hidden};
  const auto all = translation::all_steps(c, type, r, c.plain(0), std::move(more));
  if (o.sequence) {
    auto y = c.reshaped(all, shape);
    if (r.backwards)
      y = translation::reversed_steps(c, y, r.steps);
    return c.give_plain(y, shape);
  }
  c.give_plain(translation::one_step(c, all, r, r.backwards ? 0 : r.steps - 1), {1, r.hidden});
}

}  // namespace detail

NVDLAC_IMPL void on_lstm(const conversion& c) {
  const auto o = detail::recurrent_options::of(c);
  detail::gate_functions functions(c);
  functions.add("recurrent_activation", "sigmoid");
  functions.add("activation", "tanh", 2);  // of the candidate, and of the cell
  detail::give(c, "LSTM", o, detail::weights_of(c, o, {0, 3, 1, 2}), functions);
}

NVDLAC_IMPL void on_gru(const conversion& c) {
  const auto o = detail::recurrent_options::of(c);
  detail::gate_functions functions(c);
  functions.add("recurrent_activation", "sigmoid");
  functions.add("activation", "tanh");
  const bool behind = c.l.flag("reset_after", true);
  detail::give(c, "GRU", o, detail::weights_of(c, o, {0, 1, 2}), functions,
               {{"linear_before_reset", std::int64_t{behind}}});
}

NVDLAC_IMPL void on_simple_rnn(const conversion& c) {
  const auto o = detail::recurrent_options::of(c);
  detail::gate_functions functions(c);
  functions.add("activation", "tanh");
  detail::give(c, "RNN", o, detail::weights_of(c, o, {0}), functions);
}

}  // namespace nvdlac::import::keras_format
