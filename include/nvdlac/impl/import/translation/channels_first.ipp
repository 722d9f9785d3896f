// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/translation/channels_first.hpp>
#include <nvdlac/import/translation/input_shapes.hpp>
#include <nvdlac/import/translation/layer_writer.hpp>
#include <nvdlac/import/user_names.hpp>

namespace nvdlac::import::translation {

NVDLAC_IMPL channels_first_translator::channels_first_translator(std::string file,
                                                                 const file_graph& graph,
                                                                 const part& wanted,
                                                                 std::size_t bytes)
    : file_(std::move(file)), graph_(graph), wanted_(wanted), bytes_(bytes), problems_(file_),
      shapes_(wanted, {1, 3, 224, 224}) {
  require_within(&budget::nodes, graph.layers.size(), wanted.limits);
  for (std::size_t k = 0; k < graph.layers.size(); ++k)
    for (const auto& o : graph.layers[k].outputs)
      if (!o.empty() && !producers_.emplace(o, k).second)
        problems_.add(graph.layers[k].name, error("its output '" + o + "' is produced twice"));
}

NVDLAC_IMPL const operand& channels_first_translator::at(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) return found->second;
  const auto from = producers_.find(name);
  if (from == producers_.end()) throw error("nothing produces its input '" + name + "'");
  const auto& l = graph_.layers[from->second];
  const auto k = std::ranges::find(l.outputs, name) - l.outputs.begin();
  throw error(problem{.reason = text("the layer '", l.name, "' (", l.type, ") gives no output ",
                                     k, ", '", name, "'"),
                      .remedy = "this output of the operator is not supported"});
}

NVDLAC_IMPL void channels_first_translator::read_inputs() {
  choose();
  for (const auto& i : graph_.inputs)
    if (read_.contains(i.name))
      problems_.attempt(i.name, [&] { input(i.name, i.shape, i.unknown); });
  for (const auto& name : starts_)
    problems_.attempt(name, [&] { input(name, std::nullopt); });
  shapes_.report_unused(problems_);
  for (const auto& i : graph_.inputs)
    if (!read_.contains(i.name) && wanted_.cuts() == false)
      problems_.add(i.name, error(problem{.reason = "no output depends on this input",
                                          .remedy = "remove it from the network"}));
  for (const auto& i : graph_.inputs)
    if (!is_held(i.name)) broken_.insert(i.name);
}

NVDLAC_IMPL network channels_first_translator::translate(
    const std::function<bool(const std::string&)>& known, const convert& how,
    const std::string& supported) {
  for (std::size_t k = 0; k < graph_.layers.size(); ++k) {
    const auto& l = graph_.layers[k];
    if (!needed_[k]) continue;
    bool sound = false;
    if (!known(l.type)) {
      unsupported_[l.type].push_back(l.name);
      refused_.insert(k);
    } else if (std::ranges::none_of(l.inputs, [&](const auto& i) { return broken_.contains(i); })) {
      sound = problems_.attempt(l.name, [&] { apply(k, how); });
      if (!sound) refused_.insert(k);
    }
    // An output that a sound layer does not give is no consequence of another problem: what
    // reads it is refused.
    for (const auto& o : l.outputs)
      if (!sound && !is_held(o)) broken_.insert(o);
  }
  report_unsupported(supported);
  std::vector<std::pair<std::string, operand>> outputs;
  for (const auto& name : ends_)
    if (!broken_.contains(name))
      problems_.attempt(name, [&] {
        const auto& o = at(name);
        if (o.value.empty()) {
          std::vector<std::string> others;
          for (const auto& other : ends_)
            if (const auto found = tensors_.find(other);
                found != tensors_.end() && !found->second.value.empty())
              others.push_back(other);
          throw constant_output(others);
        }
        outputs.emplace_back(name, o);
      });
  if (!problems_.found().empty())
    throw with_cut(error(problems_.found().problems()),
                   wanted_.from.empty() ? cut_around(nodes()) : "");
  try {
    auto result = to_.finish(file_, bytes_, wanted_.limits, outputs);
    if (wanted_.from.empty()) result.nodes = nodes();
    return result;
  } catch (const error& e) {
    throw with_cut(e, wanted_.from.empty() ? cut_around(nodes(), e) : "");
  }
}

NVDLAC_IMPL std::optional<std::string> channels_first_translator::tensor_called(
    const std::string& name) const {
  if (producers_.contains(name)) return name;
  for (const auto& l : graph_.layers)
    if (l.name == name && !l.outputs.empty()) return l.outputs.front();
  if (const auto k = number_in(name, graph_.layers.size()); k && !graph_.layers[*k].outputs.empty())
    return graph_.layers[*k].outputs.front();
  return std::nullopt;
}

NVDLAC_IMPL std::vector<std::string> channels_first_translator::called(
    const std::vector<std::string>& wanted) {
  std::vector<std::string> found, known;
  for (const auto& l : graph_.layers) known.push_back(l.name);
  for (const auto& name : wanted) {
    if (auto t = tensor_called(name)) found.push_back(std::move(*t));
    else problems_.add(name, error(problem{.reason = "the file has no such layer",
                                           .remedy = meant_instead_of(name, known)}));
  }
  return found;
}

NVDLAC_IMPL void channels_first_translator::choose() {
  ends_ = wanted_.to.empty() ? graph_.outputs : called(wanted_.to);
  starts_ = called(wanted_.from);
  if (ends_.empty() && wanted_.to.empty())
    problems_.add("", error("the network has no outputs"));
  needed_.assign(graph_.layers.size(), false);
  const std::set<std::string> begin(starts_.begin(), starts_.end());
  std::vector<std::string> open = ends_;
  while (!open.empty()) {
    const auto name = std::move(open.back());
    open.pop_back();
    if (!read_.insert(name).second || begin.contains(name)) continue;
    const auto from = producers_.find(name);
    if (from == producers_.end() || needed_[from->second]) continue;
    needed_[from->second] = true;
    for (const auto& i : graph_.layers[from->second].inputs) open.push_back(i);
  }
}

NVDLAC_IMPL void channels_first_translator::input(const std::string& name,
                                                  const std::optional<dims>& declared,
                                                  const std::string& unknown) {
  const auto shape = shapes_.of(name, declared, unknown);
  hold(name, to_.input(name, shape));
  given_[name] = shape;
}

NVDLAC_IMPL void channels_first_translator::apply(std::size_t k, const convert& how) {
  const auto& l = graph_.layers[k];
  try {
    auto results = how(k);
    for (std::size_t i = 0; i < std::min(results.size(), l.outputs.size()); ++i)
      // A tensor that begins the part is an input already.
      if (!l.outputs[i].empty() && !is_held(l.outputs[i]))
        hold(l.outputs[i], std::move(results[i]));
  } catch (const error& e) {
    auto all = e.problems();
    for (auto& p : all)
      if (p.reason.find(l.type) == p.reason.npos) p.reason = l.type + ": " + p.reason;
    throw error(std::move(all));
  }
}

NVDLAC_IMPL void channels_first_translator::report_unsupported(const std::string& supported) {
  bool first = true;
  for (const auto& [type, layers] : unsupported_) {
    problem p{.reason = text("the operator ", type, " is not supported (",
                             count_of(layers.size(), "layer"), ')')};
    if (std::exchange(first, false)) p.remedy = "supported are " + supported;
    problems_.add(layers.front(), error(std::move(p)));
  }
}

NVDLAC_IMPL std::vector<cut_node> channels_first_translator::nodes() const {
  std::vector<cut_layer> layers;
  const auto is_constant = [&](const std::string& tensor) {
    const auto found = tensors_.find(tensor);
    return found != tensors_.end() && found->second.value.empty();
  };
  for (std::size_t k = 0; k < graph_.layers.size(); ++k) {
    const auto& l = graph_.layers[k];
    layers.push_back({.name = l.name, .inputs = l.inputs, .outputs = l.outputs,
                      .refused = refused_.contains(k),
                      .constant = !l.outputs.empty() &&
                                  std::ranges::all_of(l.outputs, is_constant)});
  }
  return nodes_of(layers, ends_);
}

}  // namespace nvdlac::import::translation
