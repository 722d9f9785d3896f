// SPDX-License-Identifier: Apache-2.0
// Trained TensorFlow networks, a frozen graph's part and a SavedModel among them, in int8: the
// simulator computes what the integer reference says, near the outputs that were stored, and the
// class is the same.
#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/data/npy.hpp>
#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/import/model.hpp>
#include <shared.hpp>

#include "pipeline.hpp"

using namespace nvdlac;

namespace {

struct trained_graph {
  const char* file;
  import::part wanted;
};
const trained_graph all[] = {
    {"kws_cnn_s.pb", {.from = {"Reshape_1"}}},
    {"utensor_cifar10_cnn.pb", {.to = {"fully_connect_2/logits"}}},
    {"utensor_mnist_mlp.pb", {.to = {"OuputLayer/logits"}}},
    {"kws_ref_model.savedmodel", {}},
};

net::float_tensor cube_of(const net::graph& g, const std::string& npy) {
  const auto& in = g[net::input_nodes(g).at(0)];
  net::float_tensor x{in.shape};
  const auto values = data::read_npy(npy).content.values;
  REQUIRE(values.size() == x.values.size());
  x.values = in.in_file.at(0).to_cube(std::span<const float>(values));
  return x;
}

}  // namespace

TEST_CASE("trained TensorFlow networks on nv_small") {
  for (const auto& t : all) {
    INFO(std::string(t.file));
    const auto path = shared_path(std::string("nets/tensorflow/") + t.file);
    if (!path) {
      MESSAGE("shared material is absent: " << t.file << " is not tested");
      continue;
    }
    const auto network = import::any_network(*path, {}, t.wanted);
    auto stem = path->string();
    if (stem.ends_with(".pb")) stem.resize(stem.size() - 3);
    std::vector<sample> samples;
    for (const char* k : {"0", "1", "2", "3"})
      samples.push_back({cube_of(network.graph, stem + ".input_" + k + ".npy")});
    double likeness = 0;  // the mean: a softmax between two classes magnifies int8's steps
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const auto r = networks::run_on(hardware<nv_small>(), network.graph,
                                      scale_source(std::span<const sample>(samples)), samples[k],
                                      {.host = host::choice::all()});
      CHECK((r.simulated == r.exact));
      const net::float_tensor stored{
          r.values.at(0).shape,
          data::read_npy(stem + ".output_" + std::to_string(k) + ".npy").content.values};
      likeness += networks::cosine(r.values[0], stored) / static_cast<double>(samples.size());
      CHECK(networks::top1(r.values[0]) == networks::top1(stored));
    }
    CHECK(likeness > 0.99);
  }
}
