// SPDX-License-Identifier: Apache-2.0
// Winograd's convolution against the direct one, where its transformations are exact.
#include <doctest/doctest.h>

#include <random>

#include <nvdlac/sim/conv/load_input.hpp>
#include <nvdlac/sim/conv/winograd.hpp>

using namespace nvdlac;

namespace {

// B^T d B of a tile with a single one at its second row and column, and of a constant tile.
constexpr sim::tile one_at(std::size_t i) {
  sim::tile t{};
  t[i] = 1;
  return t;
}
static_assert(sim::winograd_input<16>(one_at(5), 0) ==
              sim::tile{0, 0, 0, 0, 0, 1, -1, 1, 0, -1, 1, -1, 0, 1, -1, 1});
constexpr sim::tile constant(std::int64_t v) {
  sim::tile t{};
  t.fill(v);
  return t;
}
static_assert(sim::winograd_input<8>(constant(20), 0)[5] == 80);
static_assert(sim::winograd_input<8>(constant(127), 0)[5] == 127);   // 508
static_assert(sim::winograd_input<8>(constant(-127), 2)[5] == -127);
static_assert(sim::winograd_input<8>(constant(-128), 1)[5] == -128);  // -256
static_assert(sim::winograd_input<16>(one_at(5), 1)[6] == -1);        // -1/2, away from zero
static_assert(sim::winograd_input<16>(one_at(5), 2)[6] == 0);         // -1/4
static_assert(sim::winograd_input<16>(constant(-32768), 0)[5] == -32768);
static_assert(sim::winograd_output(constant(1)) == std::array<std::int64_t, 4>{9, -3, -3, 1});
static_assert(sim::winograd_output(one_at(15)) == std::array<std::int64_t, 4>{0, 0, 0, 1});

std::mt19937 random_bits(9);
std::int64_t between(std::int64_t low, std::int64_t high) {
  const auto values = static_cast<std::uint64_t>(high - low + 1);
  return low + static_cast<std::int64_t>(random_bits() % values);
}

// G (4 g) G^T with the halves of G in the four.
sim::tile transform_kernel(const std::array<std::int64_t, 9>& g) {
  std::array<std::int64_t, 12> t{};  // 2 G g
  for (std::size_t s = 0; s < 3; ++s) {
    t[s] = 2 * g[s];
    t[3 + s] = g[s] + g[3 + s] + g[6 + s];
    t[6 + s] = g[s] - g[3 + s] + g[6 + s];
    t[9 + s] = 2 * g[6 + s];
  }
  sim::tile u{};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto *r = &t[i * 3];
    u[i * 4] = 2 * r[0];
    u[i * 4 + 3] = 2 * r[2];
    u[i * 4 + 1] = r[0] + r[1] + r[2];
    u[i * 4 + 2] = r[0] - r[1] + r[2];
  }
  return u;
}

// A convolution of stride `stride` with kernels of 3 * stride squared, 4 times the direct result.
template <class T>
void compare(std::uint32_t stride, std::int64_t data_limit, std::int64_t weight_limit) {
  const std::uint32_t channels = 8, kernels = 21, out = 4, size = stride * 3;
  sim::cdma_layer l{.winograd = true, .width = stride * 6, .height = stride * 7,
                    .channels = channels, .stride_x = stride, .stride_y = stride,
                    .pad_left = stride, .pad_right = stride, .pad_top = 0, .pad_bottom = stride,
                    .pad_value = static_cast<std::int32_t>(between(-data_limit, data_limit))};
  std::vector<T> plain(std::size_t{l.width} * l.height * channels);
  for (auto& v : plain) v = static_cast<T>(between(-data_limit, data_limit));
  std::vector<std::int64_t> g(std::size_t{kernels} * size * size * channels);  // k, r, s, c
  for (auto& v : g) v = between(-weight_limit, weight_limit);

  sim::convolution c{.channels = channels * stride * stride, .kernel_width = 4,
                     .kernel_height = 4, .kernels = kernels, .out_width = out, .out_height = out};
  c.precision = sizeof(T) == 1 ? hw::precision::int8 : hw::precision::int16;
  c.winograd = true;
  sim::cbuf_contents cbuf;
  if constexpr (sizeof(T) == 1) sim::extend_input(l, channels, plain, cbuf.data);
  else sim::extend_input(l, channels, plain, cbuf.data16);

  constexpr std::size_t group = 16, lanes = 16;
  for (std::size_t first = 0; first < kernels; first += group)
    for (std::size_t block = 0; block < c.channels; block += 4)
      for (auto k = first; k < std::min<std::size_t>(kernels, first + group); ++k) {
        std::array<sim::tile, 4> u;
        for (std::size_t i = 0; i < 4; ++i) {
          const auto phase = (block + i) / channels, channel = (block + i) % channels;
          std::array<std::int64_t, 9> part{};
          for (std::size_t j = 0; j < 9; ++j)
            part[j] = g[((k * size + j / 3 * stride + phase / stride) * size + j % 3 * stride +
                         phase % stride) * channels + channel];
          u[i] = transform_kernel(part);
        }
        for (std::size_t p = 0; p < 16; ++p)
          for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t b = 0; b < sizeof(T); ++b)
              cbuf.weights.push_back(static_cast<std::uint8_t>(u[i][p] >> 8 * b));
      }

  sim::winograd_core core;
  core.prepare(c, cbuf);
  std::vector<std::int32_t> values(out * out * lanes);
  for (std::size_t s = 0; s * lanes < kernels; ++s) {
    core.surface(s, lanes, group, 64, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto k = s * lanes + i % lanes, y = i / lanes / out, x = i / lanes % out;
      std::int64_t expected = 0;
      for (std::size_t r = 0; k < kernels && r < size; ++r)
        for (std::size_t q = 0; q < size; ++q)
          for (std::size_t ch = 0; ch < channels; ++ch) {
            const auto iy = y * stride + r - l.pad_top, ix = x * stride + q - l.pad_left;
            const std::int64_t d = iy < l.height && ix < l.width
                                       ? plain[(iy * l.width + ix) * channels + ch]
                                       : l.pad_value;
            expected += d * g[((k * size + r) * size + q) * channels + ch];
          }
      REQUIRE(values[i] == 4 * expected);
    }
  }
}

}  // namespace

TEST_CASE("Winograd is the direct convolution where nothing is cut") {
  for (int round = 0; round < 5; ++round) {
    compare<std::int8_t>(1, 31, 14);
    compare<std::int16_t>(1, 8191, 3640);
    compare<std::int8_t>(2, 31, 14);
    compare<std::int16_t>(2, 4000, 1000);
  }
}
