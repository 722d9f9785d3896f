// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/tflite/translator.hpp>

namespace nvdlac::import {

// Reads a TensorFlow Lite model, of real numbers or quantised, as a network for one picture with
// its channels first. Integers become the real numbers that they stand for; the scales of the
// tensors come along. `file` is for messages. Throws `error` with all problems.
inline network tflite_network_from(const std::string& content, const std::string& file) {
  const auto kind = recognise(content);
  if (kind.kind != file_kind::tflite)
    throw error(problem{.file = file, .reason = "this is " + kind.name + ", not a TFLite file",
                        .remedy = kind.remedy});
  const tflite_format::model model(file, content);
  return tflite_format::translator(file, model).translate();
}

inline network tflite_network(const std::filesystem::path& path) {
  return tflite_network_from(read_file(path), path.string());
}

// The graph of a model that is not quantised; see real_graph.
inline net::graph tflite_from(const std::string& content, const std::string& file) {
  return real_graph(tflite_network_from(content, file), file);
}
inline net::graph tflite(const std::filesystem::path& path) {
  return tflite_from(read_file(path), path.string());
}

}  // namespace nvdlac::import
