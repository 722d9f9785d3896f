// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/tensorflow/bundle.hpp>
#include <nvdlac/import/tensorflow/translator.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import {

namespace tensorflow_format {

// The message in a file, all of whose fields that tell of nodes are understood.
proto::document parsed(const std::string& content, const std::string& file, const char* message,
                       bool is_text, std::uint64_t most_fields);

// The graph for inference among those of a SavedModel.
proto::view served(const proto::view& model, const std::string& file);
// The signature of a graph: what the user calls its tensors.
inline proto::view signature_of(const proto::view& graph, const std::string& file) {
  std::map<std::string, proto::view> all;
  for (const auto& s : graph.children("signature_def"))
    if (s.child("value").size("outputs") != 0 && !s.string("key").starts_with("__"))
      all.emplace(s.string("key"), s.child("value"));
  if (const auto s = all.find("serving_default"); s != all.end()) return s->second;
  if (all.size() == 1) return all.begin()->second;
  std::string listed;
  for (const auto& [name, ignored] : all) listed += (listed.empty() ? "" : ", ") + name;
  throw error(problem{
      .file = file,
      .reason = all.empty() ? "the model has no signature with outputs"
                            : "none of the model's signatures " + listed + " is serving_default",
      .remedy = all.empty() ? "name the outputs: --to LAYER" : "export one as serving_default"});
}

// The tensors that one file's user names; problems are collected.
class chooser {
 public:
  chooser(flat_graph& graph, diagnostics& problems, std::string file, const proto::view& nodes)
      : graph_(graph), problems_(problems), file_(std::move(file)), nodes_(nodes) {}

  void add(std::vector<named_port>& to, const std::string& name, const std::string& reference);
  void add_all(std::vector<named_port>& to, const proto::view& signature, const char* field);

 private:
  flat_graph& graph_;
  diagnostics& problems_;
  std::string file_;
  proto::view nodes_;  // the file's, for their numbers
};

inline network translated(const std::string& file, const proto::view& graph,
                          const std::optional<proto::view>& signature, description d,
                          const part& wanted) {
  diagnostics problems;
  flat_graph flat(graph, problems, file, wanted.limits.nodes);
  chooser choose(flat, problems, file, graph);
  std::vector<named_port> declared, cut;
  if (signature) {
    choose.add_all(d.inputs, *signature, "inputs");
    choose.add_all(declared, *signature, "outputs");
  }
  for (const auto& name : wanted.to) {
    const auto known = std::ranges::find(declared, name, &named_port::name);
    if (known != declared.end()) d.outputs.push_back(*known);
    else choose.add(d.outputs, name, name);
  }
  if (wanted.to.empty()) d.outputs = declared;
  if (d.outputs.empty() && problems.empty()) {
    for (const auto& name : flat.last()) choose.add(d.outputs, name, name);
    if (d.outputs.empty())
      throw error(problem{.file = file, .reason = "the graph has no outputs",
                          .remedy = "name the outputs: --to LAYER"});
  }
  for (const auto& name : wanted.from) {
    const auto known = std::ranges::find(d.inputs, name, &named_port::name);
    if (known != d.inputs.end()) cut.push_back(*known);
    else choose.add(cut, name, name);
  }
  // Only the operators tell whether a matrix is one thing or a row for each picture.
  translator by_picture(file, flat, d, wanted, cut, problems);
  try {
    return by_picture.translate();
  } catch (const error&) {
    if (!by_picture.may_be_whole()) throw;
    translator whole(file, flat, std::move(d), wanted, cut, problems, true);
    try {
      return whole.translate();
    } catch (const error&) {
    }
    throw;
  }
}

// The values of variables from the checkpoint beside a model.
inline auto variables_below(const std::filesystem::path& directory,
                            std::shared_ptr<std::optional<bundle>> opened) {
  return [=](const std::string& name) -> std::optional<tensor> {
    if (!*opened) opened->emplace(directory, "variables/variables");
    auto& b = **opened;
    const auto key = b.key_of(name);
    if (!key) return std::nullopt;
    const auto what = b.describe(*key);
    tensor t;
    t.type = what.type;
    t.shape = what.shape;
    t.read = [opened, k = *key] { return (*opened)->values(k); };
    return t;
  };
}

}  // namespace tensorflow_format

// Reads a TensorFlow graph (frozen, or the saved_model.pb of a directory that holds its variables),
// binary or text, as a network for one picture with its channels first. `wanted` names a part of it
// and shapes that it leaves open; `file` is for messages. Throws `error` with all problems.
network tensorflow_network_from(const std::string& content, const std::string& file,
                                const part& wanted = {},
                                const std::filesystem::path& directory = {});

network tensorflow_network(const std::filesystem::path& path, const part& wanted = {});

// The graph of a model that is not quantised; see real_graph.
net::graph tensorflow_from(const std::string& content, const std::string& file,
                           const part& wanted = {});
net::graph tensorflow(const std::filesystem::path& path, const part& wanted = {});

// As model.hpp asks for it.
network read_tensorflow(const named_content& model, const weight_content& weights,
                        const part& wanted);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tensorflow.ipp>
#endif
