// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sums of a convolution as Winograd's mode of CONV makes them, tile by tile.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/arithmetic/fp16_mac.hpp>
#include <nvdlac/arithmetic/winograd.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::quantised {

// Weights of a transformed kernel for each channel: 4x4.
inline constexpr std::size_t winograd_taps = 16;

// Whether a window is of the kind that the mode computes: dense 3x3 kernels, one pixel apart.
constexpr bool is_winograd_window(const net::window& w, std::int32_t groups) {
  return groups == 1 && w.kernel_h == 3 && w.kernel_w == 3 && w.stride_h == 1 && w.stride_w == 1 &&
         w.dilation_h == 1 && w.dilation_w == 1;
}

namespace detail {

// The tile of channel c whose first element is at `top`, `left` of the input; `pad` lies around it.
template <class Element>
std::array<Element, winograd_taps> input_tile(const net::tensor<Element>& x, std::int32_t c,
                                              std::int32_t top, std::int32_t left, Element pad) {
  std::array<Element, winograd_taps> tile;
  tile.fill(pad);
  for (std::int32_t r = 0; r < 4; ++r)
    for (std::int32_t s = 0; s < 4; ++s) {
      const std::int32_t row = top + r, column = left + s;
      if (row >= 0 && row < x.shape.h && column >= 0 && column < x.shape.w)
        tile[static_cast<std::size_t>(4 * r + s)] = x.at(c, row, column);
    }
  return tile;
}

// f(tile of outputs' top, left) for all of them.
template <class F>
void each_tile(net::shape out, const F& f) {
  for (std::int32_t y = 0; y < out.h; y += 2)
    for (std::int32_t x = 0; x < out.w; x += 2) f(y, x);
}

// store(k, position y * out.w + x, sum) of the outputs of a tile that exist.
template <class Sums, class Store>
void store_tile(net::shape out, std::int32_t y, std::int32_t x, std::size_t k, const Sums& sums,
                const Store& store) {
  for (std::int32_t i = 0; i < 4; ++i) {
    const std::int32_t row = y + i / 2, column = x + i % 2;
    if (row < out.h && column < out.w)
      store(k, static_cast<std::size_t>(row * out.w + column), sums[static_cast<std::size_t>(i)]);
  }
}

}  // namespace detail

// store(k, position, sum) for every kernel and every position, in integers: `weights` are
// [kernels][C][4][4], CSC cuts the transformed data by 2^truncate.
template <class Element, class Weight, class Store>
void winograd_sums(const net::window& w, const net::tensor<Element>& x, net::shape out,
                   const Weight* weights, int truncate, Element pad, const Store& store) {
  constexpr int bits = 8 * sizeof(Element);
  const auto channels = static_cast<std::size_t>(x.shape.c);
  std::vector<arithmetic::tile> data(channels);
  detail::each_tile(out, [&](std::int32_t top, std::int32_t left) {
    for (std::size_t c = 0; c < channels; ++c) {
      const auto from = detail::input_tile(x, static_cast<std::int32_t>(c), top - w.pad_top,
                                           left - w.pad_left, pad);
      arithmetic::tile d{};
      for (std::size_t i = 0; i < d.size(); ++i) d[i] = from[i];
      data[c] = arithmetic::winograd_input<bits>(d, truncate);
    }
    const auto* from = weights;
    for (std::size_t k = 0; k < static_cast<std::size_t>(out.c); ++k) {
      arithmetic::tile sums{};
      for (const auto& d : data)
        for (std::size_t i = 0; i < d.size(); ++i) sums[i] += *from++ * d[i];
      detail::store_tile(out, top, left, k, arithmetic::winograd_output(sums), store);
    }
  });
}

// Computes the sums in fp16: passes of four channels, added one behind the other.
template <class Store>
void winograd_sums(const net::window& w, const net::tensor<net::half>& x, net::shape out,
                   const std::int16_t* weights, const Store& store) {
  constexpr std::size_t block = 4, pass = block * winograd_taps;
  const auto channels = static_cast<std::size_t>(x.shape.c);
  const auto blocks = (channels + block - 1) / block;
  using operands = std::array<std::uint16_t, pass>;  // [position][channel]
  std::vector<operands> ordered(blocks * static_cast<std::size_t>(out.c)), data(blocks);
  for (std::size_t k = 0; k < static_cast<std::size_t>(out.c); ++k)
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t i = 0; i < winograd_taps; ++i)
        ordered[k * blocks + c / block][i * block + c % block] =
            static_cast<std::uint16_t>(weights[(k * channels + c) * winograd_taps + i]);
  detail::each_tile(out, [&](std::int32_t top, std::int32_t left) {
    for (std::size_t c = 0; c < channels; ++c) {
      const auto from = detail::input_tile(x, static_cast<std::int32_t>(c), top - w.pad_top,
                                           left - w.pad_left, net::half{});
      const auto d = arithmetic::fp16_winograd_input(
          std::bit_cast<std::array<std::uint16_t, winograd_taps>>(from));
      for (std::size_t i = 0; i < d.size(); ++i) data[c / block][i * block + c % block] = d[i];
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(out.c); ++k) {
      std::array<arithmetic::fp16_accumulator, 4> sums{};
      for (std::size_t b = 0; b < blocks; ++b) {
        const auto passes = arithmetic::fp16_winograd_pass(data[b], ordered[k * blocks + b]);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(passes[i]);
      }
      detail::store_tile(out, top, left, k, sums, store);
    }
  });
}

}  // namespace nvdlac::quantised
