// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/hub/model.hpp>
#include <nvdlac/import/onnx/file.hpp>
#include <nvdlac/import/onnx/schema.hpp>
#include <nvdlac/import/onnx/tensor.hpp>
#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::onnx_format {

// A file's messages as parts of the common form, whose constants keep the file.
class file_parts {
 public:
  file_parts(std::shared_ptr<const proto::document> file, std::filesystem::path directory)
      : file_(std::move(file)), directory_(std::move(directory)) {}

  hub::model model() const;

 private:
  hub::graph graph(const proto::view& g) const;
  hub::function function(const proto::view& f) const;
  std::vector<hub::node> nodes(const proto::view& of) const;
  hub::attribute attribute(const proto::view& a) const;
  hub::attribute_value value(const proto::view& a) const;
  hub::constant constant(const proto::view& t) const;
  std::vector<std::filesystem::path> external() const;

  static hub::versions versions(const proto::view& importer);
  static std::vector<hub::tensor> tensors(const proto::view& g, const char* list);
  static std::optional<hub::tensor_type> type(const proto::view& described);
  static void add_reads(const proto::view& attribute, std::vector<std::string>& names);

  std::shared_ptr<const proto::document> file_;
  std::filesystem::path directory_;
};

NVDLAC_IMPL hub::model file_parts::model() const {
  const auto top = file_->root();
  hub::model m{.imports = versions(top), .external = external()};
  if (top.has("graph")) m.graph = graph(top.child("graph"));
  for (const auto& f : top.children("functions")) m.functions.push_back(function(f));
  return m;
}

NVDLAC_IMPL hub::graph file_parts::graph(const proto::view& g) const {
  hub::graph made{.nodes = nodes(g), .inputs = tensors(g, "input"),
                  .outputs = tensors(g, "output"), .between = tensors(g, "value_info"),
                  .has_sparse_constants = g.has("sparse_initializer")};
  for (const auto& t : g.children("initializer"))
    made.constants.emplace_back(t.string("name"), constant(t));
  return made;
}

NVDLAC_IMPL hub::function file_parts::function(const proto::view& f) const {
  hub::function made{.name = f.string("name"), .domain = f.string("domain"),
                     .overload = f.string("overload"), .inputs = f.strings("input"),
                     .outputs = f.strings("output"), .attributes = f.strings("attribute"),
                     .nodes = nodes(f), .imports = versions(f)};
  for (const auto& a : f.children("attribute_proto")) made.defaults.push_back(attribute(a));
  return made;
}

NVDLAC_IMPL std::vector<hub::node> file_parts::nodes(const proto::view& of) const {
  std::vector<hub::node> all;
  all.reserve(of.size("node"));
  for (const auto& n : of.children("node")) {
    all.push_back({.type = n.string("op_type"), .domain = n.string("domain"),
                   .overload = n.string("overload"), .name = n.string("name"),
                   .inputs = n.strings("input"), .outputs = n.strings("output")});
    for (const auto& a : n.children("attribute")) all.back().attributes.push_back(attribute(a));
  }
  return all;
}

NVDLAC_IMPL hub::attribute file_parts::attribute(const proto::view& a) const {
  hub::attribute made(a.string("name"), value(a));
  made.refers_to = a.string("ref_attr_name");
  return made;
}

NVDLAC_IMPL hub::attribute_value file_parts::value(const proto::view& a) const {
  // The first models did not tell the type: it is that of the field which is there.
  static constexpr std::pair<const char*, const char*> fields[] = {
      {"i", "INT"},       {"f", "FLOAT"},      {"s", "STRING"},        {"ints", "INTS"},
      {"floats", "FLOATS"}, {"strings", "STRINGS"}, {"t", "TENSOR"},   {"g", "GRAPH"},
      {"graphs", "GRAPHS"}};
  std::string there = "UNDEFINED";
  for (const auto& [field, type] : fields)
    if (a.has(field)) there = type;
  const auto type = a.enumerator("type", there);
  if (type == "INT") return a.integer("i");
  if (type == "FLOAT") return a.number("f");
  if (type == "STRING") return a.bytes("s");
  if (type == "INTS") return a.values<std::int64_t>("ints");
  if (type == "FLOATS") return a.values<float>("floats");
  if (type == "STRINGS") return a.strings("strings");
  if (type == "TENSOR") return constant(a.child("t"));
  if (type == "GRAPH" || type == "GRAPHS") {
    hub::subgraphs inner;
    add_reads(a, inner.reads);
    return inner;
  }
  if (type == "UNDEFINED" && !a.has("type")) return {};
  return hub::foreign_value{type};
}

NVDLAC_IMPL hub::constant file_parts::constant(const proto::view& t) const {
  return {t.values<std::int64_t>("dims"),
          [t, file = file_, directory = directory_] { return to_array(t, directory); }};
}

NVDLAC_IMPL std::vector<std::filesystem::path> file_parts::external() const {
  std::set<std::filesystem::path> found;
  proto::for_each_message(*file_->message, "TensorProto", [&](const proto::pb::Message& tensor) {
    for (const auto& e : proto::view(tensor).children("external_data"))
      if (e.string("key") == "location") found.insert(directory_ / e.string("value"));
  });
  return {found.begin(), found.end()};
}

NVDLAC_IMPL hub::versions file_parts::versions(const proto::view& importer) {
  hub::versions all;
  for (const auto& o : importer.children("opset_import")) {
    const auto domain = o.string("domain");
    all.insert_or_assign(domain == "ai.onnx" ? "" : domain, o.integer("version", 0));
  }
  return all;
}

NVDLAC_IMPL std::vector<hub::tensor> file_parts::tensors(const proto::view& g, const char* list) {
  std::vector<hub::tensor> all;
  for (const auto& t : g.children(list)) all.push_back({t.string("name"), type(t.child("type"))});
  return all;
}

NVDLAC_IMPL std::optional<hub::tensor_type> file_parts::type(const proto::view& described) {
  if (!described.has("tensor_type")) return std::nullopt;
  const auto tensor = described.child("tensor_type");
  hub::tensor_type made{.element = tensor.integer("elem_type")};
  if (!tensor.has("shape")) return made;
  made.shape.emplace();
  for (const auto& d : tensor.child("shape").children("dim")) {
    if (made.shape->empty() && d.has("denotation"))
      made.counts_pictures = d.string("denotation") == "DATA_BATCH";
    made.shape->push_back(d.integer("dim_value", -1));
  }
  return made;
}

NVDLAC_IMPL void file_parts::add_reads(const proto::view& attribute,
                                       std::vector<std::string>& names) {
  auto graphs = attribute.children("graphs");
  if (attribute.has("g")) graphs.push_back(attribute.child("g"));
  for (const auto& g : graphs)
    for (const auto& n : g.children("node")) {
      for (auto& i : n.strings("input")) names.push_back(std::move(i));
      for (const auto& a : n.children("attribute")) add_reads(a, names);
    }
}

NVDLAC_IMPL hub::model model_in(const std::string& content, const std::string& file,
                                const std::filesystem::path& directory,
                                std::uint64_t most_fields) {
  const auto kind = recognise(content);
  if (kind.kind != file_kind::onnx && kind.kind != file_kind::onnx_text)
    throw error(problem{.file = file, .reason = "this is " + kind.name + ", not an ONNX file",
                        .remedy = kind.remedy});
  auto document = kind.kind == file_kind::onnx
                      ? proto::parse_binary(schema(), "ModelProto", file, content, most_fields)
                      : proto::parse_text(schema(), "ModelProto", file, content, most_fields);
  proto::require_understood(document, file, "ONNX", [](const auto&) { return true; });
  return file_parts(std::make_shared<const proto::document>(std::move(document)), directory)
      .model();
}

}  // namespace nvdlac::import::onnx_format
