// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/arithmetic/float_format.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

NVDLAC_IMPL std::int16_t round_to(double x, double top) {
  return static_cast<std::int16_t>(std::clamp(std::round(x), -top, top));
}

namespace detail {

// Returns what a step of element i is worth in a tensor of this shape.
NVDLAC_IMPL double step_of(std::size_t i, net::shape s, double scale,
                           std::span<const double> gain) {
  return gain.empty() ? scale : scale * gain[i / net::shape{1, s.h, s.w}.size()];
}

}  // namespace detail

NVDLAC_IMPL void require_finite(const net::float_tensor& t, const std::string& input) {
  const auto i = net::first_not_finite(std::span<const float>(t.values));
  if (i < t.values.size())
    throw error(problem{.layer = input,
                        .reason = text("element ", i, " is ", t.values[i]),
                        .remedy = "finite values that fit into a float"});
}

NVDLAC_IMPL net::any_tensor numbers_of(const net::float_tensor& t, double scale, hw::precision p,
                                       std::span<const double> gain) {
  auto result = make_tensor(p, t.shape);
  nvdlac::visit([&]<class T>(net::tensor<T>& numbers) {
    for (std::size_t i = 0; i < numbers.values.size(); ++i) {
      const double x = static_cast<double>(t.values.at(i)) /
                       detail::step_of(i, t.shape, scale, gain);
      if constexpr (is_real<T>)
        numbers.values[i] = written(
            fp32{std::bit_cast<std::uint32_t>(static_cast<float>(x))}, false);
      else  // saturated as the hardware does it
        numbers.values[i] = static_cast<T>(std::clamp(std::round(x), -top_of(p) - 1, top_of(p)));
    }
  }, result);
  return result;
}

NVDLAC_IMPL net::float_tensor real_of(const net::any_tensor& t, double scale, std::int32_t zero,
                                      std::span<const double> gain) {
  return nvdlac::visit([&]<class T>(const net::tensor<T>& numbers) {
    net::float_tensor real{numbers.shape};
    for (std::size_t i = 0; i < numbers.values.size(); ++i)
      if constexpr (is_real<T>)
        real.values[i] = static_cast<float>(
            scale * value_of(numbers.values[i]));
      else
        real.values[i] = static_cast<float>(
            detail::step_of(i, numbers.shape, scale, gain) * (numbers.values[i] - zero));
    return real;
  }, t);
}

}  // namespace nvdlac::quantised
