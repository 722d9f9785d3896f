// SPDX-License-Identifier: Apache-2.0
#pragma once
// The work that an operator takes for one picture, by the way that nvdlac computes it.
#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/normalisation.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/pool.hpp>

namespace nvdlac::pass {

// The work of an operator for one picture.
struct work {
  std::uint64_t operations = 0;  // multiplications, comparisons and copies
  std::uint64_t parts = 1;       // smaller layers that it becomes
  std::uint64_t moved = 0;       // elements that are moved one by one for it
};

namespace detail {

constexpr std::uint64_t size_of(std::int64_t n) { return static_cast<std::uint64_t>(n); }

// Taps that meet padding alone are left out, strides beyond the engine's are computed at a divisor
// of theirs, and large kernels in parts. `each`: the operations of a position with all taps.
work of_window(const net::window& whole, net::shape in, net::shape out, std::uint64_t each);

work of_pool(const net::pool& op, net::shape in, net::shape out);

// A convolution for each phase; more than `most_parts` are only counted.
work of_phases(const net::deconvolution& op, net::shape in, net::shape out,
               std::uint64_t most_parts);

}  // namespace detail

// The parts of more than `most_parts` are only counted.
template <net::operation Op>
work work_of(const Op& op, std::span<const net::shape> in, net::shape out,
             std::uint64_t most_parts) {
  using detail::size_of;
  const auto kernels_apart = [](std::int32_t n) {
    constexpr std::int32_t most = hw::any_map.convolution.kernels;
    return size_of((n + most - 1) / most);
  };
  if constexpr (std::is_same_v<Op, net::convolution>) {
    auto w = detail::of_window(op.window, in[0], out, size_of(op.weight_count(in[0])));
    w.parts *= kernels_apart(op.kernels);
    return w;
  } else if constexpr (std::is_same_v<Op, net::deconvolution>) {
    return detail::of_phases(op, in[0], out, most_parts);
  } else if constexpr (std::is_same_v<Op, net::fully_connected>) {
    auto w = detail::of_window({.kernel_h = in[0].h, .kernel_w = in[0].w}, in[0], out,
                               size_of(op.outputs) * in[0].size());
    w.parts *= kernels_apart(op.outputs);
    return w;
  } else if constexpr (std::is_same_v<Op, net::pool>) {
    return detail::of_pool(op, in[0], out);
  } else if constexpr (std::is_same_v<Op, net::lrn>) {
    return {.operations = out.size() * size_of(std::min(op.local_size, in[0].c))};
  } else {
    std::uint64_t elements = out.size();
    for (const net::shape s : in) elements += s.size();
    if constexpr (requires { op.operations(in); }) elements += op.operations(in);
    return {.operations = elements};
  }
}

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/work.ipp>
#endif
