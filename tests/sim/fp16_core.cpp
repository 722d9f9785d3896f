// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>

#include <nvdlac/sim/conv/fp16_core.hpp>
#include <nvdlac/sim/conv/fp16_winograd.hpp>

using namespace nvdlac;
using namespace nvdlac::sim;

namespace {

using halves = std::vector<std::uint16_t>;

// Mostly near 1, some zeros; with `special` NaNs and infinities too.
std::uint16_t random_half(std::mt19937& random, bool special) {
  const auto r = static_cast<std::uint32_t>(random());
  if (special && r % 97 == 0) return static_cast<std::uint16_t>(0x7c00 | (r >> 16 & 0x83ff));
  if (r % 5 == 0) return static_cast<std::uint16_t>(r >> 16 & 0x8000);
  return static_cast<std::uint16_t>((r >> 16 & 0x83ff) | (8 + (r >> 8) % 10) << 10);
}

cbuf_contents random_contents(const convolution& c, std::uint32_t width, std::uint32_t height,
                              std::mt19937& random, bool special) {
  cbuf_contents cbuf;
  cbuf.width = width;
  cbuf.height = height;
  cbuf.channels = c.channels;
  cbuf.data16.resize(std::size_t{width} * height * c.channels);
  for (auto& v : cbuf.data16) v = static_cast<std::int16_t>(random_half(random, special));
  for (std::uint64_t i = 0; i < c.kernel_elements() * c.kernels; ++i) {
    const auto w = random_half(random, special && random() % 8 == 0);
    cbuf.weights.push_back(static_cast<std::uint8_t>(w));
    cbuf.weights.push_back(static_cast<std::uint8_t>(w >> 8));
  }
  return cbuf;
}

// By definition: one pass for each step in the order of the weights in memory.
class expected_direct {
 public:
  expected_direct(const convolution& c, const cbuf_contents& cbuf, std::size_t group,
                  std::size_t block)
      : c_(c), cbuf_(cbuf), group_(group), block_(block) {}

  std::uint32_t operator()(std::size_t k, std::size_t y, std::size_t x) const {
    const auto start = k / group_ * group_;
    const auto in_group = std::min<std::size_t>(group_, c_.kernels - start);
    auto at = start * c_.kernel_elements();
    fp16_accumulator sum;
    const std::size_t run = c_.pixel ? std::size_t{c_.channels} * c_.kernel_width : c_.channels;
    for (std::size_t c0 = 0; c0 < run; c0 += block_)
      for (std::size_t r = 0; r < c_.kernel_height; r += c_.y_extension)
        for (std::size_t s = 0; s < (c_.pixel ? 1 : c_.kernel_width); ++s) {
          const auto n = std::min(block_, run - c0);
          halves data, weights;
          for (std::size_t r1 = r; r1 < std::min<std::size_t>(r + c_.y_extension,
                                                              c_.kernel_height); ++r1)
            for (std::size_t i = 0; i < n; ++i) {
              const auto e = c0 + i;
              const auto column = c_.pixel ? x * c_.stride_x + e / c_.channels
                                           : x * c_.stride_x + s * c_.dilation_x;
              data.push_back(input(y * c_.stride_y + r1 * c_.dilation_y, column,
                                   e % c_.channels));
            }
          for (std::size_t i = 0; i < data.size(); ++i)
            weights.push_back(weight(at + (k - start) * data.size() + i));
          at += data.size() * in_group;
          sum.add(sum_of_products(data, weights));
        }
    return sum.result().bits;
  }

 private:
  std::uint16_t input(std::size_t y, std::size_t x, std::size_t channel) const {
    if (y < c_.pad_top || y >= c_.pad_top + cbuf_.height || x < c_.pad_left ||
        x >= c_.pad_left + cbuf_.width)
      return static_cast<std::uint16_t>(c_.pad_value);
    const auto pixel = (y - c_.pad_top) * cbuf_.width + x - c_.pad_left;
    return static_cast<std::uint16_t>(cbuf_.data16[pixel * c_.channels + channel]);
  }
  std::uint16_t weight(std::size_t i) const {
    return static_cast<std::uint16_t>(cbuf_.weights[2 * i] | cbuf_.weights[2 * i + 1] << 8);
  }

  const convolution& c_;
  const cbuf_contents& cbuf_;
  std::size_t group_, block_;
};

template <class Core, class Expected>
void check(Core& core, const convolution& c, const cbuf_contents& cbuf, std::size_t lanes,
           std::size_t group, std::size_t block, Expected&& expected) {
  core.prepare(c, cbuf);
  std::vector<std::int32_t> out(std::size_t{c.out_width} * c.out_height * lanes);
  for (std::size_t s = 0; s * lanes < c.kernels; ++s) {
    std::ranges::fill(out, 77);
    core.surface(s, lanes, group, block, out);
    for (std::size_t y = 0; y < c.out_height; ++y)
      for (std::size_t x = 0; x < c.out_width; ++x)
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          const auto k = s * lanes + lane;
          const auto got = static_cast<std::uint32_t>(out[(y * c.out_width + x) * lanes + lane]);
          if (got != (k < c.kernels ? expected(k, y, x) : 0)) {
            CAPTURE(k);
            CAPTURE(y);
            CAPTURE(x);
            CHECK(got == (k < c.kernels ? expected(k, y, x) : 0));
            return;
          }
        }
  }
  CHECK(core.saturated() == 0);
}

}  // namespace

TEST_CASE("fp16 convolutions are the passes of their definition") {
  std::mt19937 random(1);
  const auto some = [&](std::uint32_t n) { return 1 + static_cast<std::uint32_t>(random()) % n; };
  for (int i = 0; i < 120; ++i) {
    convolution c{.channels = some(150), .kernel_width = some(3), .kernel_height = some(3),
                  .kernels = some(40), .stride_x = some(2), .stride_y = some(3),
                  .dilation_x = some(2), .dilation_y = some(2), .pad_left = some(3) - 1,
                  .pad_top = some(3) - 1, .precision = hw::precision::fp16};
    c.pad_value = random() % 2 == 0 ? 0 : 0x3c00;
    c.pixel = i % 3 == 0;
    if (c.pixel) {
      c.channels = some(4);
      c.dilation_x = c.dilation_y = 1;
      c.kernel_width = some(20);
      c.kernel_height = some(5);
      if (c.channels * c.kernel_width <= 16) c.y_extension = 1u << random() % 3;
    }
    c.out_width = some(5);
    c.out_height = some(5);
    const auto extent = [&](std::uint32_t out, std::uint32_t stride, std::uint64_t reach) {
      return some(static_cast<std::uint32_t>((out - 1) * stride + reach));  // padding beyond it
    };
    const bool special = i % 4 == 1;
    if (special && random() % 4 == 0) c.pad_value = 0x7c01;
    const auto width = extent(c.out_width, c.stride_x, c.reach_x());
    const auto height = extent(c.out_height, c.stride_y, c.reach_y());
    const auto cbuf = random_contents(c, width, height, random, special);
    const auto& ways = fp16_ways();
    fp16_core core(ways[static_cast<std::size_t>(i) % ways.size()]);
    core.set_threads(i % 5 == 0 ? 3 : 1);
    const std::size_t lanes = i % 7 == 0 ? 4 : i % 7 == 1 ? 32 : 16;
    const std::size_t block = i % 3 == 2 ? 32 : 64;
    CAPTURE(i);
    check(core, c, cbuf, lanes, 16, block, expected_direct(c, cbuf, 16, block));
  }
}

TEST_CASE("fp16 Winograd convolutions are the passes of their definition") {
  std::mt19937 random(2);
  for (std::uint32_t i = 0; i < 16; ++i) {
    convolution c{.channels = 4 * (1 + i), .kernel_width = 4, .kernel_height = 4,
                  .kernels = 5 + 4 * i, .precision = hw::precision::fp16, .winograd = true};
    c.out_width = 4 * (1 + i % 3);
    c.out_height = 4 + 4 * (i % 2);
    const auto cbuf = random_contents(c, c.out_width + 4, c.out_height + 4, random, i % 4 == 3);
    const auto expected = [&](std::size_t k, std::size_t y, std::size_t x) {
      fp16_accumulator sum;
      const auto start = k / 16 * 16, in_group = std::min<std::size_t>(16, c.kernels - start);
      for (std::size_t b = 0; b < c.channels / 4; ++b) {
        std::array<std::uint16_t, 64> data{}, weights{};
        for (std::size_t channel = 0; channel < 4; ++channel) {
          std::array<std::uint16_t, 16> d{};
          for (std::size_t p = 0; p < 16; ++p) {
            const auto at = (y / 2 * 2 + p / 4) * (c.out_width + 4) + x / 2 * 2 + p % 4;
            d[p] = static_cast<std::uint16_t>(cbuf.data16[at * c.channels + b * 4 + channel]);
          }
          const auto v = fp16_winograd_input(d);
          for (std::size_t p = 0; p < 16; ++p) data[p * 4 + channel] = v[p];
        }
        for (std::size_t p = 0; p < 64; ++p) {
          const auto at = start * c.kernel_elements() + (b * in_group + k - start) * 64 + p;
          weights[p] = static_cast<std::uint16_t>(cbuf.weights[2 * at] |
                                                  cbuf.weights[2 * at + 1] << 8);
        }
        sum.add(fp16_winograd_pass(data, weights)[y % 2 * 2 + x % 2]);
      }
      return sum.result().bits;
    };
    const auto& ways = fp16_ways();
    fp16_winograd_core core(ways[i % ways.size()]);
    core.set_threads(1 + i % 3);
    CAPTURE(i);
    check(core, c, cbuf, 16, 16, 64, expected);
  }
}
