// SPDX-License-Identifier: Apache-2.0
#pragma once
// SDP's output: the converter and the bytes of a block.
#include <span>

#include <nvdlac/sim/sdp/narrow_converter.hpp>
#include <nvdlac/sim/sdp/units.hpp>

namespace nvdlac::sim {

// What of a layer's output converter to integers is the same for all blocks.
struct sdp_integer_output {
  sdp_interval unsaturated{};
  sdp_narrow_converter narrow{};

  explicit sdp_integer_output(const sdp_layer& l)
      : unsaturated(sdp_unsaturated(l.output)),
        narrow(l.output, l.out == hw::precision::int8 ? INT8_MAX : INT16_MAX) {}
  sdp_integer_output() = default;

  bool may_saturate(sdp_magnitude in) const {
    return -in < unsaturated.first || in > unsaturated.last;
  }

  // A block of numbers of at most `magnitude`, of which the first `to.size()` bytes count, to
  // elements T.
  template <class T>
  void convert(const converter& c, sdp_magnitude magnitude, const std::int32_t* v,
               std::span<std::uint8_t> to) const {
    alignas(32) std::array<T, sdp_block> elements;
    if (const auto how = narrow.conversion(magnitude); how != sdp_conversion::wide) {
      sdp_convert_narrow(narrow, how, v, elements.data());
    } else {
      using limits = std::numeric_limits<T>;
      alignas(16) sdp_integers wide;
      sdp_convert_block(c, v, wide.data(), {limits::min(), limits::max()});
      narrow_block(wide, elements);
    }
    std::memcpy(to.data(), elements.data(), to.size());
  }
};

// Converts a block of numbers of at most `magnitude` to elements of the output, as many as `to` has
// bytes for. Those beyond must not saturate.
template <sdp_features Has>
void sdp_output_block(const sdp_layer& l, const sdp_integer_output& integers,
                      sdp_magnitude magnitude, const std::int32_t* v, std::span<std::uint8_t> to,
                      sdp_counts& counts) {
  [[maybe_unused]] const auto count = to.size() / hw::element_bytes(l.out);
  if constexpr (Has.fp16) {
    alignas(16) sdp_integers out;
    std::array<std::uint16_t, sdp_block> halves;
    const auto store = [&] {
      narrow_block(out, halves);
      std::memcpy(to.data(), halves.data(), to.size());
    };
    const auto store_halves = [&] {
      for (std::size_t i = 0; i < count; ++i) {
        const fp16 x{static_cast<std::uint16_t>(out[i])};
        counts.saturated += x.magnitude() == fp16::largest(0).bits, counts.nan_out += x.is_nan();
      }
      store();
    };
    const bool to_fp16 = l.out == hw::precision::fp16;
    if (l.proc == hw::precision::fp16 && !to_fp16) {
      for (std::size_t i = 0; i < sdp_block; ++i) out[i] = sdp_float_output_16(sdp_real(v[i]));
      return store();
    }
    if (l.proc == hw::precision::fp16) {
      if (!quick_narrow(v, out))
        for (std::size_t i = 0; i < sdp_block; ++i)
          out[i] = static_cast<std::int32_t>(sdp_float_output(sdp_real(v[i])).bits);
      return store_halves();
    }
    if (to_fp16) {
      sdp_convert_block(l.output, v, out.data(), {-65536, 65535});
      for (auto& x : out) x = static_cast<std::int32_t>(from_integer<fp16>(x).bits);
      return store_halves();
    }
  }
  if (integers.may_saturate(magnitude))
    counts.saturated += count_outside(v, integers.unsaturated);
  if constexpr (Has.int16)
    if (l.out == hw::precision::int16)
      return integers.template convert<std::int16_t>(l.output, magnitude, v, to);
  integers.template convert<std::int8_t>(l.output, magnitude, v, to);
}

}  // namespace nvdlac::sim
