// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/hub/model.hpp>
#include <nvdlac/import/onnx/cutter.hpp>
#include <nvdlac/import/user_names.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL void cutter::cut() {
  std::vector<std::string> outputs;
  for (const auto& name : wanted_.to)
    for (const auto& t : tensors_of(name)) outputs.push_back(t);
  std::map<std::string, std::vector<std::string>> begun;  // tensors by the name that was given
  for (const auto& name : wanted_.from)
    for (const auto& t : tensors_of(name)) {
      begin_at(t);
      begun[name].push_back(t);
    }
  if (!outputs.empty()) {
    graph_.outputs.clear();
    for (const auto& t : outputs) graph_.outputs.push_back({t});
  }
  if (wanted_.cuts()) drop_inputs();
  std::set<std::string> inputs, constants;
  for (const auto& i : graph_.inputs) inputs.insert(i.name);
  for (const auto& [name, ignored] : graph_.constants) constants.insert(name);
  for (const auto& [name, tensors] : begun) {
    if (std::ranges::any_of(tensors, [&](const auto& t) { return constants.contains(t); }))
      complain(name, "this tensor is constant", "begin behind a layer");
    else if (std::ranges::none_of(tensors, [&](const auto& t) { return inputs.contains(t); }))
      complain(name, "no output that is asked for depends on what this gives",
               "leave out --from " + name + ", or end behind it: --to LAYER");
  }
  for (const auto& [name, shape] : wanted_.shapes) set_shape(name, shape);
  problems_.check();
}

NVDLAC_IMPL void cutter::complain(const std::string& layer, std::string reason,
                                  std::string remedy) {
  problems_.add({.file = file_, .layer = layer, .reason = std::move(reason),
                 .remedy = std::move(remedy)});
}

NVDLAC_IMPL std::vector<std::string> cutter::tensors_of(const std::string& name) {
  const auto given_by = [](const hub::node& n) {
    auto given = n.outputs;
    std::erase(given, std::string());
    return given;
  };
  for (const auto& n : graph_.nodes) {
    auto given = given_by(n);
    if (n.name == name && !given.empty()) return given;
    if (std::ranges::find(given, name) != given.end()) return {name};
  }
  for (const auto& i : graph_.inputs)
    if (i.name == name) return {name};
  if (const auto k = number_in(name, graph_.nodes.size()))
    if (auto given = given_by(graph_.nodes[*k]); !given.empty()) return given;
  std::vector<std::string> names;
  for (const auto& n : graph_.nodes) names.push_back(n.label());
  complain(name, "the file has no such layer", meant_instead_of(name, names));
  return {};
}

NVDLAC_IMPL void cutter::begin_at(const std::string& tensor) {
  const auto is_named = [&](const hub::tensor& t) { return t.name == tensor; };
  if (std::ranges::any_of(graph_.inputs, is_named)) return;
  for (auto& n : graph_.nodes) std::ranges::replace(n.outputs, tensor, std::string());
  hub::tensor input{tensor};
  for (const auto* list : {&graph_.between, &graph_.outputs})
    if (const auto found = std::ranges::find_if(*list, is_named);
        found != list->end() && !input.type)
      input.type = found->type;
  if (!input.type && !wanted_.shapes.contains(tensor))
    complain(tensor, "the file does not tell the shape of this tensor",
             "give it: --shape " + tensor + "=1,CHANNELS,HEIGHT,WIDTH");
  graph_.inputs.push_back(std::move(input));
}

NVDLAC_IMPL void cutter::drop_inputs() {
  std::map<std::string, const std::vector<std::string>*> from;
  for (const auto& n : graph_.nodes)
    for (const auto& o : n.outputs)
      if (!o.empty()) from.emplace(o, &n.inputs);
  std::set<std::string> needed;
  std::vector<std::string> open;
  for (const auto& o : graph_.outputs) open.push_back(o.name);
  while (!open.empty()) {
    const auto name = std::move(open.back());
    open.pop_back();
    if (needed.insert(name).second)
      if (const auto f = from.find(name); f != from.end())
        open.insert(open.end(), f->second->begin(), f->second->end());
  }
  std::erase_if(graph_.inputs, [&](const hub::tensor& i) {
    return !needed.contains(i.name) &&
           std::ranges::find(wanted_.from, i.name) == wanted_.from.end();
  });
}

NVDLAC_IMPL void cutter::set_shape(const std::string& name, const dims& shape) {
  for (auto& input : graph_.inputs) {
    if (input.name != name) continue;
    auto& type = input.type ? *input.type : input.type.emplace();
    bool fits = !type.shape || type.shape->size() == shape.size();
    for (std::size_t k = 0; fits && type.shape && k < shape.size(); ++k)
      fits = (*type.shape)[k] < 1 || (*type.shape)[k] == shape[k];
    if (!fits)
      return complain(name, text("its shape is given as ", to_text(shape), ", but the file has ",
                                 to_text(*type.shape)));
    if (type.element == 0) type.element = 1;
    type.shape = shape;
    type.counts_pictures.reset();
    return;
  }
  std::set<std::string> weights;
  for (const auto& [constant, ignored] : graph_.constants) weights.insert(constant);
  std::string all;
  for (const auto& i : graph_.inputs)
    if (!weights.contains(i.name)) all += (all.empty() ? "" : ", ") + i.name;
  complain(name, "its shape is given, but it is no input", "inputs are " + all);
}

}  // namespace nvdlac::import::onnx_format
