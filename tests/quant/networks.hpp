// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random networks of one or two layers, and how far quantised results are from real ones.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quant/calibrate.hpp>
#include <nvdlac/quant/quantise.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace quant_test {

using namespace nvdlac;

inline std::vector<float> random_values(std::mt19937& random, std::size_t n, float range) {
  std::vector<float> v(n);
  for (float& x : v)  // not std::uniform_real_distribution, whose values are the library's choice
    x = range * (static_cast<float>(random() >> 8) / 8388608.0F - 1.0F);
  return v;
}
inline net::float_tensor random_tensor(std::mt19937& random, net::shape s, float range = 1) {
  return {s, random_values(random, s.size(), range)};
}

inline net::graph::id mark(net::graph& g, net::graph::id n) {
  g[n].output = true;
  net::infer_shapes(g);
  return n;
}

inline quant::scale_table min_max_table(const net::graph& g,
                                        const std::vector<net::float_tensor>& inputs) {
  const std::vector<std::vector<net::float_tensor>> samples{inputs};
  return quant::calibrate<quant::min_max>(g,
                                          std::span<const std::vector<net::float_tensor>>(samples));
}

inline quantised::feed feed_of(const net::float_tensor& x, double scale) {
  net::int8_tensor t{x.shape};
  for (std::size_t i = 0; i < t.values.size(); ++i)
    t.values[i] = quant::round8(static_cast<double>(x.values[i]) / scale);
  return t;
}

// The real values of the outputs of q for these real inputs.
inline std::vector<net::float_tensor> run(const quantised::graph& q,
                                          const std::vector<net::float_tensor>& in) {
  std::vector<quantised::feed> feeds;
  const auto nodes = net::input_nodes(q);
  for (std::size_t i = 0; i < in.size(); ++i) feeds.push_back(feed_of(in[i], q[nodes[i]].scale));
  const auto out = quantised::evaluate(q, std::span<const quantised::feed>(feeds));
  std::vector<net::float_tensor> result;
  for (std::size_t i = 0; i < out.size(); ++i) {
    net::float_tensor t{out[i].shape};
    for (std::size_t j = 0; j < t.values.size(); ++j)
      t.values[j] = static_cast<float>(q[q.outputs()[i]].scale * out[i].values[j]);
    result.push_back(std::move(t));
  }
  return result;
}

// The largest difference of the first outputs, in steps of the quantised output.
inline double worst_steps(const net::graph& g, const quantised::graph& q,
                          const std::vector<net::float_tensor>& in) {
  const auto real = net::evaluate(g, std::span<const net::float_tensor>(in));
  const auto quantised = run(q, in);
  double worst = 0;
  for (std::size_t j = 0; j < real[0].values.size(); ++j)
    worst = std::max(worst, std::fabs(static_cast<double>(real[0].values[j]) -
                                      static_cast<double>(quantised[0].values[j])));
  return worst / q[q.outputs()[0]].scale;
}

}  // namespace quant_test
