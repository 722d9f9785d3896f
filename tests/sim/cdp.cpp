// SPDX-License-Identifier: Apache-2.0
// CDP: its converters at their corners, its engine against plain loops, its layers on the bus.
#include <doctest/doctest.h>

#include <random>
#include <tuple>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "cdp_program.hpp"

using namespace nvdlac;
using sim::fp16, sim::fp17, sim::fp32;

namespace {

// Input converter: half away from zero, 9 and 17 bits.
constexpr sim::cdp_converter halved{.offset = 0, .scale = 1, .shift = 1};
static_assert(sim::cdp_input<8>(halved, 3) == 2 && sim::cdp_input<8>(halved, -3) == -2);
static_assert(sim::cdp_input<8>({.offset = 127}, -128) == -255);
static_assert(sim::cdp_input<8>({.offset = 1, .scale = 2}, -128) == -256);
static_assert(sim::cdp_input<8>({.offset = -1, .scale = 2}, 127) == 255);
static_assert(sim::cdp_input<16>({.offset = -1, .scale = 2}, 32767) == 65535);
static_assert(sim::cdp_input<16>({.offset = 1, .scale = 2}, -32768) == -65536);
static_assert(sim::cdp_input<16>({.offset = 0, .scale = 32767, .shift = 31}, 32767) == 0);

// Output converter: more than 1 beyond the range counts as saturation.
constexpr sim::cdp_result kept(std::int16_t v) { return {v, false}; }
constexpr sim::cdp_result cut(std::int16_t v) { return {v, true}; }
static_assert(sim::cdp_output<8>(halved, 255) == kept(127));    // 127.5
static_assert(sim::cdp_output<8>(halved, 257) == kept(127));    // 128.5
static_assert(sim::cdp_output<8>(halved, 258) == cut(127));
static_assert(sim::cdp_output<8>(halved, -257) == kept(-128));  // -128.5
static_assert(sim::cdp_output<8>(halved, -258) == kept(-128));
static_assert(sim::cdp_output<8>(halved, -259) == cut(-128));   // -129.5
static_assert(sim::cdp_output<8>(halved, 5) == kept(3));
static_assert(sim::cdp_output<8>(halved, -5) == kept(-3));
static_assert(sim::cdp_output<16>({}, 32768) == kept(32767));
static_assert(sim::cdp_output<16>({}, 32769) == cut(32767));
static_assert(sim::cdp_output<16>({.offset = INT32_MIN, .scale = -32768}, 1LL << 32) ==
              cut(-32768));
static_assert(sim::cdp_output<16>({.scale = 32767, .shift = 63}, -(1LL << 31)) == kept(0));
static_assert(sim::cdp_output<8>({.scale = 32767, .shift = 63}, 1LL << 23) == kept(0));

// Sums of fp32 are not associative: neighbours first, the nearest before the centre.
constexpr fp32 single(float x) { return {std::bit_cast<std::uint32_t>(x)}; }
constexpr std::array<fp32, 5> around{single(1.f), single(0x1p24f), single(1.f), single(-0x1p24f),
                                     single(1.f)};
static_assert(sim::cdp_sum(around.data() + 2, 1) == single(1.f));
static_assert(sim::cdp_sum(around.data() + 2, 2) == single(3.f));
static_assert(sim::cdp_sum(around.data() + 1, 1) == single(0x1p24f + 2.f));

// A NaN goes around the table where there is no product, and through the product where there is.
constexpr fp17 nan{0xfc07}, two{0x8000};
static_assert(sim::cdp_product(nan, two, true) == fp16{0x7c07});
static_assert(sim::cdp_product(nan, two, false) == fp16{0x7c07});
static_assert(sim::cdp_product(two, nan, false) == fp16{0x7c07});
static_assert(sim::cdp_product(two, two, true) == fp16{0x4000});
static_assert(sim::cdp_product(two, two, false) == fp16{0x4400});
static_assert(sim::cdp_product({0xfbff}, {0xfbff}, false) == fp16{0x7bff});  // the largest stays

std::mt19937 random_bits(23);
std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_bits()) % n; }
std::int32_t within(std::int32_t n) {
  return static_cast<std::int32_t>(below(2 * static_cast<std::uint32_t>(n) + 1)) - n;
}

std::int16_t table_entry(hw::precision p) {
  const auto bits = static_cast<std::uint16_t>(random_bits());
  if (p == hw::precision::fp16 && fp16{bits}.is_nan()) return 0x3c00;
  return static_cast<std::int16_t>(bits);
}

sim::lut_domain random_domain(hw::precision p, int last) {
  sim::lut_domain d;
  if (p == hw::precision::fp16) {
    d.select = within(3);
    d.start = static_cast<std::int32_t>(single(static_cast<float>(within(4))).bits);
    d.end = static_cast<std::int32_t>(single(static_cast<float>(within(300))).bits);
    d.underflow.scale = table_entry(p);
    d.overflow.scale = table_entry(p);
    return d;
  }
  const int size = p == hw::precision::int8 ? 14 : 31;
  d.select = size - 8 + static_cast<int>(below(8)) - (last == 256 ? 2 : 0);
  d.start = within(1 << (size - 2));
  d.end = d.start + (std::int64_t{last} << d.select);
  d.underflow = {static_cast<std::int16_t>(random_bits()), static_cast<int>(below(32)) - 16};
  d.overflow = {static_cast<std::int16_t>(random_bits()), static_cast<int>(below(32)) - 16};
  return d;
}

sim::cdp_layer random_layer(hw::precision p) {
  sim::cdp_layer l{.channels = 1 + below(40), .precision = p};
  l.reach = 1 + static_cast<int>(below(4));
  l.sum_bypass = below(3) == 0;
  l.product_bypass = below(3) == 0;
  l.nan_to_zero = below(2) != 0;
  l.input = {.offset = within(20), .scale = within(300), .shift = static_cast<int>(below(10))};
  l.output = {.offset = within(1000), .scale = within(3000), .shift = static_cast<int>(below(30))};
  l.lut.exponential = below(2) != 0;
  l.lut.offset = within(12);
  l.lut.underflow_lo = below(2) != 0;
  l.lut.overflow_lo = below(2) != 0;
  l.lut.hybrid_lo = below(2) != 0;
  l.lut.le = random_domain(p, 64);
  l.lut.lo = random_domain(p, 256);
  return l;
}

std::uint16_t element(std::span<const std::uint8_t> bytes, hw::precision p, std::size_t index) {
  if (p == hw::precision::int8) return bytes[index];
  return static_cast<std::uint16_t>(bytes[2 * index] | bytes[2 * index + 1] << 8);
}

// One element by the definition; `x(c)` the input of channel c, 0 <= c < l.channels.
template <class Input>
std::uint16_t plain(const sim::cdp_layer& l, const sim::lut_tables& t, std::int64_t channel,
                    const Input& x, sim::cdp_statistics& st) {
  const auto exists = [&](std::int64_t c) { return c >= 0 && c < l.channels; };
  if (l.precision == hw::precision::fp16) {
    const auto value = [&](std::int64_t c) {
      fp16 v{exists(c) ? x(c) : std::uint16_t{0}};
      if (v.is_nan() && l.nan_to_zero) v = {};
      return sim::convert<fp17>(v);
    };
    const auto square = [&](std::int64_t c) {
      const auto v = sim::convert<fp32>(value(c));
      return l.sum_bypass ? v : mul(v, v);
    };
    auto sum = square(channel);
    if (!l.sum_bypass) {
      sum = add(add(square(channel - 1), square(channel + 1)), sum);
      for (int i = 2; i <= l.reach; ++i)
        sum = add(sum, add(square(channel - i), square(channel + i)));
    }
    const auto y =
        sim::cdp_product(value(channel), sim::cdp_lut(l.lut, t, sum, st.lut), l.product_bypass);
    st.nan_outputs += y.is_nan();
    return static_cast<std::uint16_t>(y.bits);
  }
  const bool byte = l.precision == hw::precision::int8;
  const auto value = [&](std::int64_t c) -> std::int64_t {
    if (!exists(c)) return 0;
    return byte ? sim::cdp_input<8>(l.input, static_cast<std::int8_t>(x(c)))
                : sim::cdp_input<16>(l.input, static_cast<std::int16_t>(x(c)));
  };
  std::int64_t sum = 0;
  for (std::int64_t c = channel - l.reach; c <= channel + l.reach; ++c) sum += value(c) * value(c);
  if (l.sum_bypass) sum = value(channel);
  std::int64_t r = sim::cdp_lut(l.lut, t, sum, st.lut);
  if (!l.product_bypass) r *= value(channel);
  const auto y = byte ? sim::cdp_output<8>(l.output, r) : sim::cdp_output<16>(l.output, r);
  st.saturations += y.saturated;
  return static_cast<std::uint16_t>(byte ? y.value & 0xff : y.value);
}

void check_random_layers(hw::precision p, int rounds) {
  sim::cdp_engine engine;
  sim::lut_tables tables;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const auto l = random_layer(p);
    if (round % 3 == 0) {
      for (auto& e : tables.le) e = table_entry(p);
      for (auto& e : tables.lo) e = table_entry(p);
    }
    const std::size_t atom = 8u << below(3), lanes = atom / hw::element_bytes(p);
    const std::size_t pixels = 1 + below(6), surfaces = (l.channels + lanes - 1) / lanes;
    std::vector<std::uint8_t> in(surfaces * pixels * atom), out(in.size());
    for (auto& b : in) b = static_cast<std::uint8_t>(random_bits());
    engine.begin(l, tables);
    engine.block(pixels, lanes, in, out);
    sim::cdp_statistics expected;
    for (std::size_t pixel = 0; pixel < pixels; ++pixel)
      for (std::size_t c = 0; c < surfaces * lanes; ++c) {
        const auto at = [&](std::size_t channel) {
          return (channel / lanes * pixels + pixel) * lanes + channel % lanes;
        };
        const auto x = [&](std::int64_t channel) {
          return element(in, p, at(static_cast<std::size_t>(channel)));
        };
        REQUIRE(element(out, p, at(c)) ==
                plain(l, tables, static_cast<std::int64_t>(c), x, expected));
      }
    CHECK(engine.statistics.lut == expected.lut);
    CHECK(engine.statistics.saturations == expected.saturations);
    CHECK(engine.statistics.nan_outputs == expected.nan_outputs);
  }
}

template <hw::hardware Hw>
void run(sim::device<Hw>& d, const program::registers<Hw>& r) {
  r.write(d);
  program::enable(d, {"CDP_RDMA", "CDP"});
}

// A table that is the identity on 0..64 and, by its slopes, everywhere else.
sim::lut_tables identity() {
  sim::lut_tables t;
  for (std::size_t i = 0; i < t.le.size(); ++i) t.le[i] = static_cast<std::int16_t>(i);
  return t;
}

template <hw::hardware Hw>
program::registers<Hw> identity_slopes() {
  program::registers<Hw> r;
  r.set("CDP.S_LUT_LE_SLOPE_SCALE.LUT_LE_SLOPE_UFLOW_SCALE", 1)
      .set("CDP.S_LUT_LE_SLOPE_SCALE.LUT_LE_SLOPE_OFLOW_SCALE", 1);
  return r;
}

}  // namespace

TEST_CASE("CDP layers of random settings in int8") {
  check_random_layers(hw::precision::int8, 300);
}
TEST_CASE("CDP layers of random settings in int16") {
  check_random_layers(hw::precision::int16, 300);
}
TEST_CASE("CDP layers of random settings in fp16") {
  check_random_layers(hw::precision::fp16, 200);
}

TEST_CASE("CDP in int8 computes the same with every instruction set") {
  const sim::cdp_way portable, fastest = sim::fastest_cdp_way();
  constexpr std::size_t n = 64;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    std::vector<std::uint8_t> x(n);
    std::vector<std::int32_t> converted(256), entries(9 * 256 * 256 + 1);
    for (auto& v : x) v = static_cast<std::uint8_t>(random_bits());
    for (auto& v : converted) v = static_cast<std::int32_t>(below(512)) - 256;
    for (auto& e : entries) {  // hardly any unknown
      e = static_cast<std::int32_t>(below(5) << 16 | (random_bits() & 0xffff));
      if (below(1 << 10) == 0) e = sim::cdp_finish::unknown;
    }
    const sim::cdp_converter output{.offset = within(1 << 24), .scale = within(32767),
                                    .shift = static_cast<int>(below(round % 2 == 0 ? 64 : 45))};
    const auto run = [&](const sim::cdp_way& way) {
      std::vector<std::int32_t> values(n), squares(n + 8), sums(n);
      std::vector<std::uint8_t> results(n);
      way.squares(x.data(), converted.data(), values.data(), squares.data() + 4, n);
      way.sums(squares.data() + 4, sums.data(), n, 1 + round % 4);
      sim::cdp_finish_counts counts;
      const auto end = way.finish({entries.data(), sums.data(), values.data(), results.data(), n,
                                   round % 3 == 0, output}, 0, counts);
      return std::tuple(values, squares, sums, results, end, counts.kinds, counts.saturations);
    };
    CHECK(run(portable) == run(fastest));
  }
}

TEST_CASE("a CDP layer in place, with strides, counts what its table did") {
  sim::device<nv_small> d;
  program::load_cdp_tables(d, identity(), 0);
  identity_slopes<nv_small>().write(d);
  // 3 x 2 pixels of 11 channels, lines 48 bytes apart, surfaces 128.
  const program::normalisation n{.width = 3, .height = 2, .channels = 11, .sum_bypass = true,
                                 .product_bypass = true, .output = 0x10000};
  std::vector<std::uint8_t> memory(256, 0x77);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i);
  d.dram().write(n.input, memory);
  auto r = program::cdp_registers<nv_small>(n);
  for (const auto* unit : {"CDP_RDMA.D_SRC", "CDP.D_DST"})
    r.bytes(text(unit, "_LINE_STRIDE"), 48).bytes(text(unit, "_SURFACE_STRIDE"), 128);
  run(d, r);
  REQUIRE(d.waiting().empty());
  auto expected = memory;
  for (const auto line : {std::size_t{0}, std::size_t{48}})
    for (std::size_t pixel = 0; pixel < 3; ++pixel)
      std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(128 + line + 8 * pixel + 3), 5,
                  std::uint8_t{0});  // beyond the last channel: LUT(0)
  std::vector<std::uint8_t> got(256);
  d.dram().read(n.output, got);
  CHECK(got == expected);
  const auto value = [&](const char* name) {
    return d.read(hw::find(hw::register_map::small, name)->address);
  };
  CHECK(value("CDP.D_PERF_LUT_UFLOW") + value("CDP.D_PERF_LUT_LE_HIT") +
            value("CDP.D_PERF_LUT_HYBRID") + value("CDP.D_PERF_LUT_OFLOW") == 96);
  CHECK(value("CDP.D_PERF_LUT_LE_HIT") == 39);  // the bytes 1..23 and 48..63
  CHECK(value("CDP.D_PERF_LUT_LO_HIT") == 0);
  CHECK(value("CDP.D_OUT_SATURATION") == 0);
  CHECK(value("GLB.S_INTR_STATUS") == 4);
}

TEST_CASE("a wide CDP layer is the same in one block of pixels and in many") {
  sim::device<nv_full> d;
  program::load_cdp_tables(d, identity(), 9);
  const program::normalisation n{.width = 200, .height = 1, .channels = 300, .output_shift = 2};
  const auto surface = std::size_t{n.width} * 32;
  std::vector<std::uint8_t> memory(10 * surface), first(32 * 10), last(first.size());
  for (std::size_t i = 0; i < memory.size(); ++i)  // every pixel alike
    memory[i] = static_cast<std::uint8_t>((i / surface * 32 + i % 32) * 7);
  d.dram().write(n.input, memory);
  run(d, program::cdp_registers<nv_full>(n));
  std::vector<std::uint8_t> got(memory.size());
  d.dram().read(n.output, got);
  for (std::size_t i = 0; i < got.size(); ++i)
    REQUIRE(got[i] == got[i / surface * surface + i % 32]);
  CHECK(std::ranges::any_of(got, [](auto b) { return b != 0; }));
}

TEST_CASE("CDP in fp16 counts and flushes NaNs") {
  for (const bool flush : {false, true}) {
    sim::device<nv_full> d;
    sim::lut_tables t;
    t.le.fill(0x3c00);  // 1
    program::load_cdp_tables(d, t, 0, 0x7f7fffff);
    const program::normalisation n{.width = 1, .height = 1, .channels = 16, .length = 3,
                                   .precision = hw::precision::fp16, .nan_to_zero = flush};
    std::vector<std::uint8_t> memory(32, 0);
    const auto set = [&](std::size_t c, std::uint16_t v) {
      memory[2 * c] = static_cast<std::uint8_t>(v);
      memory[2 * c + 1] = static_cast<std::uint8_t>(v >> 8);
    };
    set(3, 0x7c01);
    set(9, 0x7c00);
    set(12, 0x0001);
    set(15, 0xbc00);
    d.dram().write(n.input, memory);
    run(d, program::cdp_registers<nv_full>(n));
    std::vector<std::uint8_t> got(32);
    d.dram().read(n.output, got);
    const auto out = [&](std::size_t c) { return element(got, hw::precision::fp16, c); };
    CHECK(out(3) == (flush ? 0 : 0x7c01));
    // Beside the NaN the sum is one, and 0 times it too.
    CHECK(fp16{out(2)}.is_nan() == !flush);
    CHECK(out(9) == 0x7bff);   // infinity is the largest number, times 1
    CHECK(out(12) == 0x0001);  // a denormal number is exact
    CHECK(out(15) == 0xbc00);
    const auto value = [&](const char* name) {
      return d.read(hw::find(hw::register_map::full, name)->address);
    };
    CHECK(value("CDP.D_NAN_INPUT_NUM") == 1);
    CHECK(value("CDP.D_INF_INPUT_NUM") == 1);
    CHECK(value("CDP.D_NAN_OUTPUT_NUM") == (flush ? 0 : 3));
  }
}

TEST_CASE("rules of CDP") {
  const auto fails = [](std::string_view field, std::int64_t value, const char* message) {
    CAPTURE(field);
    sim::device<nv_small> d;
    auto r = program::cdp_registers<nv_small>({});
    r.set(field, value).write(d);
    CHECK_THROWS_WITH_AS(program::enable(d, {"CDP_RDMA", "CDP"}), doctest::Contains(message),
                         error);
    CHECK(d.waiting().empty());
  };
  fails("CDP.D_DATA_FORMAT.INPUT_DATA_TYPE", 1, "no precision 1");
  fails("CDP.D_DATA_FORMAT.INPUT_DATA_TYPE", 3, "no precision 3");
  fails("CDP_RDMA.D_DATA_FORMAT.INPUT_DATA", 2, "CDP_RDMA.D_DATA_FORMAT");
  fails("CDP.D_DST_DMA_CFG.DST_RAM_TYPE", 0, "secondary memory");
  fails("CDP_RDMA.D_SRC_DMA_CFG.SRC_RAM_TYPE", 0, "secondary memory");
  fails("CDP.D_DST_BASE_ADDR_LOW", 4, "CDP.D_DST_BASE_ADDR_LOW");
  fails("CDP_RDMA.D_SRC_BASE_ADDR_LOW", 0xfffffff8, "CDP_RDMA.D_SRC_BASE_ADDR_LOW");
  fails("CDP.D_DST_LINE_STRIDE", 8, "CDP.D_DST_LINE_STRIDE");
  fails("CDP.S_LUT_LE_START_LOW", 1 << 21, "22 bits");
  fails("CDP.S_LUT_LO_START_HIGH", -1, "22 bits");
}
