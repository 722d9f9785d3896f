// SPDX-License-Identifier: Apache-2.0
// Layers of networks that lose accuracy by a scale that is not their own: that of their input, or
// of a concat or a move that they feed. For each the error of its output is compared with what it
// would be at the scale of its calibrated range.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/prepare.hpp>
#include <nvdlac/quant/layer_errors.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "pipeline.hpp"
#include "shared.hpp"
#include "trained.hpp"

using namespace nvdlac;

namespace {

constexpr double most_lost = 3;  // dB

struct trained_network {
  std::string file;
  float low = 0, high = 0;  // of its input
};

net::float_tensor waves(net::shape s, float low, float high, double phase) {
  net::float_tensor t{s};
  for (std::int32_t c = 0; c < s.c; ++c)
    for (std::int32_t y = 0; y < s.h; ++y)
      for (std::int32_t x = 0; x < s.w; ++x) {
        const double v = std::sin(0.21 * x + c + phase) + std::sin(0.13 * y - 2 * c + 2 * phase) +
                         0.5 * std::sin(0.9 * x - 0.7 * y + phase);
        t.at(c, y, x) = low + (high - low) * static_cast<float>((v + 2.5) / 5);
      }
  return t;
}

// The loss of each layer, over some of the samples.
std::vector<quant::layer_error> errors_of(const net::graph& network,
                                          const std::vector<sample>& samples) {
  compile_options options;
  options.host = host::choice::all();
  const auto prepared = prepare(
      network, std::span<const sample>(samples), options, pass::silent{}, [&](net::graph& g) {
        const auto left =
            host::partition(g, options.host,
                            hardware<nv_small>().check({g}, options.precision,
                                                        options.limits.layers));
        if (!left.empty()) throw error(left);
      });
  quant::layer_errors errors(prepared.graph, prepared.integers);
  for (const auto& s : samples) errors.observe(s);
  for (const auto& s : std::span(samples).first(std::min<std::size_t>(2, samples.size()))) {
    std::vector<quantised::feed> feeds;
    const auto inputs = net::input_nodes(prepared.integers);
    for (std::size_t k = 0; k < inputs.size(); ++k)
      feeds.push_back(quantised::feed_of(
          quantised::numbers_of(s[k], prepared.integers[inputs[k]].scale, hw::precision::int8)));
    std::vector<net::any_tensor> tensors(prepared.integers.size());
    quantised::evaluate_any_each(prepared.integers,
                                    std::span<const quantised::feed>(feeds),
                                    [&](auto n, const net::any_tensor& x) { tensors[n] = x; });
    errors.add(s, tensors);
  }
  return errors.results();
}

void check(const trained_network& t) {
  INFO(t.file);
  const auto path = shared_path("nets/" + t.file);
  if (!path) return;
  const auto network = networks::trained(*path).graph;
  std::vector<sample> samples;
  for (int i = 0; i < 4; ++i) {
    samples.emplace_back();
    for (const auto n : net::input_nodes(network))
      samples.back().push_back(waves(network[n].shape, t.low, t.high, 0.7 * i));
  }
  const auto errors = errors_of(network, samples);
  CHECK_FALSE(errors.empty());
  for (const auto& e : errors)
    CHECK_MESSAGE(e.lost() <= most_lost, "layer '", e.name, "' loses ", e.lost(), " dB of ",
                  e.snr(), " by its scale");
}

const trained_network small[] = {
    {"onnx/mlperf_pretrainedResnet_fromtfl.onnx", 0, 255},
    {"onnx/tengine_mnist.onnx", -0.4F, 2.8F},
    {"caffe/lenet.prototxt", 0, 1},
    {"caffe/cifar10_full.prototxt", -128, 128},
    {"caffe/cifar10_quick.prototxt", -128, 128},
    {"caffe/mtcnn_det1.prototxt", -1, 1},
    {"caffe/mtcnn_det2.prototxt", -1, 1},
    {"caffe/mtcnn_det3.prototxt", -1, 1},
    {"onnx/mlperf_kws_ref_model_float32_fromtfl.onnx", -1, 1},
    {"onnx/mnist_cntk_op8.onnx", 0, 255},
    {"onnx/qonnx_espcn_subpixel_float_model.onnx", 0, 1},
    {"onnx/resnet20_cifar10_akamaster.onnx", -2, 2},
    {"onnx/wonnx_opt-mnist.onnx", 0, 255},
};
const trained_network large[] = {
    {"caffe/RFB-320.prototxt", -1, 1},
    {"onnx/FastestDet.onnx", 0, 1},
    {"onnx/coral_mobilenet_v1_0.25_128_quant_fromtfl.onnx", -1, 1},
    {"onnx/linzaer_version-RFB-320_simplified.onnx", -1, 1},
    {"onnx/qonnx_espcn_nn_resize_float_model.onnx", 0, 1},
    {"onnx/sedgen_unet.onnx", 0, 1},
    {"onnx/super_resolution_10.onnx", 0, 1},
    {"onnx/tflm_person_detect_fromtfl.onnx", -1, 1},
    {"tflite/coral_mobilenet_v1_0.25_128_quant.tflite", -1, 1},
    {"tflite/mlperf_kws_ref_model.tflite", -1, 1},
    {"tflite/mlperf_pretrainedResnet_quant.tflite", 0, 255},
    {"tflite/tflm_person_detect.tflite", -1, 1},
};

}  // namespace

TEST_CASE("no layer of small networks loses more than 3 dB by a scale that it inherits") {
  for (const auto& t : small) check(t);
}

TEST_CASE("a scale that costs more than 3 dB is found") {
  net::graph g;
  const auto in = g.add("in", net::input{{4, 12, 12}});
  const auto branch = [&](const char* name, float size) {
    std::vector<float> weights(16);
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = size * static_cast<float>(std::sin(1.7 * static_cast<double>(i * i)));
    return g.add(name, net::convolution{.kernels = 4, .weights = weights}, {in});
  };
  const auto loud = branch("loud", 1), quiet = branch("quiet", 0.05F);
  const auto both = g.add("both", net::concat{}, {loud, quiet});
  g[both].output = true;
  net::infer_shapes(g);
  std::vector<sample> samples;
  for (int i = 0; i < 4; ++i) samples.push_back({waves({4, 12, 12}, -1, 1, 0.7 * i)});
  for (const auto& e : errors_of(g, samples)) {
    CAPTURE(e.name);
    CHECK((e.lost() > most_lost) == (e.name == "quiet"));
  }
}

TEST_SUITE("nightly") {
  TEST_CASE("no layer loses more than 3 dB by a scale that it inherits" * doctest::skip()) {
    for (const auto& t : large) check(t);
  }
}
