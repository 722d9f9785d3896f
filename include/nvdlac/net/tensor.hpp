// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <type_traits>
#include <variant>

#include <nvdlac/base/constexpr_vector.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::net {

// A cube of one picture: channels x height x width, all at least 1. Batches are not part of a
// network: NVDLA processes one picture after the other.
struct shape {
  std::int32_t c = 1, h = 1, w = 1;
  static constexpr void fields(auto&& field) {
    field("c", &shape::c);
    field("h", &shape::h);
    field("w", &shape::w);
  }

  constexpr bool operator==(const shape&) const = default;
  constexpr std::size_t size() const {
    return static_cast<std::size_t>(c) * static_cast<std::size_t>(h) * static_cast<std::size_t>(w);
  }
  // Position of an element in dense c-h-w order.
  constexpr std::size_t at(std::int32_t ci, std::int32_t y, std::int32_t x) const {
    return (static_cast<std::size_t>(ci) * static_cast<std::size_t>(h) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(w) +
           static_cast<std::size_t>(x);
  }
};

// The cube whose maps are transposed: lines become columns.
constexpr shape transposed(shape s) { return {s.c, s.w, s.h}; }

inline std::ostream& operator<<(std::ostream& out, shape s) {
  return out << s.c << 'x' << s.h << 'x' << s.w;
}

// A window that slides over height and width: of a convolution or of a pooling.
struct window {
  std::int32_t kernel_h = 1, kernel_w = 1;
  std::int32_t stride_h = 1, stride_w = 1;
  std::int32_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  std::int32_t dilation_h = 1, dilation_w = 1;
  static constexpr void fields(auto&& field) {
    field("kernel_h", &window::kernel_h);
    field("kernel_w", &window::kernel_w);
    field("stride_h", &window::stride_h);
    field("stride_w", &window::stride_w);
    field("pad_top", &window::pad_top);
    field("pad_left", &window::pad_left);
    field("pad_bottom", &window::pad_bottom);
    field("pad_right", &window::pad_right);
    field("dilation_h", &window::dilation_h);
    field("dilation_w", &window::dilation_w);
  }

  constexpr bool operator==(const window&) const = default;
  // Input lines (columns) that one output line (column) spans.
  constexpr std::int32_t extent_h() const { return (kernel_h - 1) * dilation_h + 1; }
  constexpr std::int32_t extent_w() const { return (kernel_w - 1) * dilation_w + 1; }
};

constexpr window transposed(const window& w) {
  return {.kernel_h = w.kernel_w, .kernel_w = w.kernel_h, .stride_h = w.stride_w,
          .stride_w = w.stride_h, .pad_top = w.pad_left, .pad_left = w.pad_top,
          .pad_bottom = w.pad_right, .pad_right = w.pad_bottom, .dilation_h = w.dilation_w,
          .dilation_w = w.dilation_h};
}

namespace detail {

// Throws nvdlac::error: no tensor has this shape.
[[noreturn]] void refuse_shape(shape s);

// The elements of a tensor. A shape with a negative dimension, or of more elements than an object
// can have, is an `error`.
template <class T>
constexpr std::size_t elements_of(shape s) {
  constexpr std::int64_t most = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);
  if (s.c < 0 || s.h < 0 || s.w < 0 || (s.w > 0 && std::int64_t{s.c} * s.h > most / s.w))
    refuse_shape(s);
  return s.size();
}

}  // namespace detail

// The values of one cube in dense c-h-w order.
template <class T>
struct tensor {
  net::shape shape{};
  std::vector<T> values = std::vector<T>(detail::elements_of<T>(shape), T{});

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

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/tensor.ipp>
#endif
