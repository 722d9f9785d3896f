// SPDX-License-Identifier: Apache-2.0
// The vectorised engines against plain loops written from the hardware's formulas.
#include <doctest/doctest.h>

#include <random>

#include <nvdlac/sim/pdp.hpp>
#include <nvdlac/sim/sdp.hpp>

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
    l.kernel_width = one_to(8), l.kernel_height = one_to(8);
    l.stride_x = one_to(9), l.stride_y = one_to(9);
    l.pad_left = below(l.kernel_width), l.pad_top = below(l.kernel_height);
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
            ++rows, columns = 0;
            for (std::size_t s = 0; s < l.kernel_width; ++s) {
              const auto x = static_cast<i64>(ox * l.stride_x + s) - l.pad_left;
              if (x < 0 || x >= l.width) continue;
              ++columns;
              const i64 v = in[(static_cast<std::size_t>(y) * l.width +
                                static_cast<std::size_t>(x)) * lanes + lane];
              sum += v, largest = std::max(largest, v), smallest = std::min(smallest, v);
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

namespace {

i64 clamp32(i64 v) { return std::clamp<i64>(v, INT32_MIN, INT32_MAX); }

i64 plain_x(const sim::sdp_x& u, i64 x, i64 a, i64 m) {
  if (u.bypass) return x;
  if (!u.alu_bypass) {
    i64 o = a;
    for (int i = 0; i < u.alu_shift; ++i) o = clamp32(o * 2);
    x = u.algorithm == sim::alu_algorithm::max   ? std::max(x, o)
        : u.algorithm == sim::alu_algorithm::min ? std::min(x, o)
                                                 : x + o;
  }
  if (!u.mul_bypass && u.prelu && x >= 0) x = clamp32(x);
  else if (u.mul_shift > 62) x = 0;
  else x = clamp32(rounded(u.mul_bypass ? x : x * m, u.mul_shift));
  return u.relu ? std::max<i64>(x, 0) : x;
}

sim::sdp_x random_x() {
  sim::sdp_x u;
  u.bypass = below(8) == 0;
  u.alu_bypass = below(3) == 0, u.mul_bypass = below(3) == 0;
  u.relu = below(2) == 0, u.prelu = below(3) == 0;
  u.algorithm = sim::alu_algorithm(below(3));
  u.alu_shift = static_cast<int>(below(4) == 0 ? below(64) : below(16));
  u.mul_shift = static_cast<int>(below(4) == 0 ? below(64) : below(20));
  u.alu_operand = static_cast<std::int16_t>(random_bits());
  u.mul_operand = static_cast<std::int16_t>(random_bits());
  return u;
}

}  // namespace

TEST_CASE("SDP with operands of registers and of memory") {
  constexpr std::size_t lanes = 8, width = 5, height = 3, surfaces = 2;
  sim::memory ram;
  std::vector<std::uint8_t> bytes(1 << 16);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random_bits());
  ram.write(0, bytes);
  sim::sdp_engine engine;
  for (int round = 0; round < 500; ++round) {
    sim::sdp_layer l{.width = width, .height = height, .channels = lanes * surfaces};
    l.x1 = random_x(), l.x2 = random_x();
    l.output = {.offset = static_cast<std::int32_t>(random_bits()) >> below(32),
                .scale = static_cast<std::int16_t>(random_bits()),
                .shift = static_cast<std::uint8_t>(below(64))};
    if (round % 5 == 0) l.output = {};
    auto& o = l.x1.operands;
    o.alu = below(2) == 0, o.mul = below(2) == 0;
    l.x1.alu_from_memory = o.alu, l.x1.mul_from_memory = o.mul;
    if (l.x1.alu_bypass && o.alu) l.x1.alu_bypass = false;
    if (l.x1.mul_bypass && o.mul) l.x1.mul_bypass = false;
    o.per_element = below(2) == 0;
    o.bytes = one_to(2);
    const std::uint64_t pair = o.alu && o.mul ? 2 : 1;
    o.source = {.ram = &ram, .base = 8 * below(100), .line_stride = 1000, .surface_stride = 5000,
                .unit = lanes * pair * o.bytes, .width = width, .height = height,
                .surfaces = surfaces};
    if (!o.per_element)
      o.source.width = o.source.height = 1, o.source.surface_stride = o.source.unit;
    const auto operand = [&](std::size_t s, std::size_t p, std::size_t lane, std::size_t which) {
      const auto at = o.source.base + s * o.source.surface_stride +
                      (o.per_element ? p / width * 1000 + p % width * o.source.unit : 0) +
                      (lane * pair + which) * o.bytes;
      return o.bytes == 1 ? i64{static_cast<std::int8_t>(bytes[at])}
                          : i64{static_cast<std::int16_t>(bytes[at] | bytes[at + 1] << 8)};
    };
    CAPTURE(round);
    for (std::size_t s = 0; s < surfaces; ++s) {
      std::vector<std::int32_t> in(width * height * lanes);
      for (auto& v : in) v = static_cast<std::int32_t>(random_bits()) >> below(32);
      auto values = in;
      std::vector<std::int8_t> out(in.size());
      engine.surface(l, s, lanes, values, out);
      for (std::size_t i = 0; i < in.size(); ++i) {
        const auto p = i / lanes, lane = i % lanes;
        const i64 a = o.alu ? operand(s, p, lane, 0) : l.x1.alu_operand;
        const i64 m = o.mul ? operand(s, p, lane, pair - 1) : l.x1.mul_operand;
        i64 x = plain_x(l.x1, in[i], a, m);
        x = plain_x(l.x2, x, l.x2.alu_operand, l.x2.mul_operand);
        const auto& c = l.output;
        x = c.shift > 62 ? 0 : rounded((x - c.offset) * c.scale, c.shift);
        REQUIRE(out[i] == std::clamp<i64>(x, -128, 127));
      }
    }
  }
}
