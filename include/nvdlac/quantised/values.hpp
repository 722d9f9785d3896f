// SPDX-License-Identifier: Apache-2.0
#pragma once
// Real values of tensors and the numbers that a program takes and gives for them.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// The nearest numbers; beyond the largest of them, that.
inline net::any_tensor numbers_of(const net::float_tensor& t, double scale, hw::precision p) {
  auto result = make_tensor(p, t.shape);
  std::visit([&]<class T>(net::tensor<T>& numbers) {
    for (std::size_t i = 0; i < numbers.values.size(); ++i) {
      const double x = static_cast<double>(t.values.at(i)) / scale;
      if constexpr (is_real<T>)
        numbers.values[i] = written(
            fp32{std::bit_cast<std::uint32_t>(static_cast<float>(x))}, false);
      else numbers.values[i] = static_cast<T>(round_to(x, top_of(p)));
    }
  }, result);
  return result;
}

// Integers count from `zero`.
inline net::float_tensor real_of(const net::any_tensor& t, double scale, std::int32_t zero = 0) {
  return std::visit([&]<class T>(const net::tensor<T>& numbers) {
    net::float_tensor real{numbers.shape};
    for (std::size_t i = 0; i < numbers.values.size(); ++i)
      if constexpr (is_real<T>)
        real.values[i] = static_cast<float>(
            scale * value_of(numbers.values[i]));
      else real.values[i] = static_cast<float>(scale * (numbers.values[i] - zero));
    return real;
  }, t);
}

}  // namespace nvdlac::quantised
