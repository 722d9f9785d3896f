// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/hub/model.hpp>
#include <nvdlac/import/onnx/functions.hpp>
#include <nvdlac/import/onnx/operators.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL void extent::add(const extent& e) {
  constexpr std::uint64_t far = std::uint64_t{1} << 40;
  nodes = std::min(far, nodes + e.nodes);
  bytes = std::min(far, bytes + e.bytes);
  strings = std::min(far, strings + e.strings);
  depth = std::max(depth, e.depth);
}

// ai.onnx and "" are one domain.
NVDLAC_IMPL std::string function_expander::domain_of(const std::string& domain) {
  return domain == "ai.onnx" ? "" : domain;
}

NVDLAC_IMPL void function_expander::expand() {
  if (model_.functions.empty() || !model_.graph) return;
  read_functions();
  measure_graph();
  problems_.check();
  take_names();
  const scope outside{.imports = std::make_shared<const versions>(model_.imports)};
  for (const auto& n : nodes()) {
    try {
      append(n, outside);
    } catch (const error& e) {
      complain(n.label(), e);
    }
  }
  problems_.check();
  nodes() = std::move(made_);
  functions_.clear();
  model_.functions.clear();
}

NVDLAC_IMPL void function_expander::complain(const std::string& layer, const error& e) {
  for (problem p : e.problems()) {
    p.file = file_;
    if (p.layer.empty()) p.layer = layer;
    problems_.add(std::move(p));
  }
}

NVDLAC_IMPL void function_expander::read_functions() {
  for (const auto& f : model_.functions) {
    try {
      const auto domain = domain_of(f.domain);
      auto imports = f.imports;
      if (imports.contains("")) check_version(imports);
      imports.insert(model_.imports.begin(), model_.imports.end());
      function made{.body = &f, .name = (domain.empty() ? "" : domain + ":") + f.name,
                    .imports = std::make_shared<const versions>(std::move(imports))};
      if (!functions_.emplace(key{domain, f.name, f.overload}, std::move(made)).second)
        throw error("this function is defined twice");
    } catch (const error& e) {
      complain(f.name, e);
    }
  }
  problems_.check();
}

NVDLAC_IMPL function_expander::function* function_expander::called(const hub::node& n) {
  const auto domain = domain_of(n.domain);
  const auto found = functions_.find(key{domain, n.type, n.overload});
  if (found == functions_.end()) return nullptr;
  const auto entry = known_.find(domain.empty() ? n.type : domain + ":" + n.type);
  return entry != known_.end() && !entry->second.of_constants ? nullptr : &found->second;
}

NVDLAC_IMPL extent function_expander::measured(function& f, std::size_t level) {
  if (f.state == function::open)
    throw error(problem{.reason = text("the function ", f.name, " calls itself"),
                        .remedy = "no operator of ONNX ends such a recursion"});
  if (f.state == function::known) return f.size;
  require_depth(level);
  f.state = function::open;
  f.size = measured_nodes(f.body->nodes, level + 1);
  ++f.size.depth;
  f.size.nodes += f.body->outputs.size();  // which may need copies
  // Inputs and attributes are bound for each call, even where nothing reads them.
  f.size.strings += f.body->inputs.size() + f.body->attributes.size() + f.body->defaults.size();
  f.state = function::known;
  return f.size;
}

NVDLAC_IMPL extent function_expander::measured_nodes(const std::vector<hub::node>& body,
                                                     std::size_t level) {
  extent sum;
  for (const auto& n : body) {
    extent own{.nodes = 1, .bytes = sizeof n + n.type.size() + n.domain.size(),
               .strings = 1 + n.inputs.size() + n.outputs.size()};
    for (const auto& a : n.attributes) own.bytes += sizeof a + a.name.size();
    sum.add(own);
    if (auto* f = called(n)) sum.add(measured(*f, level));
  }
  return sum;
}

NVDLAC_IMPL void function_expander::require_depth(std::uint64_t depth) {
  constexpr std::uint64_t most = 64;
  if (depth > most) throw error(text("its functions call each other more than ", most, " deep"));
}

NVDLAC_IMPL std::uint64_t function_expander::longest_name() const {
  std::size_t most = 0;
  const auto look = [&](const std::vector<hub::node>& nodes) {
    for (const auto& n : nodes) {
      most = std::max(most, n.name.size());
      for (const auto* list : {&n.inputs, &n.outputs})
        for (const auto& s : *list) most = std::max(most, s.size());
    }
  };
  look(nodes());
  for (const auto& f : model_.functions) look(f.nodes);
  return most;
}

NVDLAC_IMPL void function_expander::take_names() {
  for (const auto& i : model_.graph->inputs) taken_[i.name] = 1;
  for (const auto& [name, ignored] : model_.graph->constants) taken_[name] = 1;
  for (const auto& n : nodes())
    for (const auto& o : n.outputs) taken_[o] = 1;
}

NVDLAC_IMPL std::string function_expander::fresh(const std::string& wanted) {
  std::string name = wanted;
  while (!taken_.emplace(name, 1).second) name = text(wanted, '_', ++taken_[wanted]);
  return name;
}

NVDLAC_IMPL void function_expander::append(const hub::node& n, const scope& in) {
  if (const auto* f = called(n)) return append_call(n, *f, in);
  auto made = n;
  made.imports = in.imports;
  if (in.callee != nullptr) {
    if (!n.name.empty()) made.name = in.prefix + n.name;
    for (auto* list : {&made.inputs, &made.outputs})
      for (auto& t : *list) t = tensor(t, in);
    made.attributes = attributes_of(n, in);
  }
  made_.push_back(std::move(made));
}

NVDLAC_IMPL std::string function_expander::tensor(const std::string& name, const scope& in) {
  if (name.empty() || in.callee == nullptr) return name;
  const auto found = in.tensors.find(name);
  if (found == in.tensors.end())
    throw error(text("the function ", in.callee->name, " reads '", name,
                     "', which nothing in it gives"));
  return found->second;
}

NVDLAC_IMPL std::vector<hub::attribute> function_expander::attributes_of(const hub::node& n,
                                                                         const scope& in) {
  std::vector<hub::attribute> all;
  std::set<std::string> names;
  for (auto a : n.attributes) {
    if (!a.refers_to.empty() && in.callee != nullptr) {
      const auto found = in.given.find(a.refers_to);
      if (found == in.given.end())
        throw error(text("the function ", in.callee->name, " has no attribute '", a.refers_to,
                         "'"));
      a.value = found->second;
      a.refers_to.clear();
    }
    if (!a.value) continue;
    if (!names.insert(a.name).second) throw error(text("attribute '", a.name, "' is given twice"));
    all.push_back(std::move(a));
  }
  return all;
}

NVDLAC_IMPL void function_expander::append_call(const hub::node& n, const function& f,
                                                const scope& outside) {
  const auto name = outside.prefix + n.label();
  scope in{.imports = f.imports, .callee = &f, .prefix = fresh_prefix(name)};
  bind_attributes(n, in, outside);
  bind_inputs(n, in, outside);
  const auto copies = bind_outputs(n, in, outside);
  for (const auto& inner : f.body->nodes) append(inner, in);
  for (const auto& [from, to] : copies)
    made_.push_back({.type = "Identity", .name = in.prefix + from, .inputs = {tensor(from, in)},
                     .outputs = {to}, .imports = in.imports});
}

NVDLAC_IMPL std::string function_expander::fresh_prefix(const std::string& call) {
  const auto times = ++calls_[call];
  return (times == 1 ? call : text(call, '_', times)) + '/';
}

NVDLAC_IMPL void function_expander::bind_attributes(const hub::node& n, scope& in,
                                                    const scope& outside) {
  const auto& body = *in.callee->body;
  for (const auto& a : body.attributes) in.given[a] = nullptr;
  for (const auto& a : body.defaults) in.given[a.name] = a.value;
  for (const auto& a : attributes_of(n, outside)) {
    const auto found = in.given.find(a.name);
    if (found == in.given.end())
      throw error(text("attribute '", a.name, "' is none of the function ", in.callee->name));
    found->second = a.value;
  }
}

NVDLAC_IMPL void function_expander::bind_inputs(const hub::node& n, scope& in,
                                                const scope& outside) {
  const auto& names = in.callee->body->inputs;
  if (n.inputs.size() > names.size())
    throw error(text("it has ", count_of(n.inputs.size(), "input"), ", but the function ",
                     in.callee->name,
                     " has ", names.size()));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!in.tensors
             .emplace(names[i], i < n.inputs.size() ? tensor(n.inputs[i], outside) : "")
             .second)
      throw error(text("the function ", in.callee->name, " has two inputs '", names[i], "'"));
}

NVDLAC_IMPL std::vector<std::pair<std::string, std::string>> function_expander::bind_outputs(
    const hub::node& n, scope& in, const scope& outside) {
  const auto& f = *in.callee;
  std::set<std::string> made;
  for (const auto& inner : f.body->nodes)
    for (const auto& o : inner.outputs)
      if (!o.empty() && (in.tensors.contains(o) || !made.insert(o).second))
        throw error(text("the function ", f.name, " gives '", o, "' twice"));
  const auto& wanted = n.outputs;
  const auto& names = f.body->outputs;
  if (wanted.size() > names.size())
    throw error(text("it has ", count_of(wanted.size(), "output"), ", but the function ", f.name,
                     " has ",
                     names.size()));
  std::vector<std::pair<std::string, std::string>> copies;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].empty()) continue;
    const auto to = tensor(wanted[i], outside);
    if (in.tensors.contains(names[i])) copies.emplace_back(names[i], to);
    else if (made.contains(names[i])) in.tensors.emplace(names[i], to);
    else throw error(text("nothing in the function ", f.name, " gives its output '", names[i],
                          "'"));
  }
  for (const auto& o : made)
    if (!in.tensors.contains(o)) in.tensors.emplace(o, fresh(in.prefix + o));
  return copies;
}

}  // namespace nvdlac::import::onnx_format
