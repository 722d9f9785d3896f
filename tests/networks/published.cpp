// SPDX-License-Identifier: Apache-2.0
// Published networks in Caffe, ONNX and TensorFlow Lite, with their own weights and, if they are
// quantised already, their own scales: the simulator computes what the integer reference says, and
// that is near the float network. The suite `nightly` (--test-suite=nightly --no-skip) takes all of
// them to all configurations; it is skipped otherwise because it takes a quarter of an hour.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/import/model.hpp>
#include <shared.hpp>

#include "onnx_testdata.hpp"
#include "pipeline.hpp"
#include "trained.hpp"

using namespace nvdlac;

namespace {

// Waves of several lengths, from low to high: smooth as a picture is.
net::float_tensor waves(net::shape s, float low, float high) {
  net::float_tensor t{s};
  for (std::int32_t c = 0; c < s.c; ++c)
    for (std::int32_t y = 0; y < s.h; ++y)
      for (std::int32_t x = 0; x < s.w; ++x) {
        const double v = std::sin(0.21 * x + c) + std::sin(0.13 * y - 2 * c) +
                         0.5 * std::sin(0.9 * x - 0.7 * y);
        t.at(c, y, x) = low + (high - low) * static_cast<float>((v + 2.5) / 5);
      }
  return t;
}

// Gives the host what NVDLA does not compute, such as a sigmoid without a lookup table.
void check_on(const cli::target& t, const import::network& network, const sample& picture,
              double alike) {
  INFO(t.name());
  const std::vector<sample> samples{picture};
  const auto r = networks::run_on(t, network.graph,
                                  network.scales.entries.empty()
                                      ? scale_source(std::span<const sample>(samples))
                                      : scale_source(network.scales),
                                  picture, {.host = host::choice::all()});
  CHECK((r.simulated == r.exact));
  REQUIRE(r.values.size() == r.real.size());
  for (std::size_t i = 0; i < r.values.size(); ++i)
    CHECK(networks::cosine(r.values[i], r.real[i]) > alike);
}

struct published {
  std::string file;
  float low = 0, high = 0;  // of its input
  double alike = 0;         // the least cosine of an output to the float network's
  bool large = false;       // left to the suite `nightly`
};

void check(const published& p, cli::target_list targets) {
  INFO(p.file);
  const auto path = shared_path("nets/" + p.file);
  if (!path) return;
  const auto network = networks::trained(*path);
  sample picture;
  for (const auto n : net::input_nodes(network.graph))
    picture.push_back(waves(network.graph[n].shape, p.low, p.high));
  for (const auto* t : targets) check_on(*t, network, picture, p.alike);
}

const published all[] = {
    {"caffe/RFB-320.prototxt", -1, 1, 0.99, true},
    {"caffe/cifar10_full.prototxt", -128, 128, 0.99},
    {"caffe/cifar10_quick.prototxt", -128, 128, 0.99},
    {"caffe/lenet.prototxt", 0, 1, 0.99},
    {"caffe/mtcnn_det1.prototxt", -1, 1, 0.99},
    {"caffe/mtcnn_det2.prototxt", -1, 1, 0.99},
    {"caffe/mtcnn_det3.prototxt", -1, 1, 0.99},
    {"onnx/FastestDet.onnx", 0, 1, 0.99, true},
    {"onnx/coral_mobilenet_v1_0.25_128_quant_fromtfl.onnx", -1, 1, 0.99},
    {"onnx/linzaer_version-RFB-320_simplified.onnx", -1, 1, 0.99},
    {"onnx/mlperf_kws_ref_model_float32_fromtfl.onnx", -1, 1, 0.99},
    {"onnx/mlperf_pretrainedResnet_fromtfl.onnx", 0, 255, 0.99},
    {"onnx/mnist_cntk_op8.onnx", 0, 255, 0.99},
    {"onnx/qonnx_espcn_nn_resize_float_model.onnx", 0, 1, 0.99, true},
    {"onnx/qonnx_espcn_subpixel_float_model.onnx", 0, 1, 0.99},
    {"onnx/resnet20_cifar10_akamaster.onnx", -2, 2, 0.99},
    {"onnx/sedgen_unet.onnx", 0, 1, 0.99, true},
    {"onnx/super_resolution_10.onnx", 0, 1, 0.99, true},
    {"onnx/tengine_mnist.onnx", -0.4F, 2.8F, 0.99},
    {"onnx/tflm_person_detect_fromtfl.onnx", -1, 1, 0.99},
    {"onnx/wonnx_opt-mnist.onnx", 0, 255, 0.99},
    {"tflite/coral_mobilenet_v1_0.25_128_quant.tflite", -1, 1, 0.99},
    {"tflite/mlperf_kws_ref_model.tflite", -1, 1, 0.99},
    {"tflite/mlperf_pretrainedResnet_quant.tflite", 0, 255, 0.99},
    {"tflite/tflm_person_detect.tflite", -1, 1, 0.99},
};

const std::string zoo[] = {"bvlc_alexnet", "densenet121", "inception_v1",
                           "inception_v2", "resnet50",    "shufflenet",
                           "squeezenet",   "vgg19",       "zfnet512"};

}  // namespace

TEST_CASE("published networks on nv_small") {
  const auto* target = &hardware<nv_small>();
  for (const auto& p : all)
    if (!p.large) check(p, {&target, 1});
}

TEST_SUITE("nightly") {  // minutes each
  TEST_CASE("published networks on all configurations" * doctest::skip()) {
    for (const auto& p : all) check(p, cli::targets());
  }

  // Seeded random weights tell what constant ones cannot.
  TEST_CASE("zoo topologies with random weights on all configurations" * doctest::skip()) {
    for (const auto& name : zoo) {
      INFO(name);
      const auto model = shared_path("nets/light/light_" + name + ".onnx");
      if (!model) continue;
      const import::network network{
          networks::without_softmax(import::model(*model, import::random_weights{1}))};
      const sample picture{
          waves(network.graph[net::input_nodes(network.graph).at(0)].shape, -2, 2)};
      for (const auto* t : cli::targets()) check_on(*t, network, picture, 0.99);
    }
  }

  // Their weights are constants, so that all classes are alike: softmax gives 0.001 for each of a
  // thousand, which int8 rounds to 0. In float they give what others computed.
  TEST_CASE("zoo topologies with constant weights" * doctest::skip()) {
    for (const auto& name : zoo) {
      INFO(name);
      const auto model = shared_path("nets/light/light_" + name + ".onnx"),
                 expected = shared_path("nets/light/light_" + name + "_output_0.pb");
      if (!model || !expected) continue;
      const auto network = import::onnx(*model);
      net::float_tensor x{network[net::input_nodes(network).at(0)].shape};
      for (auto& v : x.values) v = 1;
      const auto found = net::evaluate(network, x).at(0).values;
      const auto y = onnx_testdata::read_tensor(*expected).reals;
      REQUIRE(found.size() == y.size());
      for (std::size_t i = 0; i < y.size(); ++i)
        CHECK(found[i] == doctest::Approx(y[i]).epsilon(1e-4));
    }
  }
}
