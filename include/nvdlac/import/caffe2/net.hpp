// SPDX-License-Identifier: Apache-2.0
#pragma once
// Caffe2's messages, and the networks that they describe.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::caffe2_format {

using onnx_format::array;
using onnx_format::dims;
using proto::rule;

inline constexpr proto::row schema_rows[] = {
    {"NetDef", "name", 1, "string"},
    {"NetDef", "op", 2, "OperatorDef", rule::many},
    {"NetDef", "type", 3, "string"},
    {"NetDef", "num_workers", 4, "int32"},
    {"NetDef", "device_option", 5, "DeviceOption"},
    {"NetDef", "arg", 6, "Argument", rule::many},
    {"NetDef", "external_input", 7, "string", rule::many},
    {"NetDef", "external_output", 8, "string", rule::many},

    {"OperatorDef", "input", 1, "string", rule::many},
    {"OperatorDef", "output", 2, "string", rule::many},
    {"OperatorDef", "name", 3, "string"},
    {"OperatorDef", "type", 4, "string"},
    {"OperatorDef", "arg", 5, "Argument", rule::many},
    {"OperatorDef", "device_option", 6, "DeviceOption"},
    {"OperatorDef", "engine", 7, "string"},
    {"OperatorDef", "control_input", 8, "string", rule::many},
    {"OperatorDef", "is_gradient_op", 9, "bool"},
    {"OperatorDef", "debug_info", 10, "string"},
    {"OperatorDef", "domain", 11, "string"},
    {"OperatorDef", "op_version", 12, "int64"},

    {"Argument", "name", 1, "string"},
    {"Argument", "f", 2, "float"},
    {"Argument", "i", 3, "int64"},
    {"Argument", "s", 4, "bytes"},
    {"Argument", "floats", 5, "float", rule::many},
    {"Argument", "ints", 6, "int64", rule::many},
    {"Argument", "strings", 7, "bytes", rule::many},
    {"Argument", "n", 8, "NetDef"},

    {"DeviceOption", "device_type", 1, "int32"},
    {"DeviceOption", "device_id", 2, "int32"},
};
inline const proto::schema& schema() {
  static const proto::schema built("caffe2", schema_rows);
  return built;
}

inline proto::document parsed(const named_content& net) {
  auto d = proto::parse_binary(schema(), "NetDef", net.file, net.content);
  proto::require_understood(d, net.file, "Caffe2", [](const auto& m) {
    return m == "OperatorDef" || m == "Argument";
  });
  return d;
}

// The arguments of an operator, all of which must be understood.
class arguments {
 public:
  explicit arguments(const proto::view& op) {
    for (const auto& a : op.children("arg")) {
      const auto name = a.string("name");
      if (!all_.emplace(name, a).second)
        throw error("its argument " + name + " is given twice");
      if (std::ranges::count_if(kinds, [&](const char* k) { return holds(a, k); }) > 1)
        throw error("its argument " + name + " has values of several kinds");
    }
  }

  bool has(const char* name) const { return find(name) != nullptr; }
  std::int64_t integer(const char* name, std::int64_t otherwise) const {
    const auto* a = find(name);
    return a == nullptr ? otherwise : checked(*a, name, "i").integer("i");
  }
  bool flag(const char* name, bool otherwise = false) const {
    return integer(name, otherwise ? 1 : 0) != 0;
  }
  float number(const char* name, float otherwise) const {
    const auto* a = find(name);
    return a == nullptr ? otherwise : checked(*a, name, "f").number("f");
  }
  std::string word(const char* name, const std::string& otherwise) const {
    const auto* a = find(name);
    return a == nullptr ? otherwise : checked(*a, name, "s").bytes("s");
  }
  std::optional<dims> integers(const char* name) const {
    const auto* a = find(name);
    if (a == nullptr) return std::nullopt;
    if (std::ranges::any_of(kinds, [&](const char* k) {
          return std::string_view(k) != "ints" && holds(*a, k);
        }))
      throw error(text("its argument ", name, " has no values in ints"));
    return a->values<std::int64_t>("ints");
  }
  std::vector<float> numbers(const char* name) const {
    const auto* a = find(name);
    return a == nullptr ? std::vector<float>{} : a->values<float>("floats");
  }
  // Two numbers: "strides", or "stride" for both, or "stride_h" and "stride_w".
  dims pair(const std::string& name, std::int64_t otherwise) const {
    const auto one = integer(name.c_str(), otherwise);
    const auto each = integers((name + 's').c_str());
    if (each && each->size() != 2)
      throw error(text("its ", name, "s are ", onnx_format::to_text(*each)));
    const dims sides{integer((name + "_h").c_str(), one), integer((name + "_w").c_str(), one)};
    if (each && sides != dims{otherwise, otherwise} && sides != *each)
      throw error(text("its ", name, " is ", onnx_format::to_text(sides), " and ",
                       onnx_format::to_text(*each)));
    return each.value_or(sides);
  }
  void ignore(std::initializer_list<const char*> names) const {
    for (const char* name : names) used_.insert(name);
  }
  void require_understood() const {
    // How it is computed.
    static const std::set<std::string_view> of_all = {
        "exhaustive_search", "ws_nbytes_limit", "shared_buffer",
        "convolution_transform_strategy", "cudnn_exhaustive_search"};
    std::vector<problem> wrong;
    for (const auto& [name, ignored] : all_)
      if (!used_.contains(name) && !of_all.contains(name))
        wrong.push_back({.reason = "its argument " + name + " is not understood",
                         .remedy = "leave it at its default"});
    if (!wrong.empty()) throw error(wrong);
  }

 private:
  static constexpr const char* kinds[] = {"f", "i", "s", "floats", "ints", "strings", "n"};

  static bool holds(const proto::view& a, const char* kind) {
    return kind[1] != '\0' ? a.size(kind) > 0 : a.has(kind);
  }
  const proto::view* find(const char* name) const {
    used_.insert(name);
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }
  static const proto::view& checked(const proto::view& a, const char* name, const char* field) {
    if (!a.has(field)) throw error(text("its argument ", name, " has no value in ", field));
    return a;
  }

  std::map<std::string, proto::view> all_;
  mutable std::set<std::string> used_;
};

// What an operator of the init_net fills a blob with.
inline array filled(const proto::view& op, onnx_format::constant_elements& most) {
  const auto type = op.string("type");
  const arguments given(op);
  array a{.shape = given.integers("shape").value_or(dims{})};
  const auto n = onnx_format::count(a.shape);
  most.take_weights(static_cast<std::uint64_t>(n));
  if (type == "GivenTensorFill") a.reals = given.numbers("values");
  else if (type == "ConstantFill")
    a.reals.assign(static_cast<std::size_t>(n), given.number("value", 0));
  else if (type == "GivenTensorInt64Fill" || type == "GivenTensorIntFill")
    a.real = false, a.integers = given.integers("values").value_or(dims{});
  else
    throw error(problem{.reason = "the init_net fills it by " + type,
                        .remedy = "trained weights (GivenTensorFill) are supported, those of "
                                  "quantised networks are not"});
  if (type == "ConstantFill" && given.integer("dtype", 1) != 1)
    throw error("it is filled with numbers that are not real");
  given.ignore({"run_once"});
  given.require_understood();
  if (std::cmp_not_equal(a.size(), n))
    throw error(text("it has ", a.size(), " values for the shape ",
                     onnx_format::to_text(a.shape)));
  return a;
}

// The operators of a predict_net under names that are given once: what an operator overwrites has a
// number behind its name.
class network_graph {
 public:
  network_graph(const proto::view& predict, const proto::view& init, const part& wanted) {
    for (const auto& op : init.children("op"))
      for (const auto& o : op.strings("output")) fills_.insert_or_assign(o, op);
    ops_ = predict.children("op");
    for (const auto& op : ops_)
      for (const auto& o : op.strings("output")) ++left_[o];
    choose_inputs(predict.strings("external_input"), wanted);
    for (const auto& op : ops_) add(op);
    for (const auto& o : predict.strings("external_output")) output(o);
  }

  const translation::file_graph& graph() const { return graph_; }
  const proto::view& op(std::size_t k) const { return ops_[k]; }
  const std::map<std::string, proto::view>& fills() const { return fills_; }
  const std::vector<problem>& notes() const { return notes_; }

 private:
  // A blob that nothing fills; of an export from ONNX, which fills all, the first.
  void choose_inputs(const std::vector<std::string>& external, const part& wanted) {
    for (const auto& name : external)
      if (!fills_.contains(name) || wanted.shapes.contains(name)) input(name);
    if (graph_.inputs.empty() && !external.empty()) input(external.front());
  }
  void input(const std::string& name) {
    std::optional<dims> shape;
    if (const auto fill = fills_.find(name); fill != fills_.end()) {
      shape = arguments(fill->second).integers("shape");
      if (shape && !shape->empty()) shape->front() = -1;  // that of a batch
      fills_.erase(fill);
    }
    graph_.inputs.push_back({name, std::move(shape)});
    inputs_.insert(name);
    ++left_[name];
    produced_[name] = 1;
  }
  std::string current(const std::string& blob) const {
    const auto found = now_.find(blob);
    return found == now_.end() ? blob : found->second;
  }
  void add(const proto::view& op) {
    translation::file_layer l{.type = op.string("type")};
    for (const auto& i : op.strings("input")) l.inputs.push_back(current(i));
    for (const auto& o : op.strings("output")) {
      const auto k = ++produced_[o];
      // The last one keeps the name, if neither an input nor a weight has it.
      const bool keeps = k == left_[o] && !inputs_.contains(o) && !fills_.contains(o);
      auto name = keeps ? o : text(o, '/', k);
      now_[o] = name;
      l.outputs.push_back(std::move(name));
    }
    l.name = op.string("name");
    if (l.name.empty() && !l.outputs.empty()) l.name = l.outputs.front();
    if (!l.outputs.empty()) results_.insert(l.outputs.front());
    graph_.layers.push_back(std::move(l));
  }
  // Exports name the old shapes, too, that Reshape and Concat give beside their results.
  void output(const std::string& blob) {
    auto name = current(blob);
    if (results_.contains(name)) return graph_.outputs.push_back(std::move(name));
    notes_.push_back({.layer = blob,
                      .reason = "this output is left out: no operator gives it as its result"});
  }

  std::map<std::string, proto::view> fills_;
  std::vector<proto::view> ops_;
  std::map<std::string, int> left_, produced_;  // how often a blob is written, at all and so far
  std::map<std::string, std::string> now_;
  std::set<std::string> inputs_, results_;  // results: the first outputs of operators
  translation::file_graph graph_;
  std::vector<problem> notes_;
};

}  // namespace nvdlac::import::caffe2_format
