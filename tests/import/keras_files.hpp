// SPDX-License-Identifier: Apache-2.0
#pragma once
// Keras' files of ../shared/nets/keras and what they give.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <nvdlac/import/keras.hpp>

#include "tensorflow_files.hpp"

namespace keras_files {

using namespace nvdlac;
using tensorflow_files::error_of;
using tensorflow_files::floats;
using tensorflow_files::run;
using tensorflow_files::values_of;
namespace fs = std::filesystem;

inline std::vector<fs::path> cases(const char* kind) {
  const auto root = shared_path(std::string("nets/keras/conformance/") + kind);
  if (!root) return {};
  std::vector<fs::path> all(fs::directory_iterator(*root), fs::directory_iterator{});
  std::ranges::sort(all);
  return all;
}
inline std::set<std::string> classes_of(const fs::path& directory) {
  return nlohmann::json::parse(std::ifstream(directory / "case.json"))
      .at("layers").get<std::set<std::string>>();
}

// The largest error of what a network with one input gives for `stem`.input_K.npy; its outputs are
// `stem`.output_K.npy.
inline double error_for(const import::network& n, const std::string& input,
                        const std::string& output) {
  const auto& in = n.graph[net::input_nodes(n.graph).at(0)];
  const auto found = run(n, {{in.name, values_of(input)}});
  if (found.size() != 1) return 4;
  return error_of(found.begin()->second, values_of(output));
}

}  // namespace keras_files
