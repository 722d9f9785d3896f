// SPDX-License-Identifier: Apache-2.0
// Trained networks in int16 and fp16 on nv_full: the loadable, its trace and the exact reference
// agree, and they are near the float network.
#include <doctest/doctest.h>

#include <random>
#include <string>

#include "pipeline.hpp"
#include "shared.hpp"
#include "trained.hpp"

using namespace nvdlac;

namespace {

void check_precision(const net::graph& network, const net::float_tensor& picture,
                     const net::layer_precisions& p) {
  INFO(std::string(hw::name_of(p.all)));
  const std::vector<sample> samples{{picture}};
  const auto r = networks::run_on(hardware<nv_full>(), network, std::span<const sample>(samples),
                                  {picture}, {.precision = p}, networks::replay::yes);
  CHECK((r.simulated == r.exact));
  CHECK(r.trace_differences == 0);
  for (std::size_t i = 0; i < r.values.size(); ++i)
    CHECK(networks::cosine(r.values[i], r.real[i]) > 0.999);
}

// Numbers of up to a size.
struct noise {
  std::mt19937 random{4};

  std::vector<float> operator()(std::size_t n, float size) {
    std::vector<float> v(n);
    for (auto& x : v) x = size * (static_cast<float>(random() % 2001) / 1000 - 1);
    return v;
  }
};

void check_file(const std::string& model, float low, float high) {
  const auto path = shared_path("nets/" + model);
  if (!path) return;
  auto network = networks::trained(*path).graph;
  // The input of a softmax is compared as well.
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

TEST_CASE("functions and normalisation in 16 bits") {
  using enum net::function;
  noise values;
  net::graph g;
  const auto in = g.add("in", net::input{{7, 9, 11}});
  auto last = g.add("mix", net::convolution{.kernels = 21, .weights = values(147, 1)}, {in});
  for (const net::activation& op : {net::activation{elu}, {swish}, {net::function::tanh},
                                    {exponential}, {power, 1, 0.5F, 0.5F}, {sigmoid}}) {
    const std::string name = text("f", static_cast<int>(op.function));
    last = g.add(name, op, {last});
    const auto size = static_cast<std::int32_t>(values.random() % 4);
    last = g.add(name + "norm",
                 net::lrn{.local_size = 2 * size + 3, .alpha = 0.5F, .beta = 0.75F}, {last});
  }
  g[last].output = true;
  net::infer_shapes(g);
  const net::float_tensor picture{{7, 9, 11}, values(7 * 9 * 11, 1)};
  check_precision(g, picture, hw::precision::int16);
  check_precision(g, picture, hw::precision::fp16);
}

TEST_CASE("each layer in a precision of its own") {
  noise values;
  net::graph g;
  const net::pool pool{.window = {.kernel_h = 2, .kernel_w = 2}};
  const auto in = g.add("in", net::input{{7, 9, 11}});
  const auto a =
      g.add("a", net::convolution{.kernels = 21, .weights = values(147, 1), .relu = true}, {in});
  const auto b = g.add("b", net::convolution{.kernels = 21, .weights = values(441, 0.4F)}, {a});
  const auto c = g.add("c", pool, {b}), d = g.add("d", pool, {a});
  const auto e = g.add("e", net::add{}, {c, d});
  const auto f = g.add("f", net::activation{net::function::swish}, {e});
  const auto h = g.add("h", net::concat{}, {f, c, d});
  const auto fc = g.add(
      "fc", net::fully_connected{.outputs = 10, .weights = values(63 * 80 * 10, 0.1F)}, {h});
  g[h].output = g[fc].output = true;
  g[g.add("prob", net::softmax{}, {fc})].output = true;
  net::infer_shapes(g);
  const net::float_tensor picture{{7, 9, 11}, values(7 * 9 * 11, 1)};
  for (int i = 0; i < 12; ++i) {
    net::layer_precisions p(static_cast<hw::precision>(i % 3));
    for (const char* name : {"in", "a", "b", "c", "d", "e", "f", "h", "fc", "prob"})
      if (values.random() % 2 == 0)
        p.of[name] = static_cast<hw::precision>(values.random() % 3);
    check_precision(g, picture, p);
  }
}

TEST_CASE("lenet in 16 bits") {
  check_file("caffe/lenet.prototxt", 0, 1);
}
TEST_CASE("ResNet-8 in 16 bits") {
  check_file("onnx/mlperf_pretrainedResnet_fromtfl.onnx", 0, 255);
}
TEST_CASE("MobileNet 0.25 in 16 bits") {
  check_file("onnx/tflm_person_detect_fromtfl.onnx", -1, 1);
}
