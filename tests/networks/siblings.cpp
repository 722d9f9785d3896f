// SPDX-License-Identifier: Apache-2.0
// Convolutions of one tensor get shifts in common where they are faster as one, and lose next to
// nothing by it.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/compile.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>

using namespace nvdlac;

namespace {

// An Inception module whose branches have values of other sizes.
class module_of_branches {
 public:
  net::graph g{};

  module_of_branches() {
    const auto in = g.add("in", net::input{{96, 14, 14}});
    net::infer_shapes(g);
    const auto stem = convolve("stem", in, 96, 1, 1);
    const auto one = convolve("m/1x1", stem, 64, 1, 0.3F);
    const auto wide = convolve("m/3x3", convolve("m/3x3_reduce", stem, 96, 1, 1), 64, 3, 1);
    const auto wider = convolve("m/5x5", convolve("m/5x5_reduce", stem, 16, 1, 4), 32, 5, 1);
    const auto all = g.add("m/output", net::concat{}, {one, wide, wider});
    net::infer_shapes(g);
    g[convolve("last", all, 32, 1, 1)].output = true;
  }
  std::vector<sample> samples() {
    std::vector<sample> all;
    for (int i = 0; i < 4; ++i) {
      net::float_tensor t{{96, 14, 14}};
      for (float& v : t.values) v = std::fabs(real()) * 2;
      all.push_back({std::move(t)});
    }
    return all;
  }

 private:
  float real() { return static_cast<float>(static_cast<double>(random_()) / 2147483648.0 - 1); }
  net::graph::id convolve(const std::string& name, net::graph::id from, std::int32_t kernels,
                          std::int32_t side, float size) {
    net::convolution op{.kernels = kernels, .relu = true};
    op.window.kernel_h = op.window.kernel_w = side;
    op.window.pad_top = op.window.pad_left = op.window.pad_bottom = op.window.pad_right = side / 2;
    const auto taps = g.shape(from).c * side * side;
    const float reach = size * static_cast<float>(std::sqrt(6.0 / taps));
    for (std::int32_t k = 0; k < kernels; ++k) {
      for (std::int32_t i = 0; i < taps; ++i) op.weights.push_back(real() * reach);
      op.bias.push_back(real() * size / 5);
    }
    const auto n = g.add(name, std::move(op), {from});
    net::infer_shapes(g);
    return n;
  }
  std::mt19937 random_{3};
};

const quantised::convolution& convolution_called(const quantised::graph& g, std::string_view name) {
  for (quantised::graph::id n = 0; n < g.size(); ++n)
    if (g[n].name == name) return *g.get_if<quantised::convolution>(n);
  throw error("there is no such layer");
}

// The outputs' mean error in parts of their mean size.
double relative_error(const net::graph& g, const quantised::graph& integers,
                      const std::vector<sample>& samples) {
  double error = 0, size = 0;
  const auto output = integers.outputs()[0];
  for (const auto& s : samples) {
    const std::vector<quantised::feed> feeds{quantised::feed_of(quantised::numbers_of(
        s[0], integers.scale(net::input_nodes(integers)[0]), hw::precision::int8))};
    const auto exact = quantised::evaluate_any(integers, std::span<const quantised::feed>(feeds));
    const auto is = quantised::real_of(exact[0], integers.scale(output), integers.zero(output));
    const auto should = net::evaluate(g, s);
    for (std::size_t i = 0; i < is.values.size(); ++i) {
      error += std::pow(double{should[0].values[i]} - double{is.values[i]}, 2);
      size += std::pow(double{should[0].values[i]}, 2);
    }
  }
  return std::sqrt(error / size);
}

}  // namespace

TEST_CASE("branches of a module get shifts in common, and become one") {
  module_of_branches network;
  const auto samples = network.samples();
  compile_options options, apart;
  apart.without = {"siblings"};
  const auto prepare = [&](const compile_options& how) {
    return prepare_for<nv_large>(network.g, std::span<const sample>(samples), how).integers;
  };
  const auto joined = prepare(options), single = prepare(apart);
  const std::array names{"m/1x1", "m/3x3_reduce", "m/5x5_reduce"};
  const auto differ = [&](const quantised::graph& g) {
    return std::ranges::any_of(names, [&](const char* name) {
      const auto &op = convolution_called(g, name), &first = convolution_called(g, names[0]);
      return op.shift != first.shift || op.bias_shift != first.bias_shift;
    });
  };
  CHECK(differ(single));
  CHECK_FALSE(differ(joined));
  CHECK(convolution_called(joined, "last").shift == convolution_called(single, "last").shift);
  const auto faster = build<nv_large>(joined, options), slower = build<nv_large>(single, apart);
  CHECK(cost::cycles<nv_large>(faster).totals.cycles <
        cost::cycles<nv_large>(slower).totals.cycles);
  CHECK(std::ranges::any_of(faster.remarks, [](const plan::remark& r) {
    return r.layer == "m/3x3_reduce+5x5_reduce+1x1";
  }));
  CHECK(relative_error(network.g, joined, samples) <
        1.02 * relative_error(network.g, single, samples));
}
