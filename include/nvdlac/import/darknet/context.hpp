// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the conversion of every section works with.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/darknet/sections.hpp>
#include <nvdlac/import/darknet/weights.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::darknet_format {

using id = assembly::id;

// What a section gives: a node; none if it is a head, which the host computes, or has a problem.
struct given {
  std::optional<id> node{};
  bool is_head = false;
};

// A section that is being read. The index counts sections from 0, [net] not among them.
struct context {
  const section& s;
  std::string name;  // of the layer: type_index
  std::size_t index;
  const std::vector<given>& before;  // what the sections before it give
  id first;                          // the network's input
  float epsilon;                     // of batch normalisation
  assembly& net;
  darknet_format::weights& weights;

  id input() const { return index == 0 ? first : earlier(-1); }
  // A layer by its index, or counted back from this one.
  id earlier(std::int64_t i) const {
    const auto at = i < 0 ? static_cast<std::int64_t>(index) + i : i;
    if (at < 0 || at >= static_cast<std::int64_t>(index))
      throw error(problem{.reason = text("it reads layer ", i, ", which is none before it"),
                          .remedy = "layers count from 0 behind [net]; -1 is the one before"});
    const given& g = before[static_cast<std::size_t>(at)];
    if (g.is_head)
      throw error(problem{.reason = text("it reads what the head at layer ", at, " gives"),
                          .remedy = "heads are left to the host"});
    if (!g.node) throw error(std::vector<problem>{});  // its problem is reported already
    return *g.node;
  }
  const net::shape& shape(id n) const { return net.shape(n); }

  // A number of a window or of channels.
  std::int32_t small(std::string_view key, std::int64_t none, std::int64_t least = 1) const {
    const auto n = s.integer(key, none);
    if (n < least || n > net::max_elements)
      throw error(problem{.line = line_of(key), .reason = text(key, " is ", n)});
    return static_cast<std::int32_t>(n);
  }
  // Options that change what a layer computes, and are not supported.
  void refuse(std::initializer_list<std::string_view> keys) const {
    for (const auto key : keys)
      if (const auto* e = s.find(key); e != nullptr && s.real(key, 0) != 0)
        throw error(problem{.line = e->line,
                            .reason = text(key, "=", e->value, " is not supported")});
  }
  std::size_t line_of(std::string_view key) const {
    const auto* e = s.find(key);
    return e == nullptr ? s.line : e->line;
  }

  // The last node of a layer has its name, those before it a suffix.
  std::string step(bool last, const char* suffix) const { return last ? name : name + suffix; }
  template <class Op>
  id add(const std::string& node, Op op, const std::vector<id>& inputs) const {
    return net.add(node, std::move(op), inputs, s.line, weights.sound());
  }
  // Elements that change their places, to a cube of c x h x w.
  id move(const std::string& node, id x, const onnx_format::movement& m) const {
    const auto to = net::checked_shape(m.shape.at(0), m.shape.at(1), m.shape.at(2));
    return add(node, net::move{.target = to, .boxes = net::find_boxes(*m.from, to, shape(x))}, {x});
  }
};

inline dims dims_of(const net::shape& s) { return {s.c, s.h, s.w}; }

// The functions of `activation=`, each as nodes of which the last has the given name.
using function_writer = id (*)(const context&, const std::string& name, id x);

inline const std::map<std::string_view, function_writer>& functions() {
  using enum net::function;
  static const std::map<std::string_view, function_writer> all = {
      {"linear", [](const context&, const std::string&, id x) { return x; }},
      {"relu", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::relu{}, {x});
       }},
      {"relu6", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::clip{0.0F, 6.0F}, {x});
       }},
      {"hardtan", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::clip{-1.0F, 1.0F}, {x});
       }},
      {"leaky", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::prelu{{0.1F}}, {x});
       }},
      {"revleaky", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::prelu{{0.1F}}, {x});
       }},
      {"relie", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::prelu{{0.01F}}, {x});
       }},
      {"ramp", [](const context& c, const std::string& n, id x) {  // max(x, 0) + x / 10
         const auto bent = c.add(n + "/bend", net::prelu{{1 / 11.0F}}, {x});
         return c.add(n, net::scale{.factor = {1.1F}}, {bent});
       }},
      {"logistic", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = sigmoid}, {x});
       }},
      {"loggy", [](const context& c, const std::string& n, id x) {  // 2 * sigmoid(x) - 1
         const auto half = c.add(n + "/half", net::scale{.factor = {0.5F}}, {x});
         return c.add(n, net::activation{.function = tanh}, {half});
       }},
      {"tanh", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = tanh}, {x});
       }},
      {"mish", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = mish}, {x});
       }},
      {"swish", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = swish}, {x});
       }},
      {"gelu", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = gelu_tanh}, {x});
       }},
      {"elu", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = elu}, {x});
       }},
      {"selu", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = selu, .alpha = 1.6732F, .gamma = 1.0507F},
                      {x});
       }},
  };
  return all;
}

// The function of a layer. Darknet's code for mish and swish belongs to some layers alone.
inline std::string function_of(const context& c, const char* none, bool gates = false) {
  const auto name = c.s.word("activation", none);
  const auto fail = [&](std::string reason, std::string remedy) -> error {
    return error(problem{.line = c.line_of("activation"), .reason = std::move(reason),
                         .remedy = std::move(remedy)});
  };
  if (!functions().contains(name)) {
    std::string known;
    for (const auto& [f, ignored] : functions())
      known += (known.empty() ? "" : ", ") + std::string(f);
    throw fail("activation=" + name + " is not supported", "supported are " + known);
  }
  if (!gates && (name == "mish" || name == "swish"))
    throw fail("activation=" + name + " in a layer of this type, where Darknet computes none",
               "convolutional and shortcut layers have it");
  return name;
}
inline id activated(const context& c, const std::string& function, id x) {
  return functions().at(function)(c, c.name, x);
}

}  // namespace nvdlac::import::darknet_format
