// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/tensorflow/graph.hpp>
#include <nvdlac/import/tensorflow/node.hpp>

namespace nvdlac::import::tensorflow_format {

NVDLAC_IMPL flat_graph::flat_graph(const proto::view& graph, diagnostics& problems,
                                   std::string file, std::uint64_t most_nodes)
    : problems_(problems), file_(std::move(file)), most_nodes_(most_nodes) {
  for (const auto& f : graph.child("library").children("function"))
    functions_.emplace(f.child("signature").string("name"), f);
  scopes_.emplace_back();
  fill(scopes_.front(), graph.children("node"));
}

NVDLAC_IMPL std::optional<port> flat_graph::find(const std::string& reference) {
  const auto name = reference.substr(0, std::min(reference.find(':'), reference.size()));
  if (!scopes_.front().fields.contains(name)) {  // of a function's body
    const auto inner = names_.find(name);
    if (inner == names_.end()) return std::nullopt;
    return port{inner->second, number_behind(reference)};
  }
  const auto found = resolve({0, reference});
  while (!open_.empty()) {
    const auto [n, inside] = open_.back();
    open_.pop_back();
    for (const auto& input : inputs_of(fields_[n])) {
      const auto from = resolve({inside, input});
      if (!from)
        problems_.add({.file = file_, .layer = nodes_[n].name(),
                       .reason = "nothing produces its input '" + input + "'"});
      nodes_[n].inputs.push_back(from.value_or(port{}));
    }
  }
  return found;
}

NVDLAC_IMPL std::vector<std::string> flat_graph::last() const {
  static const std::set<std::string_view> without_result = {
      "Assert", "NoOp", "Print", "PrintV2", "SaveV2", "RestoreV2", "WriteFile"};
  const auto& root = scopes_.front();
  std::set<std::string> read;
  std::map<std::string, std::vector<std::string>> readers;
  for (const auto& [name, fields] : root.fields)
    for (const auto& i : inputs_of(fields)) {
      const auto from = i.substr(0, std::min(i.find(':'), i.size()));
      read.insert(from);
      readers[from].push_back(name);
    }
  std::set<std::string> fed;
  std::vector<std::string> open;
  for (const auto& [name, fields] : root.fields)
    if (const auto op = fields.string("op"); op == "Placeholder" || op == "PlaceholderV2")
      open.push_back(name);
  while (!open.empty()) {
    const auto name = std::move(open.back());
    open.pop_back();
    if (fed.insert(name).second)
      for (const auto& r : readers[name]) open.push_back(r);
  }
  std::vector<std::string> found;
  for (const auto& name : root.order) {
    const auto& fields = root.fields.at(name);
    const auto op = fields.string("op");
    if (read.contains(name) || (!fed.empty() && !fed.contains(name)) ||
        without_result.contains(op) || op.ends_with("Summary"))
      continue;
    found.push_back(name);
    const node n(name, fields);
    const char* counted = op == "Split" || op == "SplitV" ? "num_split" : "num";
    if (op == "Split" || op == "SplitV" || op == "Unpack" || op == "Unstack")
      for (std::int64_t i = 1; i < std::min<std::int64_t>(n.integer(counted, 1), 4096); ++i)
        found.push_back(text(name, ':', i));
  }
  return found;
}

NVDLAC_IMPL void flat_graph::fill(scope& b, const std::vector<proto::view>& nodes) {
  require_within(&budget::nodes, entries_ += nodes.size(), most_nodes_);
  for (const auto& f : nodes) {
    const auto name = f.string("name");
    if (!b.fields.emplace(name, f).second)
      throw error(problem{.file = file_, .layer = name, .reason = "the name is given twice"});
    b.order.push_back(name);
  }
}

NVDLAC_IMPL std::vector<std::string> flat_graph::inputs_of(const proto::view& fields) {
  auto all = fields.strings("input");
  std::erase_if(all, [](const std::string& i) { return i.starts_with("^"); });
  return all;
}

NVDLAC_IMPL std::size_t flat_graph::number_behind(const std::string& reference) {
  const auto colon = reference.rfind(':');
  std::size_t n = 0;
  if (colon == reference.npos || reference.size() - colon > 6) return 0;
  for (std::size_t i = colon + 1; i < reference.size(); ++i)
    if (const char c = reference[i]; c >= '0' && c <= '9')
      n = 10 * n + static_cast<std::size_t>(c - '0');
  return n;
}

NVDLAC_IMPL std::size_t flat_graph::output_number(const std::string& op,
                                                  const std::string& reference) {
  static const std::vector<std::string_view> of_batch_norm = {
      "y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2",
      "reserve_space_3"};
  const auto first = reference.find(':'), second = reference.rfind(':');
  if (op.starts_with("FusedBatchNorm") && first != second)
    for (std::size_t i = 0; i < of_batch_norm.size(); ++i)
      if (reference.substr(first + 1, second - first - 1) == of_batch_norm[i]) return i;
  return number_behind(reference);
}

NVDLAC_IMPL const proto::view* flat_graph::called(const proto::view& fields) const {
  const auto op = fields.string("op");
  auto f = functions_.find(op);
  if (op == "PartitionedCall" || op == "StatefulPartitionedCall")
    for (const auto& a : fields.children("attr"))
      if (a.string("key") == "f")
        f = functions_.find(a.child("value").child("func").string("name"));
  return f == functions_.end() ? nullptr : &f->second;
}

NVDLAC_IMPL std::size_t flat_graph::call(std::size_t from, const std::string& name,
                                         const proto::view& function) {
  auto& caller = scopes_[from];
  if (const auto known = caller.calls.find(name); known != caller.calls.end())
    return known->second;
  if (caller.depth > 32)
    throw error(problem{.file = file_, .layer = name,
                        .reason = "its functions call each other without an end"});
  scope b{.caller = from, .path = caller.path, .depth = caller.depth + 1};
  // TensorFlow's own wrappers tell nothing.
  if (name.find("PartitionedCall") == name.npos) b.path += name + "/";
  const auto given = inputs_of(caller.fields.at(name));
  const auto arguments = function.child("signature").children("input_arg");
  if (given.size() != arguments.size())
    throw error(problem{.file = file_, .layer = name,
                        .reason = text("it calls a function of ", arguments.size(),
                                       " arguments with ", given.size())});
  for (std::size_t i = 0; i < given.size(); ++i)
    b.arguments.emplace(arguments[i].string("name"), given[i]);
  for (const auto& o : function.child("signature").children("output_arg"))
    b.outputs.push_back(o.string("name"));
  for (const auto& r : function.children("ret"))
    b.results.emplace(r.string("key"), r.string("value"));
  fill(b, function.children("node_def"));
  scopes_.push_back(std::move(b));
  return scopes_[from].calls.emplace(name, scopes_.size() - 1).first->second;
}

NVDLAC_IMPL std::optional<port> flat_graph::resolve(named at) {
  for (int steps = 0; steps < 1000; ++steps) {
    auto& b = scopes_[at.in];
    const auto name = at.name.substr(0, std::min(at.name.find(':'), at.name.size()));
    if (const auto a = b.arguments.find(name); a != b.arguments.end()) {
      at = {b.caller, a->second};
      continue;
    }
    const auto f = b.fields.find(name);
    if (f == b.fields.end()) return std::nullopt;
    if (const auto* function = called(f->second)) {
      const auto inner = call(at.in, name, *function);
      const auto k = number_behind(at.name);
      const auto& to = scopes_[inner];
      if (k >= to.outputs.size()) return std::nullopt;
      const auto result = to.results.find(to.outputs[k]);
      if (result == to.results.end()) return std::nullopt;
      at = {inner, result->second};
      continue;
    }
    return port{number_of(at.in, name, f->second),
                output_number(f->second.string("op"), at.name)};
  }
  return std::nullopt;
}

NVDLAC_IMPL std::size_t flat_graph::number_of(std::size_t in, const std::string& name,
                                              const proto::view& fields) {
  auto& b = scopes_[in];
  const auto [found, is_new] = b.numbers.emplace(name, nodes_.size());
  if (is_new) {
    std::string whole = b.path + name;
    for (int i = 2; !names_.emplace(whole, nodes_.size()).second; ++i)
      whole = text(b.path, name, '#', i);
    nodes_.emplace_back(whole, fields);
    fields_.push_back(fields);
    open_.emplace_back(nodes_.size() - 1, in);
  }
  return found->second;
}

}  // namespace nvdlac::import::tensorflow_format
