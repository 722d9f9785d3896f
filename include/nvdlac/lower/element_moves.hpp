// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/net/box.hpp>

namespace nvdlac::lower {

// A move of more single elements would take too many layers.
inline constexpr std::int64_t most_single_elements = 262144;

// The move of single elements, wherever they are: a cube without gaps is also a column of channels,
// one atom behind the other, among which CONV selects.
struct element_move {
  std::vector<std::int32_t> first{};   // channel at which each input's column begins
  net::shape in{}, out{};              // the columns
  std::vector<std::int32_t> source{};  // of each channel of the result's column; -1: none or filled
};

constexpr std::int64_t column_of(net::shape s, std::int32_t atom) {
  return std::int64_t{s.c + atom - 1} / atom * atom * s.h * s.w;
}
constexpr std::int32_t in_column(net::shape s, net::position p, std::int32_t atom) {
  return (p.c / atom * s.h * s.w + p.y * s.w + p.x) * atom + p.c % atom;
}

constexpr element_move move_single_elements(std::span<const net::box> boxes, net::shape out,
                                            std::span<const net::shape> in, std::int32_t atom) {
  element_move m;
  std::int32_t next = 0;
  for (const auto& s : in) {
    m.first.push_back(next);
    next += static_cast<std::int32_t>(column_of(s, atom));
  }
  m.in = {next, 1, 1};
  m.out = {static_cast<std::int32_t>(column_of(out, atom)), 1, 1};
  m.source.assign(static_cast<std::size_t>(m.out.c), -1);
  for (const auto& b : boxes)
    if (b.input >= 0)
      net::for_each_element(b, [&](net::position to, net::position from) {
        const auto i = static_cast<std::size_t>(b.input);
        m.source[static_cast<std::size_t>(in_column(out, to, atom))] =
            m.first[i] + in_column(in[i], from, atom);
      });
  return m;
}

}  // namespace nvdlac::lower
