// SPDX-License-Identifier: Apache-2.0
// PDP in int16 and fp16 against plain loops, and its corners in every precision.
#include <doctest/doctest.h>

#include <optional>
#include <random>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "program.hpp"

using namespace nvdlac;
using sim::fp16, sim::fp17, sim::fp32;

namespace {

// PAD_VALUE of n elements has as many bits as n of the largest need.
constexpr auto int16 = hw::precision::int16, floats = hw::precision::fp16;
static_assert(sim::pdp_pad_value(1, 0x8000, int16) == -32768);
static_assert(sim::pdp_pad_value(1, 0x7fff, int16) == 32767);
static_assert(sim::pdp_pad_value(2, 0x8000, int16) == 32768);
static_assert(sim::pdp_pad_value(2, 0x1ffff, int16) == -1);
static_assert(sim::pdp_pad_value(3, 0x20000, int16) == -131072);
static_assert(sim::pdp_pad_value(4, 0x3ffff, int16) == -1);
static_assert(sim::pdp_pad_value(5, 0x3ffff, int16) == 262143);
static_assert(sim::pdp_pad_value(7, 0x7ffff, int16) == -1);
static_assert(sim::pdp_pad_value(7, 0x7ffff, floats) == 0x1ffff);

// The line buffers: 128 columns shared by 1, 2, 4 or 8 lines.
static_assert(hw::pdp_widest_output(1, 1) == 128 && hw::pdp_widest_output(8, 8) == 128);
static_assert(hw::pdp_widest_output(3, 2) == 64 && hw::pdp_widest_output(2, 1) == 64);
static_assert(hw::pdp_widest_output(3, 1) == 32 && hw::pdp_widest_output(8, 2) == 32);
static_assert(hw::pdp_widest_output(5, 1) == 16 && hw::pdp_widest_output(8, 1) == 16);
static_assert(hw::pdp_widest_output(2, 16) == 128);

// fp17 keeps 11 bits: sums depend on their order.
constexpr fp17 f17(float x) {
  return sim::convert<fp17>(fp32{std::bit_cast<std::uint32_t>(x)});
}
constexpr std::uint16_t f16(float x) {
  return static_cast<std::uint16_t>(
      sim::convert<fp16>(fp32{std::bit_cast<std::uint32_t>(x)}).bits);
}
constexpr std::array<std::uint16_t, 3> rising{f16(1.f), f16(1.f), f16(2048.f)};
constexpr std::array<std::uint16_t, 3> falling{f16(2048.f), f16(1.f), f16(1.f)};
static_assert(sim::pdp_line_sum(rising.data(), 3, 1, {}) == f17(2050.f));
static_assert(sim::pdp_line_sum(falling.data(), 3, 1, {}) == f17(2048.f));
static_assert(sim::pdp_line_sum(falling.data(), 1, 1, f17(2.f)) == f17(2050.f));
// Beyond fp16 inside, cut to its range at the end; half of a sum of denormal numbers is exact.
constexpr std::array<std::uint16_t, 2> large{0x7bff, 0x7bff}, small{0x0001, 0x0001};
constexpr fp17 half = f17(0.5f), one = f17(1.f);
constexpr auto large_sum = sim::pdp_line_sum(large.data(), 2, 1, {});
static_assert(sim::pdp_average(large_sum, half, one).bits == 0x7bff);
static_assert(sim::pdp_average(large_sum, one, one).bits == 0x7bff);
static_assert(sim::pdp_average(sim::pdp_line_sum(small.data(), 2, 1, {}), half, one).bits == 1);
static_assert(sim::pdp_average(fp17{0xfc05}, half, one).bits == 0x7c05);

std::mt19937 random_bits(31);
std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_bits()) % n; }
std::uint32_t one_to(std::uint32_t n) { return below(n) + 1; }

// A layer whose windows all hold something; nothing if the random sizes do not go together.
std::optional<sim::pdp_layer> random_layer(hw::precision p) {
  sim::pdp_layer l{.width = one_to(10), .height = one_to(10), .precision = p};
  l.method = sim::pooling(below(3));
  l.kernel_width = one_to(8);
  l.kernel_height = one_to(8);
  l.stride_x = one_to(9);
  l.stride_y = one_to(9);
  l.pad_left = below(l.kernel_width);
  l.pad_top = below(l.kernel_height);
  const auto right = below(l.kernel_width), bottom = below(l.kernel_height);
  if (l.width + l.pad_left + right < l.kernel_width) return {};
  if (l.height + l.pad_top + bottom < l.kernel_height) return {};
  l.out_width = (l.width + l.pad_left + right - l.kernel_width) / l.stride_x + 1;
  l.out_height = (l.height + l.pad_top + bottom - l.kernel_height) / l.stride_y + 1;
  if ((l.out_width - 1) * l.stride_x >= l.width + l.pad_left) return {};
  if ((l.out_height - 1) * l.stride_y >= l.height + l.pad_top) return {};
  if (p == floats) {
    l.reciprocal_width = f17(1.f / static_cast<float>(l.kernel_width)).bits;
    l.reciprocal_height = f17(1.f / static_cast<float>(l.kernel_height)).bits;
    for (std::size_t n = 1; n < 8; ++n)
      l.pad_value[n] = static_cast<std::int32_t>(f17(0.37f * static_cast<float>(n)).bits);
  } else {
    l.reciprocal_width = 65536 / l.kernel_width;
    l.reciprocal_height = 65536 / l.kernel_height;
    for (std::size_t n = 1; n < 8; ++n)
      l.pad_value[n] = static_cast<std::int32_t>(n) * static_cast<std::int16_t>(random_bits());
  }
  return l;
}

// One output by the definition; `x(y, x)` an existing element.
template <class Input>
std::uint16_t plain(const sim::pdp_layer& l, std::uint32_t oy, std::uint32_t ox, const Input& x) {
  const auto window = [](std::uint32_t o, std::uint32_t stride, std::uint32_t pad,
                         std::uint32_t kernel, std::uint32_t size) {
    std::vector<std::uint32_t> at;
    for (std::uint32_t i = 0; i < kernel; ++i)
      if (o * stride + i >= pad && o * stride + i - pad < size) at.push_back(o * stride + i - pad);
    return at;
  };
  const auto columns = window(ox, l.stride_x, l.pad_left, l.kernel_width, l.width);
  const auto rows = window(oy, l.stride_y, l.pad_top, l.kernel_height, l.height);
  const auto columns_pad = l.pad_value[l.kernel_width - columns.size()];
  const auto rows_pad = l.pad_value[l.kernel_height - rows.size()];
  const bool greatest = l.method == sim::pooling::max;
  if (l.precision == int16) {
    std::int64_t sum = 0, best = greatest ? INT64_MIN : INT64_MAX;
    for (const auto r : rows) {
      for (const auto c : columns) {
        const std::int64_t v = static_cast<std::int16_t>(x(r, c));
        sum += v;
        best = greatest ? std::max(best, v) : std::min(best, v);
      }
      sum += columns_pad;
    }
    sum += std::int64_t{rows_pad} * l.kernel_width;
    return static_cast<std::uint16_t>(
        l.method != sim::pooling::average
            ? best
            : sim::pdp_average(sum, l.reciprocal_width, l.reciprocal_height));
  }
  const auto wide = [](std::int32_t bits) { return fp17{static_cast<std::uint32_t>(bits)}; };
  fp17 sum{};
  fp16 best{};
  for (const auto r : rows) {
    fp17 line_sum{};
    fp16 line_best{};
    for (const auto c : columns) {
      const fp16 v{x(r, c)};
      const bool first = c == columns[0];
      line_sum = first ? sim::convert<fp17>(v) : add(line_sum, sim::convert<fp17>(v));
      line_best = first ? v : greatest ? max(line_best, v) : min(line_best, v);
    }
    line_sum = add(line_sum, wide(columns_pad));
    const bool first = r == rows[0];
    sum = first ? line_sum : add(line_sum, sum);
    best = first ? line_best : greatest ? max(line_best, best) : min(line_best, best);
  }
  if (l.method != sim::pooling::average) return static_cast<std::uint16_t>(best.bits);
  sum = add(sum, mul(wide(rows_pad), sim::from_integer<fp17>(l.kernel_width)));
  return static_cast<std::uint16_t>(
      sim::convert<fp16>(mul(mul(sum, {l.reciprocal_width}), {l.reciprocal_height})).bits);
}

}  // namespace

TEST_CASE("pooling of random shapes in int16 and fp16") {
  sim::pdp_integers<std::int16_t, std::int32_t> integers;
  sim::pdp_floats engine;
  for (int round = 0; round < 800; ++round) {
    CAPTURE(round);
    const auto precision = round % 2 == 0 ? int16 : floats;
    const auto l = random_layer(precision);
    if (!l) continue;
    constexpr std::size_t lanes = 4;
    std::vector<std::uint16_t> in(std::size_t{l->width} * l->height * lanes);
    for (auto& v : in) v = static_cast<std::uint16_t>(random_bits());
    if (precision == floats && round % 8 != 1)  // few special values, mostly
      for (auto& v : in) v = static_cast<std::uint16_t>((v & 0x83ff) | (10 + below(8)) << 10);
    const auto kept = in;
    std::vector<std::uint16_t> out(std::size_t{l->out_width} * l->out_height * lanes);
    if (precision == floats)
      engine.surface(*l, lanes, in, out);
    else
      integers.surface(*l, lanes, {reinterpret_cast<const std::int16_t*>(in.data()), in.size()},
                       {reinterpret_cast<std::int16_t*>(out.data()), out.size()});
    for (std::uint32_t y = 0; y < l->out_height; ++y)
      for (std::uint32_t x = 0; x < l->out_width; ++x)
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          const auto input = [&](std::uint32_t r, std::uint32_t c) {
            return kept[(std::size_t{r} * l->width + c) * lanes + lane];
          };
          REQUIRE(out[(std::size_t{y} * l->out_width + x) * lanes + lane] ==
                  plain(*l, y, x, input));
        }
  }
}

TEST_CASE("NaNs win by their place: left of others in a line, in the last line of all") {
  sim::pdp_layer l{.width = 2, .height = 2, .precision = floats, .kernel_width = 2,
                   .kernel_height = 2};
  sim::pdp_floats engine;
  const auto pooled = [&](sim::pooling method, std::vector<std::uint16_t> in) {
    l.method = method;
    std::uint16_t out = 0;
    engine.surface(l, 1, in, {&out, 1});
    return out;
  };
  l.reciprocal_width = l.reciprocal_height = one.bits;
  for (const auto method : {sim::pooling::max, sim::pooling::min, sim::pooling::average}) {
    CHECK(pooled(method, {0x7c01, 0x7c02, 0x7c03, 0x7c04}) == 0x7c03);
    CHECK(pooled(method, {0x7c01, 0x7c02, 0x3c00, 0x3c00}) == 0x7c01);
    CHECK(pooled(method, {0x3c00, 0xfc02, 0x3c00, 0x3c00}) == 0xfc02);
  }
  CHECK(pooled(sim::pooling::max, {0x8000, 0x0000, 0x8000, 0x8000}) == 0x0000);
  CHECK(pooled(sim::pooling::min, {0x0000, 0x8000, 0x0000, 0x0000}) == 0x8000);
  CHECK(pooled(sim::pooling::max, {0x7bff, 0x7c00, 0x3c00, 0x3c00}) == 0x7c00);
}

TEST_CASE("NaNs of an input from memory are counted as often as read, and flushed if set so") {
  for (const bool flush : {false, true})
    for (const bool split : {false, true}) {
      CAPTURE(flush);
      CAPTURE(split);
      sim::device<nv_full> d;
      const program::pooling p{.width = 7, .height = 1, .channels = 16, .out_width = 5,
                               .out_height = 1, .kernel = 3, .stride = 1};
      std::vector<std::uint8_t> in(7 * 32, 0);
      const auto set = [&](std::size_t x, std::uint16_t v) {
        in[32 * x] = static_cast<std::uint8_t>(v);
        in[32 * x + 1] = static_cast<std::uint8_t>(v >> 8);
      };
      set(3, 0x7c01);  // both parts read the columns 2 and 3
      set(6, 0xfc00);
      d.dram().write(p.input, in);
      auto r = program::pdp_registers<nv_full>(p);
      r.set("PDP.D_DATA_FORMAT", 2).set("PDP_RDMA.D_DATA_FORMAT", 2);
      r.count("PDP.D_POOLING_KERNEL_CFG.KERNEL_HEIGHT", 1);
      r.set("PDP.D_NAN_FLUSH_TO_ZERO", flush);
      if (split)
        for (const auto* unit : {"PDP", "PDP_RDMA"}) {
          r.count(text(unit, ".D_OPERATION_MODE_CFG.SPLIT_NUM"), 2)
              .count(text(unit, ".D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_FIRST"), 4)
              .count(text(unit, ".D_PARTIAL_WIDTH_IN.PARTIAL_WIDTH_IN_LAST"), 3);
        }
      if (split)
        r.count("PDP.D_PARTIAL_WIDTH_OUT.PARTIAL_WIDTH_OUT_FIRST", 2)
            .count("PDP.D_PARTIAL_WIDTH_OUT.PARTIAL_WIDTH_OUT_LAST", 3);
      r.write(d);
      program::enable(d, {"PDP_RDMA", "PDP"});
      REQUIRE(d.waiting().empty());
      const auto value = [&](const char* name) {
        return d.read(hw::find(hw::register_map::full, name)->address);
      };
      CHECK(value("PDP.D_NAN_INPUT_NUM") == (split ? 2 : 1));
      CHECK(value("PDP.D_INF_INPUT_NUM") == 1);
      CHECK(value("PDP.D_NAN_OUTPUT_NUM") == (flush ? 0 : 3));
    }
}

TEST_CASE("a kernel 8 wide in fp16 takes 8 times the padding of missing lines") {
  sim::pdp_layer l{.width = 8, .height = 1, .precision = floats, .method = sim::pooling::average,
                   .kernel_width = 8, .kernel_height = 2, .pad_top = 1};
  l.reciprocal_width = l.reciprocal_height = one.bits;
  l.pad_value[1] = static_cast<std::int32_t>(f17(3.f).bits);
  std::vector<std::uint16_t> in(8, f16(1.f));
  std::uint16_t out = 0;
  sim::pdp_floats{}.surface(l, 1, in, {&out, 1});
  CHECK(out == f16(32.f));
}

// PDP counts the windows that end in the padding behind its input from that padding alone, so that
// some poolings whose stride leaves elements over come out wrong.
TEST_CASE("windows in the padding behind the input are those that PDP counts") {
  struct axis { std::uint64_t in, out, kernel, stride, before, after; };
  const auto check = [](const axis& a) {
    sim::check_pooling_axis("here", a.in, a.out, a.kernel, a.stride, a.before, a.after, false);
  };
  for (const auto& right : std::initializer_list<axis>{
           {17, 6, 8, 3, 3, 4}, {10, 5, 3, 2, 1, 1}, {10, 5, 3, 2, 0, 1}, {10, 4, 3, 2, 0, 0},
           {9, 3, 3, 3, 1, 1}, {2, 1, 7, 4, 3, 4}, {2, 2, 7, 2, 3, 4}, {2, 1, 7, 3, 3, 2}}) {
    CAPTURE(right.in);
    CHECK_NOTHROW(check(right));
  }
  for (const auto& wrong : std::initializer_list<axis>{
           {17, 6, 7, 3, 3, 4}, {10, 5, 3, 2, 0, 2}, {9, 3, 4, 3, 0, 3}, {3, 2, 6, 2, 1, 5}}) {
    CAPTURE(wrong.in);
    CHECK_THROWS_WITH_AS(check(wrong), doctest::Contains("not a multiple of the stride"), error);
  }
  // Where nothing is left over, and no window lies in the padding alone, all is well.
  for (int round = 0; round < 20000; ++round) {
    axis a{one_to(12), 0, one_to(8), one_to(9), 0, 0};
    a.before = below(static_cast<std::uint32_t>(a.kernel));
    a.after = below(static_cast<std::uint32_t>(a.kernel));
    const auto padded = a.in + a.before + a.after;
    if (padded < a.kernel || (padded - a.kernel) % a.stride != 0) continue;
    a.out = (padded - a.kernel) / a.stride + 1;
    if ((a.out - 1) * a.stride < a.in + a.before) CHECK_NOTHROW(check(a));
  }
}

TEST_CASE("the parts of a split pooling are not less than what their windows share") {
  const auto layer = [](std::uint32_t kernel, std::uint32_t stride, std::array<std::uint32_t, 3> in,
                        std::array<std::uint32_t, 3> out) {
    sim::pdp_layer l{.width = in[0] + in[1] + in[2], .out_width = out[0] + out[1] + out[2]};
    l.kernel_width = kernel;
    l.stride_x = stride;
    l.split.parts = 3;
    for (std::size_t i = 0; i < 3; ++i) {
      l.split.in[i] = in[i];
      l.split.out[i] = out[i];
    }
    return l;
  };
  CHECK_NOTHROW(sim::check_split(layer(8, 1, {14, 7, 7}, {7, 7, 7})));
  CHECK_NOTHROW(sim::check_split(layer(2, 5, {12, 10, 10}, {3, 2, 2})));
  for (const auto& broken : {layer(8, 1, {10, 3, 12}, {3, 3, 12}),
                             layer(8, 1, {14, 6, 8}, {7, 6, 8}),
                             layer(2, 5, {12, 5, 3}, {3, 1, 0})})
    CHECK_THROWS_WITH_AS(sim::check_split(broken), doctest::Contains("reach over a whole part"),
                         error);
}

TEST_CASE("rules of PDP's precisions and line buffers") {
  sim::device<nv_small> d;
  const auto fails = [&](const program::registers<nv_small>& r, const char* message) {
    r.write(d);
    CHECK_THROWS_WITH_AS(program::enable(d, {"PDP_RDMA", "PDP"}), doctest::Contains(message),
                         error);
    CHECK(d.waiting().empty());
    d.reset();
  };
  auto r = program::pdp_registers<nv_small>({});
  fails(r.set("PDP.D_DATA_FORMAT", 2), "no precision 2");
  fails(r.set("PDP.D_DATA_FORMAT", 3), "no precision 3");
  // 33 columns of windows of 3 lines, one line apart.
  const program::pooling wide{.width = 35, .height = 3, .out_width = 33, .out_height = 1,
                              .kernel = 3, .stride = 1};
  fails(program::pdp_registers<nv_small>(wide), "33 columns do not fit the line buffers");
  program::pdp_registers<nv_small>({.width = 34, .height = 3, .out_width = 32, .out_height = 1,
                                    .kernel = 3, .stride = 1}).write(d);
  program::enable(d, {"PDP_RDMA", "PDP"});
  CHECK(d.waiting().empty());
}

TEST_CASE("PDP behind SDP pools the precision that SDP writes") {
  for (const int precision : {0, 1, 2}) {
    CAPTURE(precision);
    sim::device<nv_full> d;
    const program::pooling p{.width = 2, .height = 2, .channels = 16, .out_width = 1,
                             .out_height = 1};
    auto sdp = program::sdp_registers<nv_full>({.width = 2, .height = 2, .channels = 16});
    sdp.set("SDP.D_FEATURE_MODE_CFG.OUTPUT_DST", 1)
        .set("SDP.D_DATA_FORMAT.PROC_PRECISION", 1)
        .set("SDP.D_DATA_FORMAT.OUT_PRECISION", 1)
        .set("SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION", 1)
        .set("SDP_RDMA.D_FEATURE_MODE_CFG.PROC_PRECISION", 1)
        .set("SDP_RDMA.D_FEATURE_MODE_CFG.OUT_PRECISION", 1);
    auto pdp = program::pdp_registers<nv_full>(p);
    pdp.set("PDP.D_OPERATION_MODE_CFG.FLYING_MODE", 0).set("PDP.D_DATA_FORMAT", precision);
    std::vector<std::uint8_t> in(4 * 32);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * 37);
    d.dram().write(0x10000, in);
    sdp.write(d);
    pdp.write(d);
    program::enable(d, {"PDP", "SDP_RDMA"});
    if (precision != 1) {
      CHECK_THROWS_WITH_AS(program::enable(d, {"SDP"}), doctest::Contains("PDP.D_DATA_FORMAT"),
                           error);
      continue;
    }
    program::enable(d, {"SDP"});
    std::vector<std::uint8_t> out(32);
    d.dram().read(p.output, out);
    for (std::size_t c = 0; c < 16; ++c) {
      const auto word = [](const std::vector<std::uint8_t>& v, std::size_t at) {
        return static_cast<std::int16_t>(v[at] | v[at + 1] << 8);
      };
      std::int16_t best = INT16_MIN;
      for (std::size_t pixel = 0; pixel < 4; ++pixel)
        best = std::max(best, word(in, 32 * pixel + 2 * c));
      CHECK(word(out, 2 * c) == best);
    }
  }
}
