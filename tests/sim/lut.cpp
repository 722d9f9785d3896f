// SPDX-License-Identifier: Apache-2.0
// The lookup tables of SDP and CDP at every border of their regions.
#include <doctest/doctest.h>

#include <nvdlac/arithmetic/cdp.hpp>
#include <nvdlac/arithmetic/lut.hpp>
#include <nvdlac/sim/lut.hpp>

using namespace nvdlac;
using sim::fp16, sim::fp17, sim::fp32;

namespace {

constexpr sim::lut_place underflow{};
constexpr sim::lut_place overflow{sim::lut_region::overflow};
constexpr sim::lut_place hit(std::uint32_t index, std::uint64_t fraction) {
  return {sim::lut_region::hit, index, fraction};
}
constexpr fp32 single(float x) { return {std::bit_cast<std::uint32_t>(x)}; }
constexpr std::uint64_t half35 = std::uint64_t{1} << 34;

using sim::lut::exponential, sim::lut::linear;

// Linear tables: the start itself is below the table, 2^(select + 6) beyond it above.
static_assert(linear<35>(-1, 3, 64) == underflow);
static_assert(linear<35>(0, 3, 64) == underflow);
static_assert(linear<35>(1, 3, 64) == hit(0, half35 >> 2));
static_assert(linear<35>(8, 3, 64) == hit(1, 0));
static_assert(linear<35>(64 * 8 - 1, 3, 64) == hit(63, 7 * (half35 >> 2)));
static_assert(linear<35>(64 * 8, 3, 64) == overflow);
static_assert(linear<35>(256 * 8 - 1, 3, 256).index == 255);
static_assert(linear<35>(256 * 8, 3, 256) == overflow);
static_assert(linear<35>(63, 0, 64) == hit(63, 0));
// A negative select spreads the entries: every whole value meets one.
static_assert(linear<35>(1, -2, 64) == hit(4, 0));
static_assert(linear<35>(15, -2, 64) == hit(60, 0));
static_assert(linear<35>(16, -2, 64) == overflow);
static_assert(linear<35>(1, -6, 64) == overflow);
static_assert(linear<35>(1, -8, 256) == overflow);
static_assert(linear<35>(1, -128, 256) == overflow);
// Fractions longer than the register are cut, not rounded.
static_assert(linear<16>((1 << 20) - 1, 20, 64) == hit(0, 0xffff));
static_assert(linear<16>((1 << 20) + 15, 20, 64) == hit(1, 0));
static_assert(linear<16>((1 << 20) + 16, 20, 64) == hit(1, 1));
static_assert(linear<35>(0xffffffff, 40, 64) == hit(0, 0xffffffffu >> 5));
static_assert(linear<35>(0xffffffff, 127, 64) == hit(0, 0));
static_assert(linear<35>(0xffffffff, 32, 64) == hit(0, 0xffffffffull << 3));

// Exponential LE: entry i at 2^(i + offset).
static_assert(exponential<35>(0, 0) == underflow);
static_assert(exponential<35>(1, 0) == hit(0, 0));
static_assert(exponential<35>(3, 0) == hit(1, half35));
static_assert(exponential<35>(7, 3) == underflow);
static_assert(exponential<35>(8, 3) == hit(0, 0));
static_assert(exponential<35>(0xffffffff, 0) == hit(31, 0x7fffffffull << 4));
static_assert(exponential<35>(0xffffffff, 32) == underflow);
static_assert(exponential<35>(1, -63) == hit(63, 0));
static_assert(exponential<35>(1, -64) == overflow);
static_assert(exponential<35>(0xffffffff, -33) == overflow);
static_assert(exponential<16>((std::int64_t{1} << 38) - 1, 10) == hit(27, 0xffff));

// Both kinds of table in fp32.
static_assert(linear<35>(single(0.f), 0, 64) == underflow);
static_assert(linear<35>(single(-0.5f), 0, 64) == underflow);
static_assert(linear<35>(fp32{0x7f800001}, 0, 64) == underflow);
static_assert(linear<35>(single(2.5f), 0, 64) == hit(2, half35));
static_assert(linear<35>(single(2.5f), 1, 64) == hit(1, half35 >> 1));
static_assert(linear<35>(single(2.5f), -1, 64) == hit(5, 0));
static_assert(linear<35>(single(63.99f), 0, 64).index == 63);
static_assert(linear<35>(single(64.f), 0, 64) == overflow);
static_assert(linear<35>(single(255.f), 0, 256) == hit(255, 0));
static_assert(linear<35>(single(256.f), 0, 256) == overflow);
static_assert(linear<35>(single(3e38f), -128, 256) == overflow);
static_assert(linear<35>(single(3e38f), 127, 64) == hit(1, single(3e38f).fraction() * 4096ull));
static_assert(linear<35>(single(1e-38f), 127, 64) == hit(0, 0));
static_assert(linear<16>(single(1.f + 0x1p-17f), 0, 64) == hit(1, 0));
static_assert(linear<16>(single(1.f + 0x1p-16f), 0, 64) == hit(1, 1));
static_assert(exponential<35>(single(0.75f), -1) == hit(0, half35));
static_assert(exponential<35>(single(0.49f), -1) == underflow);
static_assert(exponential<16>(single(1.5f), -63) == hit(63, 0x8000));
static_assert(exponential<16>(single(1.f), -64) == overflow);

// Whether LO is the table that answers.
constexpr bool lo_answers(int priorities, sim::lut_region le, sim::lut_region lo) {
  const sim::lut_settings s{.underflow_lo = (priorities & 1) != 0,
                            .overflow_lo = (priorities & 2) != 0,
                            .hybrid_lo = (priorities & 4) != 0};
  return sim::lut::selects_lo(s, le, lo);
}
constexpr auto under = sim::lut_region::underflow, over = sim::lut_region::overflow,
               in = sim::lut_region::hit;
static_assert(!lo_answers(6, under, under) && lo_answers(1, under, under));
static_assert(!lo_answers(5, over, over) && lo_answers(2, over, over));
static_assert(!lo_answers(3, in, in) && lo_answers(4, in, in));
static_assert(!lo_answers(3, under, over) && lo_answers(4, under, over));
static_assert(!lo_answers(3, over, under) && lo_answers(4, over, under));
static_assert(!lo_answers(7, in, under) && !lo_answers(7, in, over));
static_assert(lo_answers(0, under, in) && lo_answers(0, over, in));

constexpr sim::lut_counts counted(bool sdp, sim::lut_region le, sim::lut_region lo) {
  sim::lut_counts c;
  if (sdp) sim::lut::count_sdp(c, le, lo, lo_answers(0, le, lo) ? lo : le);
  else sim::lut::count_cdp(c, le, lo);
  return c;
}
static_assert(counted(false, under, under) == sim::lut_counts{.underflow = 1});
static_assert(counted(false, over, over) == sim::lut_counts{.overflow = 1});
static_assert(counted(false, in, in) == sim::lut_counts{.hybrid = 1});
static_assert(counted(false, under, over) == sim::lut_counts{.hybrid = 1});
static_assert(counted(false, in, over) == sim::lut_counts{.le_hit = 1});
static_assert(counted(false, under, in) == sim::lut_counts{.lo_hit = 1});
static_assert(counted(true, under, over) == sim::lut_counts{.underflow = 1});
static_assert(counted(true, in, in) ==
              sim::lut_counts{.hybrid = 1, .le_hit = 1, .lo_hit = 1});

// Shifts of slopes: right rounds half away from zero, left is exact, both saturate.
static_assert(sim::lut::shift<32>(3, 1) == 2 && sim::lut::shift<32>(-3, 1) == -2);
static_assert(sim::lut::shift<32>(3, -16) == 3 << 16);
static_assert(sim::lut::shift<32>(-(std::int64_t{1} << 15), -16) == INT32_MIN);
static_assert(sim::lut::shift<32>((std::int64_t{1} << 54), -16) == INT32_MAX);
static_assert(sim::lut::shift<32>(-(std::int64_t{1} << 54), -16) == INT32_MIN);

// Entries rise by 100 in LE and 1000 in LO from 0 on.
constexpr sim::lut_tables ramp = [] {
  sim::lut_tables t;
  for (std::size_t i = 0; i < t.le.size(); ++i) t.le[i] = static_cast<std::int16_t>(100 * i);
  for (std::size_t i = 0; i < t.lo.size(); ++i) t.lo[i] = static_cast<std::int16_t>(100 * i);
  t.le[64] = 32767;
  t.lo[256] = -32768;
  t.le[0] = -7;
  return t;
}();
constexpr sim::lut_settings le_only{
    .exponential = false, .hybrid_lo = false,
    .le = {.start = -32, .end = 224, .select = 2, .underflow = {-3, 1}, .overflow = {5, -1}},
    .lo = {.start = 1000, .end = 1000 + 256, .select = 0, .underflow = {1, 0}, .overflow = {1, 0}}};
constexpr std::int32_t sdp(const sim::lut_settings& s, std::int32_t x) {
  sim::lut_counts c;
  return sim::sdp_lut(s, ramp, x, c);
}
constexpr int cdp(const sim::lut_settings& s, std::int64_t x) {
  sim::lut_counts c;
  return sim::cdp_lut(s, ramp, x, c);
}
constexpr sim::lut_settings exponential_le = [] {
  auto s = le_only;
  s.exponential = true;
  s.offset = 4;
  return s;
}();

static_assert(sdp(le_only, -32) == -7);                   // the start: on the slope, distance 0
static_assert(sdp(le_only, -33) == -7 + 2);               // 1.5 rounded away from zero
static_assert(sdp(le_only, -31) == 20);                   // -7 * 3/4 + 100 * 1/4 = 19.75
static_assert(sdp(le_only, -28) == 100);
static_assert(sdp(le_only, 224) == 32767);                // the end
static_assert(sdp(le_only, 225) == 32767 + 10);           // the shift of -1 doubles
static_assert(sdp(le_only, INT32_MIN) == INT32_MAX - 7);  // saturated before the entry is added
static_assert(sdp(le_only, 1256) == 32767 + 1032 * 10);   // both overflow: LE
static_assert(sdp(le_only, 1001) == 100);                 // LO alone hits
static_assert(sdp(exponential_le, -32 + 15) == -7 + 2);   // 15 - 16 = -1 before the first entry
static_assert(sdp(exponential_le, -32 + 16) == -7);
static_assert(sdp(exponential_le, -32 + 24) == 47);       // (-7 + 100) / 2 = 46.5
static_assert(cdp(le_only, -33) == -5 && cdp(le_only, -31) == 20 && cdp(le_only, 224) == 32767);
static_assert(cdp(le_only, 225) == 32767);                // 16 bits
static_assert(cdp(le_only, -(std::int64_t{1} << 37)) == 32767);
static_assert(cdp(le_only, (std::int64_t{1} << 37) - 1) == 32767);
static_assert(cdp(exponential_le, -32 + 15) == -5 && cdp(exponential_le, -32 + 24) == 47);
static_assert(sim::lut::cdp_select(-1, 6) == -1 && sim::lut::cdp_select(31, 6) == 31);
static_assert(sim::lut::cdp_select(32, 6) == -32 && sim::lut::cdp_select(-40, 6) == 24);
static_assert(sim::lut::cdp_select(63, 7) == 63 && sim::lut::cdp_select(-64, 7) == -64);

// fp16: LE linear over [0, 64), LO over [-1, 255) with entries 1 apart.
constexpr std::int16_t half_bits(float x) {
  return static_cast<std::int16_t>(sim::convert<fp16>(single(x)).bits);
}
constexpr sim::lut_tables squares = [] {
  sim::lut_tables t;
  for (std::size_t i = 0; i < t.le.size(); ++i)
    t.le[i] = half_bits(static_cast<float>(i * i));
  for (std::size_t i = 0; i < t.lo.size(); ++i) t.lo[i] = half_bits(-static_cast<float>(i));
  return t;
}();
constexpr sim::lut_settings fp_settings{
    .exponential = false, .offset = -3,
    .le = {.start = 0, .end = std::bit_cast<std::int32_t>(64.f), .select = 0,
           .underflow = {half_bits(2.f)}, .overflow = {half_bits(0.5f)}},
    .lo = {.start = std::bit_cast<std::int32_t>(-1.f), .end = std::bit_cast<std::int32_t>(255.f),
           .select = 0, .underflow = {half_bits(3.f)}, .overflow = {half_bits(4.f)}}};
constexpr fp32 sdp(const sim::lut_settings& s, fp32 x) {
  sim::lut_counts c;
  return sim::sdp_lut(s, squares, x, c);
}
constexpr float cdp(const sim::lut_settings& s, float x) {
  sim::lut_counts c;
  return std::bit_cast<float>(sim::convert<fp32>(sim::cdp_lut(s, squares, single(x), c)).bits);
}
constexpr float sdp(const sim::lut_settings& s, float x) {
  return std::bit_cast<float>(sdp(s, single(x)).bits);
}
static_assert(sdp(fp_settings, 3.5f) == 12.5f && cdp(fp_settings, 3.5f) == 12.5f);
static_assert(sdp(fp_settings, 3.f) == 9.f && cdp(fp_settings, 3.f) == 9.f);
static_assert(sdp(fp_settings, -0.25f) == -0.75f && cdp(fp_settings, -0.25f) == -0.75f);
static_assert(sdp(fp_settings, -2.f) == -4.f && cdp(fp_settings, -2.f) == -4.f);
// 4096 + 118 is a tie between the neighbours in fp17.
static_assert(sdp(fp_settings, 300.f) == 4216.f && cdp(fp_settings, 300.f) == 4216.f);
static_assert(sdp(fp_settings, 99.5f) == -100.5f && cdp(fp_settings, 99.5f) == -100.5f);
constexpr sim::lut_settings fp_exponential = [] {
  auto s = fp_settings;
  s.exponential = true;
  return s;
}();
static_assert(sdp(fp_exponential, 0.125f) == 0.f && sdp(fp_exponential, 0.1875f) == 0.5f);
static_assert(cdp(fp_exponential, 0.1875f) == 0.5f);
// Underflow: (x - 1/8) * 2.
static_assert(sdp(fp_exponential, -8.f) == -16.25f && cdp(fp_exponential, -8.f) == -16.25f);
// A NaN underflows both tables and stays.
static_assert(sdp(fp_settings, fp32{0x7f800005}) == fp32{0x7f800005});
static_assert(sdp(fp_exponential, fp32{0xff8003ff}) == fp32{0xff8003ff});

}  // namespace

TEST_CASE("software fills and reads the tables entry by entry") {
  sim::lut_access a;
  constexpr std::uint32_t lo = 1 << 16, write = 1 << 17;
  a.configure("CFG", write);
  for (std::uint32_t i = 0; i < 65; ++i) a.write(i * 1000);
  CHECK(a.configuration() == (write | 64));
  a.configure("CFG", lo | write | 255);
  for (const std::uint32_t v : {0xffffU, 5U, 6U}) a.write(v);  // the last entry has none behind it
  CHECK(a.tables().lo[255] == -1);
  CHECK(a.tables().lo[256] == 6);
  a.configure("CFG", 0);
  a.write(77);  // the direction is reading
  for (std::uint32_t i = 0; i < 65; ++i) CHECK(a.read() == (i * 1000 & 0xffff));
  a.configure("CFG", lo | 255);
  CHECK(a.read() == 0xffff);
  CHECK(a.configuration() == (lo | 256));
  CHECK_THROWS_WITH_AS(a.configure("SDP.S_LUT_ACCESS_CFG", 65), doctest::Contains("entry 65"),
                       error);
  CHECK_THROWS_AS(a.configure("SDP.S_LUT_ACCESS_CFG", lo | 257), error);
}
