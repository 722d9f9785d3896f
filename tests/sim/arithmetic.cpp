// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include <nvdlac/sim/conv/core.hpp>
#include <nvdlac/sim/pdp/fp16.hpp>
#include <nvdlac/sim/pdp/layer.hpp>
#include <nvdlac/sim/register_file.hpp>
#include <nvdlac/sim/sdp/arithmetic.hpp>

using namespace nvdlac;
using sim::alu_algorithm;

// Rounding: ties go away from zero, on both sides.
static_assert(sim::sdp_shift(1, 1) == 1 && sim::sdp_shift(-1, 1) == -1);
static_assert(sim::sdp_shift(3, 1) == 2 && sim::sdp_shift(-3, 1) == -2);
static_assert(sim::sdp_shift(5, 2) == 1 && sim::sdp_shift(6, 2) == 2);
static_assert(sim::sdp_shift(-6, 2) == -2 && sim::sdp_shift(-5, 2) == -1);
static_assert(sim::sdp_shift(-7, 0) == -7);
static_assert(sim::sdp_shift(std::int64_t{1} << 61, 62) == 1);
static_assert(sim::sdp_shift((std::int64_t{1} << 61) - 1, 62) == 0 && sim::sdp_shift(-1, 63) == 0);

// CACC: 34 bits inside, rounded by the truncation; SDP gets 32 bits.
static_assert(sim::cacc_round(3, 1) == 2 && sim::cacc_round(-3, 1) == -2);
static_assert(sim::cacc_round(std::int64_t{1} << 40, 0) == (std::int64_t{1} << 33) - 1);
static_assert(sim::cacc_round(-(std::int64_t{1} << 40), 0) == -(std::int64_t{1} << 33));
static_assert(sim::cacc_round((std::int64_t{1} << 33) - 1, 16) == 131072);

// SDP X: operands shift left in 32 bits, sums have 33 bits, the shift works without multiplier.
static_assert(sim::sdp_x_operand(1, 31) == std::numeric_limits<std::int32_t>::max());
static_assert(sim::sdp_x_operand(-1, 31) == std::numeric_limits<std::int32_t>::min());
static_assert(sim::sdp_x_operand(-32768, 63) == std::numeric_limits<std::int32_t>::min());
static_assert(sim::sdp_x_operand(0, 63) == 0 && sim::sdp_x_operand(-3, 4) == -48);
static_assert(sim::sdp_alu(alu_algorithm::sum, 0x7fffffff, 0x7fffffff) == 0xfffffffe);
static_assert(sim::sdp_alu(alu_algorithm::max, -5, 3) == 3 &&
              sim::sdp_alu(alu_algorithm::min, -5, 3) == -5);
static_assert(sim::sdp_mul(0xfffffffe, 1, 1, false) == 0x7fffffff);
static_assert(sim::sdp_mul(0xfffffffe, 32767, 0, false) == 0x7fffffff);
static_assert(sim::sdp_mul(-0x100000000, 32767, 0, false) ==
              std::numeric_limits<std::int32_t>::min());
static_assert(sim::sdp_mul(7, 1, 1, false) == 4);
// PReLU: positive values go around the multiplier and its shift, negative ones do not.
static_assert(sim::sdp_mul(100, 3, 4, true) == 100 && sim::sdp_mul(0, 3, 4, true) == 0);
static_assert(sim::sdp_mul(-100, 3, 4, true) == -19 && sim::sdp_mul(-8, 1, 4, true) == -1);
static_assert(sim::sdp_mul(0xfffffffe, 3, 4, true) == 0x7fffffff);
static_assert(sim::relu(-1) == 0 && sim::relu(5) == 5);
// Y and the output converter.
static_assert(sim::sdp_y_operand({.offset = -100, .scale = -3, .shift = 1}, 28) == -192);
static_assert(sim::sdp_y_operand({.offset = INT32_MIN, .scale = 32767, .shift = 0}, 127) ==
              INT32_MAX);
static_assert(sim::sdp_output({.offset = 0, .scale = 1, .shift = 0}, 200) == 127);
static_assert(sim::sdp_output({.offset = 0, .scale = -1, .shift = 0}, 200) == -128);
static_assert(sim::sdp_output({.offset = 1, .scale = 1, .shift = 1}, 6) == 3);
static_assert(sim::sdp_output({.offset = INT32_MIN, .scale = 32767, .shift = 63}, INT32_MAX) == 0);

// PDP: two roundings of the average; pad values use fewer bits than their registers.
static_assert(sim::pdp_average(10, 32768, 32768) == 3);   // 5, then 2.5
static_assert(sim::pdp_average(-10, 32768, 32768) == -3);
static_assert(sim::pdp_average(9, 32768, 32768) == 3);    // 4.5 -> 5, then 2.5 -> 3
static_assert(sim::pdp_average(127 * 4, 32768, 32768) == 127);
static_assert(sim::pdp_pad_value(1, 0xff) == -1 && sim::pdp_pad_value(1, 0x7f) == 127);
static_assert(sim::pdp_pad_value(2, 0xff) == 255 && sim::pdp_pad_value(2, 0x1ff) == -1);
static_assert(sim::pdp_pad_value(4, 0x3ff) == -1 && sim::pdp_pad_value(5, 0x3ff) == 1023);
static_assert(sim::pdp_pad_value(7, 0x7fc00) == -1024);

// CDMA's converter, on signed bytes and on pixels.
constexpr sim::cdma_layer converting(bool is_signed, converter c) {
  sim::cdma_layer l;
  l.convert = true;
  l.is_signed = is_signed;
  l.converters.fill(c);
  return l;
}
constexpr auto pixels = sim::conversion_table(converting(false, {128, 1, 0}), 0);
static_assert(pixels[0] == -128 && pixels[128] == 0 && pixels[255] == 127);
constexpr auto halves = sim::conversion_table(converting(true, {0, 1, 1}), 0);
static_assert(halves[0x7f] == 64 && halves[0x80] == -64 && halves[0xff] == -1 && halves[1] == 1);
constexpr auto steep = sim::conversion_table(converting(false, {100, -3, 0}), 2);
static_assert(steep[0] == 127 && steep[255] == -128 && steep[101] == -3);
constexpr auto raw = sim::conversion_table(sim::cdma_layer{}, 0);
static_assert(raw[0x80] == -128 && raw[0x7f] == 127);

// Groups: the enabled group of the consumer runs, the other one pends.
constexpr bool groups_take_turns() {
  sim::unit_groups g;
  g.enabled = {true, true};
  if (g.status() != (1u | 2u << 16) || !g.ready()) return false;
  if (g.take() != 0 || g.status() != 1u << 16 || g.pointer() != 1u << 16) return false;
  return g.take() == 1 && g.status() == 0 && !g.ready() && g.consumer == 0;
}
static_assert(groups_take_turns());

constexpr bool masks_act_on_the_line() {
  sim::glb g;
  g.raise(0xffffffff);
  if (g.status != 0x003f03ff || !g.line()) return false;
  g.mask = 0x003f03ff;
  if (g.line() || g.status == 0) return false;
  g.clear(0x003f03fe);
  g.mask = 0;
  return g.status == 1 && g.line();
}
static_assert(masks_act_on_the_line());

TEST_CASE("sdp_shift rounds as round_shift") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i) {
    const auto x = static_cast<std::int64_t>(random()) >> (2 + random() % 60);
    const auto shift = static_cast<int>(random() % 64);
    REQUIRE(sim::sdp_shift(x, shift) == round_shift(x, shift));
    if (shift < 62 && std::abs(x) < (std::int64_t{1} << 52))
      REQUIRE(static_cast<double>(sim::sdp_shift(x, shift)) ==
              std::round(std::ldexp(static_cast<double>(x), -shift)));
  }
}
