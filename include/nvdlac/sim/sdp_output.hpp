// SPDX-License-Identifier: Apache-2.0
#pragma once
// SDP's output: the converter and the bytes of a block.
#include <span>

#include <nvdlac/sim/sdp_units.hpp>

namespace nvdlac::sim {

namespace detail {

template <class T>
void narrow_block(const sdp_integers& v, std::span<std::uint8_t> to) {
  std::array<T, sdp_block> narrow;
  for (std::size_t i = 0; i < sdp_block; ++i) narrow[i] = static_cast<T>(v[i]);
  std::memcpy(to.data(), narrow.data(), to.size());
}

// How many are not in the interval.
inline std::uint32_t count_outside(const sdp_integers& v, const sdp_interval& in) {
  std::uint32_t outside = 0;
  for (const auto x : v) outside += (x < in.first) | (x > in.last);
  return outside;
}

}  // namespace detail

// Converts a block to elements of the output, as many as `to` has bytes for.
template <sdp_features Has>
void sdp_output_block(const sdp_layer& l, const sdp_interval& unsaturated, sdp_integers& v,
                      std::span<std::uint8_t> to, sdp_counts& counts) {
  const auto count = to.size() / hw::element_bytes(l.out);
  alignas(16) sdp_integers out;
  const auto count_halves = [&] {
    for (std::size_t i = 0; i < count; ++i) {
      const fp16 x{static_cast<std::uint16_t>(out[i])};
      counts.saturated += x.magnitude() == fp16::largest(0).bits, counts.nan_out += x.is_nan();
    }
  };
  if constexpr (Has.fp16) {
    const bool to_fp16 = l.out == hw::precision::fp16;
    if (l.proc == hw::precision::fp16) {
      if (!to_fp16) {
        for (std::size_t i = 0; i < sdp_block; ++i) out[i] = sdp_float_output_16(sdp_real(v[i]));
      } else {
        if (!quick_narrow(v, out))
          for (std::size_t i = 0; i < sdp_block; ++i)
            out[i] = static_cast<std::int32_t>(sdp_float_output(sdp_real(v[i])).bits);
        count_halves();
      }
      return detail::narrow_block<std::uint16_t>(out, to);
    }
    if (to_fp16) {
      sdp_convert_block(l.output, v.data(), out.data(), {-65536, 65535});
      for (auto& x : out) x = static_cast<std::int32_t>(from_integer<fp16>(x).bits);
      count_halves();
      return detail::narrow_block<std::uint16_t>(out, to);
    }
  }
  const bool wide = Has.int16 && l.out == hw::precision::int16;
  const std::int32_t low = wide ? INT16_MIN : INT8_MIN, high = wide ? INT16_MAX : INT8_MAX;
  sdp_convert_block(l.output, v.data(), out.data(),
                    {static_cast<double>(low), static_cast<double>(high)});
  std::fill(v.begin() + static_cast<std::ptrdiff_t>(count), v.end(), l.output.offset);
  counts.saturated += detail::count_outside(v, unsaturated);
  if constexpr (Has.int16)
    if (wide) return detail::narrow_block<std::int16_t>(out, to);
  detail::narrow_block<std::int8_t>(out, to);
}

}  // namespace nvdlac::sim
