// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random networks of convolutions in Winograd's mode, with all that may stand behind them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/arithmetic/winograd.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/net/graph.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quantised/graph.hpp>

class winograd_graph {
 public:
  using graph = nvdlac::quantised::graph;
  struct limits {
    int layers = 4, channels = 40, side = 18;
  };

  static graph make(std::uint64_t seed, nvdlac::hw::precision p, const limits& most) {
    winograd_graph w(seed, p, most);
    w.build();
    return std::move(w.g_);
  }

  // Whether the configuration has room for all kernels.
  template <class Hw>
  static bool runs_on(const graph& g) {
    using nvdlac::quantised::convolution;
    bool runs = true;
    for (graph::id n = 0; n < g.size(); ++n)
      if (const auto* c = g.template get_if<convolution>(n)) {
        std::vector<nvdlac::net::shape> in;
        for (const auto i : g.inputs(n)) in.push_back(g.shape(i));
        runs = runs && nvdlac::lower::check_support<Hw>(*c, in, g.precision(n)) ==
                           nvdlac::lower::reason::none;
      }
    return runs;
  }

  static std::vector<nvdlac::quantised::feed> feeds(const graph& g, std::uint64_t seed) {
    using namespace nvdlac;
    std::mt19937_64 random(seed);
    std::vector<quantised::feed> result;
    for (const auto n : net::input_nodes(g)) {
      const auto fill = [&](auto t, const auto& value) {
        for (auto& v : t.values) v = value(random());
        result.emplace_back(std::move(t));
      };
      const net::shape s = g.shape(n);
      if (g.precision(n) == hw::precision::int8)
        fill(net::int8_tensor{s}, [](auto r) { return static_cast<std::int8_t>(r); });
      else if (g.precision(n) == hw::precision::int16)
        fill(net::int16_tensor{s}, [](auto r) { return static_cast<std::int16_t>(r); });
      else
        fill(net::fp16_tensor{s},
             [](auto r) { return half_of(static_cast<double>(r % 2001) / 1000 - 1); });
    }
    return result;
  }

 private:
  winograd_graph(std::uint64_t seed, nvdlac::hw::precision p, const limits& most)
      : random_(seed), precision_(p), most_(most) {}

  int pick(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(int n) { return pick(1, n) == 1; }
  bool real() const { return precision_ == nvdlac::hw::precision::fp16; }
  double unit() { return pick(-1000, 1000) / 1000.0; }
  static nvdlac::net::half half_of(double x) {
    return {static_cast<std::uint16_t>(nvdlac::quant::half_bits(x, "number"))};
  }
  // A whole number, or the real one of fp16.
  std::int16_t number(double real_value, int whole) {
    return real() ? nvdlac::quant::half_bits(real_value, "number")
                  : static_cast<std::int16_t>(whole);
  }

  graph::id add(graph::any_operator op, const std::vector<graph::id>& in) {
    const auto n = g_.add("n" + std::to_string(g_.size()), std::move(op), in);
    g_[n].precision = precision_;
    nvdlac::net::infer_shapes(g_);
    return n;
  }

  // A random convolution in Winograd's mode that reads `from`.
  nvdlac::quantised::convolution convolution(graph::id from) {
    using namespace nvdlac;
    const bool wide = precision_ != hw::precision::int8;
    const std::int32_t channels = g_.shape(from).c;
    quantised::convolution op{.kernels = pick(1, most_.channels), .winograd = true};
    op.window.kernel_h = op.window.kernel_w = 3;
    for (auto* pad : {&op.window.pad_top, &op.window.pad_bottom, &op.window.pad_left,
                      &op.window.pad_right})
      *pad = one_in(3) ? pick(0, 2) : 1;
    const auto count = static_cast<std::size_t>(op.kernels) * static_cast<std::size_t>(channels) *
                       quantised::winograd_taps;
    const double spread = 1 / std::sqrt(6.0 * channels);
    for (std::size_t i = 0; i < count; ++i) {
      const double w = unit();
      if (wide) op.wide_weights.push_back(number(w * spread, static_cast<int>(w * 32767)));
      else op.weights.push_back(static_cast<std::int8_t>(w * 127));
    }
    for (std::int32_t k = 0; k < op.kernels; ++k) {
      const double bias = unit();
      op.bias.push_back(number(bias, pick(-3000, 3000)));
      const double multiplier = 1 + unit() / 2;
      op.multiplier.push_back(number(multiplier, pick(4000, 32767)));
    }
    if (real()) return op;
    op.input_truncate = static_cast<std::uint8_t>(pick(0, arithmetic::most_input_truncate));
    op.truncate = static_cast<std::uint8_t>(wide ? pick(10, 16) : pick(0, 3));
    op.bias_shift = static_cast<std::uint8_t>(pick(0, 5));
    const double sums = std::log2(spread * 6 * channels) + (wide ? 30 : 14) - op.input_truncate;
    op.shift = static_cast<std::uint8_t>(std::max(
        0, static_cast<int>(sums) + 15 - op.truncate - (wide ? 14 : 6)));
    if (!wide && one_in(2)) op.pad = static_cast<std::int8_t>(pick(-128, 127));
    return op;
  }

  void build() {
    using namespace nvdlac;
    std::vector<graph::id> all{add(quantised::input{{pick(1, most_.channels), pick(3, most_.side),
                                                     pick(3, most_.side)}}, {})};
    for (int i = 0; i < most_.layers; ++i) {
      const auto from = all[static_cast<std::size_t>(pick(0, static_cast<int>(all.size()) - 1))];
      auto op = convolution(from);
      op.relu = one_in(3);
      const int behind = pick(0, 5);
      if (behind == 0) {
        op.low = number(-0.5, -20);
        op.relu = false;
      }
      if (behind == 1) {
        op.high = number(0.5, 60);
        op.relu = false;
      }
      if (behind == 2 || behind == 3) {
        op.relu = false;
        op.slope_shift = static_cast<std::uint8_t>(real() ? 0 : 14);
        for (std::int32_t k = 0; k < (behind == 2 ? 1 : op.kernels); ++k) {
          const double slope = unit();
          op.slope.push_back(number(slope, pick(-32767, 32767)));
        }
      }
      std::vector<graph::id> in{from};
      const auto out = op.infer(std::array{g_.shape(from)});
      if (out.h < 1 || out.w < 1 || out.h == 1) continue;
      if (behind >= 4)
        for (const auto n : all)
          if (g_.shape(n) == out && in.size() == 1) in.push_back(n);
      if (in.size() == 1 && behind >= 4 && one_in(2)) {
        in.push_back(add(quantised::input{out}, {}));
        op.operand_shift = static_cast<std::uint8_t>(real() ? 0 : pick(0, 3));
      }
      all.push_back(add(std::move(op), in));
      const net::shape s = g_.shape(all.back());
      if (one_in(4) && s.h >= 4 && s.w >= 4 && s.h % 2 == 0 && s.w % 2 == 0) {
        quantised::pool pool;
        pool.window.kernel_h = pool.window.kernel_w = 2;
        pool.window.stride_h = pool.window.stride_w = 2;
        all.push_back(add(pool, {all.back()}));
      }
    }
    if (all.size() > 2 && one_in(2)) {  // of those that are as large as the last one
      std::vector<graph::id> in;
      const net::shape last = g_.shape(all.back());
      for (const auto n : all)
        if (g_.shape(n).h == last.h && g_.shape(n).w == last.w) in.push_back(n);
      quantised::concat op;
      for (std::size_t i = 0; i < in.size(); ++i) op.multiplier.push_back(std::nullopt);
      add(std::move(op), in);
    }
    for (graph::id n = 0; n < g_.size(); ++n)
      g_[n].output = g_.consumers(n).empty() || (one_in(5) && !g_.get_if<quantised::input>(n));
  }

  std::mt19937_64 random_;
  nvdlac::hw::precision precision_;
  limits most_;
  graph g_{};
};
