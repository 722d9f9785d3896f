// SPDX-License-Identifier: Apache-2.0
// Trained networks in int16 and fp16 on nv_full: the loadable, its trace and the exact reference
// agree, and they are near the float network.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>

#include <nvdlac/import/model.hpp>
#include <nvdlac/quant/values.hpp>

#include "pipeline.hpp"
#include "shared.hpp"

using namespace nvdlac;

namespace {

double cosine(const net::float_tensor& a, const net::float_tensor& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double x = static_cast<double>(a.values[i]), y = static_cast<double>(b.values[i]);
    ab += x * y, aa += x * x, bb += y * y;
  }
  return ab / std::sqrt(aa * bb);
}

void check_precision(net::graph network, const net::float_tensor& picture, hw::precision p) {
  INFO(hw::name_of(p));
  const std::vector<sample> samples{{picture}};
  compile_options options;
  options.precision = p;
  const auto prepared = prepare(network, std::span<const sample>(samples), options, pass::verify{},
                                [&](const net::graph& g) {
                                  CHECK(lower::check<nv_full>(g, p).empty());
                                });
  compiled chip(hardware<nv_full>(), prepared.integers, options);
  const auto& in = chip.program().inputs[0];
  const std::vector feeds{
      net::integer::feed_of(quant::numbers_of(picture, in.scale, in.surface.precision))};
  const auto out = chip.infer_any(feeds);
  CHECK((out == net::integer::evaluate_any(prepared.integers,
                                           std::span<const net::integer::feed>(feeds))));
  CHECK(chip.trace_differences(feeds) == 0);
  const auto real = net::evaluate(network, picture);
  REQUIRE(out.size() == real.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    CHECK(cosine(quant::real_of(out[i], chip.program().outputs[i].scale), real[i]) > 0.999);
}

void check_file(const std::string& model, const std::string& weights, float low, float high) {
  const auto path = shared_path("nets/" + model);
  if (!path) {
    MESSAGE("shared material is absent: " << model << " is not tested");
    return;
  }
  import::weight_source with{};
  if (!weights.empty()) with = *shared_path("nets/" + weights);
  auto network = import::model(*path, with);
  net::infer_shapes(network);
  // What a softmax reads is compared as well.
  for (const auto n : network.outputs())
    if (std::holds_alternative<net::softmax>(network[n].op))
      network[network.inputs(n)[0]].output = true;
  std::mt19937 random(1);
  net::float_tensor picture{network[net::input_nodes(network).at(0)].shape};
  for (auto& v : picture.values)
    v = low + (high - low) * static_cast<float>(random() % 256) / 255.0F;
  check_precision(network, picture, hw::precision::int16);
  check_precision(network, picture, hw::precision::fp16);
}

}  // namespace

TEST_CASE("lenet in 16 bits") {
  check_file("caffe/lenet.prototxt", "caffe/lenet.caffemodel", 0, 1);
}
TEST_CASE("ResNet-8 in 16 bits") {
  check_file("onnx/mlperf_pretrainedResnet_fromtfl.onnx", "", 0, 255);
}
TEST_CASE("MobileNet 0.25 in 16 bits") {
  check_file("onnx/tflm_person_detect_fromtfl.onnx", "", -1, 1);
}
