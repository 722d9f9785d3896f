// SPDX-License-Identifier: Apache-2.0
#pragma once
// Networks written by hand for the C++ compiler, with constants from seeds.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/deconvolution_phases.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace networks {

namespace quantised = nvdlac::quantised;
using nvdlac::net::network;
using nvdlac::net::node;
using nvdlac::net::square;

template <class T, std::size_t N>
constexpr std::array<T, N> noise(std::uint32_t seed, int low, int high) {
  std::array<T, N> values{};
  const auto span = static_cast<std::uint32_t>(high - low + 1);
  for (T& v : values) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<T>(low + static_cast<int>((seed >> 8) % span));
  }
  return values;
}

template <std::size_t N, std::uint32_t Seed>
inline constexpr auto weights = noise<std::int8_t, N>(Seed, -128, 127);
template <std::size_t N, std::uint32_t Seed>
inline constexpr auto bias = noise<std::int16_t, N>(Seed, -200, 200);
template <std::size_t N, std::uint32_t Seed>
inline constexpr auto multiplier = noise<std::int16_t, N>(Seed, 8192, 16383);

// Half of the binary logarithm.
constexpr int half_bits(std::int32_t n) {
  int bits = 0;
  while (n > 1) {
    n /= 4;
    ++bits;
  }
  return bits;
}

// `K` kernels of `C` x `Side` x `Side`; its outputs spread over int8. Unless `Known` its constants
// are somewhere else.
template <std::int32_t K, std::int32_t C, std::int32_t Side, std::uint32_t Seed, bool Known = true>
constexpr quantised::convolution convolution(square window, bool relu = true) {
  window.kernel = Side;
  constexpr auto kernels = static_cast<std::size_t>(K);
  constexpr auto size = kernels * C * Side * Side;
  quantised::convolution op{.kernels = K, .window = window};
  op.bias_shift = 4;
  op.shift = static_cast<std::uint8_t>(20 + half_bits(C * Side * Side));
  op.relu = relu;
  if constexpr (Known) {
    op.weights = weights<size, Seed>;
    op.bias = bias<kernels, Seed>;
    op.multiplier = multiplier<kernels, Seed>;
  } else {
    op.weights = nvdlac::net::only_size{size};
    op.bias = op.multiplier = nvdlac::net::only_size{kernels};
  }
  return op;
}

inline constexpr quantised::pool halved{.window = square{.kernel = 2, .stride = 2}};
inline constexpr quantised::add sum{.multiplier = 181, .operand_shift = 7, .relu = true,
                                  .out = {0, 181, 15}};

inline constexpr network lenet{
    node{"data", quantised::input{{1, 28, 28}, quantised::pixels{{128}, {0, 16000, 14}}}}
        .scaled(0.02),
    node{"c1", convolution<6, 1, 5, 1>({.pad = 2}), "data"}.scaled(0.05),
    node{"s2", halved, "c1"}.scaled(0.05),
    node{"c3", convolution<16, 6, 5, 2>({}), "s2"}.scaled(0.05),
    node{"s4", halved, "c3"}.scaled(0.05),
    node{"c5", convolution<120, 16, 5, 3>({}), "s4"}.scaled(0.1),
    node{"f6", convolution<84, 120, 1, 4>({}), "c5"}.scaled(0.1),
    node{"f7", convolution<10, 84, 1, 5>({}, false), "f6"}.scaled(0.125),
    node{"prob", quantised::softmax{}, "f7"}.scaled(1.0 / 127),
};

// ResNet-8 for pictures of 32 x 32; its 78 thousand weights are somewhere else.
template <std::int32_t K, std::int32_t C, std::int32_t Side>
constexpr quantised::convolution sizes(square window, bool relu = true) {
  return convolution<K, C, Side, 0, false>(window, relu);
}
inline constexpr network resnet8{
    node{"data", quantised::input{{3, 32, 32}, quantised::pixels{{120, 121, 122}, {0, 16000, 14}}}},
    node{"stem", sizes<16, 3, 3>({.pad = 1}), "data"}.scaled(0.05),
    node{"a1", sizes<16, 16, 3>({.pad = 1}), "stem"}.scaled(0.05),
    node{"a2", sizes<16, 16, 3>({.pad = 1}, false), "a1"}.scaled(0.05),
    node{"a", sum, "a2", "stem"}.scaled(0.05),
    node{"b1", sizes<32, 16, 3>({.stride = 2, .pad = 1}), "a"}.scaled(0.05),
    node{"b2", sizes<32, 32, 3>({.pad = 1}, false), "b1"}.scaled(0.05),
    node{"b0", sizes<32, 16, 1>({.stride = 2}, false), "a"}.scaled(0.05),
    node{"b", sum, "b2", "b0"}.scaled(0.05),
    node{"c1", sizes<64, 32, 3>({.stride = 2, .pad = 1}), "b"}.scaled(0.05),
    node{"c2", sizes<64, 64, 3>({.pad = 1}, false), "c1"}.scaled(0.05),
    node{"c0", sizes<64, 32, 1>({.stride = 2}, false), "b"}.scaled(0.05),
    node{"c", sum, "c2", "c0"}.scaled(0.05),
    node{"mean", quantised::pool{.kind = nvdlac::net::pool_kind::average,
                               .window = square{.kernel = 8}}, "c"}.scaled(0.05),
    node{"classes", sizes<10, 64, 1>({}, false), "mean"}.scaled(0.125),
};

inline constexpr std::array<std::optional<std::int16_t>, 2> both_as_they_are{{{}, {}}};

// Two branches that begin as one convolution, of which one stands in a concat and one before it.
inline constexpr network siblings{
    node{"data", quantised::input{{8, 6, 6}}}.scaled(0.05),
    node{"stem", convolution<16, 8, 1, 51>({}), "data"}.scaled(0.05),
    node{"left", convolution<8, 16, 1, 52>({}), "stem"}.scaled(0.05),
    node{"right", convolution<12, 16, 1, 53>({}), "stem"}.scaled(0.1),
    node{"far", convolution<8, 12, 3, 54>({.pad = 1}), "right"}.scaled(0.05),
    node{"all", quantised::concat{.multiplier = both_as_they_are}, "left", "far"}.scaled(0.05),
    node{"last", convolution<8, 16, 1, 55>({}), "all"}.scaled(0.05),
};

inline constexpr std::array<std::optional<std::int16_t>, 3> first_two_as_they_are{{{}, {}, 9000}};

// Two inputs, a constant, grouped and dilated convolutions, inputs of a concat that start on an
// atom and that do not, an output in the middle of the network, a node without a name.
inline constexpr network branches{
    node{"left", quantised::input{{12, 9, 11}}}.scaled(0.05),
    node{"right", quantised::input{{8, 9, 11}}}.scaled(0.05),
    node{"known", quantised::constant{{8, 9, 11}, weights<8 * 9 * 11, 21>}}.scaled(0.05),
    node{"shifted", sum, "right", "known"}.scaled(0.05),
    node{"wide", convolution<13, 12, 3, 22>({.pad = 2, .dilation = 2}), "left"}.scaled(0.05),
    node{"grouped", quantised::convolution{.kernels = 16, .window = square{.kernel = 3, .pad = 1},
                                         .groups = 4, .weights = weights<16 * 2 * 9, 23>,
                                         .bias = bias<16, 23>, .bias_shift = 4,
                                         .multiplier = multiplier<16, 23>, .shift = 22},
         "shifted"}.scaled(0.05),
    node{"all", quantised::concat{.multiplier = first_two_as_they_are, .shift = 14}, "wide",
         "grouped", "shifted"}.scaled(0.05),
    quantised::pool{.window = square{.kernel = 3, .stride = 2, .pad = 1}},
    node{"lines", quantised::scale{.multiplier = multiplier<37, 24>, .addend = bias<37, 24>,
                                 .addend_shift = 12, .relu = true, .out = {0, 16000, 27}}},
    node{"mean", quantised::pool{.kind = nvdlac::net::pool_kind::average,
                               .window = square{.kernel = 3, .stride = 2}}, "all"}.scaled(0.05),
    node{"classes", convolution<7, 37, 1, 25>({}, false), "lines"}.scaled(0.125),
    node{"smallest", quantised::pool{.window = {.kernel_h = 5, .kernel_w = 6}},
         "classes"}.scaled(0.125),
    node{"prob", quantised::softmax{}, "smallest"}.scaled(1.0 / 127),
    node{"again", quantised::scale{.multiplier = {3}, .out = {0, 1, 1}}, "shifted"}.scaled(0.07),
};

// Normalised twice over channels, with tables of two kinds.
inline constexpr auto le_entries = noise<std::int16_t, 65>(31, 3000, 32767);
inline constexpr auto lo_entries = noise<std::int16_t, 257>(32, 3000, 32767);
inline constexpr nvdlac::arithmetic::lut_settings doubling{
    .exponential = true, .offset = 2, .hybrid_lo = true, .le = {.start = 0, .end = 100000},
    .lo = {.start = 512, .end = 131584, .select = 9}};
inline constexpr nvdlac::arithmetic::lut_settings even{
    .exponential = false, .underflow_lo = true, .overflow_lo = true,
    .le = {.start = 0, .end = 2048, .select = 5}, .lo = {.start = 0, .end = 131072, .select = 9}};
inline constexpr network normalised{
    node{"data", quantised::input{{13, 5, 6}}}.scaled(0.05),
    node{"norm1", quantised::lrn{.out = {0, 27000, 29}, .table = doubling, .le = le_entries,
                               .lo = lo_entries}, "data"}.scaled(0.05),
    node{"conv", convolution<11, 13, 1, 33>({}), "norm1"}.scaled(0.05),
    node{"norm2", quantised::lrn{.local_size = 9, .in = {3, 50, 6}, .out = {-7, 20000, 29},
                               .table = even, .le = le_entries, .lo = lo_entries},
         "conv"}.scaled(0.05),
};

// A transposed convolution of 4x2 with strides of 2x1, by its phases.
inline constexpr nvdlac::net::shape small_picture{10, 5, 4};
inline constexpr auto two_phases = [] {
  const nvdlac::net::deconvolution d{
      .kernels = 13, .window = {.kernel_h = 4, .kernel_w = 2, .stride_h = 2}};
  std::array<nvdlac::net::box, 2> boxes{};
  std::int32_t n = 0;
  for (const auto& p : nvdlac::net::phases_of(d, small_picture)) {
    boxes[static_cast<std::size_t>(n)] = p.results(d, n);
    ++n;
  }
  return boxes;
}();
template <std::uint32_t Seed>
inline constexpr quantised::convolution phase{
    .kernels = 13, .window = {.kernel_h = 2, .kernel_w = 2, .pad_top = 1, .pad_left = 1,
                              .pad_bottom = 1, .pad_right = 1},
    .weights = weights<13 * 10 * 4, Seed>, .bias = bias<13, Seed>, .bias_shift = 4,
    .multiplier = multiplier<13, Seed>, .shift = 22};
inline constexpr network transposed{
    node{"data", quantised::input{small_picture}}.scaled(0.05),
    node{"even", phase<41>, "data"}.scaled(0.05),
    node{"odd", phase<42>, "data"}.scaled(0.05),
    node{"up", quantised::move{.target = {13, 12, 5}, .boxes = two_phases}, "even", "odd"}
        .scaled(0.05),
    node{"classes", convolution<7, 13, 1, 43>({}, false), "up"}.scaled(0.125),
};

}  // namespace networks
