// SPDX-License-Identifier: Apache-2.0
// Caffe's layers that no engine of NVDLA computes.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <variant>

#include <nvdlac/import/caffe.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/verify.hpp>

#include "files.hpp"

using namespace nvdlac;

namespace {

std::string layer(const std::string& type, const std::string& rest, const std::string& more = {}) {
  return R"(layer { name: "data" type: "Input" top: "data"
                    input_param { shape { dim: 1 dim: 2 dim: 3 dim: 2 } } }
            layer { name: 'y' bottom: 'data' top: 'y' type: ')" + type + "' " + rest + "}" + more;
}
net::graph read(const std::string& prototxt,
                const std::string& weights = "name: 'none' layer { name: 'none' }") {
  const scratch directory;
  return import::caffe(directory.write("net.prototxt", prototxt),
                       directory.write("net.caffemodel", weights));
}
std::string refused(const std::string& prototxt) {
  return complaints([&] { (void)read(prototxt); });
}
// The output of a network for 1, 2, .. 12.
net::float_tensor run(const net::graph& g) {
  CHECK(net::verify(g).empty());
  net::float_tensor x{{2, 3, 2}};
  for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<float>(i + 1);
  return net::evaluate(g, x).at(0);
}
const net::host_call& call(const net::graph& g) { return std::get<net::on_host>(g[1].op).call; }

}  // namespace

TEST_CASE("softmax along lines and columns") {
  const auto columns = read(layer("Softmax", "softmax_param { axis: 3 }"));
  CHECK(call(columns).layer == "softmax");
  CHECK(run(columns).values[4] == doctest::Approx(1 / (1 + std::exp(1.0))));
  const auto lines = run(read(layer("Softmax", "softmax_param { axis: -2 }")));
  CHECK(lines.values[4] == doctest::Approx(1 / (1 + std::exp(-2.0) + std::exp(-4.0))));
}

TEST_CASE("the place of a maximum") {
  CHECK(run(read(layer("ArgMax", ""))).values == std::vector{11.0F});
  const auto lines = run(read(layer("ArgMax", "argmax_param { axis: 2 }")));
  CHECK(lines.shape == net::shape{2, 1, 2});
  CHECK(lines.values == std::vector{2.0F, 2.0F, 2.0F, 2.0F});
  CHECK(mentions(refused(layer("ArgMax", "argmax_param { top_k: 5 }")), "top_k: 1"));
  CHECK(mentions(refused(layer("ArgMax", "argmax_param { out_max_val: true }")), "out_max_val"));
}

TEST_CASE("local response normalisation within a channel") {
  const auto g = read(layer("LRN", "lrn_param { norm_region: WITHIN_CHANNEL local_size: 3 "
                                   "alpha: 0.9 beta: 1 }"));
  CHECK(call(g).layer == "lrn_within_channel");
  // The first window holds 1, 2, 3 and 4.
  CHECK(run(g).values[0] == doctest::Approx(1 / (1 + 0.1 * 30)));
}

TEST_CASE("normalisation of SSD multiplies by trained factors") {
  const std::string factors = R"(layer { name: 'y' type: 'Normalize'
    blobs { shape { dim: 2 } data: 10 data: 20 } })";
  const auto y = run(read(
      layer("Normalize", "norm_param { across_spatial: false channel_shared: false eps: 4 }"),
      factors));
  CHECK(y.values[0] == doctest::Approx(10 * 1 / std::sqrt(1 + 49 + 4.0)));
  CHECK(y.values[6] == doctest::Approx(20 * 7 / std::sqrt(1 + 49 + 4.0)));
  const auto whole = run(read(layer("Normalize", "norm_param { }"), R"(layer { name: 'y'
    type: 'Normalize' blobs { shape { dim: 1 } data: 2 } })"));
  CHECK(whole.values[1] == doctest::Approx(2 * 2 / std::sqrt(650.0)));
}

TEST_CASE("normalisation by mean and variance") {
  const auto planes = run(read(layer("MVN", "mvn_param { eps: 0.5 }")));
  const double deviation = std::sqrt(35.0 / 12);
  CHECK(planes.values[0] == doctest::Approx(-2.5 / (deviation + 0.5)));
  CHECK(planes.values[6] == doctest::Approx(-2.5 / (deviation + 0.5)));
  const auto all = run(read(layer("MVN", "mvn_param { across_channels: true "
                                         "normalize_variance: false }")));
  CHECK(all.values[0] == doctest::Approx(-5.5));
}

TEST_CASE("stochastic pooling") {
  const auto g = read(layer("Pooling", "pooling_param { pool: STOCHASTIC kernel_size: 2 }"));
  CHECK(call(g).layer == "stochastic_pool");
  CHECK(run(g).values[0] == doctest::Approx(30.0 / 10));
  CHECK(mentions(
      refused(layer("Pooling", "pooling_param { pool: STOCHASTIC kernel_size: 2 pad: 1 }")),
      "padded"));
}
