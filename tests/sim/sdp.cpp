// SPDX-License-Identifier: Apache-2.0
// The vectorised SDP against plain loops written from the hardware's formulas.
#include <doctest/doctest.h>

#include <nvdlac/sim/sdp/engine.hpp>

#include "sdp_random.hpp"

using namespace nvdlac;
using namespace sdp_random;
using hw::precision;
using sim::alu_algorithm;

namespace {

using i64 = std::int64_t;

i64 rounded(i64 x, int shift) {  // half away from zero
  if (shift == 0) return x;
  if (shift > 63) return 0;
  const std::uint64_t m = (static_cast<std::uint64_t>(x < 0 ? -x : x) >> (shift - 1)) + 1;
  return x < 0 ? -static_cast<i64>(m / 2) : static_cast<i64>(m / 2);
}
i64 clamp32(i64 v) { return std::clamp<i64>(v, INT32_MIN, INT32_MAX); }

i64 plain_alu(alu_algorithm a, i64 x, i64 o) {
  return a == alu_algorithm::max     ? std::max(x, o)
         : a == alu_algorithm::min   ? std::min(x, o)
         : a == alu_algorithm::equal ? (x == o ? 0 : 1)
                                     : x + o;
}

i64 plain_x(const sim::sdp_x& u, i64 x, i64 a, i64 m) {
  if (u.bypass) return x;
  if (!u.alu_bypass) {
    i64 o = a;
    for (int i = 0; i < u.alu_shift; ++i) o = clamp32(o * 2);
    x = plain_alu(u.algorithm, x, o);
  }
  if (!u.mul_bypass && u.prelu && x >= 0) x = clamp32(x);
  else x = clamp32(rounded(u.mul_bypass ? x : x * m, u.mul_shift));
  return u.relu ? std::max<i64>(x, 0) : x;
}

i64 plain_convert(const converter& c, i64 x) {
  return clamp32(rounded((x - c.offset) * c.scale, c.shift));
}

i64 plain_y(const sim::sdp_y& u, i64 x, i64 a, i64 m) {
  if (u.bypass) return x;
  if (u.alu_from_memory && u.alu_convert) a = plain_convert(u.alu_converter, a);
  if (u.mul_from_memory && u.mul_convert) m = plain_convert(u.mul_converter, m);
  if (!u.mul_bypass && !(u.prelu && x >= 0)) x = clamp32(rounded(x * m, u.truncate));
  return u.alu_bypass ? x : clamp32(plain_alu(u.algorithm, x, a));
}

sim::fp32 plain_x(const sim::sdp_x& u, sim::fp32 x, sim::fp32 a, sim::fp32 m) {
  using namespace sim;
  if (u.bypass) return x;
  if (!u.alu_bypass)
    x = u.algorithm == alu_algorithm::max   ? max(x, a)
        : u.algorithm == alu_algorithm::min ? min(x, a)
                                            : add(x, a);
  if (!u.mul_bypass && !(u.prelu && x.bits >> 31 == 0)) x = mul(x, m);
  return u.relu ? relu(x) : x;
}

sim::fp32 plain_y(const sim::sdp_y& u, sim::fp32 x, sim::fp32 a, sim::fp32 m) {
  using namespace sim;
  if (u.bypass) return x;
  if (!u.mul_bypass && !(u.prelu && x.bits >> 31 == 0)) x = mul(x, m);
  if (u.alu_bypass) return x;
  return u.algorithm == alu_algorithm::max   ? max(x, a)
         : u.algorithm == alu_algorithm::min ? min(x, a)
                                             : add(x, a);
}

sim::fp32 widened(i64 half, bool flush) {
  const sim::fp16 x{static_cast<std::uint16_t>(half)};
  return flush && x.is_nan() ? sim::fp32{} : sim::convert<sim::fp32>(x);
}

// A number of fp16: a zero, or one that sums and products of a few keep in its middle range.
std::uint16_t tame_half() {
  const auto sign = below(2) << 15;
  return static_cast<std::uint16_t>(chance(8) ? sign : sign | (below(6) + 12) << 10 | below(1024));
}

// A memory of random bytes and cubes in it; tame: the bytes are numbers of fp16 without NaN,
// infinities and denormals.
struct world {
  sim::memory ram;
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(1 << 20);
  bool tame;

  explicit world(bool is_tame = false) : tame(is_tame) {
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      const auto half = tame ? tame_half() : any<std::uint16_t>();
      bytes[i] = static_cast<std::uint8_t>(half);
      bytes[i + 1] = static_cast<std::uint8_t>(half >> 8);
    }
    ram.write(0, bytes);
  }
  sim::cube cube(std::uint64_t unit, std::uint64_t width, std::uint64_t height,
                 std::uint64_t surfaces) {
    const auto line = width * unit + 8 * below(3), surface = line * height + 8 * below(3);
    return {.ram = &ram, .base = 8 * below(1000), .line_stride = line, .surface_stride = surface,
            .unit = unit, .width = width, .height = height, .surfaces = surfaces};
  }
  i64 element(const sim::cube& c, std::size_t s, std::size_t p, std::size_t i,
              std::size_t size) const {
    const auto at = static_cast<std::size_t>(c.base + s * c.surface_stride +
                                             p / c.width * c.line_stride + p % c.width * c.unit) +
                    i * size;
    return size == 1 ? i64{static_cast<std::int8_t>(bytes[at])}
                     : i64{static_cast<std::int16_t>(bytes[at] | bytes[at + 1] << 8)};
  }
  // The alu (0) or mul (1) operand of a lane of a pixel.
  i64 operand(const sim::sdp_operands& o, std::size_t s, std::size_t p, std::size_t lane,
              std::size_t which) const {
    const std::size_t pair = o.alu && o.mul ? 2 : 1;
    return element(o.source, s, o.per_element ? p : 0, lane * pair + (pair == 2 ? which : 0),
                   o.bytes);
  }
};

template <class Unit>
void random_unit(Unit& u, const sim::sdp_layer& l, std::size_t lanes, std::size_t surfaces,
                 world& w, bool per_element) {
  u.bypass = chance(6);
  u.alu_bypass = chance(3);
  u.mul_bypass = chance(3);
  u.prelu = chance(3);
  u.algorithm = alu_algorithm(below(3));
  if (u.bypass) return;
  auto& o = u.operands;
  o.alu = u.alu_from_memory = !u.alu_bypass && chance(2);
  o.mul = u.mul_from_memory = !u.mul_bypass && chance(2);
  o.per_element = per_element && chance(2);
  o.bytes = l.proc == precision::int8 ? one_to(2) : 2;
  const auto unit = lanes * o.bytes * (o.alu && o.mul ? 2 : 1);
  o.source = w.cube(unit, l.width, l.height, surfaces);
  if (!o.per_element) {
    o.source.width = o.source.height = 1;
    o.source.surface_stride = unit;
  }
}

sim::sdp_layer random_layer(world& w, bool table) {
  sim::sdp_layer l{.width = table ? 40 : one_to(20), .height = table ? 13 : one_to(3)};
  l.proc = table ? precision::int8 : precision(below(3));
  l.out = l.proc == precision::int8 ? precision(below(2)) : precision(one_to(2));
  l.flying = !table && chance(3);
  l.in = l.proc;
  if (!table && !l.flying && l.proc == precision::int8 && chance(2)) l.in = precision::int16;
  l.nan_to_zero = chance(2);
  l.output = {.offset = any<std::int32_t>() >> below(32), .scale = any<std::int16_t>(),
              .shift = static_cast<std::uint8_t>(below(64))};
  if (chance(5)) l.output = {};
  const std::size_t atom = 8u << below(3), lanes = atom / hw::element_bytes(l.proc);
  l.channels = static_cast<std::uint32_t>(lanes * 2);
  l.source = w.cube(atom, l.width, l.height, 2 * l.sources());
  for (auto* u : {&l.x1, &l.x2}) {
    random_unit(*u, l, lanes, 2, w, !table);
    u->relu = chance(2);
    u->alu_shift = static_cast<int>(chance(4) ? below(64) : below(16));
    u->mul_shift = static_cast<int>(chance(4) ? below(64) : below(20));
    u->alu_operand = chance(8) ? 0 : any<std::int16_t>();  // 0 takes any shift
    u->mul_operand = any<std::int16_t>();
  }
  auto& y = l.y;
  random_unit(y, l, lanes, 2, w, !table);
  y.truncate = static_cast<int>(chance(4) ? below(1024) : below(40));
  y.alu_operand = any<std::int32_t>();
  y.mul_operand = any<std::int32_t>() >> below(32);
  y.alu_convert = chance(2);
  y.mul_convert = chance(2);
  for (auto* c : {&y.alu_converter, &y.mul_converter})
    *c = {.offset = any<std::int32_t>() >> below(32), .scale = any<std::int16_t>(),
          .shift = static_cast<std::uint8_t>(below(64))};
  if (chance(4)) {
    y.lut = true;
    y.bypass = false;
  }
  l.lut.exponential = chance(2);
  l.lut.hybrid_lo = chance(2);
  l.lut.le.start = any<std::int32_t>() >> below(32);
  l.lut.lo.start = any<std::int32_t>() >> 20;
  if (l.proc == precision::fp16) {
    l.lut.le.start = std::bit_cast<std::int32_t>(-1.5f);
    l.lut.lo.start = 0;
  }
  l.lut.le.select = static_cast<int>(below(20));
  l.lut.lo.select = static_cast<int>(below(20));
  for (auto* slope : {&l.lut.le.underflow, &l.lut.le.overflow, &l.lut.lo.underflow})
    *slope = {.scale = any<std::int16_t>(), .shift = static_cast<int>(below(16))};
  return l;
}

// Whether the hardware counts an element that the layer clips.
bool plain_saturates(const converter& c, i64 x) {
  const i64 product = (x - c.offset) * c.scale;
  if (product < 0) return c.shift < 63 && product >> c.shift < -65536;
  return rounded(product, c.shift) > 65535;
}

struct expected {
  const sim::sdp_layer& l;
  const world& w;
  const sim::lut_tables& tables;
  sim::sdp_counts counts{};

  i64 of_integer(std::size_t s, std::size_t p, std::size_t lane, i64 x) {
    const auto& y = l.y;
    for (const auto* u : {&l.x1, &l.x2}) {
      const auto& o = u->operands;
      x = plain_x(*u, x, o.alu ? w.operand(o, s, p, lane, 0) : u->alu_operand,
                  o.mul ? w.operand(o, s, p, lane, 1) : u->mul_operand);
    }
    x = plain_y(y, x, y.operands.alu ? w.operand(y.operands, s, p, lane, 0) : y.alu_operand,
                y.operands.mul ? w.operand(y.operands, s, p, lane, 1) : y.mul_operand);
    if (!y.bypass && y.lut)
      x = sim::sdp_lut(l.lut, tables, static_cast<std::int32_t>(x), counts.lut);
    const bool saturated = plain_saturates(l.output, x);
    x = std::clamp<i64>(plain_convert(l.output, x), -65536, 65535);
    if (l.out == precision::fp16) return of_half(sim::from_integer<sim::fp16>(x));
    counts.saturated += saturated;
    return l.out == precision::int8 ? std::clamp<i64>(x, -128, 127)
                                    : std::clamp<i64>(x, -32768, 32767);
  }

  i64 of_float(std::size_t s, std::size_t p, std::size_t lane, sim::fp32 x) {
    const auto operand = [&](const sim::sdp_operands& o, std::size_t which) {
      return widened(w.operand(o, s, p, lane, which), l.nan_to_zero);
    };
    for (const auto* u : {&l.x1, &l.x2}) {
      const auto& o = u->operands;
      x = plain_x(*u, x, o.alu ? operand(o, 0) : widened(u->alu_operand, l.nan_to_zero),
                  o.mul ? operand(o, 1) : widened(u->mul_operand, l.nan_to_zero));
    }
    const auto& o = l.y.operands;
    x = plain_y(l.y, x, o.alu ? operand(o, 0) : sim::sdp_real(l.y.alu_operand),
                o.mul ? operand(o, 1) : sim::sdp_real(l.y.mul_operand));
    if (!l.y.bypass && l.y.lut) x = sim::sdp_lut(l.lut, tables, x, counts.lut);
    const auto half = sim::convert<sim::fp16>(x);
    return l.out == precision::fp16 ? of_half(half) : i64{sim::to_integer<16>(half)};
  }

  i64 of_half(sim::fp16 x) {
    counts.saturated += (x.bits & 0x7fff) == 0x7bff;
    counts.nan_out += (x.bits & 0x7fff) > 0x7c00;
    return static_cast<std::int16_t>(x.bits);
  }

  // The element of the input in memory.
  i64 input(std::size_t s, std::size_t p, std::size_t lane, std::size_t lanes) const {
    if (l.sources() == 1) return w.element(l.source, s, p, lane, hw::element_bytes(l.in));
    const auto half = lanes / 2;
    return w.element(l.source, 2 * s + lane / half, p, lane % half, 2);
  }
};

std::span<const std::uint8_t> in_parts(sim::sdp_engine<>& engine, std::size_t s,
                                       std::span<const std::int32_t> values, std::size_t lanes) {
  engine.begin_surface(s);
  std::span<const std::uint8_t> out;
  for (std::size_t at = 0, n = 0; at < values.size(); at += n) {
    n = std::min<std::size_t>(values.size() - at, lanes * one_to(chance(2) ? 4 : 400));
    out = engine.part(at, values.subspan(at, n));
  }
  return out;
}

void check(sim::sdp_engine<>& engine, const sim::sdp_layer& l, world& w,
           const sim::lut_tables& tables) {
  const std::size_t lanes = l.channels / 2, pixels = std::size_t{l.width} * l.height;
  expected e{l, w, tables};
  const auto unused = chance(2) ? 0 : below(32);  // bits of what comes on the fly
  engine.begin(l, lanes, tables, sim::sdp_any_magnitude >> unused);
  for (std::size_t s = 0; s < 2; ++s) {
    std::vector<std::int32_t> values(pixels * lanes);
    for (auto& v : values)
      v = w.tame ? sim::sdp_bits(sim::convert<sim::fp32>(sim::fp16{tame_half()}))
                 : any<std::int32_t>() >> (unused + below(32 - unused));
    const auto out = l.flying ? in_parts(engine, s, values, lanes) : engine.surface(s);
    const std::size_t size = hw::element_bytes(l.out);
    REQUIRE(out.size() == values.size() * size);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto p = i / lanes, lane = i % lanes;
      i64 x = l.flying ? values[i] : e.input(s, p, lane, lanes), should = 0;
      if (l.proc == precision::fp16) {
        auto real = sim::sdp_real(values[i]);
        if (!l.flying) {
          const sim::fp16 half{static_cast<std::uint16_t>(x)};
          real = sim::convert<sim::fp32>(half);
          e.counts.infinite_in += (half.bits & 0x7fff) == 0x7c00;
        }
        e.counts.nan_in += real.is_nan();
        if (l.nan_to_zero && real.is_nan()) real = {};
        should = e.of_float(s, p, lane, real);
      } else {
        should = e.of_integer(s, p, lane, x);
      }
      const i64 is = size == 1
                         ? i64{static_cast<std::int8_t>(out[i])}
                         : i64{static_cast<std::int16_t>(out[2 * i] | out[2 * i + 1] << 8)};
      REQUIRE(is == should);
    }
  }
  auto counts = engine.counts();
  if (l.y.bypass || !l.y.lut || l.count_lut) CHECK(counts.lut == e.counts.lut);
  counts.lut = e.counts.lut;
  CHECK(counts == e.counts);
}

}  // namespace

TEST_CASE("SDP layers of all precisions, operands and tables") {
  world w;
  sim::sdp_engine engine;  // one for all: nothing of a layer may leak into the next
  sim::lut_tables tables;
  for (auto& e : tables.le) e = any<std::int16_t>();
  for (auto& e : tables.lo) e = any<std::int16_t>();
  for (int round = 0; round < 1500; ++round) {
    auto l = random_layer(w, false);
    l.count_lut = true;
    CAPTURE(round);
    check(engine, l, w, tables);
  }
}

TEST_CASE("SDP layers of fp16 without special numbers, and with few") {
  world w(true);
  sim::sdp_engine engine;
  const sim::lut_tables tables;
  for (int round = 0; round < 1500; ++round) {
    auto l = random_layer(w, false);
    l.in = l.proc = l.out = precision::fp16;
    l.channels = 32 / hw::element_bytes(l.proc) * 2;
    l.source = w.cube(32, l.width, l.height, 2);
    for (auto* u : {&l.x1, &l.x2}) {
      *u = {.bypass = chance(4), .alu_bypass = chance(3), .mul_bypass = chance(3),
            .relu = chance(2), .prelu = chance(3)};
      u->algorithm = alu_algorithm(below(3));
      u->alu_operand = tame_half();
      u->mul_operand = chance(20) ? 0x0001 : tame_half();
    }
    random_unit(l.x1, l, 16, 2, w, true);
    l.y = {.bypass = chance(2), .alu_bypass = chance(3), .mul_bypass = chance(3)};
    l.y.alu_operand = sim::sdp_bits(widened(tame_half(), false));
    l.y.mul_operand = 0x3f000000;
    CAPTURE(round);
    check(engine, l, w, tables);
  }
}

TEST_CASE("SDP layers of int8 that are functions of a byte") {
  world w;
  sim::sdp_engine engine;
  sim::lut_tables tables;
  for (auto& e : tables.le) e = any<std::int16_t>();
  for (auto& e : tables.lo) e = any<std::int16_t>();
  for (int round = 0; round < 200; ++round) {
    auto l = random_layer(w, true);
    l.count_lut = chance(4);
    CAPTURE(round);
    check(engine, l, w, tables);
  }
}
