// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random networks of real numbers as people write them, with weights that keep the values near 1:
// branches with and without functions, joined by sums, products, maxima and concats, clipped,
// pooled and resized, with outputs in the middle. The same seed gives the same network on every
// machine.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>

class random_network {
 public:
  using graph = nvdlac::net::graph;
  using id = graph::id;

  // With `tables` there are functions that need a lookup table.
  static graph make(std::uint64_t seed, bool tables) {
    random_network r(seed, tables);
    r.build();
    return std::move(r.g_);
  }

  // So many samples, from -1 to 1.
  static std::vector<std::vector<nvdlac::net::float_tensor>> samples(const graph& g,
                                                                     std::uint64_t seed,
                                                                     std::size_t count) {
    random_network r(seed, false);
    std::vector<std::vector<nvdlac::net::float_tensor>> result(count);
    for (auto& sample : result)
      for (const auto n : nvdlac::net::input_nodes(g))
        sample.push_back({g[n].shape, r.numbers(g[n].shape.size(), -1, 1)});
    return result;
  }

 private:
  random_network(std::uint64_t seed, bool tables) : random_(seed), tables_(tables) {}

  // low .. high, both included.
  std::int32_t pick(std::int32_t low, std::int32_t high) {
    return low + static_cast<std::int32_t>(random_() %
                                           static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(int n) { return pick(1, n) == 1; }
  float between(float low, float high) {
    return low + (high - low) * static_cast<float>(pick(0, 1000)) / 1000;
  }
  std::vector<float> numbers(std::size_t count, float low, float high) {
    std::vector<float> v(count);
    for (float& x : v) x = between(low, high);
    return v;
  }

  void build() {
    inputs_.push_back(input({pick(1, 10), pick(2, 10), pick(2, 10)}));
    if (one_in(4)) inputs_.push_back(input(shape(inputs_[0])));
    for (int made = pick(2, 9); made > 0; --made) grow();
    if (one_in(5)) classify();
    for (id n = 0; n < g_.size(); ++n) {
      const bool is_input = std::ranges::find(inputs_, n) != inputs_.end();
      g_[n].output = g_.consumers(n).empty() || (!is_input && one_in(8));
      if (is_input && g_[n].output) {
        g_[n].output = false;
        g_[convolve(n)].output = true;
      }
    }
    nvdlac::net::infer_shapes(g_);
  }

  template <class Op>
  id add(Op op, const std::vector<id>& in) {
    const auto n = g_.add("layer" + std::to_string(g_.size()), std::move(op), in);
    nvdlac::net::infer_shapes(g_);
    return n;
  }
  id input(nvdlac::net::shape s) { return add(nvdlac::net::input{s}, {}); }
  nvdlac::net::shape shape(id n) const { return g_[n].shape; }
  id any() {  // late nodes more often: networks become deep
    const auto one = pick(0, 5), other = pick(0, 5);
    const auto back = static_cast<std::size_t>(std::min(one, other));
    return g_.size() - 1 - std::min(back, g_.size() - 1);
  }
  // Another tensor of the shape of n.
  id beside(id n) {
    std::vector<id> found;
    for (id other = 0; other < g_.size(); ++other)
      if (other != n && shape(other) == shape(n)) found.push_back(other);
    if (found.empty() || one_in(2)) return behind(convolve(n, shape(n).c, true));
    return found[static_cast<std::size_t>(pick(0, static_cast<int>(found.size()) - 1))];
  }

  void grow() {
    const id n = any();
    switch (pick(0, 11)) {
      case 0: case 1: case 2: behind(convolve(n)); break;
      case 3: case 4: case 5: behind(join(n)); break;
      case 6: case 7: behind(pool(n)); break;
      case 8: behind(resize(n)); break;
      case 9: behind(scale(n)); break;
      case 10: clip(n); break;
      default: behind(n); break;
    }
  }

  id convolve(id n) {
    const auto kernels = one_in(3) ? shape(n).c : pick(1, 9);
    return convolve(n, kernels, one_in(2));
  }
  id convolve(id n, std::int32_t kernels, bool keeps_size) {
    const auto in = shape(n);
    std::int32_t side = one_in(2) ? 1 : 3, groups = 1;
    if (kernels == in.c && one_in(3)) groups = in.c;
    if (!keeps_size && std::min(in.h, in.w) < side) side = 1;
    const std::int32_t pad = keeps_size ? side / 2 : 0;
    const auto taps = static_cast<std::size_t>(in.c / groups * side * side);
    const float range = 2.5F / std::sqrt(static_cast<float>(taps));
    return add(nvdlac::net::convolution{
                   .kernels = kernels,
                   .window = {.kernel_h = side, .kernel_w = side, .pad_top = pad, .pad_left = pad,
                              .pad_bottom = pad, .pad_right = pad},
                   .groups = groups,
                   .weights = numbers(static_cast<std::size_t>(kernels) * taps, -range, range),
                   .bias = one_in(3) ? std::vector<float>{}
                                     : numbers(static_cast<std::size_t>(kernels), -1, 1)},
               {n});
  }
  // A function behind n, or none.
  id behind(id n) {
    switch (pick(0, tables_ ? 7 : 6)) {
      case 0: case 1: case 2: return add(nvdlac::net::relu{}, {n});
      case 3: return clip(n);
      case 4: return slope(n);
      case 7: return function(n);
      default: return n;
    }
  }
  id clip(id n) {
    const float high = between(0.3F, 3);
    switch (pick(0, 4)) {
      case 0: return add(nvdlac::net::clip{-between(0.1F, 2), high}, {n});
      case 1: return add(nvdlac::net::clip{between(0, 0.2F), high}, {n});
      default: return add(nvdlac::net::clip{0, high}, {n});
    }
  }
  id slope(id n) {
    const auto count = one_in(2) ? 1 : static_cast<std::size_t>(shape(n).c);
    const float low = one_in(4) ? -0.5F : 0.05F, high = one_in(4) ? 1.5F : 0.4F;
    return add(nvdlac::net::prelu{.slope = numbers(count, low, high)}, {n});
  }
  id function(id n) {
    using enum nvdlac::net::function;
    static constexpr std::array some{sigmoid, tanh, swish, elu, softplus, gelu};
    return add(nvdlac::net::activation{some[static_cast<std::size_t>(
                   pick(0, static_cast<int>(some.size()) - 1))]}, {n});
  }
  id scale(id n) {
    const auto channels = static_cast<std::size_t>(shape(n).c);
    switch (pick(0, 2)) {
      case 0: return add(nvdlac::net::scale{.factor = {between(0.3F, 3)}}, {n});
      case 1: return add(nvdlac::net::scale{.factor = numbers(channels, -2, 2),
                                            .bias = numbers(channels, -1, 1)}, {n});
      default: return add(nvdlac::net::scale{.factor = {1}, .bias = numbers(channels, -1, 1)},
                          {n});
    }
  }
  id join(id n) {
    switch (pick(0, 7)) {
      case 0: return add(nvdlac::net::multiply{}, {n, beside(n)});
      case 1: {
        const auto kind = one_in(2) ? nvdlac::net::extremum_kind::maximum
                                    : nvdlac::net::extremum_kind::minimum;
        return add(nvdlac::net::extremum{.kind = kind}, {n, beside(n)});
      }
      case 2: case 3: return add(nvdlac::net::concat{}, {n, beside(n)});
      default: {
        const auto other = beside(n);
        const std::array<float, 2> factors{one_in(3) ? between(-1.5F, 1.5F) : 1.0F,
                                           one_in(3) ? between(-1.5F, 1.5F) : 1.0F};
        return one_in(2) ? add(nvdlac::net::add{.coefficients = factors}, {n, other})
                         : add(nvdlac::net::add{.coefficients = factors}, {other, n});
      }
    }
  }
  id pool(id n) {
    using enum nvdlac::net::pool_kind;
    const auto in = shape(n);
    if (one_in(5)) return add(nvdlac::net::pool{.kind = one_in(2) ? average : maximum,
                                                .global = true}, {n});
    const std::int32_t side = pick(1, std::min({3, in.h, in.w}));
    const std::int32_t pad = pick(0, side - 1), stride = pick(1, 2);
    return add(nvdlac::net::pool{.kind = one_in(2) ? average : one_in(4) ? minimum : maximum,
                                 .window = {.kernel_h = side, .kernel_w = side,
                                            .stride_h = stride, .stride_w = stride,
                                            .pad_top = pad, .pad_left = pad, .pad_bottom = pad,
                                            .pad_right = pad},
                                 .count_include_pad = one_in(2)}, {n});
  }
  // By a factor of 2: a transposed convolution, or each element four times.
  id resize(id n) {
    const auto in = shape(n);
    if (in.h > 10 || in.w > 10) return pool(n);
    if (one_in(2)) {
      const bool apart = one_in(2);  // a linear interpolation of each channel
      const auto kernels = apart ? in.c : pick(1, 6), groups = apart ? in.c : 1;
      const auto count = static_cast<std::size_t>(kernels * in.c / groups * 16);
      return add(nvdlac::net::deconvolution{
                     .kernels = kernels,
                     .window = {.kernel_h = 4, .kernel_w = 4, .stride_h = 2, .stride_w = 2,
                                .pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1},
                     .groups = groups,
                     .weights = numbers(count, apart ? 0 : -0.5F, 0.5F)},
                 {n});
    }
    const nvdlac::net::shape large{in.c, 2 * in.h, 2 * in.w};
    std::vector<std::int32_t> places;
    for (std::int32_t c = 0; c < large.c; ++c)
      for (std::int32_t y = 0; y < large.h; ++y)
        for (std::int32_t x = 0; x < large.w; ++x)
          places.push_back((c * in.h + y / 2) * in.w + x / 2);
    return add(nvdlac::net::move{large, nvdlac::net::find_boxes(places, large, in)}, {n});
  }
  void classify() {
    const auto mean = add(nvdlac::net::pool{.kind = nvdlac::net::pool_kind::average,
                                            .global = true}, {any()});
    const auto outputs = pick(2, 12);
    behind(add(nvdlac::net::fully_connected{
                   .outputs = outputs,
                   .weights = numbers(static_cast<std::size_t>(outputs * shape(mean).c), -1, 1)},
               {mean}));
  }

  std::mt19937_64 random_;
  bool tables_;
  graph g_{};
  std::vector<id> inputs_{};
};
