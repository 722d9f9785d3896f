// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <random>

#include <nvdlac/arithmetic/float_format.hpp>

using namespace nvdlac::arithmetic;

namespace {

constexpr std::uint32_t widened(std::uint32_t half) { return convert<fp32>(fp16{half}).bits; }
constexpr std::uint32_t halved(std::uint32_t single) { return convert<fp16>(fp32{single}).bits; }
constexpr std::uint32_t to17(std::uint32_t single) { return convert<fp17>(fp32{single}).bits; }

// Widening: denormals are exact, infinities the largest number, a NaN's fraction stays low.
static_assert(widened(0x3c00) == 0x3f800000 && widened(0x0000) == 0 && widened(0x8000) == 1u << 31);
static_assert(widened(0x0001) == 0x33800000 && widened(0x83ff) == 0xb87fc000);
static_assert(widened(0x7c00) == 0x7f7fffff && widened(0xfc00) == 0xff7fffff);
static_assert(widened(0x7e01) == 0x7f800201 && widened(0xfc01) == 0xff800001);
static_assert(convert<fp17>(fp16{0x0001}).bits == 0x1c00);
static_assert(convert<fp17>(fp16{0x3c00}).bits == 0x7c00);
static_assert(convert<fp17>(fp16{0xfc00}).bits == 0x1fbff);
static_assert(convert<fp17>(fp16{0x7c05}).bits == 0xfc05);
static_assert(convert<fp32>(fp17{0x7c00}).bits == 0x3f800000);
static_assert(convert<fp32>(fp17{0x0001}).bits == 0x30002000);  // exponent 0 has a hidden one

// Narrowing: to nearest even; fp16 keeps denormals, fp17 has none; the largest number at most.
static_assert(halved(0x3f801000) == 0x3c00 && halved(0x3f801001) == 0x3c01);
static_assert(halved(0x3f803000) == 0x3c02 && halved(0x3fffffff) == 0x4000);
static_assert(halved(0x477fe000) == 0x7bff && halved(0x477ff000) == 0x7bff);
static_assert(halved(0x7f7fffff) == 0x7bff && halved(0xff800000) == 0xfbff);
static_assert(halved(0x33800000) == 0x0001 && halved(0x33000000) == 0 && halved(0x33000001) == 1);
static_assert(halved(0x33c00000) == 0x0002 && halved(0x387fffff) == 0x0400);
static_assert(halved(0xb3000000) == 0x8000 && halved(0x80000001) == 0x8000);
static_assert(halved(0x7f800201) == 0x7e01 && halved(0xffc00000) == 0xfc00);
static_assert(to17(0x30800000) == 0x0400);
static_assert(to17(0x307fffff) == 0x0400);
static_assert(to17(0x307fe000) == 0x0400);
static_assert(to17(0x307fdfff) == 0 && to17(0xb0000000) == 0x10000);
static_assert(convert<fp16>(fp17{0x1c00}).bits == 0x0001 && convert<fp16>(fp17{0x1800}).bits == 0);
static_assert(convert<fp16>(fp17{0x1801}).bits == 0x0001);
static_assert(convert<fp16>(fp17{0xbc00}).bits == 0x7bff);
static_assert(convert<fp16>(fp17{0x1fc01}).bits == 0xfc01);

// Sums: nearest even; zeros by the larger operand, then the first; nothing below the least normal.
static_assert(add(fp17{0x7c00}, fp17{0x7c00}).bits == 0x8000);
static_assert(add(fp17{0x7c00}, fp17{0x5000}).bits == 0x7c00);  // 1 + 2^-11: a tie
static_assert(add(fp17{0x7c01}, fp17{0x5000}).bits == 0x7c02);
static_assert(add(fp17{0x7c00}, fp17{0x5001}).bits == 0x7c01);
static_assert(add(fp32{0x80000000}, fp32{0}).bits == 0x80000000);
static_assert(add(fp32{0}, fp32{0x80000000}).bits == 0);
static_assert(sub(fp32{0x3f800000}, fp32{0x3f800000}).bits == 0);
static_assert(add(fp32{0xbf800000}, fp32{0x3f800000}).bits == 0x80000000);
static_assert(sub(fp32{0x00800001}, fp32{0x00800000}).bits == 0);
static_assert(sub(fp32{0x80800001}, fp32{0x80800000}).bits == 0x80000000);
static_assert(add(fp32{0x00000001}, fp32{0}).bits == 0);
static_assert(add(fp32{0x7f7fffff}, fp32{0x7f7fffff}).bits == 0x7f7fffff);
static_assert(add(fp32{0x7f800001}, fp32{0xffc00000}).bits == 0x7f800001);
static_assert(sub(fp32{0x3f800000}, fp32{0x7f800007}).bits == 0xff800007);

// Products.
static_assert(mul(fp17{0x7c01}, fp17{0x7c01}).bits == 0x7c02);
static_assert(mul(fp17{0xfbff}, fp17{0x17c00 + 0x400}).bits == 0x1fbff);
static_assert(mul(fp32{0x80000000}, fp32{0x3f800000}).bits == 0x80000000);
static_assert(mul(fp32{0x00800000}, fp32{0xbf000000}).bits == 0x80000000);
static_assert(mul(fp32{0x22ffffff}, fp32{0x1d000000}).bits == 0);  // IEEE 754 rounds up to 2^-126
static_assert(mul(fp32{0x7f800003}, fp32{0}).bits == 0x7f800003);

// Order and ReLU.
static_assert(max(fp16{0x8000}, fp16{0}).bits == 0 && min(fp16{0}, fp16{0x8000}).bits == 0x8000);
static_assert(max(fp16{0xbc00}, fp16{0xc000}).bits == 0xbc00);
static_assert(min(fp16{0xbc00}, fp16{0xc000}).bits == 0xc000);
static_assert(max(fp16{0x3c00}, fp16{0xfc01}).bits == 0xfc01);
static_assert(min(fp16{0x7c02}, fp16{0xfc01}).bits == 0x7c02);
static_assert(relu(fp16{0x8000}).bits == 0 && relu(fp16{0xbc00}).bits == 0);
static_assert(relu(fp16{0xfc01}).bits == 0xfc01 && relu(fp16{0x0001}).bits == 1);

// Integers.
static_assert(to_integer<16>(fp16{0x3800}) == 1 && to_integer<16>(fp16{0xb800}) == -1);
static_assert(to_integer<16>(fp16{0x37ff}) == 0 && to_integer<16>(fp16{0x4100}) == 3);
static_assert(to_integer<16>(fp16{0x7bff}) == 32767 && to_integer<16>(fp16{0xf800}) == -32768);
static_assert(to_integer<16>(fp16{0x7c01}) == -32768 && to_integer<16>(fp16{0x83ff}) == 0);
static_assert(from_integer<fp16>(2049).bits == 0x6800 && from_integer<fp16>(2051).bits == 0x6802);
static_assert(from_integer<fp16>(65535).bits == 0x7bff);
static_assert(from_integer<fp16>(-65536).bits == 0xfbff);
static_assert(from_integer<fp32>(-3).bits == 0xc0400000 && from_integer<fp16>(0).bits == 0);
static_assert(from_fraction<fp17, 16>(0x8000).bits == 0x7800);
static_assert(from_fraction<fp17, 35>(0x7ffffffff).bits == 0x7c00);
static_assert(from_fraction<fp17, 35>(1).bits == 0 && from_fraction<fp17, 16>(0).bits == 0);

float single(fp32 x) { return std::bit_cast<float>(x.bits); }

// Random bits with many close exponents, and as many with extreme ones.
template <typename F>
F random_number(std::mt19937& random) {
  const auto bits = static_cast<std::uint32_t>(random()) & (F::sign_bit * 2 - 1);
  const F any{bits};
  const auto near = static_cast<int>(random() % 12) + F::bias - 6;
  return random() % 4 == 0 ? any : F::of(any.sign(), near, any.fraction());
}

}  // namespace

TEST_CASE("fp32 sums and products are those of IEEE 754 where both are normal") {
  std::mt19937 random(1);
  int compared = 0;
  for (int i = 0; i < 200000; ++i) {
    const auto a = random_number<fp32>(random), b = random_number<fp32>(random);
    CHECK(add(a, b) == floating::add_exact(a, b));
    CHECK(mul(a, b) == floating::mul_exact(a, b));
    if (!floating::is_normal(a) || !floating::is_normal(b)) continue;
    const float sum = single(a) + single(b), product = single(a) * single(b);
    if (std::isnormal(sum)) {
      CHECK(single(add(a, b)) == sum);
      ++compared;
    }
    if (std::isnormal(product) && std::fabs(product) > 0x1p-126f) {
      CHECK(single(mul(a, b)) == product);
      ++compared;
    }
  }
  CHECK(compared > 150000);
}

TEST_CASE("fp17 sums and products are the exact ones, rounded once") {
  std::mt19937 random(2);
  for (int i = 0; i < 100000; ++i) {
    const auto a = random_number<fp17>(random), b = random_number<fp17>(random);
    if (!floating::is_normal(a) || !floating::is_normal(b)) continue;
    const auto x = convert<fp32>(a), y = convert<fp32>(b);
    const double sum = double{single(x)} + single(y);
    // fp32 rounds the sum of fp17 numbers without harm to a second rounding.
    const fp32 rounded{std::bit_cast<std::uint32_t>(static_cast<float>(sum))};
    if (sum != 0 && std::fabs(sum) >= 0x1p-30) CHECK(add(a, b) == convert<fp17>(rounded));
    const auto product = mul(x, y);  // exact
    if (std::fabs(single(product)) >= 0x1p-30f) CHECK(mul(a, b) == convert<fp17>(product));
  }
}

TEST_CASE("every fp16 number survives widening and narrowing") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const fp16 x{bits};
    if (x.is_infinite()) continue;
    CHECK(convert<fp16>(convert<fp32>(x)) == x);
    CHECK(convert<fp16>(convert<fp17>(x)) == x);
    if (!x.is_nan()) {
      CHECK(convert<fp32>(convert<fp17>(x)) == convert<fp32>(x));
      const double value = single(convert<fp32>(x));
      const double place = x.exponent() == 0 ? std::ldexp(x.fraction(), -24)
                                             : std::ldexp(x.significand(), x.exponent() - 25);
      CHECK(value == (x.sign() != 0 ? -place : place));
    }
  }
}

TEST_CASE("every int17 becomes the nearest fp16, every fp16 the nearest int16") {
  for (std::int32_t i = -65536; i < 65536; ++i) {
    const auto x = from_integer<fp16>(i);
    const fp32 exact{std::bit_cast<std::uint32_t>(static_cast<float>(i))};
    CHECK(x == convert<fp16>(exact));
    CHECK(from_integer<fp32>(i) == exact);
  }
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const fp16 x{bits};
    if (x.is_nan() || x.is_infinite()) continue;
    const double value = single(convert<fp32>(x));
    const double rounded = std::round(value);  // half away from zero
    const double expected = rounded > 32767 ? 32767 : rounded < -32768 ? -32768 : rounded;
    CHECK(to_integer<16>(x) == static_cast<std::int32_t>(expected));
  }
}
