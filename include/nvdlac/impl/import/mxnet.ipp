// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/json.hpp>
#include <nvdlac/import/mxnet.hpp>
#include <nvdlac/import/mxnet/operators.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/translation/channels_first.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import {

namespace mxnet_format {

NVDLAC_IMPL symbol::symbol(const json& all, const params& known) {
  const auto& nodes = list(all, "nodes");
  for (const auto& n : nodes) names_.push_back(json_text::word(n, "name"));
  for (std::size_t i = 0; i < nodes.size(); ++i) add(nodes[i], i, known);
  for (const auto& h : list(all, "heads")) graph_.outputs.push_back(tensor_at(h, nodes.size()));
  // Labels, with which an output layer compares in training, are no inputs.
  std::erase_if(graph_.inputs, [&](const auto& i) { return labels_.contains(i.name); });
  // A node does not tell how many outputs it has: those that are read.
  for (auto& l : graph_.layers)
    for (std::uint64_t k = 1; k <= highest_[l.name]; ++k)
      l.outputs.push_back(name_of(l.name, k));
}

NVDLAC_IMPL error symbol::broken(const std::string& what) {
  return error(problem{.reason = "its symbol has no sound " + what,
                       .remedy = "the file is corrupt"});
}

NVDLAC_IMPL const json& symbol::list(const json& object, const char* key) {
  const auto* found = member(object, key);
  if (found == nullptr || !found->is_array()) throw broken(key);
  return *found;
}

NVDLAC_IMPL std::string symbol::tensor_at(const json& entry, std::size_t before) {
  if (!entry.is_array() || entry.size() < 2 || !entry[0].is_number_unsigned() ||
      !entry[1].is_number_unsigned())
    throw broken("inputs");
  const auto n = entry[0].get<std::uint64_t>(), k = entry[1].get<std::uint64_t>();
  if (n >= before || k > 4096) throw broken("inputs");
  const auto& name = names_[static_cast<std::size_t>(n)];
  highest_[name] = std::max(highest_[name], k);
  return name_of(name, k);
}

NVDLAC_IMPL void symbol::add(const json& node, std::size_t at, const params& known) {
  const auto type = json_text::word(node, "op");
  const auto& name = names_[at];
  auto given = attributes_of(node);
  if (type == "null") {
    if (known.find(name) != nullptr) parameters_.push_back(name);
    else
      graph_.inputs.push_back({name, shape_in(given),
                               ", and the params file does not hold it as a weight"});
    return;
  }
  translation::file_layer l{.name = name, .type = type, .outputs = {name}};
  for (const auto& i : list(node, "inputs")) l.inputs.push_back(tensor_at(i, at));
  if ((type.ends_with("Output") || type == "Softmax") && l.inputs.size() == 2) {
    labels_.insert(l.inputs[1]);
    l.inputs.pop_back();
  }
  graph_.layers.push_back(std::move(l));
  attributes_.push_back(std::move(given));
}

NVDLAC_IMPL std::map<std::string, std::string> symbol::attributes_of(const json& node) {
  std::map<std::string, std::string> all;
  for (const char* key : {"param", "attr", "attrs"})
    if (const auto* some = member(node, key); some != nullptr && some->is_object())
      for (const auto& [name, value] : some->items())
        if (value.is_string()) all[name] = value.get<std::string>();
  return all;
}

NVDLAC_IMPL std::optional<dims> symbol::shape_in(std::map<std::string, std::string>& given) {
  const auto found = given.find("__shape__");
  if (found == given.end()) return std::nullopt;
  const translation::file_layer none;
  auto d = symbol_node(none, given).integers("__shape__");
  if (d && d->empty()) return std::nullopt;
  if (d)
    for (auto& i : *d) i = i < 1 ? -1 : i;
  return d;
}

NVDLAC_IMPL network translated(const named_content& model, const named_content& weights,
                               const part& wanted) {
  const auto most_fields = wanted.limits.fields;
  const auto known =
      nvdlac::in_file(weights.file, [&] { return params(weights.content, most_fields); });
  const symbol all(json_text::parsed(model.content, "the file", most_fields), known);
  translation::channels_first_translator to(model.file, all.graph(), wanted,
                                            model.content.size() + weights.content.size());
  to.read_inputs();
  for (const auto& name : all.parameters())
    if (to.needs(name))
      to.problems().attempt(name, [&] { to.hold(name, operand::of(known.find(name)->read())); });
  return to.translate([](const std::string& type) { return operators().contains(type); },
                      [&](std::size_t k) {
                        const auto& l = all.graph().layers[k];
                        const symbol_node n(l, all.attributes(k));
                        auto found = operators().at(l.type).convert(conversion(n, to));
                        n.require_understood();
                        return found;
                      },
                      translation::names_of(operators()));
}

}  // namespace mxnet_format

NVDLAC_IMPL network mxnet_network_from(const named_content& symbol, const named_content& params,
                                       const part& wanted) {
  if (const auto kind = recognise(symbol.content); kind.kind != file_kind::mxnet_symbol)
    throw error(problem{.file = symbol.file, .reason = "this is " + kind.name + ", not a symbol of "
                        "MXNet", .remedy = kind.remedy});
  if (const auto kind = recognise(params.content); kind.kind != file_kind::mxnet_params)
    throw error(problem{.file = params.file, .reason = "this is " + kind.name + ", not a file of "
                        "MXNet's parameters", .remedy = "give prefix-0000.params"});
  return nvdlac::in_file(symbol.file, [&] {
    return mxnet_format::translated(symbol, params, wanted);
  });
}

// Weak as further_readers.hpp declares it: a program of headers alone may have it in several
// sources.
network read_mxnet(const named_content& model, const weight_content& weights, const part& wanted) {
  return mxnet_network_from(model, std::get<named_content>(weights), wanted);
}

}  // namespace nvdlac::import
