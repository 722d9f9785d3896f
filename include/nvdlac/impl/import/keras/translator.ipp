// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/keras/graph.hpp>
#include <nvdlac/import/keras/operators.hpp>
#include <nvdlac/import/keras/translator.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx/reader.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/translation/input_shapes.hpp>
#include <nvdlac/import/user_names.hpp>

namespace nvdlac::import::keras_format {

NVDLAC_IMPL translator::translator(const std::string& file, const flat_graph& graph, origin from,
                                   weights_of weights, const part& wanted, std::size_t bytes)
    : file_(file), calls_(graph.calls()), from_(from), weights_(std::move(weights)),
      problems_(file), shapes_(wanted), states_(wanted.states), bytes_(bytes),
      limits_(wanted.limits), constants_(bytes, wanted.limits) {
  from_.states = states_;
  from_.weights = &constants_;
  outputs_ = wanted.to.empty() ? graph.outputs() : named(graph, wanted.to);
  for (const auto n : named(graph, wanted.from)) starts_.insert(n);
}

NVDLAC_IMPL network translator::translate() {
  problems_.check();
  choose();
  for (const auto& c : calls_) tensors_.add(c.name);  // by the numbers of the calls
  for (std::size_t n = 0; n < calls_.size(); ++n)
    if (needed_[n] && !attempt(n, [&] { convert(n); })) refused_.insert(n);
  for (const auto n : outputs_) attempt(n, [&] { output(n); });
  shapes_.report_unused(problems_);
  for (const auto& [kind, layers] : unsupported_) report(kind, layers);
  if (!problems_.found().empty())
    throw with_cut(error(problems_.found().problems()),
                   starts_.empty() ? cut_around(nodes()) : "");
  auto result = [&] {
    try {
      onnx_format::reader reader(file_, to_.model(), bytes_, limits_);
      if (states_) reader.open_states();
      return reader.read();
    } catch (const error& e) {
      throw with_cut(e, starts_.empty() ? cut_around(nodes(), e) : "");
    }
  }();
  if (starts_.empty()) result.nodes = nodes();
  for (net::graph::id n = 0; n < result.graph.size(); ++n) name_as_in_file(result.graph[n]);
  return result;
}

NVDLAC_IMPL void translator::report(const std::string& kind,
                                    const std::vector<std::string>& layers) {
  problems_.add(layers.front(),
           error(problem{.reason = text("the class ", kind, " is not supported (",
                                        count_of(layers.size(), "layer"), ')'),
                         .remedy = kind.starts_with("Lambda")
                                       ? "it holds Python code, which is never run"
                                       : ""}));
}

NVDLAC_IMPL std::vector<cut_node> translator::nodes() const {
  std::vector<cut_node> all(calls_.size());
  for (std::size_t n = 0; n < calls_.size(); ++n) {
    const auto is_output = std::ranges::find(outputs_, n) != outputs_.end();
    all[n].layer = calls_[n].name;
    all[n].outputs = {calls_[n].name};
    all[n].of_network = {is_output && !calls_[n].is_input};
    all[n].refused = refused_.contains(n);
    for (const auto& i : calls_[n].inputs)
      if (const auto* k = std::get_if<std::size_t>(&i); k != nullptr && !calls_[*k].is_input)
        all[n].inputs.push_back({*k, 0});
  }
  return all;
}

NVDLAC_IMPL std::vector<std::size_t> translator::named(const flat_graph& graph,
                                                       const std::vector<std::string>& names) {
  std::vector<std::size_t> found;
  std::vector<std::string> known;
  for (const auto& c : graph.calls()) known.push_back(c.name);
  for (const auto& name : names) {
    const auto n = graph.find(name);
    if (const auto k = n ? n : number_in(name, graph.calls().size())) found.push_back(*k);
    else problems_.add(name, error(problem{.reason = "the file has no such layer",
                                           .remedy = meant_instead_of(name, known)}));
  }
  return found;
}

NVDLAC_IMPL void translator::choose() {
  needed_.assign(calls_.size(), false);
  for (const auto n : outputs_) needed_[n] = true;
  for (auto n = calls_.size(); n-- > 0;) {
    if (!needed_[n] || starts_.contains(n)) continue;
    for (const auto& i : calls_[n].inputs)
      if (const auto* k = std::get_if<std::size_t>(&i)) needed_[*k] = true;
  }
  for (std::size_t n = 0; n < calls_.size(); ++n) {
    const auto& l = *calls_[n].of;
    if (!needed_[n] || (l.class_name.find("Conv") == l.class_name.npos &&
                        l.class_name.find("Pooling") == l.class_name.npos))
      continue;
    channels_first_ = word(l.config, "data_format") == "channels_first";
    break;
  }
}

NVDLAC_IMPL void translator::input(std::size_t n, const std::optional<dims>& declared) {
  const auto& name = calls_[n].name;
  auto open = declared;
  if (open && !open->empty()) (*open)[0] = -1;  // Keras may tell the size of a batch
  const dims shape = shapes_.of(name, open);
  if (shape.empty() || shape[0] != 1)
    throw error(problem{.reason = "its shape is " + onnx_format::to_text(shape),
                        .remedy = "the first dimension counts pictures, and is 1"});
  const bool second = shape.size() == 4 && !channels_first_;
  const auto in = second ? order::channels_second : order::of_file;
  inputs_.push_back({name, in, shape});
  const auto index = static_cast<std::int32_t>(n);
  if (shape.size() <= 4) {
    to_.input(name, second ? translation::channels_second(shape) : shape);
    return values_.compute(index, {name, shape, in});
  }
  // A sequence of pictures, which comes as one of lines.
  const dims lines(shape.begin() + 2, shape.end() - 1);
  to_.input(name, {1, shape[1], onnx_format::count(lines), shape.back()});
  const auto steps = values_.node("Reshape", name + "/steps",
                                  {name, values_.write_integers(shape, name)}, {});
  values_.compute(index, {steps, shape, in});
}

NVDLAC_IMPL void translator::require_picture(const layer& l) const {
  const auto type = word(l.config, "dtype", word(l.config, "input_dtype", "float32"));
  if (type != "uint8" && type != "int8") l.require_real();
  for (const char* key : {"sparse", "ragged"})
    if (l.flag(key, false)) throw error(std::string("it is ") + key);
  l.require_understood();
}

NVDLAC_IMPL void translator::convert(std::size_t n) {
  const auto& c = calls_[n];
  const auto& l = *c.of;
  if (starts_.contains(n)) return input(n, std::nullopt);
  if (c.is_input) {
    if (l.class_name == "InputLayer") require_picture(l);
    return input(n, c.shape);
  }
  const auto entry = operators().find(l.class_name);
  if (entry == operators().end() || !l.wrong.empty()) {
    const auto detail = l.class_name == "TensorFlowOpLayer" && member(l.config, "node_def")
                            ? word(*member(l.config, "node_def"), "op") : "";
    unsupported_[l.wrong.empty() ? l.class_name + (detail.empty() ? "" : " of " + detail)
                                 : l.class_name + " of " + origin_of(l)]
        .push_back(c.name);
    refused_.insert(n);
    return;
  }
  if (c.wrong) throw error(*c.wrong);
  apply(n, *entry);
}

NVDLAC_IMPL std::string translator::origin_of(const layer& l) {
  const auto from = word(*l.object, "registered_name");
  return from.find('>') == from.npos ? word(*l.object, "module", "the user") : from;
}

NVDLAC_IMPL std::int32_t translator::held(array a, const std::string& name) {
  const auto index = tensors_.add(name);
  values_.fold(index, std::move(a));
  return index;
}

NVDLAC_IMPL std::vector<std::int32_t> translator::weights_held(const layer& l, std::size_t n) {
  if (const auto known = held_.find(&l); known != held_.end()) return known->second;
  std::vector<std::int32_t> all;
  for (const auto& w : weights_(l)) {
    constants_.take_weights(static_cast<std::uint64_t>(onnx_format::count(w.shape)));
    all.push_back(held(w.read(), calls_[n].name));
  }
  return held_[&l] = std::move(all);
}

NVDLAC_IMPL void translator::output(std::size_t n) {
  const auto index = static_cast<std::int32_t>(n);
  if (!values_.is_known(index) || values_.is_broken(index)) return;
  if (values_.is_constant(index)) throw error("this output is constant");
  const auto& x = values_.result(index);
  const bool turned = x.shape.size() == 4 && x.order == order::channels_second;
  to_.output(turned ? values_.node("Transpose", calls_[n].name, {x.value},
                                   {{"perm", translation::to_channels_last()}})
                    : x.value);
}

NVDLAC_IMPL void translator::name_as_in_file(net::graph::node& n) const {
  if (const auto* in = std::get_if<net::input>(&n.op)) {
    for (const auto& i : inputs_) {
      if (i.name != n.name) continue;
      if (i.in == order::channels_second)
        n.in_file = {channels_last_in_file(n.in_file.front(), in->shape)};
      else if (i.shape.size() > 4)
        n.in_file.front().shape.assign(i.shape.begin(), i.shape.end());
    }
    return;
  }
  std::vector<std::string> of_file;
  for (const auto o : outputs_) of_file.push_back(calls_[o].name);
  name_outputs(n, of_file);
}

}  // namespace nvdlac::import::keras_format
