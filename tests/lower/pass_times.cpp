// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/pass_times.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/net/network.hpp>

using namespace nvdlac;

namespace {

constexpr hw::spec with_width(hw::spec s, std::uint32_t bytes) {
  s.dram.width_bits = 8 * bytes;
  return s;
}
constexpr lower::convolution_split found(net::shape in, net::shape out, const net::window& w = {}) {
  return *lower::split_convolution(nv_small::spec, in, out, w, false);
}
// The passes on nv_small with a memory of so many bytes a cycle.
constexpr lower::convolution_split paced(std::uint32_t width, net::shape in, net::shape out,
                                         const net::window& w = {}) {
  return lower::paced_by_memory(with_width(nv_small::spec, width), in, out, w,
                                hw::precision::int8, {}, found(in, out, w));
}

// ResNet-50's layers at 28x28: 16 banks hold 128 kernels of 512 channels.
static_assert(found({512, 28, 28}, {128, 28, 28}).rows == 7);
static_assert(paced(8, {512, 28, 28}, {128, 28, 28}).rows == 7);
static_assert(paced(1, {512, 28, 28}, {128, 28, 28}).rows == 2);  // two pairs beside all weights
static_assert(paced(1, {512, 28, 28}, {128, 28, 28}).data == banks{14});
static_assert(paced(1, {512, 28, 28}, {128, 28, 28}).weights == banks{16});
static_assert(paced(1, {512, 28, 28}, {256, 28, 28}).kernels == 128);  // the data come twice

// 512 kernels of 3x3, whose weights come for each pass: two of one kernel group instead of three.
constexpr net::window strided{.kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2,
                              .pad_top = 1, .pad_left = 1};
static_assert(found({512, 14, 14}, {512, 7, 7}, strided).rows == 3);
static_assert(paced(1, {512, 14, 14}, {512, 7, 7}, strided).rows == 4);

// Where the MACs are the limit nothing changes.
static_assert(paced(8, {64, 56, 56}, {64, 56, 56}, net::square{.kernel = 3, .pad = 1}).rows ==
              found({64, 56, 56}, {64, 56, 56}, net::square{.kernel = 3, .pad = 1}).rows);

}  // namespace

TEST_CASE("passes for any memory fit the CBUF and are of whole kernel groups and atoms") {
  std::int32_t others = 0;
  for (const auto* hw : {&nv_small::spec, &nv_large::spec})
    for (const std::uint32_t width : {1u, 2u, 8u})
      for (const std::int32_t c : {8, 64, 512, 1024})
        for (const std::int32_t h : {2, 7, 28, 56})
          for (const std::int32_t kernels : {16, 90, 512})
            for (const net::window& w : {net::window{}, strided}) {
              const auto narrow = with_width(*hw, width);
              const net::shape in{c, h, h};
              const auto size = (h + w.pad_top - w.kernel_h) / w.stride_h + 1;
              const net::shape out{kernels, size, size};
              const auto p = hw::precision::int8;
              const auto split = lower::split_convolution(narrow, in, out, w, false);
              if (!split || split->columns < out.w) continue;
              const auto now = lower::paced_by_memory(narrow, in, out, w, p, {}, *split);
              CAPTURE(in);
              CAPTURE(out);
              CAPTURE(width);
              const auto columns = std::min((size - 1) * w.stride_w + w.kernel_w - w.pad_left, h);
              const auto slice = lower::slice_of(narrow, c, {.count = columns}, false, p);
              const auto lines = std::min((now.rows - 1) * w.stride_h + w.kernel_h, h);
              CHECK(now.data >= hw::data_banks(narrow, slice, static_cast<std::uint64_t>(lines)));
              CHECK(now.data + now.weights <= banks{narrow.cbuf_banks});
              const auto group = std::min<std::int32_t>(
                  now.kernels, static_cast<std::int32_t>(narrow.kernel_group(p)));
              CHECK(now.weights >= hw::weight_banks(narrow, lower::packed_size(
                                       narrow, {group, c, w.kernel_h, w.kernel_w})));
              if (now.kernels < kernels && now.kernels != split->kernels)
                CHECK(static_cast<std::uint64_t>(now.kernels) % narrow.kernel_group(p) == 0);
              others += now.rows != split->rows || now.kernels != split->kernels;
            }
  CHECK(others > 20);
}
