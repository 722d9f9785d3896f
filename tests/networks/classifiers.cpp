// SPDX-License-Identifier: Apache-2.0
// Trained classifiers keep their accuracy in int8, and the simulator computes what the integer
// reference says.
#include <doctest/doctest.h>

#include <optional>

#include <nvdlac/hw/configurations/nv_small.hpp>

#include "pictures.hpp"
#include "readme.hpp"
#include "trained.hpp"

using namespace nvdlac;
using networks::cifar, networks::collection, networks::mnist;

namespace {

net::graph as_it_is(const net::graph& g) { return g; }

// Classes as they are before a softmax. `row`: the network's in README.md; `points`: how much top-1
// may fall.
void check(std::string_view row, std::string_view model, const std::optional<collection>& all,
           std::size_t count, const std::vector<double>& mean, double scale, bool pixels,
           double points, net::graph (*changed)(const net::graph&) = as_it_is) {
  const auto path = shared_path("nets/" + std::string(model));
  if (!path || !all) return;
  const auto network = changed(networks::without_softmax(networks::trained(*path).graph));
  const auto found = networks::classify<nv_small>(network, *all, count, mean, scale, pixels);
  MESSAGE(model << ": top-1 float " << found.real << " %, nv_small " << found.simulated << " %, "
                << found.tied << " pictures with a tied first class, float " << found.real_tied);
  if (changed != as_it_is && found.real_tied == 0) CHECK(found.tied * 100 <= count);
  CHECK(found.differences == 0);
  CHECK(found.trace_differences == 0);
  CHECK(found.simulated >= found.real - points);
  networks::check_row_of_readme(row, found.real, found.simulated);
}

}  // namespace

TEST_CASE("digits: lenet") {
  check("lenet (Caffe)", "caffe/lenet.prototxt", mnist(), 2000, {0}, 1 / 256.0, true, 0.3);
}
TEST_CASE("digits: mnist_cntk_op8") {
  check("mnist_cntk_op8 (ONNX)", "onnx/mnist_cntk_op8.onnx", mnist(), 2000, {0}, 1, true, 0.3);
}
TEST_CASE("digits: wonnx_opt-mnist") {
  check("wonnx_opt-mnist (ONNX)", "onnx/wonnx_opt-mnist.onnx", mnist(), 2000, {0}, 1, true, 0.3);
}
TEST_CASE("digits: tengine_mnist") {
  check("tengine_mnist (ONNX)", "onnx/tengine_mnist.onnx", mnist(), 2000, {255 * 0.1307},
        1 / 255.0 / 0.3081, true, 0.3);
}
TEST_CASE("pictures: cifar10_quick") {
  const auto all = cifar();
  const auto mean = all ? networks::mean_picture(*all) : std::vector<double>{};
  check("cifar10_quick (Caffe)", "caffe/cifar10_quick.prototxt", all, 500, mean, 1, false, 0.6);
}
TEST_CASE("pictures: mlperf_pretrainedResnet") {
  check("mlperf_pretrainedResnet, a ResNet-8 (ONNX)",
        "onnx/mlperf_pretrainedResnet_fromtfl.onnx", cifar(), 500, {0}, 1, true, 0.6);
}
TEST_CASE("pictures: mlperf_pretrainedResnet that averages what its classifier says") {
  check("the same, its classifier before the average",
        "onnx/mlperf_pretrainedResnet_fromtfl.onnx", cifar(), 500, {0}, 1, true, 0.6,
        networks::with_classifier_before_average);
}
