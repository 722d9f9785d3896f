// SPDX-License-Identifier: Apache-2.0
#include "floor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <type_traits>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::judge {
namespace {

using graph = cli::graph;

constexpr int draws = 6;
constexpr double most_steps = 4;  // of a scale, in parts of what the range needs
// The error of a table of straight lines, in parts of the largest value: int16 and fp16 have no
// table of all values.
constexpr double table_error = 1.0 / 256;

class noisy_network {
 public:
  noisy_network(const graph& g, const quant::scale_table& scales,
                const net::layer_precisions& precisions,
                std::span<const std::vector<net::float_tensor>> samples, bool given,
                std::uint64_t seed)
      : g_(g),
        precisions_(precisions),
        given_(given),
        random_(seed),
        range_(g.size(), 0),
        scale_(g.size(), 0) {
    for (const auto& s : samples)
      net::evaluate_each(g, s, [&](auto n, const net::float_tensor& t) {
        for (const float x : t.values) range_[n] = std::max(range_[n], std::fabs(double{x}));
      });
    for (graph::id n = 0; n < g.size(); ++n) scale_[n] = scales.find(g[n].name).value_or(0);
  }

  std::vector<net::float_tensor> run(const std::vector<net::float_tensor>& inputs) {
    const auto outputs = g_.outputs();
    std::vector<net::float_tensor> result(outputs.size());
    const auto position = net::input_positions(g_, inputs.size());
    net::walk<net::float_tensor>(
        g_,
        [&](auto n, std::span<const net::float_tensor* const> in) {
          auto t = nvdlac::visit(
              [&](const auto& op) -> net::float_tensor {
                using op_type = std::decay_t<decltype(op)>;
                if constexpr (net::is_network_input<op_type>) return inputs[position[n]];
                else if constexpr (requires(op_type o) { o.weights.size(); }) {
                  auto rounded = op;
                  round_weights(n, rounded.weights);
                  return rounded.evaluate(in);
                } else return op.evaluate(in);
              },
              g_[n].op);
          round(n, t.values);
          return t;
        },
        [&](auto n, const net::float_tensor& t) {
          for (std::size_t i = 0; i < outputs.size(); ++i)
            if (outputs[i] == n) result[i] = t;
        });
    return result;
  }

 private:
  // From -1/2 to 1/2, another one for each value in each tensor of each run. Equal values, as those
  // that are clipped or repeated, are rounded alike, so that what is off in a sum of them adds up.
  class half_steps {
   public:
    explicit half_steps(std::uint32_t drawn) : drawn_(drawn) {}
    double operator()(float of) const {
      auto h = std::bit_cast<std::uint32_t>(of) ^ drawn_;  // mixed as in MurmurHash3
      h = (h ^ h >> 16) * 0x85ebca6b;
      h = (h ^ h >> 13) * 0xc2b2ae35;
      return static_cast<double>(h ^ h >> 16) / 4294967295.0 - 0.5;
    }

   private:
    std::uint32_t drawn_;
  };
  static double one_bit(double x) { return std::max(std::fabs(x) / 1024, 1.0 / (1 << 24)); }

  void round_weights(graph::id n, std::vector<float>& weights) {
    const auto p = precisions_(g_[n].name);
    double most = 0;
    for (const float w : weights) most = std::max(most, std::fabs(double{w}));
    const half_steps half_step(static_cast<std::uint32_t>(random_()));
    for (float& w : weights)
      w = static_cast<float>(w + half_step(w) * (p == hw::precision::fp16 ? one_bit(w)
                                                : p == hw::precision::int16
                                                    ? most / 32767
                                                    : most / 127));
  }
  void round(graph::id n, std::vector<float>& values) {
    const auto p = precisions_(g_[n].name);
    const double own = range_[n] / (p == hw::precision::int16 ? 32767 : 127);
    double step = given_ ? std::max(scale_[n], own) : std::clamp(scale_[n], own, most_steps * own);
    // The host's softmax has a scale of its own, as probabilities reach up to 1, and truncates.
    const bool truncates = std::holds_alternative<net::softmax>(g_[n].op);
    if (truncates) step = std::max(step, 1.0 / 127);
    const bool table = p != hw::precision::int8 && has_table(n);
    // The table of a tensor that is always 0 reaches as far as its scale, which is arbitrary.
    const double reach = range_[n] > 0 ? range_[n] : 127 * scale_[n];
    const half_steps half_step(static_cast<std::uint32_t>(random_()));
    for (float& v : values) {
      const double width = p == hw::precision::fp16 ? one_bit(v) : step;
      const double part = half_step(v) - (truncates ? 0.5 : 0);
      v = static_cast<float>(v + part * (width + (table ? table_error * reach : 0)));
    }
  }
  bool has_table(graph::id n) const {
    return std::holds_alternative<net::activation>(g_[n].op) ||
           std::holds_alternative<net::lrn>(g_[n].op) ||
           std::holds_alternative<net::on_host>(g_[n].op);
  }

  const graph& g_;
  const net::layer_precisions& precisions_;
  bool given_;
  std::mt19937 random_;
  std::vector<double> range_, scale_;
};

}  // namespace

expected_error expected_error_of(const cli::graph& g, const quant::scale_table& scales,
                                 const net::layer_precisions& precisions,
                                 std::span<const std::vector<net::float_tensor>> samples,
                                 std::size_t sample, bool given, std::uint64_t seed) {
  expected_error e{.rms = {}, .exact = net::evaluate(g, std::span(samples[sample])), .spread = {}};
  noisy_network noisy(g, scales, precisions, samples, given, seed);
  for (const auto& t : e.exact) e.spread.emplace_back(t.values.size(), 0.0);
  for (int d = 0; d < draws; ++d) {
    const auto outputs = noisy.run(samples[sample]);
    for (std::size_t o = 0; o < outputs.size(); ++o)
      for (std::size_t i = 0; i < outputs[o].values.size(); ++i) {
        const double off = double{outputs[o].values[i]} - double{e.exact[o].values[i]};
        e.spread[o][i] += off * off / draws;
      }
  }
  for (auto& of : e.spread) {
    double sum = 0;
    for (double& s : of) {
      sum += s;
      s = std::sqrt(s);
    }
    e.rms.push_back(std::sqrt(sum / std::max<double>(1, static_cast<double>(of.size()))));
  }
  return e;
}

}  // namespace nvdlac::judge
