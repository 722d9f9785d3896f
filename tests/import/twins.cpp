// SPDX-License-Identifier: Apache-2.0
// One trained network in several formats gives graphs that compute alike.
#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/data/npy.hpp>
#include <nvdlac/import/caffe2.hpp>
#include <nvdlac/import/coreml.hpp>
#include <nvdlac/import/model.hpp>
#include <nvdlac/import/mxnet.hpp>
#include <nvdlac/import/pytorch.hpp>
#include <nvdlac/net/evaluate.hpp>

#include "../shared.hpp"
#include "tensorflow_files.hpp"

using namespace nvdlac;

namespace {

struct file {
  std::string model, weights{};
  double alike = 1e-4;  // the largest error, as a part of the largest value of the first file
};
struct network_of_many {
  std::string input;         // an array that the first file reads
  std::vector<file> files;   // in nets/
  import::part wanted{};
};

const std::vector<network_of_many> all{
    {"coreml/pytorch_resnet20.input_0.npy",
     {{"coreml/resnet20_nn.mlmodel"},
      {"onnx/resnet20_cifar10_akamaster.onnx"},
      {"coreml/resnet20_fp16.mlpackage", "", 1e-3}}},  // weights in 16 bits
    {"tensorflow/kws_ref_model.savedmodel.input_1.npy",
     {{"tensorflow/kws_ref_model.savedmodel"},
      {"tensorflow/kws_ref_model.frozen_by_us.pb"}}},
    {"tensorflow/kws_ref_model.savedmodel.input_1.npy",  // another training
     {{"onnx/mlperf_kws_ref_model_float32_fromtfl.onnx"},
      {"tflite/mlperf_kws_ref_model.tflite", "", 0.1}}},  // weights in 8 bits
    {"coreml/pytorch_mtcnn_pnet.input_0.npy",
     {{"coreml/pnet_nn.mlmodel"}, {"coreml/pnet_fp32.mlpackage"}}},
    {"mxnet/det1.input_0.npy",
     {{"mxnet/det1-symbol.json", "mxnet/det1-0001.params"},
      {"mxnet/det1-symbol.json", "mxnet/det1-v2-0001.params"}},
     {.shapes = {{"data", {1, 3, 30, 40}}}}},
#ifdef NVDLAC_KERAS
    {"keras/mlperf_resnet8_cifar10.input_0.npy",
     {{"keras/mlperf_resnet8_cifar10.h5"},
      {"keras/mlperf_resnet8_cifar10.keras"},
      {"onnx/mlperf_pretrainedResnet_fromtfl.onnx"},
      {"tflite/mlperf_pretrainedResnet_quant.tflite", "", 0.1}}},
    {"keras/zoo_keras3.input_0.npy",
     {{"keras/zoo_keras3.keras"},
      {"keras/zoo_keras3_16.keras"},
      {"keras/zoo_keras3_saved_as.h5"},
      {"keras/zoo_keras3.json", "keras/zoo_keras3.weights.h5"}}},
#endif
#ifdef NVDLAC_PYTORCH
    {"pytorch/lenet.input_0.npy",
     {{"pytorch/handmade_lenet.pt2"},
      {"coreml/lenet_palette6.mlpackage", "", 0.05}}},  // 64 values
#endif
};

}  // namespace

TEST_CASE("the same network through several formats computes alike") {
  const auto nets = shared_path("nets");
  if (!nets) return;
  for (const auto& twins : all) {
    std::vector<net::float_tensor> first;
    net::float_tensor x;
    for (const auto& f : twins.files) {
      INFO(f.model);
      import::weight_source weights{};
      if (!f.weights.empty()) weights = *nets / f.weights;
      const auto n = import::any_network(*nets / f.model, weights, twins.wanted);
      const auto& in = n.graph[net::input_nodes(n.graph).at(0)];
      if (first.empty()) {
        const auto values = data::read_npy(*nets / twins.input).content.values;
        x = net::float_tensor{in.shape};
        x.values = in.in_file.at(0).to_cube(std::span<const float>(values));
      }
      REQUIRE(in.shape == x.shape);
      const auto found = net::evaluate(n.graph, x);
      if (first.empty()) first = found;
      REQUIRE(found.size() == first.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(tensorflow_files::error_of(found[i].values, first[i].values) <= f.alike);
    }
  }
}
