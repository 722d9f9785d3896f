// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/onnx/reader.hpp>
#include <nvdlac/import/tflite/operators.hpp>

namespace nvdlac::import::tflite_format {

// Writes a model in ONNX's terms, so that both formats mean the same by the same operator. Layers
// have the names of the tensors that they give.
class translator {
 public:
  translator(const std::string& file, const model& from)
      : file_(file), from_(from), values_(from, to_) {}

  network translate() {
    attempt("", [&] { require_within(&budget::nodes, from_.operators().size()); });
    problems_.check();
    for (const auto i : from_.inputs()) attempt(values_.at(i).name, [&] { input(i); });
    for (const auto& op : from_.operators()) convert(op);
    for (const auto i : from_.outputs()) attempt(values_.at(i).name, [&] { output(i); });
    for (const auto& [kind, layers] : unsupported_)
      complain(layers.front(), error(text("the operator ", kind, " is not supported (",
                                          layers.size(),
                                          layers.size() == 1 ? " node)" : " nodes)")));
    problems_.check();
    auto result = onnx_format::reader(file_, to_.model(), {}, from_.size()).read();
    for (net::graph::id n = 0; n < result.graph.size(); ++n) name_as_in_file(result.graph[n]);
    for (const auto i : from_.outputs())
      if (const tensor& t = values_.at(i); t.type != float32 && t.type != float16)
        result.notes.push_back(
            {.file = file_, .layer = t.name,
             .reason = text("the file gives this output as integers of type ", type_name(t.type),
                            "; it is given as the real numbers that they stand for"),
             .remedy = t.grid && t.grid->scales.size() == 1
                           ? text("integer = real / ", t.grid->scales[0], " + ", t.grid->zeros[0])
                           : "whole numbers"});
    return result;
  }

 private:
  void complain(const std::string& layer, const error& e) {
    for (problem p : e.problems()) {
      p.file = file_;
      p.layer = escape::is_printable(layer) ? layer : "with a name that cannot be printed";
      problems_.add(std::move(p));
    }
  }
  template <class Action>
  bool attempt(const std::string& layer, Action action) {
    try {
      action();
      return true;
    } catch (const error& e) {
      complain(layer, e);
      return false;
    }
  }

  void input(std::int32_t index) {
    const tensor& t = values_.at(index);
    values_.set_broken(index);
    values_.require_sound(index);
    if (t.type != float32 && !t.holds_integers())
      throw error(problem{.reason = "the input has values of type " + type_name(t.type),
                          .remedy = "FLOAT32, UINT8, INT8 and INT16 are supported"});
    dims shape = t.shape;
    if (shape.size() == 4) shape = channels_second(shape);
    const bool on_grid = t.grid && t.holds_integers();
    to_.input(t.name, shape, on_grid ? t.onnx_type() : 1);
    values_.compute(index, on_grid ? values_.off_grid(t, t.name) : t.name);
  }
  void output(std::int32_t index) {
    if (!values_.is_known(index)) throw error("nothing produces this output");
    if (values_.is_constant(index)) throw error("this output is constant");
    if (values_.is_broken(index)) return;
    const tensor& t = values_.at(index);
    const auto& value = values_.computed(index);
    if (t.shape.size() != 4) return to_.output(value);
    to_.output(values_.node("Transpose", t.name, {value}, {{"perm", dims{0, 2, 3, 1}}}));
  }

  std::string kind_of(const operation& op) const {
    if (op.code == 32)
      return "'" + (escape::is_printable(op.custom) ? op.custom : "?") + "' (CUSTOM)";
    return builtin_name(op.code);
  }
  // Inputs are the file's, which has channels last; outputs were written as the file has them.
  void name_as_in_file(net::graph::node& n) const {
    if (const auto* in = std::get_if<net::input>(&n.op)) {
      for (const auto i : from_.inputs())
        if (values_.at(i).name == n.name && values_.at(i).shape.size() == 4)
          n.in_file = {channels_last_in_file(n.name, in->shape)};
      return;
    }
    for (auto& form : n.in_file)
      form.name = values_.at(from_.outputs()[static_cast<std::size_t>(form.place)]).name;
  }

  void convert(const operation& op) {
    const std::string layer = op.outputs.empty() ? kind_of(op) : values_.at(op.outputs[0]).name;
    const auto* entry = find_operator(op.code);
    bool sound = entry != nullptr;
    if (entry == nullptr) unsupported_[kind_of(op)].push_back(layer);
    sound = attempt(layer, [&] {
      if (op.outputs.empty()) throw error("it has no output");
      for (const auto i : op.inputs) {
        if (i < 0) continue;
        if (!values_.is_known(i))
          throw error("nothing produces its input '" + values_.at(i).name + "'");
        if (values_.is_broken(i)) sound = false;
      }
      for (const auto i : op.outputs) {
        values_.require_sound(i);
        if (values_.is_known(i)) throw error("its output is already produced");
      }
      if (!sound) return;
      check_options(op, *entry);
      try {
        entry->convert(conversion(op, values_));
      } catch (const error& e) {
        if (e.problems().front().reason != conversion::not_supported()) throw;
        unsupported_[kind_of(op)].push_back(layer);
      }
    }) && sound;
    for (const auto i : op.outputs)
      if (!values_.is_known(i)) values_.set_broken(i);
  }

  std::string file_;
  const model& from_;
  onnx_format::writer to_{opset};
  values values_;
  diagnostics problems_;
  std::map<std::string, std::vector<std::string>> unsupported_;
};

}  // namespace nvdlac::import::tflite_format
