// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <variant>
#include <vector>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/pool.hpp>
#include <nvdlac/lower/rules.hpp>

using namespace nvdlac;

namespace {

// One dimension: what PDP does with the runs against what the operator means.
void check_runs(const quantised::pool& op, std::int32_t size, std::int32_t outputs,
                std::int32_t kernel, std::int32_t stride, std::int32_t before, std::int32_t after,
                std::int32_t longest) {
  const auto runs = lower::pool_runs(op, size, outputs, kernel, stride, before, after, longest);
  std::int32_t next = 0;
  const net::sliding s{kernel, stride, before, after, 1};
  for (const auto& run : runs) {
    CHECK(run.first == next);
    next += run.count;
    CHECK(run.count <= std::max(longest, 1));
    // The rule of the hardware: nothing is left over, and pads are smaller than the kernel.
    CHECK(run.input.count + run.input.pad_before + run.input.pad_after ==
          (run.count - 1) * stride + run.kernel);
    CHECK(run.input.pad_before < run.kernel);
    CHECK(run.input.pad_after < run.kernel);
    CHECK(run.input.first >= 0);
    CHECK(run.input.first + run.input.count <= size);
    for (std::int32_t i = 0; i < run.count; ++i) {
      const auto want = net::pool_span::at(s, size, run.first + i);
      const auto begin = run.input.first - run.input.pad_before + i * stride;
      const auto low = std::max(begin, run.input.first);
      const auto high = std::min(begin + run.kernel, run.input.first + run.input.count);
      CHECK(low == want.begin);
      CHECK(high == want.end);
      if (op.kind == net::pool_kind::average)
        CHECK(run.kernel == (op.count_include_pad ? want.padded : want.end - want.begin));
    }
  }
  CHECK(next == outputs);
}

}  // namespace

TEST_CASE("runs of a pooling mean the same windows, for all small parameters") {
  using enum net::pool_kind;
  for (const auto kind : {average, maximum, minimum})
    for (const bool include : {false, true})
      for (const bool ceil : {false, true})
        for (std::int32_t size = 1; size <= 9; ++size)
          for (std::int32_t kernel = 1; kernel <= 5; ++kernel)
            for (std::int32_t stride = 1; stride <= 4; ++stride)
              for (std::int32_t before = 0; before < kernel; ++before)
                for (std::int32_t after = 0; after < kernel; ++after) {
                  if (size + before + after < kernel) continue;
                  const quantised::pool op{
                      .kind = kind, .ceil = ceil, .count_include_pad = include};
                  const auto outputs = static_cast<std::int32_t>(
                      net::sliding{kernel, stride, before, after, 1}.positions(size, ceil));
                  for (const std::int32_t longest : {1, 3, 100})
                    check_runs(op, size, outputs, kernel, stride, before, after, longest);
                }
}

TEST_CASE("a wide pooling is cut at the width of the line buffers") {
  lower::assembly to;
  const net::shape in{8, 3, 200}, out{8, 1, 198};
  const quantised::pool op{.window = {.kernel_h = 3, .kernel_w = 3}};
  lower::lowering<quantised::pool, nv_small>::run(
      to, {.op = op,
           .name = "wide",
           .in = {layer::packed(in, bytes{8}, {0, 0})},
           .out = layer::packed(out, bytes{8}, {1, 0})});
  REQUIRE(to.result.layers.size() == 7);  // 198 columns in parts of 32
  std::int32_t columns = 0;
  for (const auto& l : to.result.layers) {
    const auto& pdp = std::get<layer::pdp>(l.what);
    CHECK(pdp.output.shape.w <= 32);
    CHECK(pdp.input.shape.w == pdp.output.shape.w + 2);
    CHECK(pdp.output.at.offset == static_cast<std::uint64_t>(columns) * 8);
    columns += pdp.output.shape.w;
  }
  CHECK(columns == 198);
}

namespace {

std::vector<layer::layer> lowered(const quantised::pool& op, net::shape in, net::shape out) {
  lower::assembly to;
  lower::lowering<quantised::pool, nv_small>::run(
      to, {.op = op,
           .name = "most",
           .in = {layer::packed(in, bytes{8}, {0, 0})},
           .out = layer::packed(out, bytes{8}, {1, 0})});
  return to.result.layers;
}

}  // namespace

TEST_CASE("maxima from memory take two lines at a time where PDP takes an element a cycle") {
  for (const auto kind : {net::pool_kind::maximum, net::pool_kind::minimum}) {
    const net::window four{.kernel_h = 4, .kernel_w = 4, .stride_h = 4, .stride_w = 4};
    const auto layers = lowered({.kind = kind, .window = four}, {64, 28, 28}, {64, 7, 7});
    REQUIRE(layers.size() == 3);
    const auto& conv = std::get<layer::convolution>(layers[0].what);
    CHECK(conv.input.shape == net::shape{64, 14, 28});
    CHECK(conv.input.line_stride == 2 * 28 * 8);
    CHECK(conv.input.at.offset == 0);
    const auto& x2 = std::get<layer::sdp>(layers[1].what).x2;
    CHECK(x2.operands.line_stride == 2 * 28 * 8);
    CHECK(x2.operands.at.offset == 28 * 8);
    CHECK(x2.algorithm == (kind == net::pool_kind::maximum ? layer::sdp_alu::maximum
                                                           : layer::sdp_alu::minimum));
    const auto& pdp = std::get<layer::pdp>(layers[2].what);
    CHECK(pdp.input.at.on_the_fly());
    CHECK(pdp.window.kernel_h == 2);
    CHECK(pdp.window.kernel_w == 4);
    CHECK(pdp.output.shape == net::shape{64, 7, 7});
  }
  const auto is_apart = [](const quantised::pool& op, net::shape in, net::shape out) {
    return std::holds_alternative<layer::pdp>(lowered(op, in, out)[0].what);
  };
  const net::window two{.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2};
  const net::window three{.kernel_h = 3, .kernel_w = 3, .stride_h = 3, .stride_w = 3};
  CHECK_FALSE(is_apart({.window = two}, {64, 28, 28}, {64, 14, 14}));
  CHECK(is_apart({.kind = net::pool_kind::average, .window = two}, {64, 28, 28}, {64, 14, 14}));
  CHECK(is_apart({.window = three}, {64, 27, 27}, {64, 9, 9}));
  CHECK(is_apart({.window = two}, {64, 29, 28}, {64, 14, 14}));
  CHECK(is_apart({.window = two}, {8, 28, 28}, {8, 14, 14}));
}
