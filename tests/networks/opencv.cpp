// SPDX-License-Identifier: Apache-2.0
// Random models that another engine reads as well: the float reference is OpenCV's result, and the
// simulated program is near both and equal, bit for bit, to the integer reference.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <opencv2/dnn.hpp>

#include "pipeline.hpp"
#include "random_onnx.hpp"

using namespace nvdlac;

namespace {

net::float_tensor noise(net::shape s, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  net::float_tensor t{s};
  for (float& v : t.values) v = static_cast<float>(random() % 2001) / 1000 - 1;
  return t;
}

std::vector<float> opencv_result(const std::string& model, const net::float_tensor& x) {
  auto net = cv::dnn::readNetFromONNX(model.data(), model.size());
  const int sizes[] = {1, x.shape.c, x.shape.h, x.shape.w};
  cv::Mat in(4, sizes, CV_32F);
  std::memcpy(in.data, x.values.data(), x.values.size() * sizeof(float));
  net.setInput(in);
  const cv::Mat out = net.forward();
  const auto* first = out.ptr<float>();
  return {first, first + out.total()};
}

// The largest difference, in parts of the largest value.
double distance(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double most = 1e-9, far = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::fabs(double{a[i]}));
    far = std::max(far, std::fabs(double{a[i]} - double{b[i]}));
  }
  return far / most;
}

template <class Hw>
void check_models(std::uint64_t first, std::uint64_t last, bool tables) {
  for (auto seed = first; seed < last; ++seed) {
    const auto content = random_onnx::make(seed, tables);
    INFO("seed ", seed, ": ", content);
    const auto binary = encode(import::onnx_format::schema(), "ModelProto", content);
    const auto g = onnx_model::read(binary);
    const auto shape = g[net::input_nodes(g).at(0)].shape;
    std::vector<sample> samples;
    for (std::uint64_t i = 0; i < 8; ++i) samples.push_back({noise(shape, 100 * seed + i)});
    const auto r = networks::run_on(hardware<Hw>(), g, std::span<const sample>(samples),
                                    samples[0]);
    CHECK(distance(r.real.at(0).values, opencv_result(binary, samples[0][0])) < 1e-4);
    CHECK((r.simulated == r.exact));
    CHECK(r.trace_differences == 0);
    CHECK(networks::cosine(r.values.at(0), r.real[0]) > 0.97);
  }
}

}  // namespace

TEST_CASE("random models: OpenCV, the float reference and the simulator agree") {
  check_models<nv_small>(0, 25, false);
  check_models<nv_large>(25, 50, true);
}
