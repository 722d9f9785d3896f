// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx/reader.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/tflite.hpp>
#include <nvdlac/import/tflite/layers.hpp>
#include <nvdlac/import/translation/input_shapes.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import {

namespace tflite_format {

NVDLAC_IMPL const operator_entry* find_operator(const operation& op) {
  if (op.code == custom_operator) {
    const auto* found = std::ranges::find(custom_operators, op.custom, &custom_entry::name);
    return found == std::end(custom_operators) ? nullptr : &found->entry;
  }
  const auto found = std::ranges::find(operators, op.code, &operator_entry::code);
  return found == operators.end() ? nullptr : &*found;
}

NVDLAC_IMPL const onnx_format::operator_table& operators_in_terms_of_onnx() {
  static const onnx_format::operator_table all = [] {
    auto table = onnx_format::operators();
    table.insert({{post_process_name, {post_process_layers}}, {svdf_name, {svdf_layers}}});
    return table;
  }();
  return all;
}

NVDLAC_IMPL void check_options(const operation& op, const operator_entry& entry) {
  if (op.options == nullptr) return;
  if (op.options_type != entry.options && !(op.options_type == 0 && !op.options->has_any_from(4)))
    throw error(text("its options are of type ", op.options_type, " instead of ", entry.options));
  const auto* known = find_options(entry.options);
  const int fields = known == nullptr ? 0 : static_cast<int>(known->fields.size());
  if (op.options->has_any_from(field(fields)))
    throw error(problem{.reason = text("it has an option that is not understood, behind the first ",
                                       fields),
                        .remedy = "the file is from a later version of the format"});
}

NVDLAC_IMPL network translator::translate() {
  problems_.attempt("", [&] {
    require_within(&budget::nodes, from_.operators().size(), from_.limits());
  });
  problems_.check();
  for (const auto i : from_.inputs()) problems_.attempt(values_.at(i).name, [&] { input(i); });
  for (const auto& op : from_.operators()) convert(op);
  for (const auto i : from_.outputs()) problems_.attempt(values_.at(i).name, [&] { output(i); });
  for (const auto& [kind, layers] : unsupported_)
    problems_.add(layers.front(), error(text("the operator ", kind, " is not supported (",
                                        count_of(layers.size(), "node"), ')')));
  if (!problems_.found().empty())
    throw with_cut(error(problems_.found().problems()), cut_around(nodes()));
  auto result = [&] {
    try {
      onnx_format::reader reader(file_, to_.model(), from_.size(), from_.limits(),
                                 operators_in_terms_of_onnx());
      if (states_) reader.open_states();
      return reader.read();
    } catch (const error& e) {
      throw with_cut(e, cut_around(nodes(), e));
    }
  }();
  result.nodes = nodes();
  for (net::graph::id n = 0; n < result.graph.size(); ++n) name_as_in_file(result.graph[n]);
  for (const auto i : from_.outputs())
    if (const tensor& t = at(i); t.type != float32 && t.type != float16)
      result.notes.push_back(
          {.file = file_, .layer = t.name,
           .reason = text("the file gives this output as integers of type ", type_name(t.type),
                          "; it is given as the real numbers that they stand for"),
           .remedy = t.grid && t.grid->scales.size() == 1
                         ? text("integer = real / ", t.grid->scales[0], " + ", t.grid->zeros[0])
                         : "whole numbers"});
  return result;
}

NVDLAC_IMPL void translator::input(std::int32_t index) {
  const tensor& t = at(index);
  values_.set_broken(index);
  values_.require_sound(index);
  if (t.type != float32 && !t.holds_integers)
    throw error(problem{.reason = "the input has values of type " + type_name(t.type),
                        .remedy = "FLOAT32, UINT8, INT8 and INT16 are supported"});
  const bool picture = t.shape.size() == 4, on_grid = t.grid && t.holds_integers;
  to_.input(t.name, picture ? translation::channels_second(t.shape) : t.shape,
            on_grid ? t.onnx_type : 1);
  values_.compute(index, {on_grid ? values_.off_grid(t, t.name) : t.name, t.shape,
                          picture ? translation::order::channels_second
                                  : translation::order::of_file});
}

NVDLAC_IMPL void translator::output(std::int32_t index) {
  if (!values_.is_known(index)) throw error("nothing produces this output");
  if (values_.is_constant(index)) throw error("this output is constant");
  if (values_.is_broken(index)) return;
  const tensor& t = at(index);
  const auto& value = values_.result(index).value;
  if (t.shape.size() != 4) return to_.output(value);
  to_.output(values_.node("Transpose", t.name, {value}, {{"perm", dims{0, 2, 3, 1}}}));
}

NVDLAC_IMPL std::string translator::kind_of(const operation& op) const {
  if (op.code == custom_operator)
    return "'" + (escape::is_printable(op.custom) ? op.custom : "?") + "' (CUSTOM)";
  return builtin_name(op.code);
}

NVDLAC_IMPL void translator::name_as_in_file(net::graph::node& n) const {
  if (const auto* in = std::get_if<net::input>(&n.op)) {
    for (const auto i : from_.inputs())
      if (values_.at(i).name == n.name && values_.at(i).shape.size() == 4)
        n.in_file = {channels_last_in_file(n.in_file.front(), in->shape)};
    return;
  }
  std::vector<std::string> of_file;
  for (const auto o : from_.outputs()) of_file.push_back(values_.at(o).name);
  name_outputs(n, of_file);
}

NVDLAC_IMPL void translator::convert(const operation& op) {
  const std::string layer = op.outputs.empty() ? kind_of(op) : values_.at(op.outputs[0]).name;
  const auto* entry = find_operator(op);
  bool sound = entry != nullptr;
  const auto refuse = [&] {
    unsupported_[kind_of(op)].push_back(layer);
    refused_.insert(&op);
  };
  if (entry == nullptr) refuse();
  const bool is_right = problems_.attempt(layer, [&] {
    if (op.outputs.empty()) throw error("it has no output");
    for (const auto i : op.inputs) {
      if (i < 0) continue;
      if (!values_.is_known(i)) {
        if (entry == nullptr && !values_.at(i).wrong.empty()) continue;  // it is refused already
        values_.require_sound(i);
        throw error("nothing produces its input '" + values_.at(i).name + "'");
      }
      if (values_.is_broken(i)) sound = false;
    }
    for (const auto i : op.outputs) {
      values_.require_sound(i);
      if (values_.is_known(i)) throw error("its output is already produced");
    }
    if (!sound) return;
    check_options(op, *entry);
    try {
      entry->convert(conversion(op, values_, states_));
    } catch (const error& e) {
      if (e.problems().front().reason != conversion::not_supported()) throw;
      refuse();
    }
  });
  if (!is_right) refused_.insert(&op);
  for (const auto i : op.outputs)
    if (!values_.is_known(i)) values_.set_broken(i);
}

NVDLAC_IMPL std::vector<cut_node> translator::nodes() const {
  std::vector<cut_layer> layers;
  const auto names_of = [&](const std::vector<std::int32_t>& tensors) {
    std::vector<std::string> all;
    for (const auto i : tensors)
      if (i >= 0) all.push_back(at(i).name);
    return all;
  };
  for (const auto& op : from_.operators())
    layers.push_back({.inputs = names_of(op.inputs), .outputs = names_of(op.outputs),
                      .refused = refused_.contains(&op),
                      .constant = !op.outputs.empty() &&
                                  std::ranges::all_of(op.outputs, [&](std::int32_t i) {
                                    return values_.is_constant(i);
                                  })});
  return nodes_of(layers, names_of(from_.outputs()));
}

}  // namespace tflite_format

NVDLAC_IMPL network tflite_network_from(const std::string& content, const std::string& file,
                                        const part& wanted) {
  const auto kind = recognise(content);
  if (kind.kind != file_kind::tflite)
    throw error(problem{.file = file, .reason = "this is " + kind.name + ", not a TFLite file",
                        .remedy = kind.remedy});
  tflite_format::model model(file, content, wanted.limits);
  model.cut(wanted);
  return tflite_format::translator(file, model, wanted.states).translate();
}

NVDLAC_IMPL network tflite_network(const std::filesystem::path& path, const part& wanted) {
  return tflite_network_from(read_file(path), path.string(), wanted);
}

NVDLAC_IMPL net::graph tflite_from(const std::string& content, const std::string& file,
                                   const part& wanted) {
  return real_graph(tflite_network_from(content, file, wanted), file);
}

NVDLAC_IMPL net::graph tflite(const std::filesystem::path& path, const part& wanted) {
  return tflite_from(read_file(path), path.string(), wanted);
}

NVDLAC_IMPL network read_tflite(const named_content& model, const weight_content&,
                                const part& wanted) {
  return tflite_network_from(model.content, model.file, wanted);
}

}  // namespace nvdlac::import
