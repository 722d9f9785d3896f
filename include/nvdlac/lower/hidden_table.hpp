// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions that SDP computes without a table, but looks up for less behind some convolutions.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <nvdlac/base/units.hpp>
#include <nvdlac/cost/coefficients.hpp>
#include <nvdlac/cost/stripes.hpp>
#include <nvdlac/hw/delivery.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/bundle.hpp>

namespace nvdlac::lower {

inline constexpr std::int32_t most_channels_of_images = 4;  // of CDMA's formats of pixels

// Whether an int8 convolution that looks each result up takes no more cycles than one with two
// passes of SDP behind it, a line of each element and a product with it: whether its MACs, or what
// these passes cost, hide that Y takes fewer elements in a cycle than X1 and X2. Its steps are
// counted as if it read an image, or folded lines, wherever it may.
constexpr bool hides_a_table(const hw::spec& s, const net::convolution& op, net::shape in,
                             net::shape out) {
  if (!s.sdp_lut) return false;
  const auto natural = [](auto n) { return static_cast<std::uint64_t>(n); };
  constexpr auto p = hw::precision::int8;
  const auto lanes = static_cast<std::int32_t>(layer::lanes_of(s.atom(), p));
  const std::int32_t channels = in.c / op.groups, kernels = op.kernels / op.groups;
  const auto bundle = quantised::groups_per_bundle(op.groups, channels, kernels, lanes);
  const std::uint64_t group = s.kernel_group(p);
  const auto groups = ceil_div(natural(kernels * bundle), group);
  const auto pixels = natural(out.h) * natural(out.w);
  const auto lines = natural(op.window.kernel_h), columns = natural(op.window.kernel_w);
  const auto steps =
      in.c <= most_channels_of_images
          ? ceil_div(lines * columns * natural(in.c), s.mac_atomic_c)
          : columns * ceil_div(lines * align_up(natural(channels * bundle), natural(lanes)),
                               s.mac_atomic_c);
  const auto macs = steps * std::max(pixels, cost::stripes_of(s, p, false).step);
  // The next convolution waits until a short one has left CACC.
  const bool is_short = hw::confuses_delivery(s, pixels * groups, macs * groups);
  const auto taking = [&](bool looks_up) {
    const auto leaving = pixels * cost::delivery_of(s, group, looks_up);
    return groups * std::max(macs, leaving) + (is_short ? leaving : 0);
  };
  const auto passing = [&](std::uint64_t cubes_read) {
    return groups * pixels * std::max(ceil_div(group, cost::elements_of_sdp(s, false)),
                                      ceil_div(cubes_read * group, s.dram.width_bits / 8));
  };
  return taking(true) <= taking(false) + passing(1) + passing(2);
}

// Whether a layer that looks each int8 element up takes no more cycles than so many layers of SDP,
// each of which joins two tensors.
constexpr bool looks_up_for_less(const hw::spec& s, net::shape of, std::size_t joints) {
  if (!s.sdp_lut) return false;
  // The cycles of a layer besides its elements, at a latency of 64, and of its table.
  constexpr std::uint64_t starting = 1400, loading = 700;
  const auto lanes = static_cast<std::uint64_t>(layer::lanes_of(s.atom(), hw::precision::int8));
  const auto atoms = ceil_div(static_cast<std::uint64_t>(of.c), lanes) *
                     static_cast<std::uint64_t>(of.h) * static_cast<std::uint64_t>(of.w);
  const auto layer_of = [&](std::uint64_t cubes_read, bool looks_up) {
    return starting + atoms * std::max(ceil_div(lanes, cost::elements_of_sdp(s, looks_up)),
                                       ceil_div(cubes_read * lanes, s.dram.width_bits / 8));
  };
  return layer_of(1, true) + loading <= joints * layer_of(2, false);
}

}  // namespace nvdlac::lower
