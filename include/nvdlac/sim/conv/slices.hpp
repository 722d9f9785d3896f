// SPDX-License-Identifier: Apache-2.0
#pragma once
// A slice of a feature cube, one line with all its channels, as it lies in the entries of the CBUF.
// CDMA may be told another shape of the line than CSC: what one wrote the other reads entry by
// entry.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <nvdlac/hw/cbuf.hpp>

namespace nvdlac::sim {

struct slice_shape {
  std::uint32_t width = 1, channels = 1;
  bool operator==(const slice_shape&) const = default;
};

// Where an atom of surface `s` of `surfaces` stands, in atoms. Whole entries hold the same pixel of
// neighbouring surfaces; the rest of the surfaces follows pixel by pixel, three of four with a gap.
constexpr std::uint64_t slice_atom(const hw::spec& hw, std::uint64_t width, std::uint64_t surfaces,
                                   std::uint64_t x, std::uint64_t s) {
  const std::uint64_t per_entry = hw::atoms_per_entry(hw);
  const auto whole = surfaces / per_entry, rest = surfaces % per_entry, i = s % per_entry;
  if (s / per_entry < whole) return (s / per_entry * width + x) * per_entry + i;
  return whole * width * per_entry + x * (rest == 3 ? per_entry : rest) + i;
}

// Lines of [x][channel] in the shape `to` instead of `from`, which has whole atoms of channels. A
// slice has `entries`.
template <class T>
void reshape_slices(const hw::spec& hw, slice_shape from, slice_shape to, std::uint64_t entries,
                    std::uint32_t lines, std::vector<T>& data) {
  const std::uint64_t lanes = hw.memory_atom / sizeof(T);
  std::vector<T> slice(static_cast<std::size_t>(entries * hw.cbuf_entry / sizeof(T)));
  std::vector<T> result(std::size_t{lines} * to.width * to.channels);
  const auto each_atom = [&](slice_shape shape, const auto& f) {
    const auto surfaces = ceil_div(shape.channels, lanes);
    for (std::uint64_t x = 0; x < shape.width; ++x)
      for (std::uint64_t s = 0; s < surfaces; ++s) {
        const auto at = slice_atom(hw, shape.width, surfaces, x, s) * lanes;
        f(static_cast<std::size_t>(at), static_cast<std::size_t>(x * shape.channels + s * lanes),
          static_cast<std::size_t>(std::min(lanes, shape.channels - s * lanes)) * sizeof(T));
      }
  };
  for (std::size_t y = 0; y < lines; ++y) {
    const auto* in = data.data() + y * from.width * from.channels;
    auto* out = result.data() + y * to.width * to.channels;
    each_atom(from, [&](std::size_t at, std::size_t i, std::size_t n) {
      std::memcpy(slice.data() + at, in + i, n);
    });
    each_atom(to, [&](std::size_t at, std::size_t i, std::size_t n) {
      std::memcpy(out + i, slice.data() + at, n);
    });
  }
  data = std::move(result);
}

}  // namespace nvdlac::sim
