// SPDX-License-Identifier: Apache-2.0
#pragma once
// ML programs: one function of operations, whose constants stand in the program or beside it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/coreml/description.hpp>
#include <nvdlac/import/coreml/operations.hpp>
#include <nvdlac/import/coreml/schema.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::coreml_format::program {

inline proto::view attribute_of(const proto::view& op, const char* name) {
  for (const auto& a : op.children("attributes"))
    if (a.string("key") == name) return a.child("value");
  throw error(problem{.reason = text("its attribute ", name, " is missing"),
                      .remedy = "the forms that all versions since iOS 15 have are supported"});
}
// Weights that are stored in fewer bits, and told by attributes.
inline bool is_compressed(const std::string& type) {
  return type == "constexpr_affine_dequantize" || type == "constexpr_lut_to_dense" ||
         type == "constexpr_cast";
}
inline array expanded(const proto::view& op, value_reader& values) {
  const auto given = [&](const char* name) { return attribute_of(op, name); };
  const auto type = op.string("type");
  if (type == "constexpr_cast") return values.read(given("source_val"));
  if (type == "constexpr_lut_to_dense")
    return values.looked_up(given("indices"), given("lut"), given("shape"));
  const auto axis = values.read(given("axis"));
  if (axis.size() != 1) throw error("its axis is not one number");
  return values.dequantised(given("quantized_data"), given("scale"), given("zero_point"),
                            static_cast<std::int64_t>(axis.number(0)));
}

// An operation may have a name beside its inputs, but no further attributes and no blocks.
inline void require_plain(const proto::view& op) {
  for (const auto& a : op.children("attributes"))
    if (const auto key = a.string("key"); key != "name")
      throw error("its attribute " + key + " is not understood");
  if (!op.children("blocks").empty()) throw error("its blocks are not understood");
}

class function_graph {
 public:
  function_graph(const proto::view& model, const part& wanted)
      : function_(function_in(model.child("mlProgram"))), block_(block_in(function_)) {
    const auto described = model.child("description").children("input");
    for (const auto& i : function_.children("inputs")) add_input(i, described, wanted);
    for (const auto& op : block_.children("operations")) add(op);
    for (const auto& o : block_.strings("outputs")) add_output(o);
  }

  const translation::file_graph& graph() const { return graph_; }
  const proto::view& operation_at(std::size_t k) const { return operations_[k]; }
  const constants& known() const { return known_; }
  const std::map<std::string, proto::view>& compressed() const { return compressed_; }
  const std::map<std::string, net::channel_order>& pictures() const { return pictures_; }
  std::vector<problem> notes{};

 private:
  static proto::view function_in(const proto::view& program) {
    const auto all = program.children("functions");
    for (const auto& f : all)
      if (all.size() == 1 || f.string("key") == "main") return f.child("value");
    throw error(problem{.reason = text("this ML program has ", all.size(),
                                       " functions, and none is called main"),
                        .remedy = "save it with one function"});
  }
  static proto::view block_in(const proto::view& function) {
    const auto all = function.children("blocks");
    for (const auto& b : all)
      if (all.size() == 1 || b.string("key") == function.string("opset")) return b.child("value");
    throw error("the function of this ML program has no block for its opset");
  }
  void add_input(const proto::view& input, const std::vector<proto::view>& described,
                 const part& wanted) {
    const auto name = input.string("name");
    const auto type = input.child("type").child("tensorType");
    if (const auto t = type.integer("dataType"); t != 10 && t != 11)
      throw error(problem{.layer = name, .reason = text("this input has the data type ", t),
                          .remedy = "inputs of real numbers are supported"});
    std::optional<dims> shape = shape_of(type);
    for (const auto& d : described) {
      if (d.string("name") != name) continue;
      const auto f = feature_of(d, wanted);
      if (f.picture) pictures_.emplace(name, *f.picture);
      if (std::ranges::find(*shape, -1) != shape->end() && f.shape &&
          f.shape->size() == shape->size() && !wanted.shapes.contains(name)) {
        shape = f.shape;
        notes.push_back({.layer = name,
                         .reason = "this input may have several shapes: its default is used, or "
                                   "what --shape tells"});
      }
    }
    graph_.inputs.push_back({name, shape});
  }
  void add(const proto::view& op) {
    translation::file_layer l{.type = op.string("type")};
    for (const auto& o : op.children("outputs")) l.outputs.push_back(o.string("name"));
    if (!l.outputs.empty()) l.name = l.outputs.front();
    if (l.type == "const") {
      known_.emplace(l.name, attribute_of(op, "val"));
      return;
    }
    if (is_compressed(l.type)) {
      compressed_.emplace(l.name, op);
      return;
    }
    for (const auto& entry : op.children("inputs"))
      for (const auto& b : entry.child("value").children("arguments"))
        if (b.has("name")) {
          l.inputs.push_back(b.string("name"));
          if (l.type == "classify" && entry.string("key") == "probabilities")
            for (const auto& o : l.outputs) probabilities_[o] = l.inputs.back();
        }
    if (l.type == "classify") return;
    graph_.layers.push_back(std::move(l));
    operations_.push_back(op);
  }
  // The label and the dictionary of a classifier are made of its probabilities by the host.
  void add_output(const std::string& name) {
    const auto found = probabilities_.find(name);
    const auto& tensor = found == probabilities_.end() ? name : found->second;
    if (found != probabilities_.end())
      notes.push_back({.layer = name,
                       .reason = "this output is left out: the host makes it of '" + tensor + "'"});
    if (std::ranges::find(graph_.outputs, tensor) == graph_.outputs.end())
      graph_.outputs.push_back(tensor);
  }

  proto::view function_, block_;
  translation::file_graph graph_;
  std::vector<proto::view> operations_;
  constants known_;
  std::map<std::string, proto::view> compressed_;
  std::map<std::string, std::string> probabilities_;
  std::map<std::string, net::channel_order> pictures_;
};

inline network translated(const named_content& file, const proto::view& model,
                          const part& wanted) {
  weight_files files(std::filesystem::path(file.file).parent_path());
  std::set<std::string> names;
  proto::for_each_message(model.message(), "BlobFile", [&](const proto::pb::Message& m) {
    names.insert(proto::view(m).string("fileName"));
  });
  auto bytes = file.content.size();
  for (const auto& n : names) bytes += static_cast<std::size_t>(files.bytes(n));
  value_reader values(bytes, files);
  const function_graph all(model, wanted);
  translation::channels_first_translator to(file.file, all.graph(), wanted, bytes);
  to.read_inputs();
  for (const auto& [name, value] : all.known())
    if (to.needs(name) && value.child("immediateValue").has("tensor") != value.has("blobFileValue"))
      if (!is_text(value))
        to.problems().attempt(name, [&] { to.hold(name, operand::of(values.read(value))); });
  for (const auto& [name, op] : all.compressed())
    if (to.needs(name))
      to.problems().attempt(name, [&] { to.hold(name, operand::of(expanded(op, values))); });
  auto result = to.translate(
      [](const std::string& type) { return operations().contains(type); },
      [&](std::size_t k) {
        const auto& l = all.graph().layers[k];
        const operation o(all.operation_at(k), l, all.known(), values, to);
        auto found = operations().at(l.type).convert(o);
        o.require_understood();
        require_plain(all.operation_at(k));
        require_understood(all.operation_at(k));
        return found;
      },
      translation::names_of(operations()));
  for (auto note : all.notes) {
    note.file = file.file;
    result.notes.push_back(std::move(note));
  }
  if (const auto& inputs = to.shapes_of_inputs(); inputs.size() == 1)
    if (const auto p = all.pictures().find(inputs.begin()->first); p != all.pictures().end())
      result.preprocessing = net::preprocessing{.order = p->second};
  result.external = files.paths();
  return result;
}

}  // namespace nvdlac::import::coreml_format::program
