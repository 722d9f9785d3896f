// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// The axes that a computation goes over, as flags: channels, height, width.
using axes = std::array<bool, 3>;
inline constexpr axes over_channels{true, false, false}, over_planes{false, true, true},
    over_all{true, true, true};

// The shape with the axes of 1.
constexpr net::shape reduced(net::shape s, axes over) {
  return {over[0] ? 1 : s.c, over[1] ? 1 : s.h, over[2] ? 1 : s.w};
}

// visit(the elements' places in the dense order, ascending) for each line of elements along the
// axes; the lines in the dense order of the others.
template <class Visit>
void for_each_line(net::shape s, axes over, Visit visit) {
  const net::shape outer = reduced(s, over);
  const net::shape inner{over[0] ? s.c : 1, over[1] ? s.h : 1, over[2] ? s.w : 1};
  std::vector<std::size_t> line(inner.size());
  for (std::int32_t c = 0; c < outer.c; ++c)
    for (std::int32_t y = 0; y < outer.h; ++y)
      for (std::int32_t x = 0; x < outer.w; ++x) {
        for (std::int32_t k = 0; k < inner.c; ++k)
          for (std::int32_t j = 0; j < inner.h; ++j)
            for (std::int32_t i = 0; i < inner.w; ++i)
              line[inner.at(k, j, i)] = s.at(c + k, y + j, x + i);
        visit(line);
      }
}

// compute(the values of a line), which changes them in place, for each line along the axes.
template <class Compute>
net::float_tensor with_lines(net::float_tensor x, axes over, Compute compute) {
  std::vector<double> values;
  for_each_line(x.shape, over, [&](const std::vector<std::size_t>& line) {
    values.clear();
    for (const auto i : line) values.push_back(double{x.values[i]});
    compute(std::span(values));
    for (std::size_t k = 0; k < line.size(); ++k)
      x.values[line[k]] = static_cast<float>(values[k]);
  });
  return x;
}

}  // namespace nvdlac::host
