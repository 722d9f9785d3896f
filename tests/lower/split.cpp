// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/split.hpp>

using namespace nvdlac;
using net::input_range;

namespace {

constexpr bool is(net::range r, std::int32_t first, std::int32_t count, std::int32_t before,
                  std::int32_t after) {
  return r.first == first && r.count == count && r.pad_before == before && r.pad_after == after;
}
static_assert(is(input_range(10, 3, 1, 1, 0, 10), 0, 10, 1, 1));
static_assert(is(input_range(10, 3, 1, 1, 0, 4), 0, 5, 1, 0));
static_assert(is(input_range(10, 3, 1, 1, 4, 6), 3, 7, 0, 1));
static_assert(is(input_range(10, 3, 2, 0, 0, 4), 0, 9, 0, 0));  // the last line is not read

// A buffer of 4 banks of 16 entries of 8 bytes.
constexpr hw::spec tiny = [] {
  auto s = nv_small::spec;
  s.cbuf_banks = 4;
  s.cbuf_entries_per_bank = 16;
  return s;
}();
// 8 x 4 x 4 takes 4 entries a line; 8 kernels 1x1 take a bank.
static_assert(lower::split_convolution(tiny, {8, 4, 4}, {8, 4, 4}, {}, false)->rows == 4);
static_assert(lower::split_convolution(tiny, {8, 4, 4}, {8, 4, 4}, {}, false)->kernels == 8);
static_assert(lower::split_convolution(tiny, {8, 40, 4}, {8, 40, 4}, {}, false)->rows ==
              3);  // two fit
static_assert(lower::split_convolution(tiny, {8, 1, 60}, {8, 1, 60}, {}, false)->columns == 30);
static_assert(!lower::split_convolution(tiny, {512, 1, 60}, {8, 1, 60}, {}, false));

// NVIDIA's RTL of nv_small computes 9,216 inputs fastest by 13 kernels; two groups of 7,424 fit.
constexpr std::int32_t in_turns(const hw::spec& hw, std::int32_t kernels, std::int32_t channels) {
  const auto data = hw::feature_entries_per_slice(hw, hw::precision::int8, 1,
                                                  static_cast<std::uint64_t>(channels));
  return lower::detail::pace_of_kernels(hw, {kernels, channels, 1, 1}, hw::precision::int8,
                                        banks{hw.cbuf_banks} - hw::data_banks(hw, data, 1))
      .kernels;
}
static_assert(in_turns(nv_small::spec, 1024, 9216) == 13);
static_assert(in_turns(nv_small::spec, 16, 9216) == 16);
static_assert(in_turns(nv_small::spec, 1024, 7424) == 1024);
static_assert(in_turns(nv_small::spec, 1024, 25088) == 4);  // not even one group fits
static_assert(in_turns(nv_large::spec, 1024, 9216) == 1024);   // the memory is the limit

constexpr std::int32_t ahead(std::int32_t kernels, std::int32_t channels) {
  return lower::detail::kernels_ahead(nv_small::spec, {kernels, channels, 1, 1},
                                      hw::precision::int8);
}
static_assert(ahead(12, 7680) == 4);
static_assert(ahead(16, 7680) == 0);
static_assert(ahead(4, 7680) == 0);
static_assert(ahead(12, 128) == 0);

// Does a pass of so many output lines, columns and kernels fit? In words of the hardware, not of
// the split.
bool fits(const hw::spec& hw, net::shape in, net::shape out, net::window w, std::int32_t rows,
          std::int32_t columns, std::int32_t kernels) {
  std::int32_t widest = 0;
  for (std::int32_t x = 0; x < out.w; x += columns)
    widest = std::max(widest, input_range(in.w, w.extent_w(), w.stride_w, w.pad_left, x,
                                          std::min(columns, out.w - x)).count);
  const auto width = static_cast<std::uint64_t>(widest), c = static_cast<std::uint64_t>(in.c);
  const auto slice = hw::feature_entries_per_slice(hw, hw::precision::int8, width, c);
  std::int32_t lines = 0;
  for (std::int32_t y = 0; y < out.h; y += rows)
    lines = std::max(lines, input_range(in.h, w.extent_h(), w.stride_h, w.pad_top, y,
                                        std::min(rows, out.h - y)).count);
  const auto data = hw::data_banks(hw, slice, static_cast<std::uint64_t>(lines));
  const auto group =
      std::min<std::int32_t>({kernels, out.c, static_cast<std::int32_t>(hw.kernel_group())});
  const auto weights = hw::weight_banks(
      hw, hw::weight_bytes(hw, hw::precision::int8, static_cast<std::uint64_t>(group),
                           c * static_cast<std::uint64_t>(w.kernel_h * w.kernel_w)));
  return data.n + weights.n <= hw.cbuf_banks;
}

}  // namespace

TEST_CASE("input_range covers exactly what the outputs read") {
  for (std::int32_t size = 1; size <= 9; ++size)
    for (std::int32_t extent = 1; extent <= 5; ++extent)
      for (std::int32_t stride = 1; stride <= 4; ++stride)
        for (std::int32_t pad = 0; pad < extent; ++pad)
          for (std::int32_t after = 0; after < extent; ++after) {
            if (size + pad + after < extent) continue;
            const auto outputs = (size + pad + after - extent) / stride + 1;
            for (std::int32_t first = 0; first < outputs; ++first)
              for (std::int32_t count = 1; first + count <= outputs; ++count) {
                const auto r = input_range(size, extent, stride, pad, first, count);
                std::int32_t low = size, high = -1, before = 0, behind = 0;
                for (auto o = first; o < first + count; ++o)
                  for (std::int32_t k = 0; k < extent; ++k) {
                    const auto at = o * stride - pad + k;
                    if (at < 0) before = std::max(before, -at);
                    else if (at >= size) behind = std::max(behind, at - size + 1);
                    else {
                      low = std::min(low, at);
                      high = std::max(high, at);
                    }
                  }
                // A range of one window may lie between strides: then it ends at the last window.
                CHECK(r.first == low);
                CHECK(r.first + r.count == high + 1);
                CHECK(r.pad_before == before);
                CHECK(r.pad_after == behind);
                CHECK(r.pad_before < extent);
                CHECK(r.pad_after < extent);
                CHECK(r.count + r.pad_before + r.pad_after == (count - 1) * stride + extent);
              }
          }
}

TEST_CASE("a convolution is split only if it must be, and every pass fits") {
  int whole = 0, rows_split = 0, columns_split = 0, kernels_split = 0, one_pixels = 0, none = 0;
  for (const std::uint32_t banks : {2u, 4u, 6u}) {
    auto hw = tiny;
    hw.cbuf_banks = banks;
    for (const std::int32_t c : {1, 8, 20, 64})
      for (const std::int32_t h : {1, 3, 8, 17})
        for (const std::int32_t w : {1, 5, 12})
          for (const std::int32_t kernels : {1, 7, 8, 30})
            for (const net::window win :
                 {net::window{},
                  net::window{.kernel_h = 3,
                  .kernel_w = 3,
                  .pad_top = 1,
                  .pad_left = 1,
                  .pad_bottom = 1,
                  .pad_right = 1},
                  net::window{.kernel_h = 2, .kernel_w = 1, .stride_h = 2, .pad_bottom = 1}}) {
              const net::shape in{c, h, w};
              const net::shape out{
                  kernels, (h + win.pad_top + win.pad_bottom - win.kernel_h) / win.stride_h + 1, w};
              const auto split = lower::split_convolution(hw, in, out, win, false);
              bool possible = false, at_once = fits(hw, in, out, win, out.h, out.w, kernels);
              for (std::int32_t k = 1; k <= 8; ++k)
                possible = possible || fits(hw, in, out, win, 1, 1, k);
              CHECK(split.has_value() == possible);
              none += !split;
              if (!split) continue;
              CHECK(fits(hw, in, out, win, split->rows, split->columns, split->kernels));
              CHECK(split->data.n + split->weights.n <= banks);
              CHECK(split->rows >= 1);
              CHECK(split->rows <= out.h);
              CHECK(split->columns >= 1);
              CHECK(split->columns <= out.w);
              CHECK(split->kernels >= 1);
              CHECK(split->kernels <= out.c);
              const bool one_pixel = (out.h - 1) % split->rows == 0 &&
                                     (out.w - 1) % split->columns == 0 && out.h * out.w > 1;
              if (one_pixel) CHECK(split->kernels <= static_cast<int>(hw.memory_atom));
              one_pixels += one_pixel && out.c > static_cast<int>(hw.memory_atom);
              if (at_once) {
                CHECK(split->rows == out.h);
                CHECK(split->columns == out.w);
                CHECK(split->kernels == out.c);
              }
              whole += split->rows == out.h && split->columns == out.w && split->kernels == out.c;
              rows_split += split->rows < out.h;
              columns_split += split->columns < out.w;
              kernels_split += split->kernels < out.c;
            }
  }
  CHECK(whole > 50);
  CHECK(rows_split > 50);
  CHECK(columns_split > 10);
  CHECK(one_pixels > 10);
  CHECK(kernels_split > 10);
  CHECK(none > 10);
}

TEST_CASE("a pass has no more lines than CSC gives back") {
  auto hw = tiny;
  hw.cbuf_banks = 16;
  hw.cbuf_entries_per_bank = 4096;
  const net::window win{.kernel_h = 3};
  for (const std::int32_t h : {4096, 4097, 5000, 8192}) {
    const net::shape in{1, h, 1}, out{8, h - 2, 1};
    const auto split = lower::split_convolution(hw, in, out, win, false);
    REQUIRE(split);
    CHECK(split->rows + 2 <= 4096);
    CHECK((split->rows == out.h) == (h == 4096));
  }
}
