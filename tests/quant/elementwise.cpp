// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/elementwise.hpp>

#include <doctest/doctest.h>

#include "networks.hpp"

using namespace quant_test;

TEST_CASE("shifts give multipliers of 15 bits") {
  CHECK(quant::shift_for(1.0) == 14);
  CHECK(quant::shift_for(0.999999999) == 14);  // would round up to 2^15 at shift 15
  CHECK(quant::shift_for(32767) == 0);
  CHECK(quant::shift_for(1e9) == 0);
  CHECK(quant::shift_for(1e-30) == quant::highest_shift);
  CHECK(quant::nearest_converter(1.0) == converter{.offset = 0, .scale = 1 << 14, .shift = 14});
  CHECK(quant::nearest_converter(1e30) == converter{.offset = 0, .scale = 32767, .shift = 0});
  CHECK(quant::nearest_converter(1e-30).scale == 0);
}

TEST_CASE("sums of any two scales are right to a step and a bit") {
  for (const double ratio : {1.0, 1.5, 100.0, 16384.0, 32768.0, 1e6, 1e30})
    for (const double out : {1e-30, 1e-6, 0.01, 1.0, 3.0, 1e4, 1e30}) {
      const double sa = 1, sb = 1 / ratio;
      const auto q = quant::quantise_add(sa, sb, false, out);
      for (const int a : {-128, -1, 0, 1, 100})
        for (const int b : {-128, -7, 0, 3, 127}) {
          CAPTURE(ratio); CAPTURE(out); CAPTURE(a); CAPTURE(b);
          const double wanted = std::clamp((sa * a + sb * b) / out, -128.0, 127.0);
          const int got = q.finish(static_cast<std::int8_t>(a), static_cast<std::int8_t>(b));
          CHECK(std::fabs(got - wanted) <= (ratio > 32767 ? 1.5 : 0.52));
        }
    }
}

TEST_CASE("per-channel scalings of any size are right to half a step and a bit") {
  for (const double f : {-1e20, -3.0, 0.0, 1e-20, 0.7, 1e20})
    for (const double b : {-1e25, 0.0, 5.0, 1e-20})
      for (const double out : {1e-20, 0.1, 1.0, 1e22}) {
        const std::vector factor{f, f / 3}, bias{b, -b};
        const auto q = quant::quantise_scale(factor, bias, false, 0.05, out);
        CHECK(q.addend_shift <= 16);
        for (const int x : {-128, -3, 0, 1, 127})
          for (const std::size_t c : {std::size_t{0}, std::size_t{1}}) {
            CAPTURE(f); CAPTURE(b); CAPTURE(out); CAPTURE(x); CAPTURE(c);
            const double wanted = std::clamp((factor[c] * 0.05 * x + bias[c]) / out, -128.0, 127.0);
            CHECK(std::fabs(q.finish(static_cast<std::int8_t>(x), c) - wanted) <= 0.55);
          }
      }
}

TEST_CASE("equal numbers of a scaling are kept once") {
  const std::vector<double> factor(8, 0.5), bias(8, 0.25);
  const auto q = quant::quantise_scale(factor, bias, true, 1, 1);
  CHECK(q.multiplier.size() == 1);
  CHECK(q.addend.size() == 1);
  CHECK(q.relu);
}

TEST_CASE("concat copies what has its scale and rescales the rest") {
  const std::vector scales{0.5, 0.25, 0.5 * (1 + 1e-12), 1e-9, 1e9};
  const auto q = quant::quantise_concat(scales, 0.5);
  CHECK_FALSE(q.multiplier[0]);
  CHECK_FALSE(q.multiplier[2]);
  REQUIRE(q.multiplier[1]);
  CHECK(q.finish(100, 1) == 50);
  CHECK(q.finish(100, 3) == 0);
  CHECK(q.finish(1, 4) == 127);
  CHECK(q.finish(-1, 4) == -128);
  CHECK(q.finish(0, 4) == 0);
}
