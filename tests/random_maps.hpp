// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random maps of elements as layout operators make them: from[i] is the element of the input that
// becomes element i, -1 a filled one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/net/box.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/move.hpp>

struct element_map {
  nvdlac::net::shape to{};
  std::vector<std::int32_t> from{};
};

// of(c, y, x) is the element of the input, or negative.
template <class Of>
element_map map_of(nvdlac::net::shape to, Of of) {
  element_map m{to, {}};
  for (std::int32_t c = 0; c < to.c; ++c)
    for (std::int32_t y = 0; y < to.h; ++y)
      for (std::int32_t x = 0; x < to.w; ++x) m.from.push_back(of(c, y, x));
  return m;
}

// `pick(low, high)` gives a random number; both ends are included.
template <class Pick>
element_map random_map(nvdlac::net::shape in, Pick pick) {
  using nvdlac::net::shape;
  const auto at = [in](std::int32_t c, std::int32_t y, std::int32_t x) -> std::int32_t {
    if (c < 0 || y < 0 || x < 0 || c >= in.c || y >= in.h || x >= in.w) return -1;
    return static_cast<std::int32_t>(in.at(c, y, x));
  };
  const auto divisor = [&](std::int32_t n) {
    std::int32_t d = pick(1, std::min(n, 4));
    while (n % d != 0) --d;
    return d;
  };
  struct range { int first, count, step; };
  const auto part = [&](std::int32_t n) {
    const int first = pick(0, n - 1), step = pick(1, 3);
    if (pick(0, 3) == 0) return range{first, pick(1, first / step + 1), -step};
    return range{first, pick(1, (n - 1 - first) / step + 1), step};
  };
  const bool small = in.size() < 2000;
  switch (pick(0, small ? 9 : 7)) {
    case 0: {  // a slice
      const range c = part(in.c), y = part(in.h), x = part(in.w);
      return map_of({c.count, y.count, x.count}, [&](auto i, auto j, auto k) {
        return at(c.first + i * c.step, y.first + j * y.step, x.first + k * x.step);
      });
    }
    case 1: {  // channels
      const int first = pick(0, in.c - 1);
      return map_of({pick(1, in.c - first), in.h, in.w},
                    [&](auto c, auto y, auto x) { return at(c + first, y, x); });
    }
    case 2: {  // padding
      const int c0 = pick(0, 1) * pick(0, 9), y0 = pick(0, 2), x0 = pick(0, 2);
      return map_of({in.c + c0 + pick(0, 3), in.h + y0 + pick(0, 2), in.w + x0 + pick(0, 2)},
                    [&](auto c, auto y, auto x) { return at(c - c0, y - y0, x - x0); });
    }
    case 3:  // height and width change places
      return map_of({in.c, in.w, in.h}, [&](auto c, auto y, auto x) { return at(c, x, y); });
    case 4: {  // repetition, of a single line or column often
      const int h = pick(1, in.h == 1 ? 12 : 3), w = pick(1, in.w == 1 ? 12 : 2);
      return map_of({in.c, in.h * h, in.w * w},
                    [&](auto c, auto y, auto x) { return at(c, y / h, x / w); });
    }
    case 5: {  // depth to space
      const int h = divisor(in.c), w = divisor(in.c / h), c1 = in.c / h / w;
      const bool first = pick(0, 1) == 1;
      return map_of({c1, in.h * h, in.w * w}, [&](auto c, auto y, auto x) {
        const int phase = y % h * w + x % w;
        return at(first ? phase * c1 + c : c * h * w + phase, y / h, x / w);
      });
    }
    case 6: {  // space to depth
      const int h = divisor(in.h), w = divisor(in.w);
      return map_of({in.c * h * w, in.h / h, in.w / w}, [&](auto c, auto y, auto x) {
        return at(c % in.c, y * h + c / in.c / w, x * w + c / in.c % w);
      });
    }
    case 7: {  // a shuffle of channels
      const int groups = divisor(in.c);
      return map_of(in, [&](auto c, auto y, auto x) {
        return at(c % groups * (in.c / groups) + c / groups, y, x);
      });
    }
    case 8:  // channels last, flat
      return map_of({in.c * in.h * in.w, 1, 1}, [&](auto i, auto, auto) {
        return at(i % in.c, i / in.c / in.w, i / in.c % in.w);
      });
    default:  // channels and columns change places
      return map_of({in.w, in.h, in.c}, [&](auto c, auto y, auto x) { return at(x, y, c); });
  }
}

inline nvdlac::quantised::move moving(const element_map& m, nvdlac::net::shape in,
                                         std::int8_t fill) {
  return {.target = m.to, .boxes = nvdlac::net::find_boxes(m.from, m.to, in), .fill = fill};
}

// Two tensors of one shape above one another or side by side, or their lines or columns by turns.
inline nvdlac::quantised::move stacked(nvdlac::net::shape s, bool below, bool turns) {
  using nvdlac::net::box, nvdlac::net::position;
  std::vector<box> boxes;
  for (std::int32_t i = 0; i < 2; ++i) {
    const std::int32_t first = turns ? i : i * (below ? s.h : s.w), step = turns ? 2 : 1;
    boxes.push_back({.input = i,
                     .to = below ? position{0, first, 0} : position{0, 0, first},
                     .loops = {{{s.c, {1, 0, 0}, {1, 0, 0}},
                                {s.h, {0, below ? step : 1, 0}, {0, 1, 0}},
                                {s.w, {0, 0, below ? 1 : step}, {0, 0, 1}}}}});
  }
  return {.target = {s.c, below ? 2 * s.h : s.h, below ? s.w : 2 * s.w}, .boxes = boxes};
}
