// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>
#include <limits>
#include <span>

#include <nvdlac/sim/sdp/block.hpp>
#include <nvdlac/sim/sdp/units.hpp>

namespace nvdlac::sim {

// The work that the output converter must do on numbers of some magnitude.
enum class sdp_conversion {
  saturate,  // nothing but that
  multiply,  // 32 bits hold all products
  clamp,     // they do once numbers so far from the offset that they saturate are brought nearer
  wide       // they do not
};

// The output converter to int8 or int16 in 32 bits.
struct sdp_narrow_converter {
  std::int32_t least = 0, most = 0;  // to which numbers are clamped
  std::int32_t offset = 0, scale = 1;
  sdp_rounding round{0};
  bool clamps = false;  // to `least` and `most` is enough

  constexpr sdp_narrow_converter() = default;
  // `top`: the largest output.
  constexpr sdp_narrow_converter(const converter& c, std::int32_t top)
      : offset(c.offset), scale(c.scale), round(std::min<int>(c.shift, 31)) {
    if (c.shift > 30) return;
    const auto size = sdp_magnitude_of(scale);
    const auto reach = size == 0 ? 0 : ((std::int64_t{top} + 1) << c.shift) / size + 1;
    clamps = sdp_rounding::holds(reach * size, c.shift);
    least = static_cast<std::int32_t>(std::max<std::int64_t>(INT32_MIN, offset - reach));
    most = static_cast<std::int32_t>(std::min<std::int64_t>(INT32_MAX, offset + reach));
  }

  constexpr sdp_conversion conversion(sdp_magnitude in) const {
    using enum sdp_conversion;
    if (offset == 0 && scale == 1 && round.shift == 0) return saturate;
    const auto sum = in + sdp_magnitude_of(offset);
    if (sum <= INT32_MAX && sdp_rounding::holds(sum * sdp_magnitude_of(scale), round.shift))
      return multiply;
    return clamps ? clamp : wide;
  }

  template <sdp_conversion How>
  [[gnu::always_inline]] constexpr std::int32_t operator()(std::int32_t x) const {
    if constexpr (How == sdp_conversion::saturate) return x;
    if constexpr (How == sdp_conversion::clamp) x = std::min(std::max(x, least), most);
    return round((x - offset) * scale);
  }
};

// A block to elements T, int8 or int16, in one of the narrow ways.
template <class T>
void sdp_convert_narrow(const sdp_narrow_converter& c, sdp_conversion how, const std::int32_t* v,
                        T* to);

// The part of a layer's output converter to integers that is the same for all blocks.
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
        counts.saturated += x.magnitude() == fp16::largest(0).bits;
        counts.nan_out += x.is_nan();
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

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/sdp/output.ipp>
#endif
