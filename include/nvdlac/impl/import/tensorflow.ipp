// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/tensorflow.hpp>
#include <nvdlac/import/tensorflow/bundle.hpp>
#include <nvdlac/import/tensorflow/translator.hpp>
#include <nvdlac/import/user_names.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import {

namespace tensorflow_format {

NVDLAC_IMPL proto::document parsed(const std::string& content, const std::string& file,
                                   const char* message, bool is_text,
                                   std::uint64_t most_fields) {
  auto d = is_text ? proto::parse_text(schema(), message, file, content, most_fields)
                   : proto::parse_binary(schema(), message, file, content, most_fields);
  static const std::set<std::string_view> of_nodes = {
      "NodeDef", "AttrValue", "AttrEntry", "ListValue", "TensorProto", "TensorShapeProto", "Dim"};
  proto::require_understood(d, file, "TensorFlow",
                            [](const auto& m) { return of_nodes.contains(m); });
  return d;
}

NVDLAC_IMPL proto::view served(const proto::view& model, const std::string& file) {
  const auto graphs = model.children("meta_graphs");
  if (graphs.empty()) throw error(problem{.file = file, .reason = "the model holds no graph"});
  for (const auto& g : graphs)
    for (const auto& tag : g.child("meta_info_def").strings("tags"))
      if (tag == "serve") return g;
  return graphs.front();
}

NVDLAC_IMPL void chooser::add(std::vector<named_port>& to, const std::string& name,
                              const std::string& reference) {
  auto p = graph_.find(reference);
  if (const auto k = p ? std::nullopt : number_in(reference, nodes_.size("node")))
    p = graph_.find(nodes_.children("node")[*k].string("name"));
  if (p) to.push_back({name, *p});
  else
    problems_.add({.file = file_, .layer = name, .reason = "the file has no such layer",
                   .remedy = meant_instead_of(reference, [&] {
                     std::vector<std::string> known;
                     for (const auto& n : nodes_.children("node"))
                       known.push_back(n.string("name"));
                     return known;
                   }())});
}

NVDLAC_IMPL void chooser::add_all(std::vector<named_port>& to, const proto::view& signature,
                                  const char* field) {
  std::map<std::string, std::string> sorted;  // the file's order is that of a hash table
  for (const auto& e : signature.children(field))
    sorted.emplace(e.string("key"), e.child("value").string("name"));
  for (const auto& [name, reference] : sorted) add(to, name, reference);
}

}  // namespace tensorflow_format

NVDLAC_IMPL network tensorflow_network_from(const std::string& content, const std::string& file,
                                            const part& wanted,
                                            const std::filesystem::path& directory) {
  namespace tf = tensorflow_format;
  const auto kind = recognise(content);
  tf::description d{.bytes = content.size()};
  switch (kind.kind) {
    case file_kind::tensorflow:
    case file_kind::tensorflow_text: {
      const auto document = tf::parsed(content, file, "GraphDef",
                                       kind.kind == file_kind::tensorflow_text,
                                       wanted.limits.fields);
      return tf::translated(file, document.root(), std::nullopt, std::move(d), wanted);
    }
    case file_kind::saved_model:
    case file_kind::saved_model_text: {
      const auto document = tf::parsed(content, file, "SavedModel",
                                       kind.kind == file_kind::saved_model_text,
                                       wanted.limits.fields);
      const auto graph = tf::served(document.root(), file);
      std::optional<proto::view> signature;
      try {
        signature = tf::signature_of(graph, file);
      } catch (const error&) {  // the user may name tensors instead
        if (wanted.to.empty()) throw;
      }
      const auto opened = std::make_shared<std::optional<tf::bundle>>();
      d.variable = tf::variables_below(directory, opened);
      auto result = tf::translated(file, graph.child("graph_def"), signature, std::move(d), wanted);
      if (*opened) result.external = {(*opened)->files().begin(), (*opened)->files().end()};
      return result;
    }
    default: break;
  }
  throw error(problem{.file = file, .reason = "this is " + kind.name + ", not a TensorFlow graph",
                      .remedy = kind.remedy});
}

NVDLAC_IMPL network tensorflow_network(const std::filesystem::path& path, const part& wanted) {
  std::error_code failed;
  const auto file = std::filesystem::is_directory(path, failed) ? saved_model_in(path) : path;
  return tensorflow_network_from(read_file(file), file.string(), wanted, file.parent_path());
}

NVDLAC_IMPL net::graph tensorflow_from(const std::string& content, const std::string& file,
                                       const part& wanted) {
  return real_graph(tensorflow_network_from(content, file, wanted), file);
}

NVDLAC_IMPL net::graph tensorflow(const std::filesystem::path& path, const part& wanted) {
  return real_graph(tensorflow_network(path, wanted), path.string());
}

NVDLAC_IMPL network read_tensorflow(const named_content& model, const weight_content&,
                                    const part& wanted) {
  return tensorflow_network_from(model.content, model.file, wanted,
                                 std::filesystem::path(model.file).parent_path());
}

}  // namespace nvdlac::import
