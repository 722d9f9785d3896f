// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/net/tensor.hpp>

// Reproducible random numbers and tensors for tests.
struct randomness {
  std::mt19937 engine;

  explicit randomness(std::uint32_t seed) : engine(seed) {}

  std::int32_t integer(std::int32_t least, std::int32_t most) {
    const auto range = static_cast<std::uint32_t>(most - least) + 1;
    return least + static_cast<std::int32_t>(engine() % range);
  }
  bool coin() { return integer(0, 1) == 1; }
  float real() { return static_cast<float>(integer(-1000, 1000)) / 500.0F; }  // -2 .. 2

  std::vector<float> reals(std::size_t n) {
    std::vector<float> v(n);
    for (float& x : v) x = real();
    return v;
  }
  template <class T>
  std::vector<T> integers(std::size_t n, std::int32_t least, std::int32_t most) {
    std::vector<T> v(n);
    for (T& x : v) x = static_cast<T>(integer(least, most));
    return v;
  }
  nvdlac::net::float_tensor tensor(nvdlac::net::shape s) { return {s, reals(s.size())}; }
  nvdlac::net::int8_tensor int8(nvdlac::net::shape s) {
    return {s, integers<std::int8_t>(s.size(), -128, 127)};
  }
  nvdlac::net::window window(std::int32_t most, bool dilated) {
    nvdlac::net::window w{.kernel_h = integer(1, most), .kernel_w = integer(1, most),
                          .stride_h = integer(1, 3), .stride_w = integer(1, 3)};
    w.pad_top = integer(0, w.kernel_h - 1);
    w.pad_left = integer(0, w.kernel_w - 1);
    w.pad_bottom = integer(0, w.kernel_h - 1);
    w.pad_right = integer(0, w.kernel_w - 1);
    if (dilated) {
      w.dilation_h = integer(1, 2);
      w.dilation_w = integer(1, 2);
    }
    return w;
  }
};

// The result of an operator for some inputs.
template <class Op, class... Tensors>
auto computed(const Op& op, const Tensors&... inputs) {
  const std::vector in{&inputs...};
  return op.evaluate(std::span(std::as_const(in)));
}
