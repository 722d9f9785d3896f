// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bilinear interpolation by whole factors as a transposed convolution of each channel.
#include <cstdint>
#include <vector>

#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// The points of input and output that coincide: the corners of their first pixels, their first
// pixels' centres, or the centres of the first and of the last pixels.
enum class alignment : std::uint8_t { half_pixel, first_pixel, corners };

// `filter` over the input whose outermost lines and columns are repeated `border` times.
struct interpolation {
  std::int32_t border_h = 0, border_w = 0;
  deconvolution filter{};
  shape out{};
};

// Whether a transposed convolution makes `out` elements of `in`.
constexpr bool is_whole_factor(std::int64_t in, std::int64_t out, alignment how) {
  const std::int64_t less = how == alignment::corners ? 1 : 0, from = in - less, to = out - less;
  return in == out || (from >= 1 && to >= from && to % from == 0 && to / from <= 64);
}

namespace detail {

struct interpolated_side {
  std::int32_t factor = 1, border = 0, kernel = 1, before = 0, after = 0;
  std::vector<float> weights{1.0F};
};

interpolated_side interpolate(std::int64_t in, std::int64_t out, alignment how);

}  // namespace detail

interpolation bilinear(shape in, std::int64_t height, std::int64_t width, alignment how);

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/bilinear.ipp>
#endif
