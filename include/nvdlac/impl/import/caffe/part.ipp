// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/part.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/user_names.hpp>

namespace nvdlac::import::caffe_format {

NVDLAC_IMPL wiring::wiring(const std::vector<layer>& layers) : layers_(layers) {
  const auto give = [&](std::size_t n) {
    for (std::size_t k = 0; k < layers[n].tops.size(); ++k)
      last_[layers[n].tops[k]] = port{n, k};
  };
  for (std::size_t n = 0; n < layers.size(); ++n) by_name_.emplace(layers[n].name, n);
  // Inputs are there before any layer, wherever the file has them.
  for (std::size_t n = 0; n < layers.size(); ++n)
    if (layers[n].type == "Input") give(n);
  for (std::size_t n = 0; n < layers.size(); ++n) {
    auto& in = inputs_.emplace_back();
    for (const auto& bottom : layers[n].bottoms) {
      const auto from = last_.find(bottom);
      in.push_back(from == last_.end() ? std::nullopt : std::optional(from->second));
    }
    if (layers[n].type != "Input") give(n);
  }
}

NVDLAC_IMPL std::vector<wiring::port> wiring::outputs() const {
  std::set<port> read;
  for (const auto& in : inputs_)
    for (const auto& p : in)
      if (p) read.insert(*p);
  std::vector<port> found;
  for (const auto& [blob, p] : last_)
    if (!read.contains(p)) found.push_back(p);
  return found;
}

NVDLAC_IMPL std::vector<wiring::port> wiring::called(const std::string& name) const {
  const auto known = by_name_.find(name);
  auto n = known == by_name_.end() ? layers_.size() : known->second;
  if (known == by_name_.end()) {
    if (const auto blob = last_.find(name); blob != last_.end()) return {blob->second};
    const auto number = number_in(name, layers_.size());
    if (!number) return {};
    n = *number;
  }
  std::vector<port> found;
  for (std::size_t k = 0; k < layers_[n].tops.size(); ++k) {
    if (layers_[n].tops[k] == name) return {{n, k}};
    found.push_back({n, k});
  }
  return found;
}

NVDLAC_IMPL std::string wiring::name_of(port p) const {
  const auto& l = layers_[p.layer];
  for (const auto& name : {l.name, l.tops[p.top]})
    if (called(name) == std::vector{p}) return name;
  return std::to_string(p.layer);
}

NVDLAC_IMPL std::vector<cut_node> wiring::cut_nodes(
    const std::set<std::size_t>& refused, const std::set<std::size_t>& constant) const {
  std::vector<cut_node> all(layers_.size());
  const auto unread = outputs();
  const std::set<port> ends(unread.begin(), unread.end());
  for (std::size_t n = 0; n < layers_.size(); ++n) {
    all[n].layer = layers_[n].name;
    all[n].refused = refused.contains(n);
    all[n].constant = constant.contains(n);
    for (const auto& p : inputs_[n])
      if (p && layers_[p->layer].type != "Input") all[n].inputs.push_back({p->layer, p->top});
    for (std::size_t k = 0; k < layers_[n].tops.size(); ++k) {
      all[n].outputs.push_back(name_of({n, k}));
      // An input that no layer reads is no part of what is computed.
      all[n].of_network.push_back(layers_[n].type != "Input" && ends.contains({n, k}));
    }
    if (layers_[n].tops.empty() && refused.contains(n)) {  // such as a loss without a top
      all[n].outputs.push_back(layers_[n].name);
      all[n].of_network.push_back(true);
    }
  }
  return all;
}

NVDLAC_IMPL std::set<std::string> choose_part(std::vector<layer>& layers,
                                              const std::vector<std::string>& inputs,
                                              const part& wanted, const std::string& file,
                                              diagnostics& problems) {
  const wiring wires(layers);
  std::set<std::string> reads;  // inputs
  std::vector<std::string> names;
  for (const auto& l : layers) names.push_back(l.name);
  std::vector<std::pair<wiring::port, std::string>> to, from;
  const auto call = [&](const std::string& name, auto& list) {
    const auto ports = wires.called(name);
    for (const auto& p : ports)
      list.emplace_back(p, ports.size() == 1 ? wires.name_of(p) : layers[p.layer].tops[p.top]);
    if (ports.empty() && std::ranges::find(inputs, name) != inputs.end()) reads.insert(name);
    else if (ports.empty())
      problems.add({.file = file, .layer = name,
                    .reason = "the file has no layer that gives anything under this name, nor a "
                              "blob",
                    .remedy = meant_instead_of(name, names)});
  };
  for (const auto& name : wanted.to) call(name, to);
  for (const auto& name : wanted.from) call(name, from);
  std::set<wiring::port> begin, read;
  for (const auto& [p, name] : from) begin.insert(p);
  if (wanted.to.empty())
    for (const auto& p : wires.outputs()) to.emplace_back(p, layers[p.layer].tops[p.top]);
  std::vector<wiring::port> open;
  for (const auto& [p, name] : to) open.push_back(p);
  for (auto& l : layers) l.computed = false;
  while (!open.empty()) {
    const auto p = open.back();
    open.pop_back();
    auto& l = layers[p.layer];
    if (!read.insert(p).second || (begin.contains(p) && l.type != "Input")) continue;
    if (l.type == "Input") reads.insert(l.tops[p.top]);
    if (std::exchange(l.computed, true)) continue;
    for (std::size_t i = 0; i < l.bottoms.size(); ++i)
      if (const auto& in = wires.inputs(p.layer)[i]) open.push_back(*in);
      else reads.insert(l.bottoms[i]);
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto& l = layers[from[i].first.layer];
    const auto top = from[i].first.top;
    if (l.type != "Input") {
      l.begins.push_back({top, i, from[i].second});
    } else {
      l.computed = true;
      reads.insert(l.tops[top]);
    }
  }
  for (std::size_t i = 0; i < to.size(); ++i)
    layers[to[i].first.layer].ends.push_back({to[i].first.top, i, to[i].second});
  return reads;
}

}  // namespace nvdlac::import::caffe_format
