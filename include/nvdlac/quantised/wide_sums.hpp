// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sums of a convolution in int16 and in fp16, output by output.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/arithmetic/fp16_mac_quick.hpp>
#include <nvdlac/net/shape.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/mac_order.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {
namespace detail {

// A tap of all kernels of one group: channels [first, first + count) of one column of one line.
struct tap {
  std::int32_t first, count, line, column;
};

// f(tap) in the order of CSC: blocks of `order.channels` channels of the bundle in which the
// group's channels begin at `start`, then lines, then columns.
template <class F>
void each_tap(const net::window& w, std::int32_t channels, std::int32_t start, std::int32_t block,
              const F& f) {
  for (std::int32_t c = 0, end; c < channels; c = end) {
    end = std::min(channels, ((start + c) / block + 1) * block - start);
    for (std::int32_t r = 0; r < w.kernel_h; ++r)
      for (std::int32_t s = 0; s < w.kernel_w; ++s) f(tap{c, end - c, r, s});
  }
}

}  // namespace detail

// store(k, position, sum) for every kernel and every position y * out.w + x. `add(sum, data,
// weights)` adds the products of one tap; both are as many elements of 16 bits.
template <class Sum, class Element, class Add, class Store>
void wide_sums(const net::window& w, const net::tensor<Element>& x, net::shape out,
               std::int32_t groups, const std::int16_t* weights, mac_order order, const Add& add,
               const Store& store) {
  const std::int32_t channels = x.shape.c / groups, kernels = out.c / groups;
  const std::int32_t bundle = groups_per_bundle(groups, channels, kernels, order.lanes);
  const auto depth = static_cast<std::size_t>(channels) * static_cast<std::size_t>(w.kernel_h) *
                     static_cast<std::size_t>(w.kernel_w);
  std::vector<std::int16_t> data(depth), ordered(depth * static_cast<std::size_t>(kernels));
  std::vector<detail::tap> taps;
  for (std::int32_t group = 0; group < groups; ++group) {
    taps.clear();
    detail::each_tap(w, channels, group % bundle * channels, order.channels,
                     [&](const detail::tap& t) { taps.push_back(t); });
    auto* to = ordered.data();
    for (std::int32_t k = 0; k < kernels; ++k)
      for (const auto& t : taps)
        for (std::int32_t c = t.first; c < t.first + t.count; ++c)
          *to++ = weights[((std::int64_t{group * kernels + k} * channels + c) * w.kernel_h +
                           t.line) * w.kernel_w + t.column];
    for (std::int32_t position = 0; position < out.h * out.w; ++position) {
      const std::int32_t top = position / out.w * w.stride_h - w.pad_top;
      const std::int32_t left = position % out.w * w.stride_w - w.pad_left;
      auto* here = data.data();
      for (const auto& t : taps) {
        const std::int32_t row = top + t.line * w.dilation_h;
        const std::int32_t column = left + t.column * w.dilation_w;
        const bool inside =
            row >= 0 && row < x.shape.h && column >= 0 && column < x.shape.w;
        for (std::int32_t c = t.first; c < t.first + t.count; ++c)
          *here++ = inside ? std::bit_cast<std::int16_t>(x.at(group * channels + c, row, column))
                           : std::int16_t{0};
      }
      const auto* kernel = ordered.data();
      for (std::int32_t k = 0; k < kernels; ++k) {
        Sum sum{};
        const auto* from = data.data();
        for (const auto& t : taps) {
          const auto n = static_cast<std::size_t>(t.count);
          add(sum, std::span(from, n), std::span(kernel, n));
          from += n;
          kernel += n;
        }
        store(static_cast<std::size_t>(group * kernels + k), static_cast<std::size_t>(position),
              sum);
      }
    }
  }
}

// One tap in int16: the sum of a kernel that fits the convolution buffer has at most 48 bits.
inline void add_products(std::int64_t& sum, std::span<const std::int16_t> data,
                         std::span<const std::int16_t> weights) {
  for (std::size_t i = 0; i < data.size(); ++i) sum += std::int32_t{data[i]} * weights[i];
}
// One tap in fp16: one pass of the MAC cell, then the accumulator.
inline void add_products(arithmetic::fp16_accumulator& sum, std::span<const std::int16_t> data,
                         std::span<const std::int16_t> weights) {
  const auto bits = [](std::span<const std::int16_t> v) {  // unsigned numbers may alias signed ones
    return std::span(reinterpret_cast<const std::uint16_t*>(v.data()), v.size());
  };
  sum.add(arithmetic::quick_sum_of_products(bits(data), bits(weights)));
}

}  // namespace nvdlac::quantised
