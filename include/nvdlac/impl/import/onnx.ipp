// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx.hpp>
#include <nvdlac/import/onnx/batch.hpp>
#include <nvdlac/import/onnx/schema.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL const std::vector<float>& own_node::reals(std::size_t input, const char* what) const {
  constants_.insert(input);
  return c_.reals(input, what);
}

NVDLAC_IMPL const dims& own_node::integers(std::size_t input, const char* what) const {
  constants_.insert(input);
  return c_.integers(input, what);
}

NVDLAC_IMPL std::vector<std::size_t> own_node::tensors() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < c_.inputs(); ++i)
    if (!constants_.contains(i)) all.push_back(i);
  return all;
}

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
    graph_.GetReflection()->ClearField(&graph_, field(graph_, "output"));
    for (const auto& t : outputs) editor(graph_).add("output").set("name", t);
  }
  if (wanted_.cuts()) drop_inputs();
  std::set<std::string> inputs, constants;
  for (const auto& i : graph().children("input")) inputs.insert(i.string("name"));
  for (const auto& i : graph().children("initializer")) constants.insert(i.string("name"));
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
  for (const auto& n : graph().children("node")) {
    auto given = n.strings("output");
    std::erase(given, std::string());
    if (n.string("name") == name && !given.empty()) return given;
    if (std::ranges::find(given, name) != given.end()) return {name};
  }
  for (const auto& i : graph().children("input"))
    if (i.string("name") == name) return {name};
  const auto nodes = graph().children("node");
  if (const auto k = number_in(name, nodes.size())) {
    auto given = nodes[*k].strings("output");
    std::erase(given, std::string());
    if (!given.empty()) return given;
  }
  std::vector<std::string> names;
  for (const auto& n : nodes)
    names.push_back(n.string("name").empty() && !n.strings("output").empty()
                        ? n.strings("output")[0]
                        : n.string("name"));
  complain(name, "the file has no such layer", meant_instead_of(name, names));
  return {};
}

NVDLAC_IMPL void cutter::begin_at(const std::string& tensor) {
  for (const auto& i : graph().children("input"))
    if (i.string("name") == tensor) return;
  const auto* nodes = field(graph_, "node");
  const auto& r = *graph_.GetReflection();
  for (int i = 0; i < r.FieldSize(graph_, nodes); ++i) {
    auto& n = *r.MutableRepeatedMessage(&graph_, nodes, i);
    const auto* outputs = field(n, "output");
    for (int k = 0; k < n.GetReflection()->FieldSize(n, outputs); ++k)
      if (n.GetReflection()->GetRepeatedString(n, outputs, k) == tensor)
        n.GetReflection()->SetRepeatedString(&n, outputs, k, "");
  }
  std::unique_ptr<proto::pb::Message> type;
  for (const char* list : {"value_info", "output"})
    for (const auto& v : graph().children(list))
      if (v.string("name") == tensor && v.has("type") && !type) {
        type.reset(v.child("type").message().New());
        type->CopyFrom(v.child("type").message());
      }
  editor input = editor(graph_).add("input");
  input.set("name", tensor);
  if (type) input.child("type").copy(*type);
  else if (!wanted_.shapes.contains(tensor))
    complain(tensor, "the file does not tell the shape of this tensor",
             "give it: --shape " + tensor + "=1,CHANNELS,HEIGHT,WIDTH");
}

NVDLAC_IMPL void cutter::drop_inputs() {
  std::map<std::string, std::vector<std::string>> from;
  for (const auto& n : graph().children("node"))
    for (const auto& o : n.strings("output"))
      if (!o.empty()) from.emplace(o, n.strings("input"));
  std::set<std::string> needed;
  std::vector<std::string> open;
  for (const auto& o : graph().children("output")) open.push_back(o.string("name"));
  while (!open.empty()) {
    const auto name = std::move(open.back());
    open.pop_back();
    if (needed.insert(name).second)
      if (const auto f = from.find(name); f != from.end())
        open.insert(open.end(), f->second.begin(), f->second.end());
  }
  std::vector<std::unique_ptr<proto::pb::Message>> kept;
  for (const auto& i : graph().children("input"))
    if (needed.contains(i.string("name")) ||
        std::ranges::find(wanted_.from, i.string("name")) != wanted_.from.end()) {
      kept.emplace_back(i.message().New());
      kept.back()->CopyFrom(i.message());
    }
  const auto* inputs = field(graph_, "input");
  graph_.GetReflection()->ClearField(&graph_, inputs);
  for (const auto& k : kept) graph_.GetReflection()->AddMessage(&graph_, inputs)->CopyFrom(*k);
}

NVDLAC_IMPL void cutter::set_shape(const std::string& name, const dims& shape) {
  const auto* inputs = field(graph_, "input");
  const auto& r = *graph_.GetReflection();
  for (int i = 0; i < r.FieldSize(graph_, inputs); ++i) {
    auto& input = *r.MutableRepeatedMessage(&graph_, inputs, i);
    if (proto::view(input).string("name") != name) continue;
    const auto told = proto::view(input).child("type").child("tensor_type");
    const dims d = declared_shape(told);
    bool fits = !told.has("shape") || d.size() == shape.size();
    for (std::size_t k = 0; fits && k < d.size(); ++k) fits = d[k] < 1 || d[k] == shape[k];
    if (!fits)
      return complain(name, text("its shape is given as ", to_text(shape), ", but the file has ",
                                 to_text(d)));
    auto tensor = editor(input).child("type").child("tensor_type");
    if (!told.has("elem_type")) tensor.set("elem_type", std::int64_t{1});
    tensor.clear("shape");
    for (const auto s : shape) tensor.child("shape").add("dim").set("dim_value", s);
    return;
  }
  std::set<std::string> weights;
  for (const auto& w : graph().children("initializer")) weights.insert(w.string("name"));
  std::string all;
  for (const auto& i : graph().children("input"))
    if (!weights.contains(i.string("name")))
      all += (all.empty() ? "" : ", ") + i.string("name");
  complain(name, "its shape is given, but it is no input", "inputs are " + all);
}

NVDLAC_IMPL std::vector<std::filesystem::path> external_files(
    const google::protobuf::Message& model, const std::filesystem::path& directory) {
  std::set<std::filesystem::path> found;
  proto::for_each_message(model, "TensorProto", [&](const google::protobuf::Message& tensor) {
    for (const auto& e : proto::view(tensor).children("external_data"))
      if (e.string("key") == "location") found.insert(directory / e.string("value"));
  });
  return {found.begin(), found.end()};
}

NVDLAC_IMPL proto::document parsed(const std::string& content, const std::string& file) {
  const auto kind = recognise(content);
  if (kind.kind != file_kind::onnx && kind.kind != file_kind::onnx_text)
    throw error(problem{.file = file, .reason = "this is " + kind.name + ", not an ONNX file",
                        .remedy = kind.remedy});
  auto document = kind.kind == file_kind::onnx
                      ? proto::parse_binary(schema(), "ModelProto", file, content)
                      : proto::parse_text(schema(), "ModelProto", file, content);
  proto::require_understood(document, file, "ONNX", [](const auto&) { return true; });
  return document;
}

}  // namespace nvdlac::import::onnx_format
