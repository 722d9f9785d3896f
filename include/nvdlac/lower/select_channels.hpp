// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/lower/convolve.hpp>
#include <nvdlac/lower/reason.hpp>

namespace nvdlac::lower {

namespace detail {

// Channels [k0, k0 + kernels) of the result and the channels of the input that they come from.
struct selection {
  std::int32_t kernels = 0, first = 0, channels = 1;
  convolution_split split{};
  bool fits = false;
};

template <class Hw>
constexpr selection select_from(net::shape in, net::shape out, hw::precision p,
                                const std::vector<std::int32_t>& source, std::int32_t k0) {
  const auto atom = static_cast<std::int32_t>(layer::lanes_of(Hw::spec.atom(), p));
  using limits = typename hw::limits<Hw::spec.map>::convolution;
  // Large blocks take few layers, small ones few weights where the channels lie close together.
  constexpr std::int64_t bytes_worth_a_layer = 32768;
  selection best;
  for (std::int32_t atoms = 8; atoms > 0; atoms /= 2) {
    selection s{.kernels = std::min(atom * atoms, out.c - k0)};
    std::int32_t low = in.c, high = -1;
    for (std::int32_t k = k0; k < k0 + s.kernels; ++k) {
      const auto c = source[static_cast<std::size_t>(k)];
      if (c < 0) continue;
      low = std::min(low, c);
      high = std::max(high, c);
    }
    s.first = high < 0 ? 0 : low / atom * atom;
    s.channels = high < 0 ? 1 : high + 1 - s.first;
    const auto cost = [](const selection& x) {  // of one kernel
      return x.channels + bytes_worth_a_layer / x.kernels;
    };
    if (std::cmp_greater(s.channels, limits::channels)) continue;
    if (best.fits && cost(best) <= cost(s)) continue;
    const auto split = split_convolution(Hw::spec, {s.channels, in.h, in.w},
                                         {s.kernels, out.h, out.w}, {}, false, p);
    s.fits = split && split->kernels >= s.kernels;
    if (!s.fits) continue;
    s.split = *split;
    best = s;
  }
  return best;
}

}  // namespace detail

// Why channels cannot be selected; `source` as below.
template <class Hw>
constexpr reason why_no_selection(net::shape in, net::shape out, hw::precision p,
                                  const std::vector<std::int32_t>& source) {
  for (std::int32_t k0 = 0; k0 < out.c;) {
    const auto s = detail::select_from<Hw>(in, out, p, source, k0);
    if (!s.fits) return reason::kernel_does_not_fit_the_cbuf;
    k0 += s.kernels;
  }
  return reason::none;
}

// Copies channels into place by 1x1 kernels that each select one: output channel k is input channel
// source[k], or `fill` (of int8 or int16, or the bits of fp16) where that is negative. Exact: the
// sum has one term.
template <class Hw>
constexpr void select_channels(assembly& to, const label& name, const layer::surface& in,
                               const layer::surface& out, const std::vector<std::int32_t>& source,
                               std::int16_t fill = 0) {
  const hw::precision p = in.precision;
  for (std::int32_t k0 = 0; k0 < out.shape.c;) {
    const auto s = detail::select_from<Hw>(in.shape, out.shape, p, source, k0);
    if (!s.fits)
      throw error(problem{.layer = name,
                          .reason = text("lines of ", in.shape,
                                         " do not fit the convolution buffer")});
    const net::shape lines{s.channels, in.shape.h, in.shape.w};
    const auto from = layer::part(in, Hw::spec.atom(), s.first, 0, 0, lines);
    const auto at = layer::part(out, Hw::spec.atom(), k0, 0, 0,
                                {s.kernels, out.shape.h, out.shape.w});
    const auto weights = [&](std::int32_t k, std::int32_t c, std::int32_t n, std::int32_t,
                             std::int32_t, std::uint8_t* bytes_of_run) {
      const std::int32_t channel = source[static_cast<std::size_t>(k0 + k)];
      const std::int32_t one = channel - s.first - c;
      if (channel < 0 || one < 0 || one >= n) return;
      if (p == hw::precision::int8) bytes_of_run[one] = 1;
      else put_two_bytes(hw::one(p), bytes_of_run + 2 * one);
    };
    const auto operands = [&](std::int32_t k) {
      const bool filled = source[static_cast<std::size_t>(k0 + k)] < 0;
      return std::pair(filled ? fill : std::int16_t{0}, hw::one(p));
    };
    const auto keep = [&](label what, std::uint64_t size, const auto& write) {
      return to.keep(std::move(what), size, write);
    };
    convolve<Hw>(to, label(name, "/c", k0), from, {}, at, {}, s.split, {},
                 kernel_values{weights, operands, keep});
    k0 += s.kernels;
  }
}

}  // namespace nvdlac::lower
