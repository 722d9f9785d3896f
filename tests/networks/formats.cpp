// SPDX-License-Identifier: Apache-2.0
// Trained networks of every format, in int8 on nv_small and in fp16 on nv_full: the simulator
// computes what the exact reference says, near the float network, which gives the stored outputs
// (tests/import), and the class of a picture is the stored one.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/data/npy.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/import/caffe2.hpp>
#include <nvdlac/import/coreml.hpp>
#include <nvdlac/import/model.hpp>
#include <nvdlac/import/mxnet.hpp>
#include <nvdlac/import/pytorch.hpp>
#include <shared.hpp>

#include "pipeline.hpp"

using namespace nvdlac;

namespace {

struct trained_file {
  std::string model, weights, data;  // in nets/; `data`.input_K.npy
  std::string classes{};             // `data``classes`K.npy has the classes; empty: no classifier
  import::part wanted{};
  std::size_t pictures = 4;
  double alike = 0.99;  // the least cosine of an output in int8 to the float network's
};

const std::vector<trained_file> tensorflow{
    {"tensorflow/kws_cnn_s.pb", "", "tensorflow/kws_cnn_s", ".output_", {.from = {"Reshape_1"}}},
    {"tensorflow/utensor_cifar10_cnn.pb", "", "tensorflow/utensor_cifar10_cnn", ".output_",
     {.to = {"fully_connect_2/logits"}}},
    {"tensorflow/utensor_mnist_mlp.pb", "", "tensorflow/utensor_mnist_mlp", ".output_",
     {.to = {"OuputLayer/logits"}}},
    {"tensorflow/kws_ref_model.savedmodel", "", "tensorflow/kws_ref_model.savedmodel", ".output_"},
    {"tensorflow/kws_ref_model.frozen_by_us.pb", "", "tensorflow/kws_ref_model.savedmodel",
     ".output_"},
};
[[maybe_unused]] const std::vector<trained_file> keras{
    {"keras/mlperf_resnet8_cifar10.h5", "", "keras/mlperf_resnet8_cifar10", ".output_"},
    {"keras/mlperf_resnet8_cifar10.keras", "", "keras/mlperf_resnet8_cifar10", ".output_"},
    {"keras/kdef_tiny_xception.hdf5", "", "keras/kdef_tiny_xception", ".output_"},
    {"keras/zoo_keras3.keras", "", "keras/zoo_keras3", ".output_", {}, 3},
    {"keras/zoo_keras3_saved_as.h5", "", "keras/zoo_keras3", ".output_", {}, 3},
    {"keras/zoo_keras3.json", "keras/zoo_keras3.weights.h5", "keras/zoo_keras3", ".output_", {}, 3},
    {"caffe_hdf5/cifar10_quick.prototxt", "caffe_hdf5/cifar10_quick_iter_5000.caffemodel.h5",
     "caffe_hdf5/cifar10_quick", ".output_"},
};
[[maybe_unused]] const std::vector<trained_file> pytorch{
    {"pytorch/handmade_lenet.pt2", "", "pytorch/lenet", ".output_"},
};
const std::vector<trained_file> mxnet{
    {"mxnet/det1-symbol.json", "mxnet/det1-0001.params", "mxnet/det1", "",
     {.shapes = {{"data", {1, 3, 30, 40}}}}},
};
const std::vector<trained_file> caffe2{
    {"caffe2/superres_predict_net.pb", "caffe2/superres_init_net.pb", "caffe2/superres", "", {}, 1},
};
const std::vector<trained_file> coreml{
    {"coreml/r4ghu_mnist.mlmodel", "", "coreml/r4ghu_mnist", ".output_"},
    {"coreml/TinyDrawingEmbedding.mlmodel", "", "coreml/TinyDrawingEmbedding"},
    {"coreml/resnet20_nn.mlmodel", "", "coreml/pytorch_resnet20", ".output_"},
    {"coreml/pnet_nn.mlmodel", "", "coreml/pytorch_mtcnn_pnet"},
    {"coreml/resnet20_fp16.mlpackage", "", "coreml/pytorch_resnet20", ".output_"},
    {"coreml/pnet_fp32.mlpackage", "", "coreml/pytorch_mtcnn_pnet"},
    {"coreml/lenet_image_fp16.mlpackage", "", "coreml/pytorch_lenet", ".output_"},
    {"coreml/lenet_palette6.mlpackage", "", "coreml/pytorch_lenet", ".output_"},
};

// The input that the network is given for the values of a file, where these are pictures, too.
sample picture_of(const import::network& n, const trained_file& t,
                  const std::filesystem::path& npy) {
  const auto& in = n.graph[net::input_nodes(n.graph).at(0)];
  auto values = data::read_npy(npy).content.values;
  if (t.model.find("lenet_image") != t.model.npos)  // is given pixels
    for (auto& v : values) v = std::round((v * 0.3081F + 0.1307F) * 255);
  if (n.preprocessing)
    for (auto& v : values)
      v = static_cast<float>((v - n.preprocessing->mean[0]) * n.preprocessing->scale[0]);
  net::float_tensor x{in.shape};
  REQUIRE(values.size() == x.values.size());
  x.values = in.in_file.at(0).to_cube(std::span<const float>(values));
  return {std::move(x)};
}

double largest_error(const net::float_tensor& a, const net::float_tensor& b) {
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    error = std::max(error, std::fabs(double{a.values[i]} - double{b.values[i]}));
    largest = std::max(largest, std::fabs(double{b.values[i]}));
  }
  return error / largest;
}

void check_on(const cli::target& target, hw::precision p, const net::graph& network,
              const std::vector<sample>& pictures, const trained_file& t,
              const std::filesystem::path& nets) {
  INFO(target.name());
  for (std::size_t k = 0; k < pictures.size(); ++k) {
    compile_options options{.host = host::choice::all()};
    options.precision = p;
    const auto r = networks::run_on(target, network, scale_source(std::span(pictures)),
                                    pictures[k], options);
    CHECK((r.simulated == r.exact));
    for (std::size_t i = 0; i < r.values.size(); ++i) {
      CHECK(networks::cosine(r.values[i], r.real[i]) > t.alike);
      if (p == hw::precision::fp16) CHECK(largest_error(r.values[i], r.real[i]) < 0.01);
    }
    if (t.classes.empty()) continue;
    const auto stored = data::read_npy(nets / (t.data + t.classes + std::to_string(k) + ".npy"));
    const auto& values = stored.content.values;
    CHECK(networks::top1(r.values.at(0)) ==
          static_cast<std::size_t>(std::ranges::max_element(values) - values.begin()));
  }
}

void check(const std::vector<trained_file>& all) {
  const auto nets = shared_path("nets");
  if (!nets) return;
  for (const auto& t : all) {
    INFO(t.model);
    import::weight_source weights{};
    if (!t.weights.empty()) weights = *nets / t.weights;
    const auto n = import::any_network(*nets / t.model, weights, t.wanted);
    std::vector<sample> pictures;
    for (std::size_t k = 0; k < t.pictures; ++k)
      pictures.push_back(
          picture_of(n, t, *nets / (t.data + ".input_" + std::to_string(k) + ".npy")));
    // Between two likely classes a softmax magnifies the steps of int8 in what it reads.
    const auto network = t.classes.empty() ? n.graph : networks::without_softmax(n.graph);
    check_on(hardware<nv_small>(), hw::precision::int8, network, pictures, t, *nets);
    check_on(hardware<nv_full>(), hw::precision::fp16, network, pictures, t, *nets);
  }
}

}  // namespace

TEST_CASE("trained TensorFlow networks on nv_small and nv_full") { check(tensorflow); }
#ifdef NVDLAC_KERAS
TEST_CASE("trained Keras networks, and Caffe's weights in HDF5, on nv_small and nv_full") {
  check(keras);
}
#endif
#ifdef NVDLAC_PYTORCH
TEST_CASE("a trained PyTorch network on nv_small and nv_full") { check(pytorch); }
#endif
TEST_CASE("a trained MXNet network on nv_small and nv_full") { check(mxnet); }
TEST_CASE("trained Core ML networks on nv_small and nv_full") { check(coreml); }

TEST_SUITE("nightly") {  // its pictures have 224 x 224 pixels
  TEST_CASE("a trained Caffe2 network on nv_small and nv_full" * doctest::skip()) { check(caffe2); }
}
