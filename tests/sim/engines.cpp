// SPDX-License-Identifier: Apache-2.0
// The vectorised pooling against plain loops written from the hardware's formulas.
#include <doctest/doctest.h>

#include <random>

#include <nvdlac/sim/pdp/integers.hpp>
#include <nvdlac/sim/pdp/layer.hpp>

using namespace nvdlac;

namespace {

using i64 = std::int64_t;

std::mt19937 random_bits(11);

std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_bits()) % n; }
std::uint32_t one_to(std::uint32_t n) { return below(n) + 1; }

i64 rounded(i64 x, int shift) {  // half away from zero
  if (shift == 0) return x;
  const i64 magnitude = ((x < 0 ? -x : x) + (i64{1} << (shift - 1))) >> shift;
  return x < 0 ? -magnitude : magnitude;
}

}  // namespace

TEST_CASE("pooling of random shapes") {
  sim::pdp_engine engine;
  for (int round = 0; round < 600; ++round) {
    sim::pdp_layer l{.width = one_to(12), .height = one_to(12)};
    l.method = sim::pooling(below(3));
    l.kernel_width = one_to(8);
    l.kernel_height = one_to(8);
    l.stride_x = one_to(9);
    l.stride_y = one_to(9);
    l.pad_left = below(l.kernel_width);
    l.pad_top = below(l.kernel_height);
    const auto right = below(l.kernel_width), bottom = below(l.kernel_height);
    if (l.width + l.pad_left + right < l.kernel_width) continue;
    if (l.height + l.pad_top + bottom < l.kernel_height) continue;
    l.out_width = (l.width + l.pad_left + right - l.kernel_width) / l.stride_x + 1;
    l.out_height = (l.height + l.pad_top + bottom - l.kernel_height) / l.stride_y + 1;
    if ((l.out_width - 1) * l.stride_x >= l.width + l.pad_left) continue;
    if ((l.out_height - 1) * l.stride_y >= l.height + l.pad_top) continue;
    l.reciprocal_width = below(65536 / l.kernel_width + 1);
    l.reciprocal_height = 65536 / l.kernel_height;
    for (std::size_t n = 1; n < 8; ++n)
      l.pad_value[n] = static_cast<std::int32_t>(n) * static_cast<std::int8_t>(random_bits());
    const std::size_t lanes = 8u << below(3);
    std::vector<std::int8_t> in(std::size_t{l.width} * l.height * lanes);
    for (auto& v : in) v = static_cast<std::int8_t>(random_bits());
    std::vector<std::int8_t> got(std::size_t{l.out_width} * l.out_height * lanes);
    engine.surface(l, lanes, in, got);

    CAPTURE(round);
    for (std::size_t oy = 0; oy < l.out_height; ++oy)
      for (std::size_t ox = 0; ox < l.out_width; ++ox)
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          i64 sum = 0, largest = -128, smallest = 127, rows = 0, columns = 0;
          for (std::size_t r = 0; r < l.kernel_height; ++r) {
            const auto y = static_cast<i64>(oy * l.stride_y + r) - l.pad_top;
            if (y < 0 || y >= l.height) continue;
            ++rows;
            columns = 0;
            for (std::size_t s = 0; s < l.kernel_width; ++s) {
              const auto x = static_cast<i64>(ox * l.stride_x + s) - l.pad_left;
              if (x < 0 || x >= l.width) continue;
              ++columns;
              const i64 v = in[(static_cast<std::size_t>(y) * l.width +
                                static_cast<std::size_t>(x)) * lanes + lane];
              sum += v;
              largest = std::max(largest, v);
              smallest = std::min(smallest, v);
            }
          }
          sum += rows * l.pad_value[l.kernel_width - static_cast<std::size_t>(columns)] +
                 i64{l.kernel_width} *
                     l.pad_value[l.kernel_height - static_cast<std::size_t>(rows)];
          const auto average = static_cast<std::int8_t>(
              rounded(rounded(sum * l.reciprocal_width, 16) * l.reciprocal_height, 16));
          const i64 expected = l.method == sim::pooling::max   ? largest
                               : l.method == sim::pooling::min ? smallest
                                                               : average;
          REQUIRE(got[(oy * l.out_width + ox) * lanes + lane] == expected);
        }
  }
}
