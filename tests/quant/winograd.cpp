// SPDX-License-Identifier: Apache-2.0
// Kernels that are quantised for Winograd's mode beside the real convolution.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <span>
#include <vector>

#include <nvdlac/net/network.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quant/convolution.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quantised/numbers.hpp>

using namespace nvdlac;

namespace {

struct winograd_case {
  net::convolution real{.kernels = 12, .window = net::square{.kernel = 3, .pad = 1}};
  net::float_tensor input{{20, 9, 10}};

  explicit winograd_case(unsigned seed) {
    std::mt19937 random(seed);
    const auto noise = [&] { return static_cast<float>(random() % 2001) / 1000 - 1; };
    for (std::size_t i = 0; i < 12u * 20 * 9; ++i) real.weights.push_back(noise() / 10);
    for (int k = 0; k < 12; ++k) real.bias.push_back(noise());
    for (auto& v : input.values) v = noise();
  }
  quant::real_filters filters(bool winograd) const {
    return {.kernels = real.kernels, .window = real.window, .weights = real.weights,
            .bias = real.bias, .winograd = winograd};
  }
  net::float_tensor exact() const {
    const net::float_tensor* const in[]{&input};
    return real.evaluate(in);
  }
};

double decibels(const net::float_tensor& exact, const net::float_tensor& got) {
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < exact.values.size(); ++i) {
    const double x = double{exact.values[i]}, d = x - double{got.values[i]};
    signal += x * x;
    noise += d * d;
  }
  return 10 * std::log10(signal / noise);
}

template <class T>
net::float_tensor computed(const quantised::convolution& op, const net::any_tensor& in,
                           double scale, std::int32_t zero = 0) {
  const auto* const typed = std::get_if<net::tensor<T>>(&in);
  REQUIRE(typed != nullptr);
  const net::tensor<T>* const inputs[]{typed};
  const std::span<const net::tensor<T>* const> given(inputs);
  return quantised::real_of(net::any_tensor(op.evaluate(given)), scale, zero);
}

}  // namespace

TEST_CASE("the transformed kernel of ones, and of one weight") {
  const std::vector<double> ones(9, 1), corner{1, 0, 0, 0, 0, 0, 0, 0, 0};
  const auto u = quant::winograd_kernel(std::span<const double, 9>(ones));
  CHECK(u == std::array<double, 16>{1, 1.5, 0.5, 1, 1.5, 2.25, 0.75, 1.5,
                                    0.5, 0.75, 0.25, 0.5, 1, 1.5, 0.5, 1});
  CHECK(4 * u[quant::winograd_sum] == 9);
  CHECK(quant::winograd_kernel(std::span<const double, 9>(corner)) ==
        std::array<double, 16>{1, 0.5, 0.5, 0, 0.5, 0.25, 0.25, 0, 0.5, 0.25, 0.25, 0, 0, 0, 0, 0});
}

TEST_CASE("Winograd's mode is near the real convolution") {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const winograd_case c(seed);
    const auto exact = c.exact();
    double top = 0;
    for (const float v : exact.values) top = std::max(top, std::fabs(double{v}));
    const auto in_integers = [&](hw::precision p, bool winograd) {
      const double most = quant::top_of(p), in = 1 / most, out = top / most;
      const auto op = quant::quantise(c.filters(winograd), in, out, "", p);
      CHECK(op.winograd == winograd);
      CHECK(op.weights_given() == (winograd ? 16u : 9u) * 12 * 20);
      const auto numbers = quantised::numbers_of(c.input, in, p);
      return decibels(exact, p == hw::precision::int8
                                 ? computed<std::int8_t>(op, numbers, out)
                                 : computed<std::int16_t>(op, numbers, out));
    };
    // The input loses two bits of 15, which are 12 dB, and half a bit by the kernels' range.
    CHECK(in_integers(hw::precision::int16, true) >
          in_integers(hw::precision::int16, false) - 18);
    CHECK(in_integers(hw::precision::int8, true) > in_integers(hw::precision::int8, false) - 18);
    const auto numbers = quantised::numbers_of(c.input, 1, hw::precision::fp16);
    CHECK(decibels(exact, computed<net::half>(quant::real_convolution(c.filters(true)), numbers,
                                              1)) > 55);
  }
}

TEST_CASE("Winograd's mode counts from the integer for 0, at the edges too") {
  winograd_case c(7);
  for (auto& v : c.input.values) v = (v + 1) / 2;
  const auto exact = c.exact();
  double top = 0;
  for (const float v : exact.values) top = std::max(top, std::fabs(double{v}));
  auto f = c.filters(true);
  f.in_zero = -128;
  const auto op = quant::quantise(f, 1.0 / 255, top / 127);
  CHECK(op.pad == -128);
  net::int8_tensor in{c.input.shape};
  for (std::size_t i = 0; i < in.values.size(); ++i)
    in.values[i] = static_cast<std::int8_t>(std::lround(c.input.values[i] * 255) - 128);
  const auto got = computed<std::int8_t>(op, in, top / 127);
  CHECK(decibels(exact, got) > 20);
  // No drift: the error of the mean is less than a step of the output.
  double drift = 0;
  for (std::size_t i = 0; i < got.values.size(); ++i)
    drift += double{got.values[i]} - double{exact.values[i]};
  CHECK(std::fabs(drift) / static_cast<double>(got.values.size()) < top / 127);
}
