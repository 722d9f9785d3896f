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

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/functions.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/onnx/schema.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL void extent::add(const extent& e) {
  constexpr std::uint64_t far = std::uint64_t{1} << 40;
  nodes = std::min(far, nodes + e.nodes);
  bytes = std::min(far, bytes + e.bytes);
  strings = std::min(far, strings + e.strings);
  references = std::min(far, references + e.references);
  depth = std::max(depth, e.depth);
}

NVDLAC_IMPL std::vector<std::shared_ptr<const versions>> function_expander::expand() {
  if (!view(model_).has("functions") || !view(model_).has("graph")) return {};
  read_functions();
  measure_graph();
  problems_.check();
  take_names();
  auto& graph = *model_.GetReflection()->MutableMessage(&model_, field(model_, "graph"));
  const std::unique_ptr<proto::pb::Message> expanded(graph.New());
  made_ = expanded.get();
  const scope outside{.imports = std::make_shared<const versions>(versions_of(view(model_)))};
  for (const auto& n : nodes()) {
    try {
      append(n, outside);
    } catch (const error& e) {
      complain(name_of(n), e);
    }
  }
  problems_.check();
  graph.GetReflection()->SwapFields(&graph, expanded.get(), {field(graph, "node")});
  model_.GetReflection()->ClearField(&model_, field(model_, "functions"));
  return std::move(imports_);
}

NVDLAC_IMPL std::string function_expander::name_of(const view& n) {
  auto name = n.string("name");
  for (const auto& o : n.strings("output"))
    if (name.empty()) name = o;
  return name;
}

NVDLAC_IMPL std::string function_expander::domain_of(const view& v) {
  const auto domain = v.string("domain");
  return domain == "ai.onnx" ? "" : domain;
}

NVDLAC_IMPL void function_expander::complain(const std::string& layer, const error& e) {
  for (problem p : e.problems()) {
    p.file = file_;
    if (p.layer.empty()) p.layer = layer;
    problems_.add(std::move(p));
  }
}

NVDLAC_IMPL void function_expander::read_functions() {
  const auto outside = versions_of(view(model_));
  for (const auto& f : view(model_).children("functions")) {
    try {
      const auto domain = domain_of(f), name = f.string("name");
      auto imports = versions_of(f);
      if (imports.contains("")) check_version(imports);
      imports.insert(outside.begin(), outside.end());
      function made{.body = f, .name = (domain.empty() ? "" : domain + ":") + name,
                    .imports = std::make_shared<const versions>(std::move(imports))};
      if (!functions_.emplace(key{domain, name, f.string("overload")}, std::move(made)).second)
        throw error("this function is defined twice");
    } catch (const error& e) {
      complain(f.string("name"), e);
    }
  }
  problems_.check();
}

NVDLAC_IMPL function_expander::function* function_expander::called(const view& n) {
  const auto domain = domain_of(n), type = n.string("op_type");
  const auto found = functions_.find(key{domain, type, n.string("overload")});
  if (found == functions_.end()) return nullptr;
  const auto entry = known_.find(domain.empty() ? type : domain + ":" + type);
  return entry != known_.end() && !entry->second.of_constants ? nullptr : &found->second;
}

NVDLAC_IMPL extent function_expander::measured(function& f, std::size_t level) {
  if (f.state == function::open)
    throw error(problem{.reason = text("the function ", f.name, " calls itself"),
                        .remedy = "no operator of ONNX ends such a recursion"});
  if (f.state == function::known) return f.size;
  require_depth(level);
  f.state = function::open;
  f.size = measured_nodes(f.body, level + 1);
  ++f.size.depth;
  f.size.nodes += f.body.size("output");  // which may need copies
  // What is bound for each call, even where nothing reads it.
  for (const char* list : {"input", "attribute", "attribute_proto"})
    f.size.strings += f.body.size(list);
  f.state = function::known;
  return f.size;
}

NVDLAC_IMPL extent function_expander::measured_nodes(const view& body, std::size_t level) {
  extent sum;
  for (const auto& n : body.children("node")) {
    extent own{.nodes = 1, .bytes = n.message().ByteSizeLong(),
               .strings = 1 + n.size("input") + n.size("output")};
    for (const auto& a : n.children("attribute"))
      if (a.has("ref_attr_name")) ++own.references;
    sum.add(own);
    if (auto* f = called(n)) sum.add(measured(*f, level));
  }
  return sum;
}

NVDLAC_IMPL void function_expander::require_depth(std::uint64_t depth) {
  constexpr std::uint64_t most = 64;
  if (depth > most) throw error(text("its functions call each other more than ", most, " deep"));
}

NVDLAC_IMPL longest function_expander::longest_of_model() {
  longest most;
  proto::for_each_message(model_, "NodeProto", [&](const proto::pb::Message& m) {
    const view n(m);
    most.name = std::max<std::uint64_t>(most.name, n.string("name").size());
    for (const char* list : {"input", "output"})
      for (const auto& s : n.strings(list))
        most.name = std::max<std::uint64_t>(most.name, s.size());
    if (called(n) == nullptr) return;
    for (const auto& a : n.children("attribute"))
      most.attribute = std::max<std::uint64_t>(most.attribute, a.message().ByteSizeLong());
  });
  for (const auto& [ignored, f] : functions_)
    for (const auto& a : f.body.children("attribute_proto"))
      most.attribute = std::max<std::uint64_t>(most.attribute, a.message().ByteSizeLong());
  return most;
}

NVDLAC_IMPL void function_expander::take_names() {
  for (const char* list : {"input", "initializer"})
    for (const auto& v : view(model_).child("graph").children(list))
      taken_[v.string("name")] = 1;
  for (const auto& n : nodes())
    for (const auto& o : n.strings("output")) taken_[o] = 1;
}

NVDLAC_IMPL std::string function_expander::fresh(const std::string& wanted) {
  std::string name = wanted;
  while (!taken_.emplace(name, 1).second) name = text(wanted, '_', ++taken_[wanted]);
  return name;
}

NVDLAC_IMPL void function_expander::append(const view& n, const scope& in) {
  if (const auto* f = called(n)) return append_call(n, *f, in);
  auto node = added(in);
  node.copy(n.message());
  if (in.callee == nullptr) return;
  if (n.has("name")) node.set("name", in.prefix + n.string("name"));
  for (const char* list : {"input", "output"}) {
    node.clear(list);
    for (const auto& t : n.strings(list)) node.append(list, tensor(t, in));
  }
  node.clear("attribute");
  for (const auto& [name, a] : attributes_of(n, in)) {
    auto made = node.add("attribute");
    made.copy(*a);
    made.set("name", name);
  }
}

NVDLAC_IMPL editor function_expander::added(const scope& in) {
  imports_.push_back(in.imports);
  return editor(*made_).add("node");
}

NVDLAC_IMPL std::string function_expander::tensor(const std::string& name, const scope& in) {
  if (name.empty() || in.callee == nullptr) return name;
  const auto found = in.tensors.find(name);
  if (found == in.tensors.end())
    throw error(text("the function ", in.callee->name, " reads '", name,
                     "', which nothing in it gives"));
  return found->second;
}

NVDLAC_IMPL function_expander::attributes function_expander::attributes_of(const view& n,
                                                                           const scope& in) {
  attributes all;
  for (const auto& a : n.children("attribute")) {
    const auto name = a.string("name"), from = a.string("ref_attr_name");
    const auto* meant = &a.message();
    if (!from.empty() && in.callee != nullptr) {
      const auto found = in.given.find(from);
      if (found == in.given.end())
        throw error(text("the function ", in.callee->name, " has no attribute '", from, "'"));
      meant = found->second;
    }
    if (meant != nullptr && !all.emplace(name, meant).second)
      throw error(text("attribute '", name, "' is given twice"));
  }
  return all;
}

NVDLAC_IMPL void function_expander::append_call(const view& n, const function& f,
                                                const scope& outside) {
  const auto name = outside.prefix + name_of(n);
  scope in{.imports = f.imports, .callee = &f, .prefix = fresh_prefix(name)};
  bind_attributes(n, in, outside);
  bind_inputs(n, in, outside);
  const auto copies = bind_outputs(n, in, outside);
  for (const auto& inner : f.body.children("node")) append(inner, in);
  for (const auto& [from, to] : copies) {
    auto node = added(in);
    node.set("op_type", std::string("Identity"));
    node.set("name", in.prefix + from);
    node.append("input", tensor(from, in));
    node.append("output", to);
  }
}

NVDLAC_IMPL std::string function_expander::fresh_prefix(const std::string& call) {
  const auto times = ++calls_[call];
  return (times == 1 ? call : text(call, '_', times)) + '/';
}

NVDLAC_IMPL void function_expander::bind_attributes(const view& n, scope& in,
                                                    const scope& outside) {
  const auto& body = in.callee->body;
  for (const auto& a : body.strings("attribute")) in.given[a] = nullptr;
  for (const auto& a : body.children("attribute_proto"))
    in.given[a.string("name")] = &a.message();
  for (const auto& [name, a] : attributes_of(n, outside)) {
    const auto found = in.given.find(name);
    if (found == in.given.end())
      throw error(text("attribute '", name, "' is none of the function ", in.callee->name));
    found->second = a;
  }
}

NVDLAC_IMPL void function_expander::bind_inputs(const view& n, scope& in, const scope& outside) {
  const auto given = n.strings("input"), names = in.callee->body.strings("input");
  if (given.size() > names.size())
    throw error(text("it has ", given.size(), " inputs, but the function ", in.callee->name,
                     " has ", names.size()));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!in.tensors.emplace(names[i], i < given.size() ? tensor(given[i], outside) : "").second)
      throw error(text("the function ", in.callee->name, " has two inputs '", names[i], "'"));
}

NVDLAC_IMPL std::vector<std::pair<std::string, std::string>> function_expander::bind_outputs(
    const view& n, scope& in, const scope& outside) {
  const auto& f = *in.callee;
  std::set<std::string> made;
  for (const auto& inner : f.body.children("node"))
    for (const auto& o : inner.strings("output"))
      if (!o.empty() && (in.tensors.contains(o) || !made.insert(o).second))
        throw error(text("the function ", f.name, " gives '", o, "' twice"));
  const auto wanted = n.strings("output"), names = f.body.strings("output");
  if (wanted.size() > names.size())
    throw error(text("it has ", wanted.size(), " outputs, but the function ", f.name, " has ",
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
