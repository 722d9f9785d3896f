// SPDX-License-Identifier: Apache-2.0
// Fully connected layers that read or give more features than a cube has, or read several maps: the
// simulator and the integer reference are equal, and near to the float network.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tests/net/random.hpp>

#include "find_target.hpp"
#include "pipeline.hpp"

using namespace nvdlac;

namespace {

class network {
 public:
  explicit network(net::shape in) : in_(in), x_(add("x", net::input{in}, {})) {}

  net::graph::id add(const std::string& name, net::graph::any_operator op,
                     const std::vector<net::graph::id>& inputs) {
    const auto n = g_.add(name, std::move(op), inputs);
    net::infer_shapes(g_);
    return n;
  }
  net::graph::id x() const { return x_; }
  net::graph::id map(const std::string& name, net::graph::id from, std::int32_t kernels,
                     std::int32_t stride = 1) {
    const auto c = g_[from].shape.c;
    return add(name, net::convolution{.kernels = kernels,
                                      .window = {.stride_h = stride, .stride_w = stride},
                                      .weights = weights(kernels, c), .relu = true}, {from});
  }
  net::graph::id flat(net::graph::id from) {
    return add("flat_" + std::to_string(from), net::flatten{}, {from});
  }
  net::graph::id connected(const std::string& name, net::graph::id from, std::int32_t outputs,
                           bool relu = false) {
    const auto inputs = static_cast<std::int32_t>(g_[from].shape.size());
    return add(name, net::fully_connected{.outputs = outputs, .weights = weights(outputs, inputs),
                                          .relu = relu}, {from});
  }
  // The ratio of signal to noise on each of the targets is 25 dB, and the results are equal.
  void check(net::graph::id output) {
    g_[output].output = true;
    std::vector<sample> samples;
    for (int i = 0; i < 17; ++i) samples.push_back({random_.tensor(in_)});
    const auto asked = samples.back();
    samples.pop_back();
    for (const char* name : {"nv_small", "nv_large"}) {
      CAPTURE(name);
      const auto r = networks::run_on(cli::find_target(cli::targets(), name), g_,
                                      std::span<const sample>(samples), asked, {});
      CHECK((r.simulated == r.exact));
      double signal = 0, noise = 0;
      for (std::size_t i = 0; i < r.real.at(0).values.size(); ++i) {
        const double wanted{r.real[0].values[i]}, off = double{r.values.at(0).values[i]} - wanted;
        signal += wanted * wanted;
        noise += off * off;
      }
      CHECK(10 * std::log10(signal / noise) > 25);
    }
  }

 private:
  std::vector<float> weights(std::int32_t outputs, std::int32_t inputs) {
    auto all = random_.reals(static_cast<std::size_t>(outputs) * static_cast<std::size_t>(inputs));
    for (float& w : all) w /= std::sqrt(static_cast<float>(inputs));
    return all;
  }

  net::shape in_;
  net::graph g_{};
  net::graph::id x_;
  randomness random_{9};
};

}  // namespace

TEST_CASE("maps of several sizes are read by one fully connected layer") {
  network n({3, 32, 32});
  const auto a = n.map("a", n.x(), 10), b = n.map("b", n.x(), 12, 2);
  const auto all = n.add("all", net::concat{}, {n.flat(a), n.flat(b)});
  n.check(n.connected("y", all, 40));
}

TEST_CASE("a fully connected layer reads more computed features than a cube has") {
  network n({16, 1, 1});
  n.check(n.connected("y", n.connected("wide", n.x(), 9000, true), 40));
}

TEST_CASE("a vector of more elements than kernels becomes a map") {
  constexpr net::shape map{70, 12, 12};
  network n({8, 1, 1});
  const auto vector = n.connected("vector", n.x(), static_cast<std::int32_t>(map.size()), true);
  n.check(n.map("y", n.add("map", net::reshape{map}, {vector}), 4));
}
