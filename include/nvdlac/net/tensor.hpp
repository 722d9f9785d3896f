// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

#include <nvdlac/base/visit.hpp>
#include <nvdlac/hw/spec.hpp>
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

// The bits of a 16-bit float. The two zeros are equal: which of them NVDLA computes may depend on
// the way that its compiler chose.
struct half {
  std::uint16_t bits = 0;

  constexpr bool operator==(half o) const {
    return bits == o.bits || ((bits | o.bits) & 0x7fff) == 0;
  }
};

using float_tensor = tensor<float>;
using int8_tensor = tensor<std::int8_t>;
using int16_tensor = tensor<std::int16_t>;
using fp16_tensor = tensor<half>;
// A tensor in any of NVDLA's precisions, in their order.
using any_tensor = std::variant<int8_tensor, int16_tensor, fp16_tensor>;

template <class T>
inline constexpr hw::precision precision_of_type =
    std::is_same_v<T, half>           ? hw::precision::fp16
    : std::is_same_v<T, std::int16_t> ? hw::precision::int16
                                      : hw::precision::int8;
constexpr hw::precision precision_of(const any_tensor& t) {
  return static_cast<hw::precision>(t.index());
}
constexpr net::shape shape_of(const any_tensor& t) {
  return nvdlac::visit([](const auto& typed) { return typed.shape; }, t);
}
// A tensor of zeros.
inline any_tensor make_tensor(hw::precision p, net::shape s) {
  switch (p) {
    case hw::precision::int16: return int16_tensor{s};
    case hw::precision::fp16: return fp16_tensor{s};
    default: return int8_tensor{s};
  }
}

}  // namespace nvdlac::net
