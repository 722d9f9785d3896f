// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include <nvdlac/sim/sdp_integer_block.hpp>

namespace nvdlac::sim {

// The output converter to int8 or int16 in 32 bits. Numbers so far from the offset that they
// saturate are brought nearer first; where products still need more than 32 bits, it does not
// exist.
struct sdp_narrow_converter {
  bool exists = false;
  std::int32_t least = 0, most = 0;  // to which numbers are clamped
  std::int32_t offset = 0, scale = 0;
  sdp_rounding round{0};

  constexpr sdp_narrow_converter() = default;
  // `top`: the largest output.
  constexpr sdp_narrow_converter(const converter& c, std::int32_t top)
      : offset(c.offset), scale(c.scale) {
    if (c.shift > 30) return;
    const std::int64_t size = scale < 0 ? -std::int64_t{scale} : scale;
    const auto reach = size == 0 ? 0 : ((std::int64_t{top} + 1) << c.shift) / size + 1;
    exists = sdp_rounding::holds(reach * size, c.shift);
    least = static_cast<std::int32_t>(std::max<std::int64_t>(INT32_MIN, offset - reach));
    most = static_cast<std::int32_t>(std::min<std::int64_t>(INT32_MAX, offset + reach));
    round = sdp_rounding(c.shift);
  }

  // A block to elements T, of which the first `to.size()` bytes count.
  template <class T>
  void convert(const sdp_integers& v, std::span<std::uint8_t> to) const {
    on_widest<&loop<T>>(v.data(), to, *this);
  }

 private:
  template <class T>
  [[gnu::always_inline]] static void loop(const std::int32_t* v, std::span<std::uint8_t> to,
                                          sdp_narrow_converter c) {
    constexpr std::int32_t low = std::numeric_limits<T>::min();
    constexpr std::int32_t high = std::numeric_limits<T>::max();
    std::array<T, sdp_block> elements;
    for (std::size_t i = 0; i < sdp_block; ++i) {
      const auto x = std::min(std::max(v[i], c.least), c.most);
      const auto y = c.round((x - c.offset) * c.scale);
      elements[i] = static_cast<T>(std::min(std::max(y, low), high));
    }
    std::memcpy(to.data(), elements.data(), to.size());
  }
};

}  // namespace nvdlac::sim
