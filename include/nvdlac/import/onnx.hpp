// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/types.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx/cut.hpp>
#include <nvdlac/import/onnx/functions.hpp>
#include <nvdlac/import/onnx/own.hpp>
#include <nvdlac/import/onnx/reader.hpp>
#include <nvdlac/import/onnx/schema.hpp>
#include <nvdlac/import/part.hpp>

namespace nvdlac::import {

namespace onnx_format {

// The files beside a model that hold values of its tensors.
inline std::vector<std::filesystem::path> external_files(const google::protobuf::Message& model,
                                                         const std::filesystem::path& directory) {
  std::set<std::filesystem::path> found;
  proto::for_each_message(model, "TensorProto", [&](const google::protobuf::Message& tensor) {
    for (const auto& e : proto::view(tensor).children("external_data"))
      if (e.string("key") == "location") found.insert(directory / e.string("value"));
  });
  return {found.begin(), found.end()};
}

// The model in a file. Throws `error` with all fields that are not understood.
inline proto::document parsed(const std::string& content, const std::string& file) {
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

}  // namespace onnx_format

// Reads an ONNX model (opset 6 to 27, binary or text form) as a network for one picture: a batch
// counts as one, and pictures with channels last that the model itself turns around come in with
// channels first. `file` is for messages; external data is read below `directory`. `Own` lists the
// operators of the user's own that the model may have (onnx/own.hpp). `wanted` names a part of the
// model, and shapes that it leaves open. Throws `error` with all problems.
template <class Own = type_list<>>
basic_network<Own> onnx_network_from(const std::string& content, const std::string& file,
                                     const std::filesystem::path& directory = {},
                                     const part& wanted = {}) {
  const auto document = onnx_format::parsed(content, file);
  const auto known = onnx_format::operators_with(Own{});
  auto imported = onnx_format::function_expander(file, *document.message, known).expand();
  if (!wanted.empty()) onnx_format::cutter(file, *document.message, wanted).cut();
  auto result = onnx_format::reader(file, document.root(), directory, content.size(), known,
                                    std::move(imported))
                    .template read<Own>();
  result.external = onnx_format::external_files(*document.message, directory);
  return result;
}

template <class Own = type_list<>>
basic_network<Own> onnx_network(const std::filesystem::path& path, const part& wanted = {}) {
  return onnx_network_from<Own>(read_file(path), path.string(), path.parent_path(), wanted);
}

// The graph of a model that is not quantised; see real_graph.
template <class Own = type_list<>>
graph_of<Own> onnx_from(const std::string& content, const std::string& file,
                        const std::filesystem::path& directory = {}, const part& wanted = {}) {
  return real_graph(onnx_network_from<Own>(content, file, directory, wanted), file);
}
template <class Own = type_list<>>
graph_of<Own> onnx(const std::filesystem::path& path) {
  return onnx_from<Own>(read_file(path), path.string(), path.parent_path());
}

}  // namespace nvdlac::import
