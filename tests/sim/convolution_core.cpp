// SPDX-License-Identifier: Apache-2.0
// The int8 convolution on each instruction set against plain loops written from the hardware's
// formulas.
#include <doctest/doctest.h>

#include <random>

#include <nvdlac/sim/conv/core.hpp>

using namespace nvdlac;

namespace {

using i64 = std::int64_t;

struct shape {
  sim::convolution c{};
  sim::cbuf_contents cbuf{};
  std::size_t lanes = 8, group = 8, block = 8;
};

class generator {
 public:
  explicit generator(std::uint32_t seed) : bits_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(bits_()) % n; }
  std::uint32_t one_to(std::uint32_t n) { return below(n) + 1; }

  void fill(shape& s) {
    s.cbuf.channels = s.c.channels;
    s.cbuf.data.resize(std::size_t{s.cbuf.width} * s.cbuf.height * s.c.channels);
    for (auto& v : s.cbuf.data) v = static_cast<std::int8_t>(bits_());
    s.cbuf.weights.resize(static_cast<std::size_t>(s.c.kernel_elements()) * s.c.kernels);
    for (auto& v : s.cbuf.weights) v = static_cast<std::uint8_t>(bits_());
  }

  // Nothing to compute: out_width or out_height is 0.
  shape any(int round) {
    shape s;
    auto& c = s.c;
    c = {.channels = one_to(round % 3 == 0 ? 4 : 40), .kernel_width = one_to(5),
         .kernel_height = one_to(5), .kernels = one_to(20)};
    c.pixel = round % 4 == 3;
    c.stride_x = one_to(3);
    c.stride_y = one_to(3);
    if (!c.pixel) {
      c.dilation_x = one_to(3);
      c.dilation_y = one_to(3);
    }
    if (c.pixel && round % 8 == 3) c.y_extension = 1u << one_to(2);
    if (round % 14 == 0) c.stride_x = c.dilation_x = 1;
    c.pad_left = below(4);
    c.pad_top = below(4);
    c.pad_value = static_cast<std::int8_t>(bits_());
    c.truncate = static_cast<int>(below(17));
    s.cbuf.width = one_to(round % 5 == 0 ? 30 : 9);
    s.cbuf.height = one_to(9);
    const auto out = [&](std::uint32_t in, std::uint32_t pad, i64 reach, std::uint32_t stride) {
      const i64 rest = i64{in} + pad + below(4) - reach;  // the last pad is random too
      return rest < 0 ? 0u : static_cast<std::uint32_t>(rest / stride + 1);
    };
    c.out_width = out(s.cbuf.width, c.pad_left, static_cast<i64>(c.reach_x()), c.stride_x);
    c.out_height = out(s.cbuf.height, c.pad_top, static_cast<i64>(c.reach_y()), c.stride_y);
    s.lanes = 8u << below(3);
    s.group = 8u << below(3);
    s.block = 8u << below(4);
    fill(s);
    if (round % 6 == 0)  // steps without weights
      for (std::size_t i = 0; i < s.cbuf.weights.size(); ++i)
        if (i / 16 % 3 != 0) s.cbuf.weights[i] = 0;
    return s;
  }

 private:
  std::mt19937 bits_;
};

i64 rounded(i64 x, int shift) {  // half away from zero
  if (shift == 0) return x;
  const i64 magnitude = ((x < 0 ? -x : x) + (i64{1} << (shift - 1))) >> shift;
  return x < 0 ? -magnitude : magnitude;
}

// Where NVDLA keeps weight (kernel, channel or image element, line, column).
std::size_t weight_index(const shape& shape, std::size_t k, std::size_t channel, std::size_t r,
                         std::size_t s) {
  const auto& c = shape.c;
  const auto group = shape.group, block = shape.block;
  const std::size_t channels = c.pixel ? c.channels * c.kernel_width : c.channels;
  const std::size_t width = c.pixel ? 1 : c.kernel_width;
  if (c.pixel) {
    channel += s * c.channels;
    s = 0;
  }
  const auto g = k / group;
  const auto in_group = std::min(group, c.kernels - g * group);
  const auto base = g * group * channels * width * c.kernel_height;
  if (c.y_extension > 1) {
    const auto step = r / c.y_extension;
    const auto rows = std::min<std::size_t>(c.y_extension, c.kernel_height - step * c.y_extension);
    return base + step * c.y_extension * channels * in_group +
           ((k % group) * rows + r % c.y_extension) * channels + channel;
  }
  const auto b = channel / block;
  const auto in_block = std::min(block, channels - b * block);
  return base + b * block * width * c.kernel_height * in_group +
         ((r * width + s) * in_group + k % group) * in_block + channel % block;
}

// Leaves kernel k the weights of channel k.
void make_depthwise(shape& s) {
  for (std::size_t k = 0; k < s.c.kernels; ++k)
    for (std::size_t ch = 0; ch < s.c.channels; ++ch)
      for (std::size_t at = 0; ch != k && at < s.c.kernel_height * s.c.kernel_width; ++at)
        s.cbuf.weights[weight_index(s, k, ch, at / s.c.kernel_width, at % s.c.kernel_width)] = 0;
}

// Not yet saturated.
i64 plain_convolution(const shape& shape, std::size_t k, std::size_t oy, std::size_t ox) {
  const auto& c = shape.c;
  const auto& cbuf = shape.cbuf;
  i64 sum = 0;
  for (std::size_t ch = 0; ch < c.channels; ++ch)
    for (std::size_t r = 0; r < c.kernel_height; ++r)
      for (std::size_t s = 0; s < c.kernel_width; ++s) {
        const auto y = static_cast<i64>(oy * c.stride_y + r * c.dilation_y) - c.pad_top;
        const auto x = static_cast<i64>(ox * c.stride_x + s * c.dilation_x) - c.pad_left;
        const bool inside = y >= 0 && y < cbuf.height && x >= 0 && x < cbuf.width;
        const i64 v = inside ? cbuf.data[(static_cast<std::size_t>(y) * cbuf.width +
                                          static_cast<std::size_t>(x)) * c.channels + ch]
                             : c.pad_value;
        sum += v * static_cast<std::int8_t>(cbuf.weights[weight_index(shape, k, ch, r, s)]);
      }
  return rounded(sum, c.truncate);
}

struct result {
  std::vector<std::int32_t> values{};  // [surface][pixel][lane]
  std::uint32_t saturated = 0;
  bool operator==(const result&) const = default;
};

result plain(const shape& s) {
  result r;
  const auto surfaces = ceil_div(s.c.kernels, s.lanes);
  for (std::size_t first = 0; first < surfaces * s.lanes; first += s.lanes)
    for (std::size_t y = 0; y < s.c.out_height; ++y)
      for (std::size_t x = 0; x < s.c.out_width; ++x)
        for (std::size_t k = first; k < first + s.lanes; ++k) {
          const auto v = k < s.c.kernels ? plain_convolution(s, k, y, x) : 0;
          const auto clipped = std::clamp<i64>(v, INT32_MIN, INT32_MAX);
          r.saturated += v != clipped;
          r.values.push_back(static_cast<std::int32_t>(clipped));
        }
  return r;
}

result compute(sim::convolution_core& core, const shape& s, std::size_t threads = 1) {
  result r;
  const auto surfaces = static_cast<std::size_t>(ceil_div(s.c.kernels, s.lanes));
  const auto size = std::size_t{s.c.out_width} * s.c.out_height * s.lanes;
  r.values.assign(surfaces * size, 77);
  core.set_threads(threads);
  core.prepare(s.c, s.cbuf);
  for (std::size_t i = 0; i < surfaces; ++i)
    core.surface(i, s.lanes, s.group, s.block, std::span(r.values).subspan(i * size, size));
  r.saturated = core.saturated();
  return r;
}

}  // namespace

TEST_CASE("convolutions of random shapes on each instruction set") {
  for (const auto* set : sim::instruction_sets()) {
    CAPTURE(set->name);
    generator random(11);
    sim::convolution_core core(*set);  // one for all: nothing of a layer may leak into the next
    for (int round = 0; round < 400; ++round) {
      auto s = random.any(round);
      if (s.c.out_width == 0 || s.c.out_height == 0) continue;
      if (round % 7 == 0) make_depthwise(s);
      CAPTURE(round);
      REQUIRE(compute(core, s) == plain(s));
    }
  }
}

TEST_CASE("as many threads as one likes compute the same") {
  generator random(12);
  sim::convolution_core core;
  for (int round = 0; round < 6; ++round) {
    shape s{.c = {.channels = random.one_to(40), .kernel_width = 3, .kernel_height = 3,
                  .kernels = random.one_to(40), .pad_left = 1, .pad_top = 1},
            .lanes = 8u << random.below(3)};
    s.cbuf.width = s.c.out_width = 40 + random.below(20);
    s.cbuf.height = s.c.out_height = 20 + random.below(20);
    random.fill(s);
    const auto expected = compute(core, s);
    for (const std::size_t threads : {2u, 3u, 8u, 1u, 2u})
      CHECK(compute(core, s, threads) == expected);
  }
}

// 2^17 products of -128 * -128 are 2^31: one more than 32 bits hold.
TEST_CASE("sums that 32 bits just hold, and those that they do not") {
  const auto layer = [](std::uint32_t channels, std::int8_t value, std::int8_t weight) {
    shape s{.c = {.channels = channels, .kernel_width = 2, .kernels = 9, .out_width = 5,
                  .out_height = 4}};
    s.cbuf.width = 6;
    s.cbuf.height = 4;
    s.cbuf.channels = channels;
    s.cbuf.data.assign(std::size_t{6} * 4 * channels, value);
    s.cbuf.weights.assign(std::size_t{channels} * 2 * 9, static_cast<std::uint8_t>(weight));
    return s;
  };
  constexpr std::uint32_t half = 1 << 16;
  for (const auto* set : sim::instruction_sets()) {
    CAPTURE(set->name);
    sim::convolution_core core(*set);
    const auto value = [&](const shape& s) { return compute(core, s).values[0]; };
    CHECK(value(layer(half - 1, -128, -128)) == INT32_MAX - 32767);
    CHECK(core.saturated() == 0);
    CHECK(value(layer(half - 1, 127, -128)) == -127 * 128 * 2 * i64{half - 1});
    CHECK(value(layer(half, -128, -128)) == INT32_MAX);
    CHECK(core.saturated() == 9 * 20);
    CHECK(compute(core, layer(half + 9, -128, -128), 3).values[9] == INT32_MAX);
    CHECK(core.saturated() == 9 * 20);
    CHECK(value(layer(half * 2, 127, -128)) == INT32_MIN);
    auto s = layer(half * 2, -128, 127);
    CHECK(value(s) == INT32_MIN);
    s.c.truncate = 16;
    CHECK(value(s) == -128 * 127 * 4);
    CHECK(core.saturated() == 0);
    s.cbuf.weights.assign(s.cbuf.weights.size(), 0);
    CHECK(value(s) == 0);
  }
}
