// SPDX-License-Identifier: Apache-2.0
// The int16 convolution against plain loops.
#include <doctest/doctest.h>

#include <random>

#include <nvdlac/sim/conv/int16_core.hpp>
#include <nvdlac/sim/conv/wide_dot.hpp>

using namespace nvdlac;

namespace {

// The accumulator: 48 bits, then rounded half away from zero.
static_assert(sim::cacc_round_int16(std::int64_t{1} << 47, 0) == (std::int64_t{1} << 47) - 1);
static_assert(sim::cacc_round_int16(-(std::int64_t{1} << 50), 16) == -(std::int64_t{1} << 31));
static_assert(sim::cacc_round_int16(3, 1) == 2 && sim::cacc_round_int16(-3, 1) == -2);

std::mt19937 random_bits(5);
std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_bits() % n); }

std::int16_t random_value() {
  switch (below(8)) {
    case 0: return -32768;
    case 1: return 32767;
    default: return static_cast<std::int16_t>(random_bits());
  }
}

struct example {
  sim::convolution c{};
  sim::cbuf_contents cbuf{};
  std::size_t group = 16, block = 64;
  std::vector<std::int16_t> kernels;  // [kernel][line][column][channel]
};

// Weights packed by counting through their order as the documentation of the layout states it.
void pack(example& e) {
  const auto& c = e.c;
  const std::size_t columns = c.pixel ? 1 : c.kernel_width;
  const std::size_t channels = c.pixel ? std::size_t{c.channels} * c.kernel_width : c.channels;
  const auto put = [&](std::size_t k, std::size_t r, std::size_t s, std::size_t ch) {
    const auto v = static_cast<std::uint16_t>(
        e.kernels[((k * c.kernel_height + r) * columns + s) * channels + ch]);
    e.cbuf.weights.push_back(static_cast<std::uint8_t>(v));
    e.cbuf.weights.push_back(static_cast<std::uint8_t>(v >> 8));
  };
  for (std::size_t g = 0; g < c.kernels; g += e.group)
    for (std::size_t b = 0; b < channels; b += e.block)
      for (std::size_t r0 = 0; r0 < c.kernel_height; r0 += c.y_extension)
        for (std::size_t s = 0; s < columns; ++s)
          for (std::size_t k = g; k < std::min<std::size_t>(c.kernels, g + e.group); ++k)
            for (std::size_t r = r0;
                 r < std::min<std::size_t>(c.kernel_height, r0 + c.y_extension); ++r)
              for (std::size_t ch = b; ch < std::min(channels, b + e.block); ++ch)
                put(k, r, s, ch);
}

example random_example() {
  example e;
  auto& c = e.c;
  c = {.channels = 1 + below(90), .kernel_width = 1 + below(4), .kernel_height = 1 + below(4),
       .kernels = 1 + below(40), .stride_x = 1 + below(3), .stride_y = 1 + below(3),
       .pad_left = below(3), .pad_top = below(3), .pad_value = random_value(),
       .precision = hw::precision::int16};
  c.truncate = static_cast<int>(below(17));
  if (below(3) == 0) {
    c.pixel = true;
    c.channels = 1 + below(4);
    c.y_extension = 1u << below(3);
  } else {
    c.dilation_x = 1 + below(3);
    c.dilation_y = 1 + below(3);
  }
  e.cbuf.width = 1 + below(9);
  e.cbuf.height = 1 + below(9);
  const auto right = below(4), bottom = below(4);
  const auto fit = [](std::uint64_t size, std::uint64_t reach, std::uint32_t stride) {
    return size < reach ? 0u : static_cast<std::uint32_t>((size - reach) / stride + 1);
  };
  c.out_width = fit(e.cbuf.width + c.pad_left + right, c.reach_x(), c.stride_x);
  c.out_height = fit(e.cbuf.height + c.pad_top + bottom, c.reach_y(), c.stride_y);
  for (std::size_t i = 0; i < std::size_t{e.cbuf.width} * e.cbuf.height * c.channels; ++i)
    e.cbuf.data16.push_back(random_value());
  for (std::size_t i = 0; i < c.kernel_elements() * c.kernels; ++i)
    e.kernels.push_back(random_value());
  pack(e);
  return e;
}

std::int64_t plain_sum(const example& e, std::size_t k, std::int64_t y, std::int64_t x) {
  const auto& c = e.c;
  std::int64_t sum = 0;
  for (std::size_t r = 0; r < c.kernel_height; ++r)
    for (std::size_t s = 0; s < c.kernel_width; ++s)
      for (std::size_t ch = 0; ch < c.channels; ++ch) {
        const auto iy = y * c.stride_y + static_cast<std::int64_t>(r * c.dilation_y) - c.pad_top;
        const auto ix = x * c.stride_x + static_cast<std::int64_t>(s * c.dilation_x) - c.pad_left;
        const bool inside = iy >= 0 && ix >= 0 && iy < e.cbuf.height && ix < e.cbuf.width;
        const std::int64_t d =
            inside ? e.cbuf.data16[static_cast<std::size_t>((iy * e.cbuf.width + ix) * c.channels) +
                                   ch]
                   : c.pad_value;
        sum += d * e.kernels[((k * c.kernel_height + r) * c.kernel_width + s) * c.channels + ch];
      }
  return sum;
}

}  // namespace

TEST_CASE("int16 convolutions are those of plain loops") {
  sim::int16_core core;  // one for all: nothing of a layer may leak into the next
  std::uint32_t computed = 0;
  for (int round = 0; round < 150; ++round) {
    const auto e = random_example();
    const auto& c = e.c;
    if (c.out_width == 0 || c.out_height == 0) continue;
    ++computed;
    CAPTURE(round);
    core.prepare(c, e.cbuf);
    constexpr std::size_t lanes = 16;
    std::vector<std::int32_t> out(std::size_t{c.out_width} * c.out_height * lanes);
    std::uint32_t saturated = 0;
    for (std::size_t s = 0; s * lanes < c.kernels; ++s) {
      std::ranges::fill(out, 99);
      core.surface(s, lanes, e.group, e.block, out);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const auto k = s * lanes + i % lanes, p = i / lanes;
        std::int64_t expected = 0;
        if (k < c.kernels) {
          expected = round_shift(plain_sum(e, k, static_cast<std::int64_t>(p / c.out_width),
                                           static_cast<std::int64_t>(p % c.out_width)),
                                 c.truncate);
          saturated += expected != saturate<32>(expected);
        }
        REQUIRE(out[i] == saturate<32>(expected));
      }
    }
    CHECK(core.saturated() == saturated);
  }
  CHECK(computed > 100);
}

TEST_CASE("dot products of the greatest and the least int16 are exact") {
  using values = std::initializer_list<std::int16_t>;
  for (const auto a : values{-32768, 32767, -1})
    for (const auto b : values{-32768, 32767, 1})
      for (const std::size_t length : {16u, 1024u, 131072u})
        for (const auto dot : {sim::wide_dot4(), &sim::wide_dot4_portable}) {
          const std::vector<std::int16_t> x(length, a), w(4 * length, b);
          const std::vector<std::size_t> halves{0, length / 2};
          std::int64_t sums[4];
          const std::size_t segments = length > 16 ? 2 : 1;
          dot(x.data(), {std::span(halves).first(segments), length / segments, w.data(), length},
              sums);
          for (const auto sum : sums)
            CHECK(sum == std::int64_t{a} * b * static_cast<std::int64_t>(length));
        }
}
