// SPDX-License-Identifier: Apache-2.0
#pragma once
// A part of an ONNX model, and sizes that it leaves open, before it is read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/batch.hpp>
#include <nvdlac/import/onnx/writer.hpp>
#include <nvdlac/import/part.hpp>

namespace nvdlac::import::onnx_format {

class cutter {
 public:
  cutter(const std::string& file, proto::pb::Message& model, const part& wanted)
      : file_(file), wanted_(wanted),
        graph_(*model.GetReflection()->MutableMessage(&model, field(model, "graph"))) {}

  // All problems are in one error.
  void cut() {
    std::vector<std::string> outputs;
    for (const auto& name : wanted_.to)
      for (const auto& t : tensors_of(name)) outputs.push_back(t);
    for (const auto& name : wanted_.from)
      for (const auto& t : tensors_of(name)) begin_at(t);
    if (!outputs.empty()) {
      graph_.GetReflection()->ClearField(&graph_, field(graph_, "output"));
      for (const auto& t : outputs) editor(graph_).add("output").set("name", t);
    }
    if (wanted_.cuts()) drop_inputs();
    for (const auto& [name, shape] : wanted_.shapes) set_shape(name, shape);
    problems_.check();
  }

 private:
  static const proto::pb::FieldDescriptor* field(const proto::pb::Message& m, const char* name) {
    return m.GetDescriptor()->FindFieldByName(name);
  }
  proto::view graph() const { return proto::view(graph_); }
  void complain(const std::string& layer, std::string reason, std::string remedy = {}) {
    problems_.add({.file = file_, .layer = layer, .reason = std::move(reason),
                   .remedy = std::move(remedy)});
  }

  // What a layer gives, or the tensor of that name.
  std::vector<std::string> tensors_of(const std::string& name) {
    for (const auto& n : graph().children("node")) {
      auto given = n.strings("output");
      std::erase(given, std::string());
      if (n.string("name") == name && !given.empty()) return given;
      if (std::ranges::find(given, name) != given.end()) return {name};
    }
    for (const auto& i : graph().children("input"))
      if (i.string("name") == name) return {name};
    complain(name, "the file has no such layer");
    return {};
  }

  // The tensor becomes an input, of the shape that the file or the user tells.
  void begin_at(const std::string& tensor) {
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
               "give it: " + shape_option(tensor, {1, 64, 56, 56}));
  }

  // Inputs on which no output depends any longer.
  void drop_inputs() {
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

  void set_shape(const std::string& name, const dims& shape) {
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
    std::string all;
    for (const auto& i : graph().children("input"))
      all += (all.empty() ? "" : ", ") + i.string("name");
    complain(name, "its shape is given, but it is no input", "inputs are " + all);
  }

  std::string file_;
  const part& wanted_;
  proto::pb::Message& graph_;
  diagnostics problems_;
};

}  // namespace nvdlac::import::onnx_format
