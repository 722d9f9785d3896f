// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random networks in int16 and fp16: those of random_graph in int8, with numbers of 16 bits.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "random_graph.hpp"

class wide_graph {
 public:
  using graph = nvdlac::quantised::graph;

  // The networks are made for int8: a kernel of twice the bytes may be too large.
  template <class Hw>
  static bool is_too_large(const graph& g) {
    using nvdlac::quantised::convolution;
    for (graph::id n = 0; n < g.size(); ++n)
      if (const auto* c = g.get_if<convolution>(n))
        if (nvdlac::lower::support<convolution, Hw>::check(
                *c, std::array{g.shape(g.inputs(n)[0])}, g.precision(n)) ==
            nvdlac::lower::reason::kernel_above_262144_bytes)
          return true;
    return false;
  }

  static graph make(std::uint64_t seed, nvdlac::hw::precision p, random_limits limits = {}) {
    limits.pixels = limits.pixels && p == nvdlac::hw::precision::int16;
    limits.softmax = p == nvdlac::hw::precision::fp16;
    limits.averages = false;
    return widened(random_graph::make(seed, limits), seed, p);
  }

  // A network in int8 with numbers of 16 bits.
  static graph widened(graph g, std::uint64_t seed, nvdlac::hw::precision p) {
    wide_graph w(seed, p);
    for (graph::id n = 0; n < g.size(); ++n) {
      g[n].precision = p;
      if (w.real()) g[n].scale = 1;
      std::visit([&](auto& op) { w.widen(op); }, g[n].op);
    }
    return g;
  }

  // The network of make() with tensors that go through other precisions on their way.
  static graph make_mixed(std::uint64_t seed, nvdlac::hw::precision p, random_limits limits = {}) {
    using enum nvdlac::hw::precision;
    using chain = std::vector<nvdlac::hw::precision>;
    auto g = make(seed, p, limits);
    wide_graph w(seed, p);
    const std::vector<chain> from_int16{
        {int8, int16}, {fp16, int16}, {int8, int16, fp16, int16}, {fp16, int16, int8, int16}};
    const std::vector<chain> from_fp16{{int16, fp16}, {int16, int8, int16, fp16}};
    const auto& chains = p == fp16 ? from_fp16 : from_int16;
    for (graph::id n = 0, size = g.size(); n < size; ++n) {
      const auto* in = g.get_if<nvdlac::quantised::input>(n);
      const bool stays = g.get_if<nvdlac::quantised::reshape>(n) || (in && in->pixels);
      if (stays || g.precision(n) != p || w.random_() % 3 != 0) continue;
      const std::vector<graph::id> readers(g.consumers(n).begin(), g.consumers(n).end());
      graph::id last = n;
      for (const auto to : chains[w.random_() % chains.size()]) {
        nvdlac::quantised::convert op{.to = to};
        if (to == int8) op.out = {0, 3, static_cast<std::uint8_t>(p == fp16 ? 1 : 9)};
        if (to == int16) op.out = {0, 1000, 3};
        last = g.add("convert" + std::to_string(g.size()), op, {last});
        g[last].precision = to;
        g[last].shape = g.shape(n);
        g[last].scale = g.scale(n);
      }
      for (const auto r : readers) {
        std::vector<graph::id> inputs(g.inputs(r).begin(), g.inputs(r).end());
        std::ranges::replace(inputs, n, last);
        g.set_inputs(r, inputs);
      }
      if (readers.empty()) g[last].output = true;
    }
    graph in_order;  // producers before consumers, so that outputs keep their order
    std::vector<graph::id> place(g.size());
    for (const auto n : g.order()) {
      std::vector<graph::id> inputs;
      for (const auto i : g.inputs(n)) inputs.push_back(place[i]);
      place[n] = in_order.add(g[n].name, g[n].op, inputs);
      in_order[place[n]] = g[n];
    }
    return in_order;
  }

  static std::vector<nvdlac::quantised::feed> feeds(const graph& g, std::uint64_t seed) {
    std::vector<nvdlac::quantised::feed> result;
    wide_graph w(seed, nvdlac::hw::precision::int8);
    for (const auto n : nvdlac::net::input_nodes(g)) {
      const auto& in = std::get<nvdlac::quantised::input>(g[n].op);
      if (in.pixels) {
        std::vector<std::uint8_t> bytes(in.shape.size());
        for (auto& b : bytes) b = static_cast<std::uint8_t>(w.any());
        result.emplace_back(std::move(bytes));
        continue;
      }
      auto t = nvdlac::net::make_tensor(g[n].precision, g[n].shape);
      std::visit([&]<class T>(nvdlac::net::tensor<T>& typed) {
        for (auto& v : typed.values)
          v = std::bit_cast<T>(static_cast<bits_of<T>>(
              nvdlac::quantised::is_real<T> ? w.number(1) : w.any()));
      }, t);
      result.push_back(nvdlac::quantised::feed_of(std::move(t)));
    }
    return result;
  }

 private:
  template <class T>
  using bits_of = std::conditional_t<sizeof(T) == 1, std::int8_t, std::int16_t>;
  using wide_constants = nvdlac::net::constants<std::int16_t>;

  wide_graph(std::uint64_t seed, nvdlac::hw::precision p) : random_(seed), p_(p) {}

  bool real() const { return p_ == nvdlac::hw::precision::fp16; }
  std::int16_t any() { return static_cast<std::int16_t>(random_()); }
  // fp16 of either sign around `size`, sometimes 0, denormal or near the end of the range.
  std::int16_t number(double size) {
    const auto r = random_();
    if (r % 64 == 0) return static_cast<std::int16_t>(r >> 8 & 0x83ff);
    if (r % 64 == 1) return static_cast<std::int16_t>(r >> 8 & 0xf7ff);
    const auto x = static_cast<double>(static_cast<std::int32_t>(r >> 16 & 0xffff) - 32768) / 16384;
    return nvdlac::quant::half_bits(x * size, "number");
  }
  void fill(wide_constants& to, std::size_t n, double size) {
    to.resize(n);
    for (auto& v : to) v = real() ? number(size) : any();
  }

  void widen(nvdlac::quantised::pool& op) {
    if (real()) op.pad = 0;
  }
  void widen(nvdlac::quantised::input& op) {
    if (op.pixels) op.pixels->cvt.shift = static_cast<std::uint8_t>(op.pixels->cvt.shift - 8);
  }
  void widen(nvdlac::quantised::constant& op) {
    fill(op.wide_values, op.values.size(), 1);
    op.values = {};
  }
  void widen(nvdlac::quantised::convolution& op) {
    const auto terms = static_cast<double>(op.weights.size()) / op.kernels;
    fill(op.wide_weights, op.weights.size(), 1 / std::sqrt(terms));
    op.weights = {};
    widen_bounds(op);
    if (real()) {
      fill(op.bias, op.bias.size(), 0.5);
      fill(op.multiplier, op.multiplier.size(), 1.5);
      fill(op.slope, op.slope.size(), 0.5);
      op.shift = op.bias_shift = op.truncate = op.slope_shift = op.operand_shift = 0;
      op.out = {};
      return;
    }
    // Sums are 2^16 times as large, outputs 2^8 times.
    const auto cut = random_() % 2 == 0 ? 0 : 6;
    op.truncate = static_cast<std::uint8_t>(std::min(op.truncate + cut, 16));
    op.shift = static_cast<std::uint8_t>(std::min(op.shift + 8 - cut, 63));
    op.bias_shift = static_cast<std::uint8_t>(std::min(op.bias_shift + 16 - cut, 16));
  }
  void widen(nvdlac::quantised::scale& op) {
    op.addend_shift = static_cast<std::uint8_t>(std::min(op.addend_shift + 8, 16));
    if (!real()) return;
    fill(op.multiplier, op.multiplier.size(), 1.2);
    fill(op.addend, op.addend.size(), 0.5);
    op.addend_shift = 0;
    op.out = {};
  }
  void widen(auto& op) requires requires { op.operand_shift; } {
    if (!real()) return;
    op.multiplier = number(1);
    op.operand_shift = 0;
    op.out = {};
  }
  void widen(nvdlac::quantised::multiply& op) {
    if (real()) op.out = {};
    else op.out.shift = static_cast<std::uint8_t>(std::min(op.out.shift + 8, 63));
  }
  void widen(nvdlac::quantised::concat& op) {
    if (real())
      for (auto& m : op.multiplier) m = std::nullopt;
  }
  void widen(nvdlac::quantised::clip& op) {
    widen_bounds(op);
    if (real()) {
      op.multiplier = 1;
      op.shift = 0;
    }
  }
  void widen(nvdlac::quantised::prelu& op) {
    if (!real()) return;
    op.multiplier = number(1);
    fill(op.slope, op.slope.size(), 0.5);
    op.shift = 0;
    op.out = {};
  }
  void widen(nvdlac::quantised::move& op) {
    op.fill = real() ? number(1) : static_cast<std::int16_t>(op.fill * 256);
  }
  void widen(nvdlac::quantised::lookup& op) {
    op.values = {};
    fill(op.le, 65, 1);
    fill(op.lo, 257, 1);
    op.table.exponential = random_() % 2 == 0;
    op.table.underflow_lo = random_() % 2 == 0;
    op.table.overflow_lo = random_() % 2 == 0;
    op.table.hybrid_lo = random_() % 2 == 0;
    op.table.offset = op.table.exponential ? (real() ? -5 : 3) : 0;
    op.table.le = domain(-20000, op.table.exponential ? 0 : 9);
    op.table.lo = domain(-30000, 7);
  }
  // Turns tables of int8 into ones for sums 2^16 times as large, or for real ones.
  void widen(nvdlac::quantised::lrn& op) {
    auto& t = op.table;
    if (real()) {
      fill(op.le, 65, 0.5);
      fill(op.lo, 257, 0.5);
      t.offset = t.exponential ? -4 : 0;
      t.le = domain(0, t.exponential ? 0 : 9);
      t.lo = domain(1000, 7);
      op.in = op.out = {};
      return;
    }
    for (auto* d : {&t.le, &t.lo}) {
      d->start *= 65536;
      d->end = d->start;
      if (d == &t.lo || !t.exponential) d->select += 16;
    }
    t.offset += t.exponential ? 16 : 0;
  }
  void widen(auto&) {}

  // From an integer, or from the real number of so many 4096ths.
  nvdlac::layer::lut_domain domain(int start, int select) {
    const auto slope = [&] {
      return nvdlac::layer::lut_slope{real() ? number(0.2) : std::int16_t{3}, real() ? 0 : 4};
    };
    const auto place = [&](int at) {
      return real() ? std::bit_cast<std::int32_t>(static_cast<float>(at) / 4096) : at;
    };
    return {.start = place(start), .end = place(start + 25000),
            .select = real() && select != 0 ? select - 12 : select, .underflow = slope(),
            .overflow = slope()};
  }

  void widen_bounds(auto& op) {
    const auto wide = [&](std::int16_t& bound, std::int16_t none) {
      if (bound != none) bound = real() ? number(1) : static_cast<std::int16_t>(bound * 256);
    };
    wide(op.low, nvdlac::quantised::no_low);
    wide(op.high, nvdlac::quantised::no_high);
  }

  std::mt19937_64 random_;
  nvdlac::hw::precision p_;
};
