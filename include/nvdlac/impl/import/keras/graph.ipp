// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/keras/graph.hpp>
#include <nvdlac/import/keras/layer.hpp>

namespace nvdlac::import::keras_format {

NVDLAC_IMPL std::optional<reference> reference_in(const json& j) {
  if (!j.is_array() || j.size() < 3 || !j[0].is_string() || !j[1].is_number_unsigned() ||
      !j[2].is_number_unsigned())
    return std::nullopt;
  return reference{j[0].get<std::string>(), j[1].get<std::size_t>(), j[2].get<std::size_t>()};
}

NVDLAC_IMPL recorded_call call_reader::read(const json& node) {
  if (node.is_object()) {
    if (const auto* a = member(node, "args")) argument(*a, 0);
    if (const auto* k = member(node, "kwargs")) named(*k);
  } else if (node.is_array() && !node.empty() && node[0].is_string()) {
    tensor(node);
  } else if (node.is_array()) {
    for (const auto& i : node) tensor(i);
  } else {
    fail("its call is " + shown(node));
  }
  return std::move(result_);
}

NVDLAC_IMPL void call_reader::fail(std::string reason, std::string remedy) {
  if (!result_.wrong)
    result_.wrong = problem{.reason = std::move(reason), .remedy = std::move(remedy)};
}

NVDLAC_IMPL void call_reader::tensor(const json& j) {
  const auto r = reference_in(j);
  if (!r) return fail("its input is " + shown(j));
  result_.inputs.emplace_back(*r);
  if (j.size() > 3) named(j[3]);
}

NVDLAC_IMPL void call_reader::argument(const json& j, int depth) {
  if (j.is_null() || j.is_boolean()) return;
  if (j.is_number()) {
    result_.inputs.emplace_back(j.get<float>());
  } else if (j.is_array() && depth < 8) {
    for (const auto& i : j) argument(i, depth + 1);
  } else if (word(j, "class_name") == "__keras_tensor__") {
    const auto* config = member(j, "config");
    const auto* history = config == nullptr ? nullptr : member(*config, "keras_history");
    const auto r = history == nullptr ? std::nullopt : reference_in(*history);
    if (!r) return fail("its input is " + shown(j));
    result_.inputs.emplace_back(*r);
  } else {
    fail("its argument is " + shown(j));
  }
}

NVDLAC_IMPL void call_reader::named(const json& arguments) {
  if (!arguments.is_object()) return;
  for (const auto& [key, value] : arguments.items()) {
    if (value.is_null() || value == json(false) || key == "name") continue;
    if (key == "training") {
      fail("it is called for training", "save the model as it is used for inference");
    } else if (key == "y" && value.is_number()) {
      result_.inputs.emplace_back(value.get<float>());
    } else if (key == "y" && reference_in(value)) {
      result_.inputs.emplace_back(*reference_in(value));
    } else if (key == "y" || key == "inputs" || key == "x" || key == "x1" || key == "x2") {
      argument(value, 0);
    } else {
      fail("its argument " + key + " is " + shown(value));
    }
  }
}

NVDLAC_IMPL std::optional<std::size_t> flat_graph::find(const std::string& name) const {
  const auto c = std::ranges::find(calls_, name, &call::name);
  if (c == calls_.end()) return std::nullopt;
  return static_cast<std::size_t>(c - calls_.begin());
}

NVDLAC_IMPL std::size_t flat_graph::add(call c) {
  require_within(&budget::nodes, calls_.size() + 1, most_nodes_);
  calls_.push_back(std::move(c));
  return calls_.size() - 1;
}

NVDLAC_IMPL flat_graph::numbers flat_graph::add_results(call c) {
  if (!gives_both_directions(*c.of)) return {add(std::move(c))};
  call backward = c;
  backward.name += "/backward";
  backward.result = 1;
  const auto first = add(std::move(c));
  return {first, add(std::move(backward))};
}

NVDLAC_IMPL std::optional<dims> flat_graph::told_shape(const layer& l) {
  const json& config = l.is_model ? *member(*l.object, "config") : l.config;
  for (const char* key : {"batch_input_shape", "batch_shape", "build_input_shape"})
    if (auto shape = shape_in(member(config, key))) return shape;
  if (l.is_model)
    for (const auto& i : l.layers)
      if (auto shape = told_shape(*i)) return shape;
  return std::nullopt;
}

NVDLAC_IMPL flat_graph::numbers flat_graph::add_model(const layer& m, const numbers& bound,
                                                      const std::string& prefix) {
  return m.class_name == "Sequential" ? add_sequence(m, bound, prefix)
                                      : add_functional(m, bound, prefix);
}

NVDLAC_IMPL flat_graph::numbers flat_graph::add_sequence(const layer& m, numbers at,
                                                         const std::string& prefix) {
  for (const auto& l : m.layers) {
    if (l->class_name == "InputLayer") {
      if (at.empty()) at = {add_input(*l, prefix + l->name)};
      continue;
    }
    if (at.empty()) {
      at = {add_input(*l, prefix + l->name + "_input")};
      if (!calls_.back().shape) calls_.back().shape = told_shape(m);
    }
    at = l->is_model ? add_model(*l, at, prefix + l->name + "/") : add_call(*l, at, prefix);
  }
  if (at.empty()) throw error(problem{.layer = m.name, .reason = "the model has no layers"});
  return at;
}

NVDLAC_IMPL flat_graph::numbers flat_graph::add_call(const layer& l, const numbers& inputs,
                                                     const std::string& prefix) {
  call c{.name = prefix + l.name, .of = &l};
  for (const auto i : inputs) c.inputs.emplace_back(i);
  return add_results(std::move(c));
}

NVDLAC_IMPL std::vector<reference> flat_graph::listed(const json& model, const char* key) {
  std::vector<reference> all;
  const auto* config = member(model, "config");
  const auto* list = config == nullptr ? nullptr : member(*config, key);
  if (list == nullptr) return all;
  if (const auto one = reference_in(*list)) return {*one};
  for (const auto& i : *list) {
    const auto one = reference_in(i);
    if (!one) throw error(std::string("its ") + key + " are " + shown(*list));
    all.push_back(*one);
  }
  return all;
}

NVDLAC_IMPL flat_graph::plan flat_graph::planned(const layer& m,
                                                 const std::vector<reference>& results) const {
  plan p;
  for (const auto& l : m.layers) {
    const auto* nodes = member(*l->object, "inbound_nodes");
    const bool input = l->class_name == "InputLayer";
    const std::size_t n = input ? 1 : nodes == nullptr || !nodes->is_array() ? 0 : nodes->size();
    const bool single = !input && n > 0 && (*nodes)[0].is_array() && !(*nodes)[0].empty() &&
                        (*nodes)[0][0].is_string();  // the list of one call's inputs
    p.of_layer[l->name] = {p.units.size(), single ? 1 : n};
    require_within(&budget::nodes, p.units.size() + n, most_nodes_);
    for (std::size_t i = 0; i < (single ? 1 : n); ++i)
      p.units.push_back({l.get(), i, input ? recorded_call{}
                                           : call_reader().read(single ? *nodes : (*nodes)[i])});
  }
  // A model may count its own making as its first call.
  const auto see = [&](const reference& r) {
    const auto found = p.of_layer.find(r.layer);
    if (found != p.of_layer.end() && r.node == found->second.second) p.first_node[r.layer] = 1;
  };
  for (const auto& u : p.units)
    for (const auto& i : u.how.inputs)
      if (const auto* r = std::get_if<reference>(&i)) see(*r);
  for (const auto& r : results) see(r);
  return p;
}

NVDLAC_IMPL std::optional<std::size_t> flat_graph::unit_of(const plan& p, const reference& r) {
  const auto found = p.of_layer.find(r.layer);
  if (found == p.of_layer.end()) return std::nullopt;
  const auto first = p.first_node.find(r.layer);
  const std::size_t skipped = first == p.first_node.end() ? 0 : first->second;
  if (r.node < skipped || r.node - skipped >= found->second.second) return std::nullopt;
  return found->second.first + (r.node - skipped);
}

NVDLAC_IMPL flat_graph::numbers flat_graph::add_functional(const layer& m, const numbers& bound,
                                                           const std::string& prefix) {
  const auto starts = listed(*m.object, "input_layers"),
             ends = listed(*m.object, "output_layers");
  if (!bound.empty() && bound.size() != starts.size())
    throw error(problem{.layer = prefix + m.name,
                        .reason = text("the model has ", count_of(starts.size(), "input"),
                                       ", but is called "
                                       "with ", bound.size())});
  auto p = planned(m, ends);
  for (std::size_t i = 0; i < p.units.size(); ++i)
    for (const auto& in : p.units[i].how.inputs)
      if (const auto* r = std::get_if<reference>(&in))
        if (const auto from = unit_of(p, *r)) {
          p.units[*from].readers.push_back(i);
          ++p.units[i].awaited;
        }
  if (bound.empty())  // inputs in the order in which the model lists them
    for (const auto& r : starts)
      if (const auto u = unit_of(p, r)) p.units[*u].results = {
          add_input(*p.units[*u].of, prefix + r.layer)};
  std::priority_queue<std::size_t, numbers, std::greater<>> ready;
  for (std::size_t i = 0; i < p.units.size(); ++i)
    if (p.units[i].awaited == 0) ready.push(i);
  std::size_t done = 0;
  for (; !ready.empty(); ++done) {
    const auto i = ready.top();
    ready.pop();
    if (p.units[i].of->class_name == "InputLayer") bind(p.units[i], starts, bound, prefix);
    else compute(p, p.units[i], prefix);
    for (const auto r : p.units[i].readers)
      if (--p.units[r].awaited == 0) ready.push(r);
  }
  if (done != p.units.size())
    throw error(problem{.layer = m.path, .reason = "layers of the model wait for each other"});
  numbers results;
  for (const auto& r : ends) results.push_back(result(p, r));
  if (results.empty())
    throw error(problem{.layer = m.path, .reason = "the model has no outputs"});
  return results;
}

NVDLAC_IMPL void flat_graph::bind(unit& u, const std::vector<reference>& starts,
                                  const numbers& bound, const std::string& prefix) {
  if (!u.results.empty()) return;
  for (std::size_t k = 0; k < bound.size(); ++k)
    if (starts[k].layer == u.of->name) u.results = {bound[k]};
  if (u.results.empty()) u.results = {add_input(*u.of, prefix + u.of->name)};
}

NVDLAC_IMPL std::size_t flat_graph::result(const plan& p, const reference& r) {
  const auto u = unit_of(p, r);
  if (!u || r.tensor >= p.units[*u].results.size())
    throw error(problem{.layer = r.layer,
                        .reason = text("the model reads its output ", r.tensor, " of call ",
                                       r.node, ", which does not exist")});
  return p.units[*u].results[r.tensor];
}

NVDLAC_IMPL void flat_graph::compute(const plan& p, unit& u, const std::string& prefix) {
  std::string name = prefix + u.of->name;
  if (u.number > 0) name += text("/call_", u.number);
  call c{.name = name, .of = u.of, .wrong = u.how.wrong};
  numbers tensors;
  for (const auto& i : u.how.inputs) {
    if (const auto* number = std::get_if<float>(&i)) {
      c.inputs.emplace_back(*number);
      continue;
    }
    tensors.push_back(result(p, std::get<reference>(i)));
    c.inputs.emplace_back(tensors.back());
  }
  if (!u.of->is_model) u.results = add_results(std::move(c));
  else if (u.how.wrong || tensors.empty()) {
    throw error(u.how.wrong.value_or(problem{.layer = name, .reason = "it has no inputs"}));
  } else {
    u.results = add_model(*u.of, tensors, name + "/");
  }
}

}  // namespace nvdlac::import::keras_format
