// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random integer networks for property and differential tests: sound, small, and with weights that
// spread the outputs over int8. The same seed gives the same network on every machine.
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

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/large_window.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "random_limits.hpp"
#include "random_maps.hpp"

class random_graph {
 public:
  using graph = nvdlac::quantised::graph;
  using id = graph::id;

  static graph make(std::uint64_t seed, random_limits limits = {}) {
    random_graph r(seed, limits);
    r.build();
    return std::move(r.g_);
  }

  // Inputs for the network: all values of int8, or all bytes.
  static std::vector<nvdlac::quantised::feed> feeds(const graph& g, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<nvdlac::quantised::feed> result;
    for (const auto n : nvdlac::net::input_nodes(g)) {
      const auto& in = std::get<nvdlac::quantised::input>(g[n].op);
      if (in.pixels) {
        std::vector<std::uint8_t> bytes(in.shape.size());
        for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
        result.emplace_back(std::move(bytes));
      } else {
        nvdlac::net::int8_tensor t{in.shape};
        for (auto& v : t.values) v = static_cast<std::int8_t>(random());
        result.emplace_back(std::move(t));
      }
    }
    return result;
  }

 private:
  random_graph(std::uint64_t seed, random_limits limits) : random_(seed), limits_(limits) {}

  // low .. high, both included.
  int pick(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(int n) { return pick(1, n) == 1; }
  double factor(double low, double high) { return low + (high - low) * pick(0, 1000) / 1000.0; }
  template <class T>
  T value() { return static_cast<T>(random_()); }

  // Real `x` as multiplier / 2^shift, 14 bits of multiplier; x < 2^14.
  static std::pair<std::int16_t, std::uint8_t> ratio(double x) {
    int shift = 0;
    while (shift < 40 && x * 2 < 16384) {
      x *= 2;
      ++shift;
    }
    return {static_cast<std::int16_t>(x), static_cast<std::uint8_t>(shift)};
  }
  // None, or up to 128 times `step`.
  std::int32_t offset(std::int32_t step) { return one_in(2) ? 0 : pick(-128, 128) * step; }
  nvdlac::converter any_converter() {
    return {one_in(2) ? 0 : value<std::int32_t>(), value<std::int16_t>(),
            static_cast<std::uint8_t>(pick(0, 63))};
  }

  void build() {
    using namespace nvdlac::net;
    add_input();
    if (one_in(5)) add_input();
    if (limits_.constants && one_in(6)) {
      nvdlac::quantised::constant c{g_[0].shape};
      c.values.resize(c.shape.size());
      for (auto& v : c.values) v = value<std::int8_t>();
      if (!is_picture(0)) append(std::move(c), {});
    }
    for (int made = 0; made < limits_.layers; ++made) add_layer();
    for (id n = 0; n < g_.size(); ++n)
      if (is_picture(n) && g_.consumers(n).empty()) add_convolution(n);
    if (limits_.softmax && one_in(3)) add_classifier();
    if (one_in(5)) {
      const id n = any();
      const auto s = g_[n].shape;
      append(nvdlac::quantised::reshape{{s.c * s.h * s.w, 1, 1}}, {n});
    }
    for (id n = 0; n < g_.size(); ++n)
      g_[n].output =
          !is_picture(n) && (g_.consumers(n).empty() || one_in(limits_.outputs_in_the_middle));
  }

  bool is_picture(id n) const {
    const auto* in = std::get_if<nvdlac::quantised::input>(&g_[n].op);
    return in && in->pixels;
  }
  // A reshape that moves data may only be an output.
  bool is_final(id n) const {
    return std::holds_alternative<nvdlac::quantised::reshape>(g_[n].op);
  }
  id any() {  // late nodes more often: networks become deep
    for (;;) {
      const int one = pick(0, 5), other = pick(0, 5);
      const auto back = static_cast<std::size_t>(std::min(one, other));
      const auto n = g_.size() - 1 - std::min<std::size_t>(back, g_.size() - 1);
      if (!is_final(n)) return n;
    }
  }
  id any_cube() {
    for (int i = 0; i < 8; ++i)
      if (const id n = any(); !is_picture(n)) return n;
    const id n = any();
    return is_picture(n) ? add_convolution(n) : n;
  }

  template <class Op>
  id append(Op op, const std::vector<id>& in) {
    std::vector<nvdlac::net::shape> shapes;
    for (const id i : in) shapes.push_back(g_[i].shape);
    const auto shape = op.infer(shapes);
    const id n = g_.add("layer" + std::to_string(g_.size()), std::move(op), in);
    g_[n].shape = shape;
    g_[n].scale = 1.0 / 16;
    return n;
  }

  void add_input() {
    nvdlac::quantised::input in;
    in.shape = {pick(1, 24), pick(1, limits_.side), pick(1, limits_.side)};
    if (limits_.pixels && one_in(2)) {
      in.shape.c = one_in(3) ? 1 : pick(3, 4);
      const auto [scale, shift] = ratio(factor(0.4, 1.1));
      in.pixels = {.mean = {}, .cvt = {0, scale, shift}};
      for (auto& m : in.pixels->mean) m = static_cast<std::int16_t>(pick(0, 255));
    }
    append(std::move(in), {});
  }

  void add_layer() {
    if (limits_.lookups && one_in(10)) {
      add_lookup(any_cube());
      return;
    }
    switch (pick(0, 16)) {
      case 0: case 1: case 2: case 3: add_convolution(any()); break;
      case 4: add_pool(any_cube()); break;
      case 5:
        if (limits_.averages) add_average(any_cube());
        else add_pool(any_cube());
        break;
      case 6: add_scale(any_cube()); break;
      case 7: add_sum(any_cube()); break;
      case 8: add_extremum(any_cube()); break;
      case 9: add_product(any_cube()); break;
      case 10: add_clip(any_cube()); break;
      case 11: add_prelu(any_cube()); break;
      case 12: add_move(any_cube()); break;
      case 13: add_stack(any_cube()); break;
      case 14: add_lrn(any_cube()); break;
      default: add_concat(any_cube()); break;
    }
  }

  id add_convolution(id from, nvdlac::net::shape wanted = {0, 0, 0}) {
    using namespace nvdlac::net;
    const shape in = g_[from].shape;
    nvdlac::quantised::convolution op;
    op.kernels = wanted.c    ? wanted.c
                 : one_in(2) ? pick(1, limits_.channels / 8 + 1) * 8
                             : pick(1, limits_.channels);
    auto& w = op.window;
    if (wanted.c && wanted.h == 1 && wanted.w == 1) {
      w.kernel_h = in.h;
      w.kernel_w = in.w;
    } else if (wanted.c) {  // the same height and width
    } else if (one_in(6) && in.h <= most_covered && in.w <= most_covered &&
               in.size() <= most_connected) {
      w.kernel_h = in.h;
      w.kernel_w = in.w;  // a fully connected layer
    } else {
      random_side(in.h, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top, w.pad_bottom, 5);
      random_side(in.w, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left, w.pad_right, 5);
      if (one_in(8)) {  // beyond the kernel
        w.pad_top += w.extent_h();
        w.pad_right += w.extent_w();
      }
    }
    if (is_picture(from)) {  // of the same extent without dilation
      w.kernel_h = w.extent_h();
      w.dilation_h = 1;
      w.kernel_w = w.extent_w();
      w.dilation_w = 1;
    }
    if (!is_picture(from) && !wanted.c && one_in(3)) {
      std::vector<int> divisors;
      for (int d = 2; d <= in.c; ++d)
        if (in.c % d == 0) divisors.push_back(d);
      if (!divisors.empty()) {
        op.groups =
            divisors[static_cast<std::size_t>(pick(0, static_cast<int>(divisors.size()) - 1))];
        if (one_in(2)) op.groups = in.c;
        op.kernels = op.groups * (op.groups == in.c ? pick(1, 2) : pick(1, 6));
      }
    }
    op.weights.resize(static_cast<std::size_t>(op.weight_count(in)));
    for (auto& x : op.weights) x = value<std::int8_t>();
    op.truncate = one_in(3) ? static_cast<std::uint8_t>(pick(1, 6)) : std::uint8_t{0};
    // The spread of a sum of products of two evenly spread bytes, after truncation.
    const double terms = static_cast<double>(op.weights.size()) / op.kernels;
    const double spread = 74.0 * 50 * std::sqrt(terms) / (1 << op.truncate);
    const auto [multiplier, shift] = ratio(std::min(50 / spread, 4.0));
    op.shift = shift;
    while (spread / (1 << op.bias_shift) > 30000) ++op.bias_shift;
    const int most = std::max(1, static_cast<int>(spread / (1 << op.bias_shift)));
    for (int k = 0; k < op.kernels; ++k) {
      op.bias.push_back(static_cast<std::int16_t>(pick(-most, most)));
      op.multiplier.push_back(static_cast<std::int16_t>(multiplier * factor(0.5, 1.5)));
    }
    if (!is_picture(from)) op.pad = static_cast<std::int8_t>(op.bias[0] & 0xff);
    if (one_in(limits_.extremes)) {
      for (auto& m : op.multiplier) m = value<std::int16_t>();
      for (auto& b : op.bias) b = value<std::int16_t>();
      op.bias_shift = static_cast<std::uint8_t>(pick(0, 16));
      op.shift = static_cast<std::uint8_t>(pick(0, 63));
      op.truncate = static_cast<std::uint8_t>(pick(0, 16));
    }
    op.relu = one_in(3);
    if (one_in(4)) {
      add_slopes(op.slope, op.slope_shift, op.kernels);
      op.out.shift = std::min<std::uint8_t>(op.shift, 6);
      op.shift = static_cast<std::uint8_t>(op.shift - op.out.shift);
      op.out.offset = op.slope[0] % 129 * (1 << op.out.shift);
    } else if (one_in(4)) {
      (one_in(2) ? op.low : op.high) = static_cast<std::int8_t>(pick(-60, 60));
    } else if (const auto operand = operand_of(op, from)) {
      op.out = {op.bias[0] % 50 * 64, 1, std::min<std::uint8_t>(op.shift, 6)};
      op.shift = static_cast<std::uint8_t>(op.shift - op.out.shift);
      op.operand_shift = static_cast<std::uint8_t>(op.out.shift + op.bias[0] % 2);
      op.with_second = static_cast<nvdlac::net::combination>(op.weights[0] & 3);
      if (op.with_second == nvdlac::net::combination::product) {
        op.operand_shift = 0;
        op.out.shift = static_cast<std::uint8_t>(op.out.shift + 6);  // the operand is about 64
      }
      return append(std::move(op), {from, *operand});
    }
    return append(std::move(op), {from});
  }

  // The last tensor of the shape of the convolution's, if there is one that can join its sums.
  std::optional<id> operand_of(const nvdlac::quantised::convolution& op, id from) const {
    using namespace nvdlac::net;
    const shape in = g_[from].shape, out = op.infer(std::array{in});
    if (is_picture(from) || !nvdlac::pass::convolution_core::of(op.window, in, out).whole)
      return std::nullopt;
    for (id n = g_.size(); n-- > 0;)
      if (g_[n].shape == out && !is_picture(n)) return n;
    return std::nullopt;
  }

  void add_slopes(nvdlac::net::constants<std::int16_t>& slope, std::uint8_t& shift,
                  int channels) {
    const bool each = one_in(2), any = one_in(limits_.extremes);
    shift = static_cast<std::uint8_t>(pick(13, 15));
    for (int c = 0; c < (each ? channels : 1); ++c)
      slope.push_back(any ? value<std::int16_t>() : static_cast<std::int16_t>(pick(-9000, 20000)));
  }

  id add_prelu(id from) {
    nvdlac::quantised::prelu op;
    op.multiplier = static_cast<std::int16_t>(pick(5000, 20000));
    add_slopes(op.slope, op.shift, g_[from].shape.c);
    const auto [scale, shift] = ratio(factor(0.7, 1.3) / op.multiplier);
    op.out = {0, scale, shift};
    if (one_in(limits_.extremes)) {
      op.multiplier = value<std::int16_t>();
      op.shift = static_cast<std::uint8_t>(pick(0, 63));
      op.out = any_converter();
    }
    return append(std::move(op), {from});
  }

  id add_lookup(id from) {
    nvdlac::quantised::lookup op;
    for (int x = -128; x <= 127; ++x)
      op.values.push_back(one_in(4) ? value<std::int8_t>() : static_cast<std::int8_t>(x));
    return append(std::move(op), {from});
  }

  // Any tables, whose entries rise and fall.
  id add_lrn(id from) {
    nvdlac::quantised::lrn op;
    op.local_size = 2 * pick(1, 4) + 1;
    for (int i = 0; i < 65; ++i) op.le.push_back(static_cast<std::int16_t>(pick(4000, 32767)));
    for (int i = 0; i < 257; ++i) op.lo.push_back(static_cast<std::int16_t>(pick(4000, 32767)));
    auto& t = op.table;
    t.exponential = one_in(2);
    t.offset = t.exponential ? pick(-2, 12) : 0;
    t.underflow_lo = one_in(2);
    t.overflow_lo = one_in(2);
    t.hybrid_lo = one_in(2);
    for (auto* domain : {&t.le, &t.lo}) {
      domain->start = pick(-100, 5000);
      domain->end = domain->start + pick(0, 100000);
      domain->select = pick(0, 9);
      for (auto* slope : {&domain->underflow, &domain->overflow})
        *slope = {static_cast<std::int16_t>(pick(-100, 100)), pick(-2, 10)};
    }
    if (t.exponential) t.le.select = 0;
    const auto [scale, shift] = ratio(factor(0.7, 2) / 20000);
    op.out = {0, scale, shift};
    if (one_in(3)) op.in = {pick(-20, 20), static_cast<std::int16_t>(pick(20, 100)), 6};
    if (one_in(limits_.extremes)) {
      op.in = {pick(-128, 127), value<std::int16_t>(), static_cast<std::uint8_t>(pick(0, 31))};
      op.out = {pick(-(1 << 24), (1 << 24) - 1), value<std::int16_t>(),
                static_cast<std::uint8_t>(pick(0, 63))};
      for (auto* table : {&op.le, &op.lo})
        for (auto& entry : *table) entry = value<std::int16_t>();
      for (auto* domain : {&t.le, &t.lo}) {
        domain->select = pick(-12, 31);
        domain->overflow = {value<std::int16_t>(), pick(-16, 15)};
        domain->underflow = {value<std::int16_t>(), pick(-16, 15)};
      }
      if (t.exponential) t.le.select = 0;
    }
    return append(std::move(op), {from});
  }

  id add_clip(id from) {
    nvdlac::quantised::clip op;
    if (!one_in(3)) {
      const auto [scale, shift] = ratio(factor(0.5, 3));
      op.multiplier = scale;
      op.shift = shift;
    }
    if (!one_in(3)) op.low = static_cast<std::int8_t>(one_in(2) ? 0 : pick(-100, 20));
    if (!one_in(3)) op.high = static_cast<std::int8_t>(pick(20, 100));
    return append(std::move(op), {from});
  }

  // One dimension of a convolution's window that fits `size`.
  void random_side(int size, int& kernel, int& stride, int& dilation, int& before, int& after,
                   int most) {
    kernel = pick(1, most);
    stride = one_in(2) ? 1 : pick(1, 4);
    dilation = one_in(4) ? pick(1, 2) : 1;
    const auto extent = [&] { return (kernel - 1) * dilation + 1; };
    before = one_in(2) ? 0 : pick(0, extent() - 1);
    after = one_in(2) ? before : pick(0, extent() - 1);
    while (extent() > size + before + after) {
      --kernel;
      before = std::min(before, extent() - 1);
      after = std::min(after, extent() - 1);
    }
  }

  id add_pool(id from) {
    using namespace nvdlac::net;
    const shape in = g_[from].shape;
    nvdlac::quantised::pool op;
    op.kind = static_cast<pool_kind>(pick(0, 2));
    op.ceil = one_in(2);
    op.count_include_pad = one_in(2);
    if (one_in(2)) op.pad = one_in(2) ? std::int8_t{-128} : value<std::int8_t>();
    auto& w = op.window;
    int none = 1;
    random_side(in.h, w.kernel_h, w.stride_h, none, w.pad_top, w.pad_bottom, 8);
    shrink(in.h, w.kernel_h, none, w.pad_top, w.pad_bottom);
    random_side(in.w, w.kernel_w, w.stride_w, none, w.pad_left, w.pad_right, 8);
    shrink(in.w, w.kernel_w, none, w.pad_left, w.pad_right);
    return append(std::move(op), {from});
  }
  id add_average(id from) {
    using namespace nvdlac::net;
    const shape in = g_[from].shape;
    nvdlac::quantised::average op;
    auto& w = op.window;
    int none = 1;
    if (one_in(2)) {
      w.kernel_h = in.h;
      w.kernel_w = in.w;
    } else {
      random_side(in.h, w.kernel_h, w.stride_h, none, w.pad_top, w.pad_bottom, 5);
      shrink(in.h, w.kernel_h, none, w.pad_top, w.pad_bottom);
      random_side(in.w, w.kernel_w, w.stride_w, none, w.pad_left, w.pad_right, 5);
      shrink(in.w, w.kernel_w, none, w.pad_left, w.pad_right);
    }
    if (w.kernel_h > 32 || w.kernel_w > 32) return add_pool(from);
    if (one_in(2)) op.pad = value<std::int8_t>();
    op.weight = static_cast<std::int8_t>(pick(1, 127));
    const auto [multiplier, shift] =
        ratio(factor(0.5, 4) / (w.kernel_h * w.kernel_w * op.weight));
    op.multiplier = multiplier;
    op.shift = shift;
    op.bias = value<std::int16_t>();
    op.bias_shift = static_cast<std::uint8_t>(pick(0, 3));
    return append(std::move(op), {from});
  }
  // A pooling's window is not dilated, and its padding is smaller than the kernel.
  static void shrink(int size, int& kernel, int& dilation, int& before, int& after) {
    dilation = 1;
    before = std::min(before, kernel - 1);
    after = std::min(after, kernel - 1);
    while (kernel > size + before + after) {
      --kernel;
      before = std::min(before, kernel - 1);
      after = std::min(after, kernel - 1);
    }
  }

  id add_scale(id from) {
    nvdlac::quantised::scale op;
    const auto channels = g_[from].shape.c;
    const bool each = one_in(2);
    for (int c = 0; c < (each ? channels : 1); ++c)
      op.multiplier.push_back(static_cast<std::int16_t>(pick(2000, 9000) * (one_in(4) ? -1 : 1)));
    if (!one_in(3)) {
      op.addend_shift = static_cast<std::uint8_t>(pick(4, 8));
      for (int c = 0; c < (one_in(2) ? channels : 1); ++c)
        op.addend.push_back(static_cast<std::int16_t>(pick(-1000, 1000)));
      if (op.addend.size() != 1) op.addend.resize(static_cast<std::size_t>(channels), 77);
    }
    op.relu = one_in(3);
    const auto [scale, shift] = ratio(factor(0.7, 1.2) / 6000);
    op.out = {offset(6000), scale, shift};
    if (one_in(limits_.extremes)) {
      for (auto& m : op.multiplier) m = value<std::int16_t>();
      for (auto& b : op.addend) b = value<std::int16_t>();
      op.addend_shift = static_cast<std::uint8_t>(pick(0, 16));
      op.out = any_converter();
    }
    return append(std::move(op), {from});
  }

  id add_sum(id a) {
    const id b = operand(a);
    nvdlac::quantised::add op;
    op.operand_shift = static_cast<std::uint8_t>(pick(6, 12));
    op.multiplier = static_cast<std::int16_t>(factor(0.4, 1.7) * (1 << op.operand_shift));
    op.relu = one_in(2);
    const auto [scale, shift] = ratio(factor(0.5, 0.9) / (1 << op.operand_shift));
    op.out = {offset(1 << op.operand_shift), scale, shift};
    if (one_in(limits_.extremes)) {
      op.multiplier = value<std::int16_t>();
      op.operand_shift = static_cast<std::uint8_t>(pick(0, 24));
      op.out = any_converter();
    }
    const bool turn = g_[a].shape == g_[b].shape && one_in(2);
    return turn ? append(std::move(op), {b, a}) : append(std::move(op), {a, b});
  }

  id add_extremum(id a) {
    const id b = operand(a);
    nvdlac::quantised::extremum op;
    if (one_in(2)) op.kind = nvdlac::net::extremum_kind::minimum;
    op.operand_shift = static_cast<std::uint8_t>(pick(6, 12));
    op.multiplier = static_cast<std::int16_t>(factor(-1.7, 1.7) * (1 << op.operand_shift));
    op.relu = one_in(3);
    const auto [scale, shift] = ratio(factor(0.5, 1.2) / (1 << op.operand_shift));
    op.out = {0, scale, shift};
    if (one_in(limits_.extremes)) {
      op.multiplier = value<std::int16_t>();
      op.operand_shift = static_cast<std::uint8_t>(pick(0, 24));
      op.out = any_converter();
    }
    return append(std::move(op), {a, b});
  }

  id add_product(id a) {
    const id b = operand(a);
    nvdlac::quantised::multiply op;
    op.relu = one_in(3);
    const auto [scale, shift] = ratio(factor(0.5, 1.5) / 64);
    op.out = {0, static_cast<std::int16_t>(one_in(3) ? -scale : scale), shift};
    if (one_in(limits_.extremes))
      op.out = any_converter();
    return append(std::move(op), {a, b});
  }

  // An operand of an element-wise operator beside a: a tensor of its shape, or one value a channel.
  id operand(id a) {
    const auto s = g_[a].shape;
    if (!one_in(4) || s.h > most_covered || s.w > most_covered || s.size() > most_connected)
      return partner(a, true);
    return add_convolution(a, {s.c, 1, 1});
  }

  // Another tensor of the same height and width, and if need be of the same channels.
  id partner(id a, bool same_channels) {
    const auto s = g_[a].shape;
    std::vector<id> fitting;
    for (id n = 0; n < g_.size(); ++n) {
      const auto t = g_[n].shape;
      if (!is_picture(n) && !is_final(n) && t.h == s.h && t.w == s.w &&
          (!same_channels || t.c == s.c))
        fitting.push_back(n);
    }
    if (!fitting.empty() && one_in(2))
      return fitting[static_cast<std::size_t>(pick(0, static_cast<int>(fitting.size()) - 1))];
    return add_convolution(a, {same_channels ? s.c : pick(1, limits_.channels), s.h, s.w});
  }

  id add_concat(id a) {
    std::vector<id> parts{a};
    for (int i = pick(0, 3); i > 0; --i) parts.push_back(partner(a, false));
    std::rotate(parts.begin(), parts.begin() + pick(0, static_cast<int>(parts.size()) - 1),
                parts.end());
    nvdlac::quantised::concat op;
    op.shift = 14;
    if (one_in(2)) op.zero = one_in(2) ? std::int8_t{-128} : value<std::int8_t>();
    for (std::size_t i = 0; i < parts.size(); ++i)
      op.multiplier.push_back(
          one_in(3) ? std::optional(static_cast<std::int16_t>(pick(6000, 20000))) : std::nullopt);
    if (op.zero % 2 != 0)
      for (const auto m : op.multiplier)
        op.zeros.push_back(static_cast<std::int8_t>(m.value_or(op.zero)));
    return append(std::move(op), parts);
  }

  id add_move(id from) {
    const auto in = g_[from].shape;
    if (in.size() > 20000) return from;
    const auto map = random_map(in, [&](int low, int high) { return pick(low, high); });
    return append(moving(map, in, value<std::int8_t>()), {from});
  }
  id add_stack(id a) {
    const id b = partner(a, true);
    if (2 * g_[a].shape.size() > 20000) return a;
    const bool below = one_in(2), turns = one_in(2);
    return append(stacked(g_[a].shape, below, turns), {a, b});
  }

  void add_classifier() {
    const id from = any();
    const auto s = g_[from].shape;
    id last = from;
    if (s.h != 1 || s.w != 1 || is_picture(from)) {
      last = add_convolution(from);
      const auto t = g_[last].shape;
      if (t.h > most_covered || t.w > most_covered || t.size() > most_connected) return;
      nvdlac::quantised::convolution op;
      op.kernels = pick(2, 20);
      op.window = {.kernel_h = t.h, .kernel_w = t.w};
      op.weights.resize(static_cast<std::size_t>(op.weight_count(t)));
      for (auto& x : op.weights) x = value<std::int8_t>();
      const double terms = static_cast<double>(op.weights.size()) / op.kernels;
      const auto [multiplier, shift] = ratio(50 / (74.0 * 50 * std::sqrt(terms)));
      op.multiplier.assign(static_cast<std::size_t>(op.kernels), multiplier);
      op.bias.assign(static_cast<std::size_t>(op.kernels), 3);
      op.shift = shift;
      last = append(std::move(op), {last});
    }
    const id top = append(nvdlac::quantised::softmax{}, {last});
    g_[top].scale = 1.0 / 128;
  }

  // A window that covers its whole input fits the smallest convolution buffer.
  static constexpr int most_covered = 16;
  // Eight kernels that cover so many elements, and the elements, fit nv_small's 128 KB.
  static constexpr std::size_t most_connected = 12288;

  std::mt19937_64 random_;
  random_limits limits_;
  graph g_{};
};

// Weights, biases and multipliers of a convolution of so many channels (of a group) that spread its
// results over int8.
inline void fill_evenly(nvdlac::quantised::convolution& op, std::int32_t channels,
                        std::mt19937_64& random) {
  const auto terms = static_cast<std::size_t>(channels * op.window.kernel_h * op.window.kernel_w);
  op.weights.resize(terms * static_cast<std::size_t>(op.kernels));
  for (auto& w : op.weights) w = static_cast<std::int8_t>(random());
  double factor = 1 / (74 * std::sqrt(static_cast<double>(terms)));
  for (; factor < 8192; factor *= 2) ++op.shift;
  for (std::int32_t k = 0; k < op.kernels; ++k) {
    op.bias.push_back(static_cast<std::int16_t>(static_cast<int>(random() % 201) - 100));
    op.multiplier.push_back(static_cast<std::int16_t>(factor));
  }
}
