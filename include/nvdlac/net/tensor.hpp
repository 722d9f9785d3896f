// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <nvdlac/net/shape.hpp>

namespace nvdlac::net {

// The values of one cube in dense c-h-w order.
template <class T>
struct tensor {
  net::shape shape{};
  std::vector<T> values = std::vector<T>(shape.size(), T{});

  constexpr T& at(std::int32_t c, std::int32_t y, std::int32_t x) {
    return values[shape.at(c, y, x)];
  }
  constexpr const T& at(std::int32_t c, std::int32_t y, std::int32_t x) const {
    return values[shape.at(c, y, x)];
  }
  constexpr bool operator==(const tensor&) const = default;
};

using float_tensor = tensor<float>;
using int8_tensor = tensor<std::int8_t>;

}  // namespace nvdlac::net
