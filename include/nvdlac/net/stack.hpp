// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/move.hpp>

namespace nvdlac::net {

// A concatenation of lines (above one another) or of columns (side by side).
inline move stack(std::span<const shape> in, bool columns) {
  move m{.target = in[0]};
  std::int64_t size = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const shape s = in[i];
    if (s.c != in[0].c || (columns ? s.h != in[0].h : s.w != in[0].w))
      throw error(text("its inputs ", in[0], " and ", s, " do not fit"));
    const auto first = static_cast<std::int32_t>(size);
    m.boxes.push_back({.input = static_cast<std::int32_t>(i),
                       .to = columns ? place{0, 0, first} : place{0, first, 0},
                       .loops = {{{s.c, {1, 0, 0}, {1, 0, 0}},
                                  {s.h, {0, 1, 0}, {0, 1, 0}},
                                  {s.w, {0, 0, 1}, {0, 0, 1}}}}});
    size += columns ? s.w : s.h;
    m.target = columns ? checked_shape(s.c, s.h, size) : checked_shape(s.c, size, s.w);
  }
  return m;
}

}  // namespace nvdlac::net
