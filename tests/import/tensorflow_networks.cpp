// SPDX-License-Identifier: Apache-2.0
// Trained networks in TensorFlow's formats give the stored outputs.
#include "tensorflow_files.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/model.hpp>

#include "files.hpp"

using namespace tensorflow_files;

namespace {

struct network_file {
  const char* file;
  import::part wanted;
  const char *input, *output;
};
const network_file networks[] = {
    {"kws_cnn_s.pb", {.from = {"Reshape_1"}}, "Reshape_1", "labels_softmax"},
    {"utensor_cifar10_cnn.pb", {.to = {"fully_connect_2/logits"}}, "", "fully_connect_2/logits"},
    {"utensor_mnist_mlp.pb", {.to = {"OuputLayer/logits"}}, "x", "OuputLayer/logits"},
    {"kws_ref_model.savedmodel", {}, "input_1", "dense"},
    {"kws_ref_model.frozen_by_us.pb", {}, "", ""},
};

}  // namespace

TEST_CASE("trained TensorFlow networks give the stored outputs") {
  for (const auto& f : networks) {
    INFO(f.file);
    const auto path = shared_path(std::string("nets/tensorflow/") + f.file);
    if (!path) continue;
    const auto n = import::any_network(*path, {}, f.wanted);
    const auto& input = n.graph[net::input_nodes(n.graph).at(0)];
    if (*f.input != '\0') CHECK(input.name == f.input);
    std::string stem = path->string();
    if (stem.ends_with(".pb")) stem.resize(stem.size() - 3);
    if (stem.ends_with(".frozen_by_us")) stem.replace(stem.size() - 13, 13, ".savedmodel");
    for (const char* k : {"0", "1", "2", "3"}) {
      const auto in = values_of(stem + ".input_" + k + ".npy");
      const auto found = run(n, {{input.name, in}});
      REQUIRE(found.size() == 1);
      if (*f.output != '\0') CHECK(found.begin()->first == f.output);
      CHECK(error_of(found.begin()->second, values_of(stem + ".output_" + k + ".npy")) <= 1e-4);
    }
  }
}
