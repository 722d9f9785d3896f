// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small archives of torch.export, written by libarchive itself.
#ifdef NVDLAC_PYTORCH
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <nvdlac/import/pytorch.hpp>

#include "archived.hpp"
#include "files.hpp"
#include "tensorflow_files.hpp"

namespace pytorch_model {

using namespace nvdlac;
using json = nlohmann::json;
using floats = std::vector<float>;
using shape = std::vector<std::int64_t>;

struct weight {
  std::string name{};
  shape sizes{};
  floats values{};
};
struct program {
  shape input{1, 2, 4, 4};
  std::string nodes{};            // JSON, behind each other
  std::vector<weight> weights{};
  std::vector<std::string> outputs{"y"};
  std::vector<std::pair<std::string, shape>> tensors{};  // further ones whose sizes are told
};

inline json meta(const shape& sizes, std::int64_t dtype = 7) {
  json j{{"dtype", dtype}, {"storage_offset", {{"as_int", 0}}}, {"sizes", json::array()},
         {"strides", json::array()}};
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    j["sizes"].insert(j["sizes"].begin(), json{{"as_int", sizes[i]}});
    j["strides"].insert(j["strides"].begin(), json{{"as_int", stride}});
    stride *= sizes[i];
  }
  return j;
}
inline json name(const std::string& tensor) { return {{"as_tensor", {{"name", tensor}}}}; }

// A node: "conv2d" of arguments such as R"("input": {"as_tensor": {"name": "x"}})".
inline std::string node(const std::string& op, const std::string& arguments,
                        const std::vector<std::string>& outputs = {"y"}) {
  json inputs = json::array(), results = json::array();
  const auto given = json::parse('{' + arguments + '}');
  for (const auto& [key, value] : given.items())
    inputs.push_back({{"name", key}, {"arg", value}, {"kind", 1}});
  for (const auto& o : outputs) results.push_back(name(o));
  return json{{"target", "torch.ops.aten." + op}, {"inputs", inputs}, {"outputs", results},
              {"metadata", json::object()}}.dump();
}
inline std::string tensor(const char* key, const char* named) {
  return std::string("\"") + key + "\": {\"as_tensor\": {\"name\": \"" + named + "\"}}";
}

inline json model_of(const program& p) {
  json specs = json::array(), outputs = json::array(), tensors;
  for (const auto& w : p.weights) {
    specs.push_back(
        {{"parameter", {{"arg", {{"name", "p_" + w.name}}}, {"parameter_name", w.name}}}});
    tensors["p_" + w.name] = meta(w.sizes);
  }
  specs.push_back({{"user_input", {{"arg", name("x")}}}});
  tensors["x"] = meta(p.input);
  for (const auto& [t, sizes] : p.tensors) tensors[t] = meta(sizes);
  for (const auto& o : p.outputs) outputs.push_back({{"user_output", {{"arg", name(o)}}}});
  return {{"graph_module",
           {{"graph", {{"nodes", json::parse('[' + p.nodes + ']')}, {"tensor_values", tensors}}},
            {"signature", {{"input_specs", specs}, {"output_specs", outputs}}}}},
          {"schema_version", {{"major", 8}, {"minor", 8}}}};
}
inline json config_of(const program& p) {
  json config = json::object();
  for (std::size_t i = 0; i < p.weights.size(); ++i)
    config[p.weights[i].name] = {{"path_name", "weight_" + std::to_string(i)},
                                 {"is_param", true}, {"use_pickle", false},
                                 {"tensor_meta", meta(p.weights[i].sizes)}};
  return {{"config", config}};
}
inline std::string bytes_of(const floats& v) {
  return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(float)};
}
inline std::vector<archived::member> members_of(const program& p, const json& model,
                                                   const json& config) {
  std::vector<archived::member> all{{"net/archive_format", "pt2"},
                                       {"net/byteorder", "little"},
                                       {"net/models/model.json", model.dump()},
                                       {"net/data/weights/model_weights_config.json",
                                        config.dump()}};
  for (std::size_t i = 0; i < p.weights.size(); ++i)
    all.push_back({"net/data/weights/weight_" + std::to_string(i), bytes_of(p.weights[i].values)});
  return all;
}
inline std::string archive_of(const program& p, bool deflated = false) {
  return archived::archive_of(members_of(p, model_of(p), config_of(p)), deflated);
}
inline std::string refused(const std::string& content, const import::part& wanted = {}) {
  return complaints([&] { (void)import::pytorch_network_from(content, "net.pt2", wanted); });
}

// The only output for an input of 0, 1, 2, .. times `step`, less `from`.
inline floats result_of(const program& p, float step = 1, float from = 0) {
  const auto n = import::pytorch_network_from(archive_of(p), "net.pt2");
  floats x(static_cast<std::size_t>(import::onnx_format::count(p.input)));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = step * static_cast<float>(i) - from;
  const auto found = tensorflow_files::run(n, {{"x", x}});
  return found.size() == 1 ? found.begin()->second : floats{};
}

}  // namespace pytorch_model
#endif
