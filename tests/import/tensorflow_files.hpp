// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorFlow's files of ../shared/nets/tensorflow and what they give.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <nvdlac/data/npy.hpp>
#include <nvdlac/import/tensorflow.hpp>
#include <nvdlac/net/evaluate.hpp>

#include "../in_file.hpp"
#include "../shared.hpp"

namespace tensorflow_files {

namespace fs = std::filesystem;
using namespace nvdlac;

using floats = std::vector<float>;

// One of the cases of operators: a graph, its inputs and the outputs that TensorFlow recorded.
struct example {
  fs::path directory;
  std::map<std::string, std::string> inputs, outputs;  // files by names
};
inline std::vector<example> examples(const char* kind) {
  std::vector<example> all;
  const auto root = shared_path(std::string("nets/tensorflow/conformance/") + kind);
  if (!root) return all;
  std::vector<fs::path> directories(fs::directory_iterator(*root), fs::directory_iterator{});
  std::sort(directories.begin(), directories.end());
  for (const auto& d : directories) {
    const auto j = nlohmann::json::parse(std::ifstream(d / "case.json"));
    all.push_back({d, j.at("inputs").get<std::map<std::string, std::string>>(),
                   j.at("outputs").get<std::map<std::string, std::string>>()});
  }
  return all;
}

// Results of a network for arrays of whole batches, picture by picture, by names of outputs.
inline std::map<std::string, floats> run(const import::network& n,
                                         const std::map<std::string, floats>& given) {
  std::map<std::string, floats> found;
  const auto nodes = net::input_nodes(n.graph);
  const std::size_t of_one = n.graph[nodes.at(0)].shape.size();
  const std::size_t pictures = given.at(n.graph[nodes[0]].name).size() / of_one;
  for (std::size_t picture = 0; picture < pictures; ++picture) {
    std::vector<net::float_tensor> in;
    for (const auto i : nodes) {
      const auto& all = given.at(n.graph[i].name);
      net::float_tensor t{n.graph[i].shape};
      const auto size = t.values.size();
      if (all.size() != size * pictures) return found;
      const auto& form = n.graph[i].in_file.at(0);
      t.values = form.to_cube(std::span<const float>(all.data() + picture * size, size));
      in.push_back(std::move(t));
    }
    for (const auto& o : in_file::outputs(n.graph, in)) {
      auto& values = found[o.name];
      values.insert(values.end(), o.values.begin(), o.values.end());
    }
  }
  return found;
}

// The largest error, as a part of the largest expected value; more than 1 if the numbers differ.
inline double error_of(const floats& found, const floats& expected) {
  if (found.size() != expected.size()) return 2;
  double largest = 1e-3, error = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::fabs(double{expected[i]}));
    error = std::max(error, std::fabs(double{found[i]} - double{expected[i]}));
    if (!std::isfinite(found[i])) return 3;
  }
  return error / largest;
}

inline floats values_of(const fs::path& npy) { return data::read_npy(npy).content.values; }

// The import of an example with the outputs that were recorded.
inline import::network read(const example& e) {
  import::part wanted;
  for (const auto& [name, ignored] : e.outputs) {
    auto layer = name;  // `layer.k` is its output k
    if (const auto dot = layer.rfind('.'); dot != layer.npos) layer[dot] = ':';
    wanted.to.push_back(layer);
  }
  return import::tensorflow_network(e.directory / "model.pb", wanted);
}

}  // namespace tensorflow_files
