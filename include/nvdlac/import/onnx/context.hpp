// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/canvas.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::onnx_format {

// A node of the file. It remembers which attributes were asked for, so that those which nobody
// understands can be reported.
class node {
 public:
  node(const proto::view& fields, std::int64_t opset, std::filesystem::path directory)
      : opset_(opset), directory_(std::move(directory)), type_(fields.string("op_type")),
        inputs_(fields.strings("input")), outputs_(fields.strings("output")) {
    if (const auto domain = fields.string("domain"); !domain.empty() && domain != "ai.onnx")
      type_ = domain + ":" + type_;
    name_ = fields.string("name");
    for (const auto& o : outputs_)
      if (name_.empty()) name_ = o;
    while (!inputs_.empty() && inputs_.back().empty()) inputs_.pop_back();
    for (const auto& a : fields.children("attribute"))
      if (!attributes_.emplace(a.string("name"), a).second)
        throw error(problem{.layer = name_,
                            .reason = "attribute '" + a.string("name") + "' is given twice"});
  }

  const std::string& name() const { return name_; }
  const std::string& type() const { return type_; }
  std::int64_t opset() const { return opset_; }
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& outputs() const { return outputs_; }
  const std::filesystem::path& directory() const { return directory_; }
  bool has_input(std::size_t i) const { return i < inputs_.size() && !inputs_[i].empty(); }

  // The tensors that its subgraphs read, of their own and of the graph around them.
  std::vector<std::string> captured() const {
    std::vector<std::string> names;
    for (const auto& [ignored, a] : attributes_) capture(a, names);
    return names;
  }

  bool has(const char* name) const {
    asked_.insert(name);
    return attributes_.contains(name);
  }
  std::int64_t integer(const char* name, std::int64_t otherwise) const {
    const auto a = find(name, "INT", "i");
    return a ? a->integer("i") : otherwise;
  }
  bool flag(const char* name, bool otherwise) const {
    const auto v = integer(name, otherwise ? 1 : 0);
    if (v != 0 && v != 1) throw error(text("attribute '", name, "' is ", v, ", not 0 or 1"));
    return v == 1;
  }
  float number(const char* name, float otherwise) const {
    const auto a = find(name, "FLOAT", "f");
    return a ? a->number("f") : otherwise;
  }
  std::string string(const char* name, const std::string& otherwise) const {
    const auto a = find(name, "STRING", "s");
    return a ? a->bytes("s") : otherwise;
  }
  // Empty if the attribute is not there.
  std::optional<dims> integers(const char* name) const {
    const auto a = find(name, "INTS", "ints", false);
    if (!a) return std::nullopt;
    return a->values<std::int64_t>("ints");
  }
  std::optional<std::vector<float>> numbers(const char* name) const {
    const auto a = find(name, "FLOATS", "floats", false);
    if (!a) return std::nullopt;
    return a->values<float>("floats");
  }
  std::optional<array> tensor(const char* name) const {
    const auto a = find(name, "TENSOR", "t");
    if (!a) return std::nullopt;
    return to_array(a->child("t"), directory_);
  }

  // A problem for each attribute that was not asked for.
  void report_unknown(diagnostics& problems, const std::string& file) const {
    std::string known;
    for (const auto& a : asked_) known += (known.empty() ? "" : ", ") + a;
    for (const auto& [name, ignored] : attributes_)
      if (!asked_.contains(name))
        problems.add(
            {.file = file,
             .layer = name_,
             .reason = "attribute '" + name + "' of " + type_ + " is not understood",
             .remedy = known.empty() ? "it has none that are" : "understood are " + known});
  }

 private:
  static void capture(const proto::view& attribute, std::vector<std::string>& names) {
    auto graphs = attribute.children("graphs");
    if (attribute.has("g")) graphs.push_back(attribute.child("g"));
    for (const auto& g : graphs)
      for (const auto& n : g.children("node")) {
        for (auto& i : n.strings("input")) names.push_back(std::move(i));
        for (const auto& a : n.children("attribute")) capture(a, names);
      }
  }

  std::optional<proto::view> find(const char* name, const char* type, const char* field,
                                  bool required = true) const {
    asked_.insert(name);
    const auto found = attributes_.find(name);
    if (found == attributes_.end()) return std::nullopt;
    const auto& a = found->second;
    if (a.has("ref_attr_name"))
      throw error(text("attribute '", name, "' refers to a function's attribute"));
    const auto given = a.enumerator("type", type);  // the first models did not give it
    if (given != type || (required && !a.has(field) && !a.has("type")))
      throw error(text("attribute '", name, "' is of type ", given, " instead of ", type));
    return a;
  }

  std::int64_t opset_;
  std::filesystem::path directory_;
  std::string name_, type_;
  std::vector<std::string> inputs_, outputs_;
  std::map<std::string, proto::view> attributes_;
  mutable std::set<std::string> asked_;
};

// What the conversion of one node works with.
struct context {
  const node& n;
  const std::vector<value>& in;  // by input; `broken` where an optional input is left out
  canvas& net;
  std::int64_t batch;            // of the file's input, which counts as one picture

  std::size_t inputs() const { return in.size(); }
  bool given(std::size_t i) const {
    return i < in.size() && !std::holds_alternative<broken>(in[i]);
  }
  bool is_constant(std::size_t i) const {
    return given(i) && std::holds_alternative<std::shared_ptr<const array>>(in[i]);
  }
  bool all_constant() const {
    for (std::size_t i = 0; i < in.size(); ++i)
      if (given(i) && !is_constant(i)) return false;
    return true;
  }
  void require_inputs(std::size_t least, std::size_t most) const {
    if (in.size() < least || in.size() > most)
      throw error(text("it has ", in.size(), " inputs"));
    for (std::size_t i = 0; i < least; ++i)
      if (!given(i)) throw error(text("its input ", i, " is missing"));
  }
  const array& constant(std::size_t i, const char* what) const {
    if (!is_constant(i))
      throw error(problem{.reason = text("its ", what, " are not constant"),
                          .remedy = "they must be known when the file is read"});
    return *std::get<std::shared_ptr<const array>>(in[i]);
  }
  const std::vector<float>& reals(std::size_t i, const char* what) const {
    const array& a = constant(i, what);
    if (!a.real) throw error(text("its ", what, " are integers"));
    return a.reals;
  }
  const dims& integers(std::size_t i, const char* what) const {
    const array& a = constant(i, what);
    if (a.real || a.shape.size() > 1) throw error(text("its ", what, " are no list of integers"));
    return a.integers;
  }
  // The same for an operator that takes any number of inputs.
  void require_all_inputs(std::size_t least, std::size_t most) const {
    require_inputs(std::max(least, std::min(in.size(), most)), most);
  }
  const computed& tensor(std::size_t i) const {
    if (!given(i)) throw error(text("its input ", i, " is missing"));
    if (const auto* c = std::get_if<computed>(&in[i])) return *c;
    throw error(text("its input ", i, " is constant, where it should be computed"));
  }

  static std::vector<value> one(value v) { return {std::move(v)}; }
  static std::vector<value> one(array a) { return {std::make_shared<const array>(std::move(a))}; }
  // The whole cube of a fresh node, with a batch of one.
  std::vector<value> cube(assembly::id node) const {
    const net::shape s = net.net().shape(node);
    return {computed{node, {1, s.c, s.h, s.w}}};
  }
};

using handler = std::vector<value> (*)(const context&);

}  // namespace nvdlac::import::onnx_format
