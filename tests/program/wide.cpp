// SPDX-License-Identifier: Apache-2.0
// Networks of 16-bit numbers as constants: the bytes are those of the program that is made at run
// time, whose results tests/emit/wide_networks.cpp checks.
#include <nvdlac/hw/configurations/nv_full.hpp>

#include "networks.hpp"
#include "same.hpp"

using nvdlac::nv_full;
using nvdlac::hw::precision;
using namespace networks;

namespace {

template <std::size_t N, std::uint32_t Seed>
inline constexpr auto whole = noise<std::int16_t, N>(Seed, -32768, 32767);
// Bits of fp16 from 1 to 2.
template <std::size_t N, std::uint32_t Seed>
inline constexpr auto real = noise<std::int16_t, N>(Seed, 0x3c00, 0x3fff);

inline constexpr network in_int16{
    node{"data", quantised::input{{20, 7, 6}}}.in(precision::int16).scaled(0.01),
    node{"conv", quantised::convolution{.kernels = 18, .window = square{.kernel = 3, .pad = 1},
                                      .groups = 2, .wide_weights = whole<18 * 10 * 9, 1>,
                                      .bias = bias<18, 2>, .bias_shift = 12,
                                      .multiplier = multiplier<18, 3>, .shift = 30, .relu = true}}
        .in(precision::int16).scaled(0.02),
    node{"known", quantised::constant{.shape = {18, 7, 6}, .wide_values = whole<18 * 42, 4>}}
        .in(precision::int16).scaled(0.02),
    node{"all", quantised::concat{.multiplier = first_two_as_they_are, .shift = 14}, "conv",
         "known", "conv"}.in(precision::int16).scaled(0.02),
    node{"mean", quantised::pool{.kind = nvdlac::net::pool_kind::average,
                               .window = square{.kernel = 2, .stride = 2}}}
        .in(precision::int16).scaled(0.02),
    node{"real", quantised::convert{}}.in(precision::fp16).scaled(0.02),
};

inline constexpr network in_fp16{
    node{"data", quantised::input{{20, 6, 6}}}.in(precision::fp16),
    node{"conv", quantised::convolution{.kernels = 10, .window = square{.kernel = 6},
                                      .wide_weights = real<10 * 20 * 36, 5>, .bias = real<10, 6>,
                                      .multiplier = real<10, 7>}}
        .in(precision::fp16),
    node{"prob", quantised::softmax{}}.in(precision::fp16),
};

}  // namespace

TEST_CASE("a network in int16 is compiled while compiling as at run time") {
  same::check_constants<nv_full, in_int16>();
}

TEST_CASE("a network in fp16 is compiled while compiling as at run time") {
  same::check_constants<nv_full, in_fp16>();
}

TEST_CASE("a cube tells where numbers of 16 bits are") {
  const auto s = nvdlac::layer::packed({21, 3, 5}, nvdlac::bytes{32}, {}, precision::fp16);
  const nvdlac::cube c{{0, s.size}, {21, 3, 5}, s.line_stride, s.surface_stride, 16,
                       precision::fp16};
  for (std::int32_t k = 0; k < 21; ++k)
    CHECK(c.offset(k, 2, 3) == nvdlac::layer::offset_of(s, nvdlac::bytes{32}, k, 2, 3));
}
