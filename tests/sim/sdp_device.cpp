// SPDX-License-Identifier: Apache-2.0
// SDP through its registers: precisions, comparison, tables, statistics, and what is refused.
#include <doctest/doctest.h>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "program.hpp"

using namespace nvdlac;
using data = std::vector<std::uint8_t>;

namespace {

constexpr program::cube one_surface{.width = 4, .height = 2, .channels = 32};
constexpr std::uint32_t operand_address = 0x80000;

template <hw::hardware Hw>
std::uint32_t read(sim::device<Hw>& d, std::string_view path) {
  return d.read(hw::find(Hw::spec.map, path)->address);
}

data load(sim::memory& m, std::uint64_t at, std::size_t size) {
  data b(size);
  m.read(at, b);
  return b;
}

data of_halves(std::initializer_list<std::uint16_t> values, std::size_t size) {
  data b;
  for (const auto v : values) {
    b.push_back(static_cast<std::uint8_t>(v));
    b.push_back(static_cast<std::uint8_t>(v >> 8));
  }
  b.resize(size);
  return b;
}

template <hw::hardware Hw>
void start(sim::device<Hw>& d) {
  program::enable(d, {"SDP_RDMA", "SDP"});
}

// Precisions of input, processing and output.
template <hw::hardware Hw>
program::registers<Hw>& precisions(program::registers<Hw>& r, int in, int proc, int out) {
  return r.set("SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION", in)
      .set("SDP_RDMA.D_FEATURE_MODE_CFG.PROC_PRECISION", proc)
      .set("SDP_RDMA.D_FEATURE_MODE_CFG.OUT_PRECISION", out)
      .set("SDP.D_DATA_FORMAT.PROC_PRECISION", proc)
      .set("SDP.D_DATA_FORMAT.OUT_PRECISION", out);
}

// Y with an operand for each element, its multiplier bypassed.
program::registers<nv_full> element_wise(int algorithm) {
  auto r = program::sdp_registers<nv_full>(one_surface);
  return r.set("SDP.D_DP_EW_CFG.EW_BYPASS", 0)
      .set("SDP.D_DP_EW_CFG.EW_ALU_BYPASS", 0)
      .set("SDP.D_DP_EW_CFG.EW_ALU_ALGO", algorithm)
      .set("SDP.D_DP_EW_CFG.EW_MUL_BYPASS", 1)
      .set("SDP.D_DP_EW_CFG.EW_LUT_BYPASS", 1)
      .set("SDP.D_DP_EW_ALU_CFG.EW_ALU_SRC", 1)
      .set("SDP.D_DP_EW_ALU_CFG.EW_ALU_CVT_BYPASS", 1)
      .set("SDP_RDMA.D_ERDMA_CFG.ERDMA_DISABLE", 0)
      .set("SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_USE", 1)
      .set("SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_SIZE", 0)
      .set("SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_MODE", 1)
      .set("SDP_RDMA.D_ERDMA_CFG.ERDMA_RAM_TYPE", 1)
      .bytes("SDP_RDMA.D_EW_BASE_ADDR_LOW", operand_address)
      .bytes("SDP_RDMA.D_EW_LINE_STRIDE", 4 * 32)
      .bytes("SDP_RDMA.D_EW_SURFACE_STRIDE", 8 * 32);
}

program::registers<nv_full> halves() {
  auto r = program::sdp_registers<nv_full>({.width = 4, .height = 2, .channels = 16});
  precisions(r, 2, 2, 2).set("SDP_RDMA.D_PERF_ENABLE.PERF_NAN_INF_COUNT_EN", 1);
  return r.set("SDP.D_PERF_ENABLE.PERF_NAN_INF_COUNT_EN", 1)
      .set("SDP.D_PERF_ENABLE.PERF_SAT_EN", 1);
}

}  // namespace

TEST_CASE("a comparison has a status and no output") {
  sim::device<nv_full> d;
  const data in(256, 7), before(256, 0x5a);
  d.dram().write(one_surface.input, in);
  d.dram().write(operand_address, in);
  d.dram().write(one_surface.output, before);
  int group = 0;
  const auto unequal = [&] {
    for (const auto* u : {"SDP.S_POINTER", "SDP_RDMA.S_POINTER"})
      d.write(hw::find(nv_full::spec.map, u)->address, static_cast<std::uint32_t>(group));
    element_wise(3).write(d);
    start(d);
    CHECK(load(d.dram(), one_surface.output, 256) == before);
    CHECK((read(d, "GLB.S_INTR_STATUS") >> group & 1) == 1);
    group ^= 1;
    return read(d, "SDP.D_STATUS");
  };
  CHECK(unequal() == 0);
  d.dram().write(operand_address + 200, data{8});
  CHECK(unequal() == 1);
  d.dram().write(operand_address + 200, data{7});
  CHECK(unequal() == 0);

  // Its rules: no output to convert, nobody to send it to.
  for (const auto& [field, value, message] :
       {std::tuple{"SDP.D_CVT_SCALE", 2, "SDP.D_CVT_SCALE"},
        {"SDP.D_DATA_FORMAT.OUT_PRECISION", 1, "is compared, keeps its precision"},
        {"SDP.D_DP_EW_CFG.EW_LUT_BYPASS", 0, "a comparison has no result to look up"},
        {"SDP.D_DP_EW_ALU_CFG.EW_ALU_CVT_BYPASS", 0, "takes its operand as it is"},
        {"SDP.D_FEATURE_MODE_CFG.OUTPUT_DST", 1, "EW_ALU_ALGO"}}) {
    sim::device<nv_full> other;
    element_wise(3).set(field, value).write(other);
    CHECK_THROWS_WITH_AS(program::enable(other, {"PDP", "SDP_RDMA", "SDP"}),
                         doctest::Contains(message), error);
  }
}

TEST_CASE("NaN, infinities and the largest numbers of fp16 are counted") {
  // A NaN, a negative NaN, both infinities, the largest number, a denormal, -0.
  const auto in = of_halves({0x7e01, 0xfc01, 0x7c00, 0xfc00, 0x7bff, 0x0001, 0x8000}, 256);
  {
    sim::device<nv_full> d;
    d.dram().write(one_surface.input, in);
    halves().write(d);
    start(d);
    // Infinities become the largest numbers on their way to fp32.
    CHECK(load(d.dram(), one_surface.output, 256) ==
          of_halves({0x7e01, 0xfc01, 0x7bff, 0xfbff, 0x7bff, 0x0001, 0x8000}, 256));
    CHECK(read(d, "SDP_RDMA.D_STATUS_NAN_INPUT_NUM") == 2);
    CHECK(read(d, "SDP_RDMA.D_STATUS_INF_INPUT_NUM") == 2);
    CHECK(read(d, "SDP.D_STATUS_NAN_OUTPUT_NUM") == 2);
    CHECK(read(d, "SDP.D_PERF_OUT_SATURATION") == 3);
  }
  {  // Flushed, they are still counted where they enter.
    sim::device<nv_full> d;
    d.dram().write(one_surface.input, in);
    halves().set("SDP.D_FEATURE_MODE_CFG.NAN_TO_ZERO", 1).write(d);
    start(d);
    CHECK(load(d.dram(), one_surface.output, 256) ==
          of_halves({0, 0, 0x7bff, 0xfbff, 0x7bff, 0x0001, 0x8000}, 256));
    CHECK(read(d, "SDP_RDMA.D_STATUS_NAN_INPUT_NUM") == 2);
    CHECK(read(d, "SDP.D_STATUS_NAN_OUTPUT_NUM") == 0);
  }
  {  // Statistics that are not enabled keep what they were; records have them all the same.
    sim::device<nv_full> d;
    sim::layer_record record;
    d.on_layer([&](const sim::layer_record& r) { record = r; });
    d.dram().write(one_surface.input, in);
    halves()
        .set("SDP.D_PERF_ENABLE.PERF_NAN_INF_COUNT_EN", 0)
        .set("SDP.D_PERF_ENABLE.PERF_SAT_EN", 0)
        .set("SDP_RDMA.D_PERF_ENABLE.PERF_NAN_INF_COUNT_EN", 0)
        .write(d);
    start(d);
    for (const auto* path : {"SDP_RDMA.D_STATUS_NAN_INPUT_NUM", "SDP_RDMA.D_STATUS_INF_INPUT_NUM",
                             "SDP.D_STATUS_NAN_OUTPUT_NUM", "SDP.D_PERF_OUT_SATURATION"})
      CHECK(read(d, path) == 0);
    CHECK(record.saturations == 3);
    CHECK(record.nan_inputs == 2);
    CHECK(record.nan_outputs == 2);
    CHECK(record.of(sim::client::sdp_rdma).read[0] == 256);
    CHECK(record.of(sim::client::sdp).written[0] == 256);
  }
}

TEST_CASE("integers: the counter knows 17 bits, the output has fewer") {
  sim::device<nv_full> d;
  data in(256, 0);
  in[0] = 127;
  in[1] = 0x80;
  in[2] = 100;  // times 600: 76200, -76800, 60000
  d.dram().write(one_surface.input, in);
  auto r = program::sdp_registers<nv_full>(one_surface);
  r.set("SDP.D_CVT_SCALE", 600).set("SDP.D_PERF_ENABLE.PERF_SAT_EN", 1).write(d);
  start(d);
  CHECK(read(d, "SDP.D_PERF_OUT_SATURATION") == 2);
  const auto out = load(d.dram(), one_surface.output, 4);
  CHECK(out == data{127, 0x80, 127, 0});
}

TEST_CASE("int8 becomes two surfaces of int16, int16 two halves of one of int8") {
  sim::device<nv_full> d;
  data in(256);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * 3);
  d.dram().write(one_surface.input, in);
  auto r = program::sdp_registers<nv_full>({.width = 4, .height = 2, .channels = 20});
  precisions(r, 0, 0, 1).write(d);
  start(d);
  const auto wide = load(d.dram(), one_surface.output, 512);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto pixel = i / 32, lane = i % 32;
    const auto at = lane / 16 * 256 + pixel * 32 + lane % 16 * 2;
    CHECK(static_cast<std::int16_t>(wide[at] | wide[at + 1] << 8) ==
          static_cast<std::int8_t>(in[i]));
  }

  // Back again; 10 channels fill half a surface, but the other half is read too.
  sim::device<nv_full> back;
  back.dram().write(one_surface.input, wide);
  auto b = program::sdp_registers<nv_full>({.width = 4, .height = 2, .channels = 10});
  precisions(b, 1, 0, 0).write(back);
  start(back);
  CHECK(load(back.dram(), one_surface.output, 256) == in);
}

TEST_CASE("the lookup table of Y through its registers") {
  sim::device<nv_full> d;
  const auto write = [&](std::string_view path, std::uint32_t value) {
    d.write(hw::find(nv_full::spec.map, path)->address, value);
  };
  write("SDP.S_LUT_ACCESS_CFG", 1u << 17 | 1u << 16);  // write LO from entry 0
  for (std::uint32_t i = 0; i < 257; ++i) write("SDP.S_LUT_ACCESS_DATA", 1000 - 2 * i);
  write("SDP.S_LUT_ACCESS_CFG", 1u << 16 | 200);
  CHECK(read(d, "SDP.S_LUT_ACCESS_DATA") == 600);
  CHECK(read(d, "SDP.S_LUT_ACCESS_DATA") == 598);
  write("SDP.S_LUT_CFG", 0x71);  // LE linear; LO where both answer
  write("SDP.S_LUT_LO_START", static_cast<std::uint32_t>(-128));
  write("SDP.S_LUT_LE_START", static_cast<std::uint32_t>(-128));

  // LO has its entry i at i - 128, LE, of 65 entries, overflows above -64.
  data in(256);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i);
  d.dram().write(one_surface.input, in);
  auto r = program::sdp_registers<nv_full>(one_surface);
  precisions(r, 0, 0, 1)
      .set("SDP.D_DP_EW_CFG.EW_BYPASS", 0)
      .set("SDP.D_DP_EW_CFG.EW_ALU_BYPASS", 1)
      .set("SDP.D_DP_EW_CFG.EW_MUL_BYPASS", 1)
      .set("SDP.D_PERF_ENABLE.PERF_LUT_EN", 1)
      .write(d);
  start(d);
  const auto out = load(d.dram(), one_surface.output, 512);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto at = i % 32 / 16 * 256 + i / 32 * 32 + i % 16 * 2;
    const int x = static_cast<std::int8_t>(in[i]);
    CHECK(static_cast<std::int16_t>(out[at] | out[at + 1] << 8) == 1000 - 2 * (x + 128));
  }
  CHECK(read(d, "SDP.D_PERF_LUT_UFLOW") == 1);  // -128 lies on the start
  CHECK(read(d, "SDP.D_PERF_LUT_OFLOW") == 0);
  CHECK(read(d, "SDP.D_PERF_LUT_HYBRID") == 255);
  CHECK(read(d, "SDP.D_PERF_LUT_LE_HIT") == 63);
  CHECK(read(d, "SDP.D_PERF_LUT_LO_HIT") == 255);
}

TEST_CASE("on the fly to PDP is as through memory") {
  const program::cube c{.width = 4, .height = 4, .channels = 40};
  const program::pooling p{.channels = 40, .input = c.output, .output = 0x300000};
  for (const int precision : {0, 1, 2}) {
    CAPTURE(precision);
    data results[2];
    for (const int flying : {0, 1}) {
      sim::device<nv_full> d;
      data in(3 * 512);
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * i / 7);
      d.dram().write(c.input, in);
      auto s = program::sdp_registers<nv_full>(c);
      precisions(s, precision, precision, precision)
          .set("SDP.D_FEATURE_MODE_CFG.OUTPUT_DST", flying)
          .write(d);
      auto r = program::pdp_registers<nv_full>(p);
      r.set("PDP.D_DATA_FORMAT", precision)
          .set("PDP_RDMA.D_DATA_FORMAT", precision)
          .set("PDP.D_OPERATION_MODE_CFG.FLYING_MODE", 1 - flying)
          .write(d);
      if (flying == 1) {
        program::enable(d, {"PDP", "SDP_RDMA", "SDP"});
      } else {
        start(d);
        program::enable(d, {"PDP_RDMA", "PDP"});
      }
      CHECK(d.waiting().empty());
      results[flying] = load(d.dram(), p.output, 3 * 128);
    }
    CHECK(results[0] == results[1]);
    CHECK(std::ranges::count(results[0], 0) < 300);
  }
  // Both must speak of the same precision.
  sim::device<nv_full> d;
  auto s = program::sdp_registers<nv_full>(c);
  s.set("SDP.D_FEATURE_MODE_CFG.OUTPUT_DST", 1).write(d);
  auto r = program::pdp_registers<nv_full>(p);
  r.set("PDP.D_DATA_FORMAT", 1).set("PDP.D_OPERATION_MODE_CFG.FLYING_MODE", 0).write(d);
  CHECK_THROWS_WITH_AS(program::enable(d, {"PDP", "SDP_RDMA", "SDP"}),
                       doctest::Contains("PDP.D_DATA_FORMAT"), error);
}

TEST_CASE("surfaces of 1x1 pixels lie side by side") {
  data in(96);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i);
  const program::cube c{.width = 1, .height = 1, .channels = 96};
  for (const auto* stride : {"SDP.D_DST_SURFACE_STRIDE", "SDP_RDMA.D_SRC_SURFACE_STRIDE"}) {
    auto r = program::sdp_registers<nv_full>(c);
    r.bytes(stride, 64);
    sim::device<nv_full> strict, lenient({.lenient = true});
    r.write(strict);
    CHECK_THROWS_WITH_AS(start(strict), doctest::Contains(stride), error);
    lenient.dram().write(c.input, in);
    r.write(lenient);
    start(lenient);
    CHECK(load(lenient.dram(), c.output, 96) == in);
    CHECK(lenient.take_warnings().size() == 1);
  }
}

TEST_CASE("precisions and modes that SDP does not have") {
  struct broken {
    int in, proc, out;
    std::string_view field;
    int value;
    std::string_view message;
  };
  for (const auto& b : std::initializer_list<broken>{
           {0, 3, 0, "SDP.D_CVT_SHIFT", 0, "SDP.D_DATA_FORMAT.PROC_PRECISION"},
           {0, 0, 3, "SDP.D_CVT_SHIFT", 0, "SDP.D_DATA_FORMAT.OUT_PRECISION"},
           {3, 0, 0, "SDP.D_CVT_SHIFT", 0, "SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION"},
           {1, 1, 0, "SDP.D_CVT_SHIFT", 0, "only what is computed in int8"},
           {2, 2, 0, "SDP.D_CVT_SHIFT", 0, "only what is computed in int8"},
           {0, 0, 2, "SDP.D_CVT_SHIFT", 0, "OUT_PRECISION: what is computed in int8 becomes fp16"},
           {1, 0, 2, "SDP.D_CVT_SHIFT", 0, "OUT_PRECISION: what is computed in int8 becomes fp16"},
           {0, 2, 2, "SDP.D_CVT_SHIFT", 0, "SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION"},
           {0, 1, 1, "SDP.D_CVT_SHIFT", 0, "SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION"},
           {1, 2, 2, "SDP.D_CVT_SHIFT", 0, "SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION"},
           {2, 0, 0, "SDP.D_CVT_SHIFT", 0, "SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION"},
           {1, 1, 1, "SDP_RDMA.D_FEATURE_MODE_CFG.PROC_PRECISION", 0, "differs from SDP's"},
           {0, 0, 1, "SDP.D_FEATURE_MODE_CFG.OUTPUT_DST", 1, "SDP.D_DATA_FORMAT.OUT_PRECISION"},
           {1, 1, 2, "SDP.D_FEATURE_MODE_CFG.OUTPUT_DST", 1, "goes to PDP"},
           {1, 0, 0, "SDP.D_FEATURE_MODE_CFG.OUTPUT_DST", 1, "goes to PDP"},
           {0, 0, 0, "SDP.D_FEATURE_MODE_CFG.WINOGRAD", 1, "SDP.D_FEATURE_MODE_CFG.WINOGRAD"},
           {0, 0, 0, "SDP.D_FEATURE_MODE_CFG.BATCH_NUMBER", 1, "BATCH_NUMBER"},
           {0, 0, 0, "SDP_RDMA.D_FEATURE_MODE_CFG.BATCH_NUMBER", 1, "BATCH_NUMBER"},
           {0, 0, 0, "SDP_RDMA.D_FEATURE_MODE_CFG.WINOGRAD", 1, "WINOGRAD"}}) {
    CAPTURE(b.message);
    sim::device<nv_full> d;
    auto r = program::sdp_registers<nv_full>(one_surface);
    precisions(r, b.in, b.proc, b.out).set(b.field, b.value).write(d);
    CHECK_THROWS_WITH_AS(program::enable(d, {"PDP", "SDP_RDMA", "SDP"}),
                         doctest::Contains(std::string(b.message).c_str()), error);
  }

  // Operands of int16 and fp16 have two bytes.
  sim::device<nv_full> d;
  auto r = element_wise(2);
  precisions(r, 1, 1, 1).write(d);
  CHECK_THROWS_WITH_AS(start(d), doctest::Contains("DATA_SIZE"), error);

  // fp16 from memory is widened by Y's converters.
  sim::device<nv_full> halved;
  auto y = element_wise(2);
  precisions(y, 2, 2, 2).set("SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_SIZE", 1).write(halved);
  CHECK_THROWS_WITH_AS(start(halved), doctest::Contains("pass the converter"), error);

  // PReLU is for what a unit reads.
  for (const std::string unit : {"BS", "BN", "EW"}) {
    CAPTURE(unit);
    sim::device<nv_full> other;
    auto s = program::sdp_registers<nv_full>(one_surface);
    const auto config = "SDP.D_DP_" + unit + "_CFG." + unit;
    s.set("SDP.D_DP_EW_CFG.EW_LUT_BYPASS", 1);
    for (const auto* bit : {"_BYPASS", "_ALU_BYPASS", "_MUL_BYPASS"}) s.set(config + bit, 0);
    s.set(config + "_MUL_PRELU", 1).write(other);
    CHECK_THROWS_WITH_AS(start(other), doctest::Contains("PReLU needs the ALU bypassed"), error);
  }

  // Features that the configuration does not have.
  const auto refused = [](std::string_view field, int value) {
    sim::device<nv_small> small;
    auto s = program::sdp_registers<nv_small>({.width = 2, .height = 2, .channels = 8});
    s.set("SDP.D_DP_EW_CFG.EW_LUT_BYPASS", 1).set(field, value).write(small);
    CHECK_THROWS_WITH_AS(start(small), doctest::Contains("configuration"), error);
  };
  refused("SDP.D_DATA_FORMAT.PROC_PRECISION", 1);
  refused("SDP.D_DATA_FORMAT.OUT_PRECISION", 2);
  refused("SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION", 1);
  refused("SDP.D_DP_EW_CFG.EW_BYPASS", 0);
  refused("SDP.D_FEATURE_MODE_CFG.WINOGRAD", 1);
  refused("SDP.D_FEATURE_MODE_CFG.BATCH_NUMBER", 1);
}
