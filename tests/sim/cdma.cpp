// SPDX-License-Identifier: Apache-2.0
// The form that CDMA gives features and pixels on their way into the CBUF.
#include <doctest/doctest.h>

#include <nvdlac/sim/conv/load_input.hpp>

using namespace nvdlac;
using enum hw::precision;

namespace {

constexpr sim::cdma_layer converting(hw::precision in, hw::precision out, converter c,
                                     bool is_signed = true) {
  sim::cdma_layer l{.in = in, .precision = out, .is_signed = is_signed, .convert = true};
  l.converters.fill(c);
  return l;
}
constexpr std::int32_t converted(hw::precision in, hw::precision out, converter c,
                                 std::uint32_t bits, bool is_signed = true) {
  return sim::cdma_convert(converting(in, out, c, is_signed), 0, bits);
}

// Ties go away from zero, then the result saturates, at 17 bits and at those of the output.
static_assert(converted(int16, int16, {0, 1, 1}, 3) == 2);
static_assert(converted(int16, int16, {0, 1, 1}, 0xfffd) == -2);
static_assert(converted(int16, int16, {0, 1, 63}, 0x7fff) == 0);
static_assert(converted(int16, int16, {-1, 1, 0}, 0x7fff) == 32767);
static_assert(converted(int16, int16, {0, -1, 0}, 0x8000) == 32767);
static_assert(converted(int16, int16, {32767, 32767, 0}, 0x8000) == -32768);
static_assert(converted(int16, int8, {0, 1, 8}, 0x7fff) == 127);
static_assert(converted(int16, int8, {0, 1, 8}, 0x7f80) == 127);  // 127.5
static_assert(converted(int16, int8, {0, 1, 8}, 0x8000) == -128);
// Pixels are unsigned.
static_assert(converted(int16, int16, {32767, 1, 0}, 0xffff, false) == 32767);
static_assert(converted(int16, int16, {32767, 1, 0}, 0x8000, false) == 1);
static_assert(converted(int8, int16, {-128, 256, 0}, 0xff, false) == 32767);
static_assert(converted(int8, int16, {0, 100, 0}, 0xff, true) == -100);
// To fp16: nearest even, at most the greatest number.
static_assert(converted(int8, fp16, {0, 1, 0}, 1, false) == 0x3c00);
static_assert(converted(int8, fp16, {0, -1, 0}, 0xff, false) == 0xdbf8);
static_assert(converted(int16, fp16, {0, 1, 0}, 2049) == 0x6800);   // tie, down to even
static_assert(converted(int16, fp16, {0, 1, 0}, 2051) == 0x6802);   // tie, up to even
static_assert(converted(int16, fp16, {0, 2, 0}, 0x7fff) == 0x7bff); // 65534
static_assert(converted(int16, fp16, {0, 2, 0}, 0x8000) == 0xfbff);
static_assert(converted(int16, fp16, {0, 1, 0}, 0) == 0);
// fp16 and what is not converted pass.
static_assert(converted(fp16, fp16, {5, 7, 3}, 0x7e01) == 0x7e01);
static_assert(sim::cdma_convert({.in = int16, .precision = int16}, 0, 0x8001) == -32767);
static_assert(sim::cdma_convert({.is_signed = false}, 0, 0x80) == -128);

// The channels of each format in a pixel whose elements are numbered as they lie in memory.
constexpr std::array<std::uint32_t, 4> channels(std::uint32_t code, std::uint64_t pixel) {
  const auto f = sim::find_pixel_format(code).value();
  std::array<std::uint32_t, 4> v{};
  for (std::size_t c = 0; c < f.channels; ++c) v[c] = f.extract(pixel, c);
  return v;
}
using quad = std::array<std::uint32_t, 4>;
constexpr std::uint64_t bytes4 = 0x44332211, words4 = 0x4444333322221111;
static_assert(channels(0, 0xab) == quad{0xab} && channels(3, 0xabcd) == quad{0xabcd});
static_assert(channels(1, 0xffff) == quad{0xffff});  // R10 as it is stored
static_assert(channels(12, bytes4) == quad{0x11, 0x22, 0x33, 0x44});
static_assert(channels(16, bytes4) == channels(12, bytes4));
static_assert(channels(13, bytes4) == quad{0x33, 0x22, 0x11, 0x44});
static_assert(channels(17, bytes4) == channels(13, bytes4));
static_assert(channels(26, bytes4) == channels(13, bytes4));
static_assert(channels(14, bytes4) == quad{0x22, 0x33, 0x44, 0x11});
static_assert(channels(18, bytes4) == channels(14, bytes4));
static_assert(channels(27, bytes4) == channels(14, bytes4));
static_assert(channels(15, bytes4) == quad{0x44, 0x33, 0x22, 0x11});
static_assert(channels(19, bytes4) == channels(15, bytes4));
static_assert(channels(6, words4) == quad{0x1111, 0x2222, 0x3333, 0x4444});
static_assert(channels(8, words4) == channels(6, words4));
static_assert(channels(9, words4) == quad{0x3333, 0x2222, 0x1111, 0x4444});
static_assert(channels(11, words4) == channels(9, words4));
static_assert(channels(10, words4) == quad{0x2222, 0x3333, 0x4444, 0x1111});
static_assert(channels(28, 0x332211) == quad{0x11, 0x33, 0x22});
static_assert(channels(29, 0x332211) == quad{0x11, 0x22, 0x33});
static_assert(channels(34, 0x333322221111) == quad{0x1111, 0x3333, 0x2222});
static_assert(channels(31, 0x333322221111) == quad{0x1111, 0x2222, 0x3333});
// 10-bit fields 1, 2, 3 from the lowest bit, alpha 3 above them, or below.
constexpr std::uint64_t high = 3u << 30 | 3u << 20 | 2u << 10 | 1u, low = 3u << 22 | 2u << 12 | 7u;
static_assert(channels(20, high) == quad{1 << 6, 2 << 6, 3 << 6, 0xc000});
static_assert(channels(21, high) == quad{3 << 6, 2 << 6, 1 << 6, 0xc000});
static_assert(channels(24, high) == channels(21, high));
static_assert(channels(22, low) == quad{1 << 6, 2 << 6, 3 << 6, 0xc000});
static_assert(channels(25, low) == channels(22, low));
static_assert(channels(23, low) == quad{3 << 6, 2 << 6, 1 << 6, 0xc000});

// Sizes: all formats there are, no others.
constexpr bool sizes_fit() {
  for (std::uint32_t code = 0; code < 64; ++code) {
    const auto f = sim::find_pixel_format(code);
    if (f.has_value() != (code < 36)) return false;
    if (f && (f->bytes() > 8 || f->planar() != (code >= 28))) return false;
  }
  return true;
}
static_assert(sizes_fit());

std::vector<std::uint8_t> halves(std::initializer_list<std::uint16_t> values) {
  std::vector<std::uint8_t> bytes;
  for (const auto v : values) {
    bytes.push_back(static_cast<std::uint8_t>(v));
    bytes.push_back(static_cast<std::uint8_t>(v >> 8));
  }
  return bytes;
}

}  // namespace

TEST_CASE("CDMA counts the NaNs and infinities of fp16 and clears NaNs if told to") {
  sim::memory ram;
  ram.write(0, halves({0x7c01, 0x3c00, 0xfc00, 0xffff, 0x7c00, 0x0001, 0xfbff, 0x7e00}));
  for (const bool clear : {false, true}) {
    // The last channel is beyond the input's: counted, not loaded.
    sim::cdma_layer l{.in = fp16, .precision = fp16, .channels = 7, .nan_to_zero = clear};
    l.source = {.ram = &ram, .unit = 16, .width = 1, .height = 1, .surfaces = 1};
    std::vector<std::uint8_t> scratch;
    std::vector<std::int16_t> data;
    sim::convolution_counts counts;
    sim::load_feature(l, 7, scratch, data, counts);
    CHECK(counts.nan_data == 3);
    CHECK(counts.inf_data == 2);
    CHECK(counts.data_bytes == 16);
    REQUIRE(data.size() == 7);
    CHECK(data[0] == (clear ? 0 : 0x7c01));
    CHECK(data[1] == 0x3c00);
    CHECK(static_cast<std::uint16_t>(data[2]) == 0xfc00);
    CHECK(static_cast<std::uint16_t>(data[3]) == (clear ? 0 : 0xffff));
    CHECK(data[5] == 1);
  }
}

TEST_CASE("pixels of two planes, each with its offset in a line") {
  sim::memory ram;
  std::vector<std::uint8_t> y(64), uv(64);
  for (std::size_t i = 0; i < 64; ++i) {
    y[i] = static_cast<std::uint8_t>(i);
    uv[i] = static_cast<std::uint8_t>(100 + i);
  }
  ram.write(0, y);
  ram.write(1000, uv);
  sim::cdma_layer l{.pixel = true, .in = int8, .precision = int16, .width = 2, .height = 2,
                    .channels = 3, .format = sim::find_pixel_format(28).value(), .offset0 = 3,
                    .offset1 = 6, .is_signed = false, .convert = true};
  for (std::int16_t c = 0; c < 3; ++c)
    l.converters[static_cast<std::size_t>(c)] = {.offset = c, .scale = 10};
  l.source = {.ram = &ram, .base = 0, .line_stride = 32};
  l.plane1 = {.ram = &ram, .base = 1000, .line_stride = 16};
  std::vector<std::uint8_t> scratch;
  std::vector<std::int16_t> data(99, -5);
  sim::convolution_counts counts;
  sim::load_pixels(l, scratch, data, counts);
  CHECK(data == std::vector<std::int16_t>{30, 1060, 1040, 40, 1080, 1060,
                                          350, 1220, 1200, 360, 1240, 1220});
  CHECK(counts.data_bytes == 12);
}

TEST_CASE("Winograd's input is extended with its padding") {
  sim::cdma_layer l{.winograd = true, .width = 3, .height = 2, .channels = 2, .stride_x = 2,
                    .stride_y = 1, .pad_left = 1, .pad_right = 4, .pad_top = 1, .pad_bottom = 1,
                    .pad_value = -9};
  const std::vector<std::int8_t> plain{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  std::vector<std::int8_t> data;
  sim::extend_input(l, 2, plain, data);
  REQUIRE(data.size() == 4 * 4 * 4);  // 8x4 pixels of 2 lanes are 4x4 of 4
  for (std::size_t y = 0; y < 4; ++y)
    for (std::size_t x = 0; x < 8; ++x)
      for (std::size_t c = 0; c < 2; ++c) {
        const bool inside = y >= 1 && y < 3 && x >= 1 && x < 4;
        const auto expected = inside ? plain[((y - 1) * 3 + x - 1) * 2 + c] : -9;
        CHECK(data[(y * 4 + x / 2) * 4 + x % 2 * 2 + c] == expected);
      }
}
