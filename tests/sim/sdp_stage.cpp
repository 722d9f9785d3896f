// SPDX-License-Identifier: Apache-2.0
// The arithmetic of SDP's elements at its corners, and the ways to compute blocks of them.
#include <doctest/doctest.h>

#include <bit>

#include <nvdlac/impl/sim/sdp/portable.hpp>
#include <nvdlac/sim/sdp/engine.hpp>

#include "sdp_random.hpp"

using namespace nvdlac;
using namespace sdp_random;
using sim::alu_algorithm;

namespace {

// Both ways to compute a block, on the extremes of its numbers too.
template <alu_algorithm Alu, bool Prelu>
void check_stages() {
  std::array<double, sim::sdp_block> operands, scales;
  sim::sdp_integers in, two{}, best{};
  for (int round = 0; round < 50; ++round) {
    const auto shift = static_cast<int>(below(64));
    for (std::size_t i = 0; i < sim::sdp_block; ++i) {
      in[i] = chance(8) ? (chance(2) ? INT32_MIN : INT32_MAX) : any<std::int32_t>() >> below(32);
      operands[i] = any<std::int32_t>() >> below(32);
      scales[i] = any<std::int16_t>() * sim::sdp_power(shift);
    }
    const sim::sdp_stream each{operands.data()}, scaled{scales.data()};
    const sim::sdp_constant one(sim::sdp_power(shift));
    const auto scale = chance(2) ? scaled : sim::sdp_stream(one);
    const sim::sdp_range range{.low = chance(2) ? 0.0 : INT32_MIN};
    sim::sdp_stage_portable(Alu, Prelu, in.data(), two.data(), each, scale, range);
    sim::sdp_stage(Alu, Prelu, in.data(), best.data(), each, scale, range);
    REQUIRE(two == best);
  }
}

}  // namespace

TEST_CASE("all ways to compute a block agree") {
  using enum alu_algorithm;
  check_stages<max, false>();
  check_stages<min, false>();
  check_stages<sum, false>();
  check_stages<max, true>();
  check_stages<min, true>();
  check_stages<sum, true>();
}

TEST_CASE("the output converter in 32 bits") {
  using enum sim::sdp_conversion;
  std::array<int, 4> ways{};
  for (int round = 0; round < 4000; ++round) {
    converter c{.offset = any<std::int32_t>() >> below(32),
                .scale = static_cast<std::int16_t>(any<std::int16_t>() >> below(16)),
                .shift = static_cast<std::uint8_t>(below(32))};
    if (chance(10)) c = {};
    sim::sdp_integers in;
    for (auto& x : in)  // near the offset and anywhere
      x = chance(2) ? any<std::int32_t>() >> below(32)
                    : static_cast<std::int32_t>(std::clamp<std::int64_t>(
                          std::int64_t{c.offset} + (any<std::int32_t>() >> below(32)), INT32_MIN,
                          INT32_MAX));
    in[0] = INT32_MIN;
    in[1] = INT32_MAX;
    in[2] = c.offset;
    sim::sdp_magnitude most = 0;
    for (auto& x : in) {
      if (round % 2 != 0) x >>= 12;
      most = std::max(most, sim::sdp_magnitude_of(x));
    }
    const sim::sdp_narrow_converter to_8(c, INT8_MAX), to_16(c, INT16_MAX);
    std::array<std::int8_t, sim::sdp_block> out, plain;
    std::array<std::int16_t, sim::sdp_block> out_16, plain_16;
    const auto how = to_8.conversion(most), how_16 = to_16.conversion(most);
    ++ways[static_cast<std::size_t>(how)];
    ++ways[static_cast<std::size_t>(how_16)];
    if (how != wide) {
      sim::sdp_convert_narrow(to_8, how, in.data(), out.data());
      sim::sdp_convert_narrow_portable(to_8, how, in.data(), plain.data());
    }
    if (how_16 != wide) {
      sim::sdp_convert_narrow(to_16, how_16, in.data(), out_16.data());
      sim::sdp_convert_narrow_portable(to_16, how_16, in.data(), plain_16.data());
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      const auto should = sim::sdp_output(c, in[i]);
      const auto should_16 = sim::sdp_output_16(c, in[i]);
      if (how != wide) REQUIRE((out[i] == should && plain[i] == should));
      if (how_16 != wide) REQUIRE((out_16[i] == should_16 && plain_16[i] == should_16));
    }
  }
  for (const auto n : ways) CHECK(n > 100);
}

namespace {

// 8 bits out of 2^23 parts still fit, of 2^24 no longer; 16 bits of 2^15.
static_assert(sim::sdp_narrow_converter({.offset = 0, .scale = 32767, .shift = 23}, 127).clamps);
static_assert(!sim::sdp_narrow_converter({.offset = 0, .scale = 1, .shift = 24}, 127).clamps);
static_assert(sim::sdp_narrow_converter({.offset = 9, .scale = -5, .shift = 15}, 32767).clamps);
// The least product that leaves no room for the half, and the greatest that does.
static_assert(sim::sdp_rounding::holds(INT32_MAX - 2, 2) &&
              !sim::sdp_rounding::holds(INT32_MAX - 1, 2));
static_assert(sim::sdp_rounding(2)(6) == 2 && sim::sdp_rounding(2)(-6) == -2 &&
              sim::sdp_rounding(2)(-5) == -1 && sim::sdp_rounding(0)(-5) == -5);

// 32 x 32 bits in Y: the one product that a shift of 63 leaves something of.
static_assert(sim::sdp_mul(INT32_MIN, INT32_MIN, 63, false) == 1);
static_assert(sim::sdp_mul(INT32_MIN, INT32_MAX, 63, false) == 0);
static_assert(sim::sdp_mul(INT32_MIN, INT32_MAX, 62, false) == -1);
static_assert(sim::sdp_mul(3, 1 << 19, 20, false) == 2 &&
              sim::sdp_mul(-3, 1 << 19, 20, false) == -2);
static_assert(sim::sdp_mul(3, 5, 1023, false) == 0 && sim::sdp_mul(3, 5, 1023, true) == 3);
static_assert(sim::sdp_alu(alu_algorithm::equal, -1, -1) == 0 &&
              sim::sdp_alu(alu_algorithm::equal, -1, 1) == 1);
// The output converter: 17 bits are no stop on the way to int8, but for fp16 they are.
static_assert(sim::sdp_output_16({.offset = 0, .scale = 1, .shift = 0}, 40000) == 32767);
static_assert(sim::sdp_output_16({.offset = 0, .scale = 1, .shift = 1}, -65537) == -32768);
static_assert(sim::sdp_convert({.offset = 0, .scale = 2, .shift = 0}, 40000) == 65535);
static_assert(sim::from_integer<sim::fp16>(65535) == sim::fp16{0x7bff});
static_assert(sim::from_integer<sim::fp16>(2049) == sim::fp16{0x6800});  // a tie goes to even
// Saturated or not, positive numbers after rounding, negative ones before.
static_assert(!sim::sdp_saturates({.offset = 0, .scale = 1, .shift = 1}, 131070));
static_assert(sim::sdp_saturates({.offset = 0, .scale = 1, .shift = 1}, 131071));
static_assert(!sim::sdp_saturates({.offset = 0, .scale = 1, .shift = 1}, -131072));
static_assert(sim::sdp_saturates({.offset = 0, .scale = 1, .shift = 2}, -262145));

// fp16: denormals are exact on their way in and out, ties to even.
constexpr sim::fp32 single(float x) { return {std::bit_cast<std::uint32_t>(x)}; }
static_assert(sim::sdp_float_operand({0x0001}, false) == single(0x1p-24f));
static_assert(sim::sdp_float_output(single(0x1p-24f)) == sim::fp16{0x0001});
static_assert(sim::sdp_float_output(single(-0x1p-25f)) == sim::fp16{0x8000});
static_assert(sim::sdp_float_output(single(0x1.8p-24f)) == sim::fp16{0x0002});
static_assert(sim::sdp_float_output(single(65520.0f)) == sim::fp16{0x7bff});
static_assert(sim::sdp_float_operand({0xfc00}, true) == sim::fp32{0xff7fffff});  // no infinity
// NaN: kept with its fraction, the first operand's first; flushed where it enters; ReLU keeps it.
static_assert(sim::sdp_float_operand({0xfe01}, false) == sim::fp32{0xff800201});
static_assert(sim::sdp_float_operand({0xfe01}, true) == sim::fp32{});
static_assert(sim::sdp_float_alu(alu_algorithm::max, {0x7f800001}, {0x7f800002}).bits ==
              0x7f800001);
static_assert(sim::sdp_float_output({0xff800201}) == sim::fp16{0xfe01});
static_assert(relu(sim::fp32{0xff800201}).bits == 0xff800201);
// Signs: -0 lies below 0 and is multiplied by PReLU; ReLU makes it 0.
static_assert(sim::sdp_float_alu(alu_algorithm::max, single(-0.0f), single(0.0f)) ==
              single(0.0f));
static_assert(sim::sdp_float_alu(alu_algorithm::equal, single(-0.0f), single(0.0f)).bits == 1);
static_assert(sim::sdp_float_mul(single(-0.0f), single(-2.0f), true) == single(0.0f));
static_assert(sim::sdp_float_mul(single(3.0f), single(-2.0f), true) == single(3.0f));
static_assert(sim::sdp_float_mul(single(-3.0f), single(-2.0f), true) == single(6.0f));
static_assert(relu(single(-0.0f)) == single(0.0f));
// To int16 by way of fp16: half away from zero, saturated.
static_assert(sim::sdp_float_output_16(single(2.5f)) == 3 &&
              sim::sdp_float_output_16(single(-2.5f)) == -3);
static_assert(sim::sdp_float_output_16(single(2049.0f)) == 2048);
static_assert(sim::sdp_float_output_16(single(1e6f)) == 32767 &&
              sim::sdp_float_output_16(single(-1e6f)) == -32768);

// The interval of what does not saturate has the edges of the definition.
static_assert(sim::sdp_unsaturated({}) == sim::sdp_interval{-65536, 65535});
static_assert(sim::sdp_unsaturated({.offset = 5, .scale = -2, .shift = 0}) ==
              sim::sdp_interval{5 - 32767, 5 + 32768});
static_assert(sim::sdp_unsaturated({.offset = INT32_MAX, .scale = 1, .shift = 40}) ==
              sim::sdp_interval{});
static_assert(sim::sdp_unsaturated({.offset = INT32_MIN, .scale = 3, .shift = 1}).last ==
              INT32_MIN + 43690);
static_assert(sim::sdp_unsaturated({.offset = 0, .scale = 0, .shift = 0}) == sim::sdp_interval{});

}  // namespace

TEST_CASE("the interval of what does not saturate") {
  for (int round = 0; round < 2000; ++round) {
    const converter c{.offset = any<std::int32_t>() >> below(32), .scale = any<std::int16_t>(),
                      .shift = static_cast<std::uint8_t>(below(64))};
    const auto in = sim::sdp_unsaturated(c);
    CHECK(!sim::sdp_saturates(c, in.first));
    CHECK(!sim::sdp_saturates(c, in.last));
    CHECK((in.first == INT32_MIN || sim::sdp_saturates(c, std::int64_t{in.first} - 1)));
    CHECK((in.last == INT32_MAX || sim::sdp_saturates(c, std::int64_t{in.last} + 1)));
  }
}
