// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/activation.hpp>
#include <nvdlac/import/onnx/matrix.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/recurrent.hpp>
#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/move.hpp>

namespace nvdlac::import::onnx_format {

namespace detail {

// A function of gates or states: its parameters are alpha and beta, as many as it has.
struct gate_function {
  std::string name{};
  std::vector<float> parameters{};
};

// The functions that recurrent layers apply, and what their parameters are where none are given;
// NaN: they must be.
inline const std::map<std::string_view, std::vector<float>>& gate_functions() {
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  static const std::map<std::string_view, std::vector<float>> all = {
      {"Affine", {none, none}}, {"Elu", {1}}, {"HardSigmoid", {0.2F, 0.5F}},
      {"LeakyRelu", {0.01F}}, {"Relu", {}}, {"ScaledTanh", {none, none}}, {"Sigmoid", {}},
      {"Softplus", {}}, {"Softsign", {}}, {"Tanh", {}}, {"ThresholdedRelu", {1}}};
  return all;
}

// The numbers that all directions of a layer share.
struct recurrent_shape {
  std::int64_t gates, steps, hidden;  // gates in the order of the file's weights
  float clip = 0;                     // of what gates are functions of, to both sides; 0: none
};

// One direction of a recurrent layer. Cubes of a state or a gate are [hidden][1][1].
class recurrence {
 public:
  using id = assembly::id;

  // `functions` of this direction.
  recurrence(const context& c, std::size_t direction, const recurrent_shape& of,
             std::vector<gate_function> functions)
      : c_(c), direction_(direction), gates_(of.gates), steps_(of.steps), hidden_(of.hidden),
        clip_(of.clip), functions_(std::move(functions)) {}

  // Prefixes names of its nodes.
  std::string name(const std::string& what) const {
    return text(c_.n.name(), direction_ == 0 ? "/" : "/back/", what);
  }
  // Rows of the weights that are input `i`, from gate `first` on.
  std::vector<float> weights(std::size_t i, std::int64_t first, std::int64_t count,
                             const char* what) const {
    const array& a = c_.constant(i, what);
    if (!a.real) throw error(text("its ", what, " are integers"));
    const std::size_t of_direction = a.size() / static_cast<std::size_t>(a.shape.at(0)),
                      of_gate = of_direction / static_cast<std::size_t>(gates_);
    const auto begin = a.reals.begin() +
                       static_cast<std::ptrdiff_t>(direction_ * of_direction +
                                                   static_cast<std::size_t>(first) * of_gate);
    return {begin, begin + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(count) * of_gate)};
  }
  // Biases of the inputs, or of the state where `recurrent`; empty: none.
  std::vector<float> biases(bool recurrent, std::int64_t first, std::int64_t count) const {
    if (!c_.given(3)) return {};
    const auto& all = c_.reals(3, "biases");
    const auto of_one = static_cast<std::size_t>(gates_ * hidden_);
    const auto begin =
        all.begin() + static_cast<std::ptrdiff_t>((2 * direction_ + (recurrent ? 1 : 0)) * of_one +
                                                  static_cast<std::size_t>(first * hidden_));
    return {begin, begin + static_cast<std::ptrdiff_t>(count * hidden_)};
  }
  std::vector<float> all_biases(std::int64_t first, std::int64_t count) const {
    auto sum = biases(false, first, count);
    const auto more = biases(true, first, count);
    for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
    return sum;
  }

  // Computes what all gates take from the inputs, [steps][gates * hidden].
  void take_inputs(const computed& x, std::vector<float> bias) {
    inputs_ = times_matrices(c_, name("inputs"), x,
                             {.outputs = gates_ * hidden_, .inputs = x.shape.back(),
                              .values = weights(1, 0, gates_, "weights"), .bias = std::move(bias)});
    inputs_.shape = {steps_, gates_ * hidden_};
  }
  // The part of that product for some gates at one step.
  id input(std::int64_t step, std::int64_t first, std::int64_t count) const {
    auto all = all_steps(inputs_.shape, c_.ceiling);
    slice(all, 0, step, step + 1, 1);
    slice(all, 1, first * hidden_, (first + count) * hidden_, 1);
    const auto part = moved(inputs_, from_steps(all, c_.ceiling), at(step, "input"),
                            c_.net.net().shape(inputs_.node));
    return c_.net.as_cube(part, cube(count));
  }
  // The product of a state and some gates' weights.
  id product(const std::string& layer, id state, std::int64_t first, std::int64_t count,
             std::vector<float> bias = {}) const {
    return fully_connected(c_, layer, {state, {1, hidden_}},
                           weights(2, first, count, "recurrent weights"), std::move(bias),
                           count * hidden_).node;
  }
  id part(const std::string& layer, id gates, std::int64_t first, std::int64_t count = 1) const {
    const net::shape of = c_.net.net().shape(gates);
    if (first == 0 && of == cube(count)) return gates;
    const net::box b{.from = {static_cast<std::int32_t>(first * hidden_), 0, 0},
                     .loops = {{{static_cast<std::int32_t>(count * hidden_), {1, 0, 0},
                                 {1, 0, 0}}}}};
    return c_.net.add(layer, net::move{.target = cube(count), .boxes = std::vector{b}}, {gates});
  }
  id function(const std::string& layer, std::size_t which, id x) const {
    const auto& [name, parameters] = functions_[which];
    // Not of a cell, which an LSTM's last function reads: so do ONNX Runtime and OpenVINO.
    if (clip_ != 0 && which < 2)
      x = c_.net.add(layer + "/clip", net::clip{-clip_, clip_}, {x});
    if (name == "Affine") return line(layer, parameters[0], parameters[1], x);
    if (name != "ScaledTanh")
      return applied_by_name(c_, layer, name, parameters, {x, {1, hidden_}}).node;
    const auto inner = line(layer + "/line", parameters[1], 0, x);
    const auto curve = c_.net.add(layer + "/tanh", net::activation{.function = net::function::tanh},
                                  {inner});
    return line(layer, parameters[0], 0, curve);
  }
  // Whether gates see the cell by weights of their own, peepholes. Those of one direction are of
  // the gates input, output and forget.
  bool sees_cell() const {
    return c_.given(7) &&
           std::ranges::any_of(c_.reals(7, "peepholes"), [](float v) { return v != 0; });
  }
  // The sum of gate `g` and what it sees of the cell, if there is one.
  id with_cell(const std::string& layer, std::int64_t g, id gate, std::optional<id> cell) const {
    if (!cell) return gate;
    const auto& all = c_.reals(7, "peepholes");
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(
                                         (static_cast<std::int64_t>(direction_) * 3 + g) * hidden_);
    const auto seen = c_.net.add(layer + "/cell",
                                 net::scale{.factor = std::vector<float>(begin, begin + hidden_)},
                                 {*cell});
    return sum(layer, gate, seen);
  }
  id sum(const std::string& layer, id a, std::optional<id> b) const {
    return b ? c_.net.add(layer, net::add{}, {a, *b}) : a;
  }
  id times(const std::string& layer, id a, id b) const {
    return c_.net.add(layer, net::multiply{}, {a, b});
  }
  std::string at(std::int64_t step, const char* what) const {
    return name(text("step", step, '/', what));
  }
  // A state before the first step, which the file gives or which is an input; nothing: zeros.
  std::optional<id> initial(std::size_t i, const char* what) const {
    if (is_open(i)) {
      if (c_.given(i) && std::ranges::any_of(c_.reals(i, what), [](float v) { return v != 0; }))
        throw error(problem{.reason = text("its ", what, " is constant and not 0"),
                            .remedy = "make it an input, or leave out --state step"});
      return c_.net.open_state(state_name(i), cube(1), {1, hidden_});
    }
    if (!c_.given(i)) return std::nullopt;
    if (!c_.is_constant(i)) {
      const computed& x = c_.tensor(i);
      if (std::cmp_not_equal(count(x.shape) % hidden_, 0) || count(x.shape) / hidden_ < 1)
        throw error(text("its ", what, " is ", to_text(x.shape)));
      computed flat = x;
      flat.shape = {count(x.shape)};
      auto all = onnx_format::all_steps(flat.shape, c_.ceiling);
      const auto first = static_cast<std::int64_t>(direction_) * hidden_;
      slice(all, 0, first, first + hidden_, 1);
      return c_.net.as_cube(moved(flat, from_steps(all, c_.ceiling), name(what),
                                  c_.net.net().shape(x.node)),
                            cube(1));
    }
    const auto& all = c_.reals(i, what);
    if (std::ranges::all_of(all, [](float v) { return v == 0; })) return std::nullopt;
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(direction_) * hidden_;
    return c_.net.add(name(what),
                      net::constant{{cube(1), std::vector<float>(begin, begin + hidden_)}}, {});
  }
  // Leaves the state behind the last step, if it is one of the network.
  void leave(std::size_t i, id state) const {
    if (is_open(i)) c_.net.leave_state(state_name(i), {state, {1, hidden_}});
  }
  net::shape cube(std::int64_t gates) const { return net::checked_shape(gates * hidden_, 1, 1); }
  // alpha * x + beta
  id line(const std::string& layer, float alpha, float beta, id x) const {
    return c_.net.add(layer, net::scale{.factor = {alpha}, .bias = {beta}}, {x});
  }
  std::int64_t steps() const { return steps_; }
  std::int64_t hidden() const { return hidden_; }

 private:
  // Whether the state that is input `i` is one of the network.
  bool is_open(std::size_t i) const {
    return c_.net.opens_states() && (!c_.given(i) || c_.is_constant(i));
  }
  std::string state_name(std::size_t i) const { return name(i == 5 ? "state" : "cell"); }

  const context& c_;
  std::size_t direction_;
  std::int64_t gates_, steps_, hidden_;
  float clip_;
  std::vector<gate_function> functions_;
  computed inputs_{};
};

// A layer of one or two directions.
struct recurrent_layer : recurrent_shape {
  std::size_t directions = 1;
  bool backwards = false;  // of the only direction
  bool batch_first = false;
  computed x{};            // [steps, inputs]
  std::vector<gate_function> functions{};

  static recurrent_layer of(const context& c, std::int64_t gates,
                            const std::vector<std::string>& usual) {
    recurrent_layer l{{.gates = gates, .steps = 0, .hidden = 0}};
    const auto direction = c.n.string("direction", "forward");
    if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
      throw error("direction '" + direction + "' is not understood");
    l.backwards = direction == "reverse";
    l.directions = direction == "bidirectional" ? 2 : 1;
    if (c.net.opens_states() && direction != "forward")
      throw error(problem{.reason = "it reads its sequence backwards, which needs the whole of it",
                          .remedy = "leave out --state step"});
    l.batch_first = c.n.flag("layout", false);
    if (c.n.opset() < 7) (void)c.n.flag("output_sequence", false);  // both outputs are given
    l.clip = c.n.number("clip", 0);
    if (!(l.clip >= 0)) throw error(text("its clip is ", l.clip));
    const computed& x = c.tensor(0);
    const dims& s = x.shape;
    if (s.size() != 3 || s[l.batch_first ? 0 : 1] != 1)
      throw error(problem{.reason = text("its input has the shape ", to_text(s)),
                          .remedy = "a sequence of one batch is supported: export for a batch "
                                    "of 1"});
    l.steps = s[l.batch_first ? 1 : 0];
    l.x = x;
    l.x.shape = {l.steps, s[2]};
    const dims &w = c.constant(1, "weights").shape, &r = c.constant(2, "recurrent weights").shape;
    l.hidden = r.size() == 3 ? r[2] : 0;
    const dims rows{static_cast<std::int64_t>(l.directions), gates * l.hidden};
    if (w.size() != 3 || l.hidden < 1 || dims(w.begin(), w.end() - 1) != rows || w[2] != s[2] ||
        dims(r.begin(), r.end() - 1) != rows)
      throw error(text("its weights ", to_text(w), " and ", to_text(r), " do not fit ",
                       count_of(rows[0], "direction"), " of ", count_of(gates, "gate")));
    if (const auto given = c.n.integer("hidden_size", l.hidden); given != l.hidden)
      throw error(text("hidden_size is ", given, ", and its weights are of ", l.hidden));
    if (c.given(3) && std::cmp_not_equal(c.reals(3, "biases").size(), 2 * rows[0] * rows[1]))
      throw error(text("it has ", c.reals(3, "biases").size(), " biases"));
    if (c.given(4) && c.integers(4, "lengths") != dims{l.steps})
      throw error(problem{.reason = "its sequence is shorter than its input",
                          .remedy = "sequences of one length are supported"});
    l.read_functions(c, usual);
    return l;
  }

  // The outputs: of all steps, and what is behind the last one.
  std::vector<value> outputs(const context& c, const std::vector<std::vector<assembly::id>>& all,
                             const std::vector<std::vector<assembly::id>>& last) const {
    std::vector<assembly::id> stacks;
    for (const auto& of_direction : all) {
      std::vector<net::shape> shapes;
      for (const auto n : of_direction) shapes.push_back(c.net.net().shape(n));
      stacks.push_back(of_direction.size() == 1
                           ? of_direction[0]
                           : c.net.add(c.n.name() + "/steps", net::stack(shapes, false),
                                       of_direction));
    }
    const auto joined = [&](const std::string& name, const std::vector<assembly::id>& parts) {
      return parts.size() == 1 ? parts[0] : c.net.add(name, net::concat{}, parts);
    };
    const auto d = static_cast<std::int64_t>(directions);
    // Channels of the cube are the states of one direction behind those of the other.
    element_map from;
    for (std::int64_t t = 0; t < steps; ++t)
      for (std::int64_t k = 0; k < d * hidden; ++k)
        from.push_back(static_cast<std::int32_t>(k * steps + t));
    computed y{joined(c.n.name(), stacks), batch_first ? dims{1, steps, d, hidden}
                                                       : dims{steps, d, 1, hidden}};
    if (steps > 1) {
      y.from = std::make_shared<const element_map>(std::move(from));
      y.moved_by = c.n.name() + "/order";
    }
    std::vector<value> result{y};
    for (std::size_t i = 0; i < last.size(); ++i)
      result.push_back(computed{joined(text(c.n.name(), i == 0 ? "/last" : "/cell"), last[i]),
                                batch_first ? dims{1, d, hidden} : dims{d, 1, hidden}});
    return result;
  }

  // The steps in the order in which a direction takes them.
  std::vector<std::int64_t> order(std::size_t direction) const {
    dims all = ascending(steps, 1);
    if (backwards || direction == 1) std::ranges::reverse(all);
    return all;
  }
  recurrence direction(const context& c, std::size_t d) const {
    const auto each = static_cast<std::ptrdiff_t>(functions.size() / directions);
    const auto begin = functions.begin() + static_cast<std::ptrdiff_t>(d) * each;
    return {c, d, *this, {begin, begin + each}};
  }

 private:
  void read_functions(const context& c, const std::vector<std::string>& usual) {
    auto names = c.n.strings("activations").value_or(std::vector<std::string>{});
    if (names.empty())
      for (std::size_t d = 0; d < directions; ++d)
        names.insert(names.end(), usual.begin(), usual.end());
    if (names.size() != usual.size() * directions)
      throw error(text("it names ", names.size(), " activations instead of ",
                       usual.size() * directions));
    for (const auto& name : names) {
      const auto known = gate_functions().find(name);
      if (known == gate_functions().end())
        throw error(problem{.reason = "its activation '" + name + "' is not supported",
                            .remedy = "Affine, Elu, HardSigmoid, LeakyRelu, Relu, ScaledTanh, "
                                      "Sigmoid, Softplus, Softsign, Tanh and ThresholdedRelu are"});
      functions.push_back({name, known->second});
    }
    read_parameters(c, "activation_alpha", 0);
    read_parameters(c, "activation_beta", 1);
    for (const auto& f : functions)
      if (std::ranges::any_of(f.parameters, [](float v) { return !std::isfinite(v); }))
        throw error(text("its activation ", f.name, " has no alpha and beta that are numbers"));
  }
  // A list has a number for each function that takes the parameter, in their order; functions that
  // are behind its end keep the usual one.
  void read_parameters(const context& c, const char* name, std::size_t which) {
    const auto given = c.n.numbers(name).value_or(std::vector<float>{});
    std::size_t next = 0;
    for (auto& f : functions)
      if (f.parameters.size() > which && next < given.size()) f.parameters[which] = given[next++];
    if (next != given.size())
      throw error(text("it has ", count_of(given.size(), "number"), " in ", name, ", of which its "
                       "activations take ", next));
  }
};

}  // namespace detail

NVDLAC_IMPL std::vector<value> on_lstm(const context& c) {
  c.require_inputs(3, 8);
  const bool coupled = c.n.flag("input_forget", false);
  const auto l = detail::recurrent_layer::of(c, 4, {"Sigmoid", "Tanh", "Tanh"});
  if (c.given(7) && c.constant(7, "peepholes").shape !=
                        dims{static_cast<std::int64_t>(l.directions), 3 * l.hidden})
    throw error(text("its peepholes ", to_text(c.constant(7, "peepholes").shape), " are not of ",
                     count_of(l.directions, "direction"), " of 3 gates of ", l.hidden));
  std::vector<std::vector<assembly::id>> all(l.directions), last(2);
  for (std::size_t d = 0; d < l.directions; ++d) {
    auto r = l.direction(c, d);
    r.take_inputs(l.x, r.all_biases(0, 4));  // gates: input, output, forget, cell
    auto state = r.initial(5, "initial_h"), cell = r.initial(6, "initial_c");
    const bool sees_cell = r.sees_cell();
    all[d].resize(static_cast<std::size_t>(l.steps));
    for (const auto t : l.order(d)) {
      const auto at = [&](const char* what) { return r.at(t, what); };
      auto gates = r.input(t, 0, 4);
      if (state) gates = r.sum(at("gates"), r.product(at("state"), *state, 0, 4), gates);
      // Gates are computed together, or one by one where each sees a cell of its own.
      std::optional<assembly::id> open;
      if (!sees_cell) open = r.function(at("open"), 0, r.part(at("gates/open"), gates, 0, 3));
      const auto candidate = r.function(at("told"), 1, r.part(at("gates/told"), gates, 3));
      const auto gate = [&](std::int64_t g, const char* what) {
        if (open) return r.part(at(what), *open, g);
        const auto of_gates = r.part(at(what) + "/gate", gates, g);
        return r.function(at(what), 0, r.with_cell(at(what) + "/sum", g, of_gates, cell));
      };
      const auto in = gate(0, "in");
      const auto added = r.times(at("added"), in, candidate);
      if (cell) {
        const auto forget = coupled ? r.line(at("forget"), -1, 1, in) : gate(2, "forget");
        cell = r.sum(at("cell"), r.times(at("kept"), forget, *cell), added);
      } else {
        cell = added;
      }
      const auto show = gate(1, "show");  // before the next layer with all compilers
      state = r.times(at("out"), show, r.function(at("seen"), 2, *cell));
      all[d][static_cast<std::size_t>(t)] = *state;
    }
    r.leave(5, *state);
    r.leave(6, *cell);
    last[0].push_back(*state);
    last[1].push_back(*cell);
  }
  return l.outputs(c, all, last);
}

NVDLAC_IMPL std::vector<value> on_gru(const context& c) {
  c.require_inputs(3, 6);
  const bool resets_product = c.n.flag("linear_before_reset", false);
  const auto l = detail::recurrent_layer::of(c, 3, {"Sigmoid", "Tanh"});
  std::vector<std::vector<assembly::id>> all(l.directions), last(1);
  for (std::size_t d = 0; d < l.directions; ++d) {
    auto r = l.direction(c, d);
    auto bias = r.all_biases(0, 3);  // gates: update, reset, hidden
    auto state = r.initial(5, "initial_h");
    // Where the reset gate multiplies the product with the state, it multiplies its bias as well.
    const auto reset_bias = resets_product ? r.biases(true, 2, 1) : std::vector<float>();
    for (std::size_t i = 0; i < reset_bias.size(); ++i)
      bias[static_cast<std::size_t>(2 * l.hidden) + i] -= reset_bias[i];
    r.take_inputs(l.x, bias);
    all[d].resize(static_cast<std::size_t>(l.steps));
    for (const auto t : l.order(d)) {
      const auto at = [&](const char* what) { return r.at(t, what); };
      auto gates = r.input(t, 0, 2);
      auto hidden = r.input(t, 2, 1);
      if (state) gates = r.sum(at("gates"), r.product(at("state"), *state, 0, 2), gates);
      const auto open = r.function(at("open"), 0, gates);
      const auto update = r.part(at("update"), open, 0);
      if (state || !reset_bias.empty()) {
        const auto reset = r.part(at("reset"), open, 1);
        std::optional<assembly::id> more;
        if (!resets_product)
          more = r.product(at("seen"), r.times(at("left"), reset, *state), 2, 1);
        else if (state)
          more = r.times(at("left"), reset, r.product(at("seen"), *state, 2, 1, reset_bias));
        else
          more = c.net.add(at("left"), net::scale{.factor = reset_bias}, {reset});
        hidden = r.sum(at("sum"), hidden, more);
      }
      const auto candidate = r.function(at("told"), 1, hidden);
      const auto rest = c.net.add(at("rest"),
                                  net::scale{.factor = std::vector<float>(
                                                 static_cast<std::size_t>(l.hidden), -1.0F),
                                             .bias = std::vector<float>(
                                                 static_cast<std::size_t>(l.hidden), 1.0F)},
                                  {update});
      const auto fresh = r.times(at("fresh"), rest, candidate);
      state = state ? r.sum(at("out"), r.times(at("kept"), update, *state), fresh) : fresh;
      all[d][static_cast<std::size_t>(t)] = *state;
    }
    r.leave(5, *state);
    last[0].push_back(*state);
  }
  return l.outputs(c, all, last);
}

NVDLAC_IMPL std::vector<value> on_rnn(const context& c) {
  c.require_inputs(3, 6);
  const auto l = detail::recurrent_layer::of(c, 1, {"Tanh"});
  std::vector<std::vector<assembly::id>> all(l.directions), last(1);
  for (std::size_t d = 0; d < l.directions; ++d) {
    auto r = l.direction(c, d);
    r.take_inputs(l.x, r.all_biases(0, 1));
    auto state = r.initial(5, "initial_h");
    all[d].resize(static_cast<std::size_t>(l.steps));
    for (const auto t : l.order(d)) {
      auto sum = r.input(t, 0, 1);
      if (state) sum = r.sum(r.at(t, "sum"), r.product(r.at(t, "state"), *state, 0, 1), sum);
      state = r.function(r.at(t, "out"), 0, sum);
      all[d][static_cast<std::size_t>(t)] = *state;
    }
    r.leave(5, *state);
    last[0].push_back(*state);
  }
  return l.outputs(c, all, last);
}

}  // namespace nvdlac::import::onnx_format
