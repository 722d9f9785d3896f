// SPDX-License-Identifier: Apache-2.0
// Speed of SDP through the register bus, from memory to memory: elements/s. Build in Release.
#include <benchmark/benchmark.h>

#include <random>

#include <nvdlac/hw/configurations/nv_full.hpp>

#include "../tests/sim/program.hpp"

namespace {

using namespace nvdlac;

constexpr program::cube cube{.width = 56, .height = 56, .channels = 64};
constexpr std::uint32_t operands = 0x400000;

using registers = program::registers<nv_full>;

registers layer(int precision) {
  auto r = program::sdp_registers<nv_full>(cube);
  for (const auto* field :
       {"SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION", "SDP_RDMA.D_FEATURE_MODE_CFG.PROC_PRECISION",
        "SDP.D_DATA_FORMAT.PROC_PRECISION", "SDP.D_DATA_FORMAT.OUT_PRECISION"})
    r.set(field, precision);
  return r.set("SDP.D_CVT_SCALE", 99).set("SDP.D_CVT_SHIFT", 8);
}

// X1 with adder, multiplier and ReLU.
registers with_x1(int precision) {
  return layer(precision)
      .set("SDP.D_DP_BS_CFG.BS_BYPASS", 0)
      .set("SDP.D_DP_BS_CFG.BS_ALU_ALGO", 2)
      .set("SDP.D_DP_BS_ALU_SRC_VALUE", precision == 2 ? 0x3905 : 5)  // 0.63
      .set("SDP.D_DP_BS_MUL_SRC_VALUE", precision == 2 ? 0x3a00 : 77)  // 0.75
      .set("SDP.D_DP_BS_MUL_CFG.BS_MUL_SHIFT_VALUE", 5);
}

// Its operands, one of each for each channel.
registers per_channel(int precision) {
  return with_x1(precision)
      .set("SDP.D_DP_BS_ALU_CFG.BS_ALU_SRC", 1)
      .set("SDP.D_DP_BS_MUL_CFG.BS_MUL_SRC", 1)
      .set("SDP_RDMA.D_BRDMA_CFG.BRDMA_DISABLE", 0)
      .set("SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_USE", 2)
      .set("SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_SIZE", 1)
      .set("SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_MODE", 0)
      .set("SDP_RDMA.D_BRDMA_CFG.BRDMA_RAM_TYPE", 1)
      .bytes("SDP_RDMA.D_BS_BASE_ADDR_LOW", operands);
}

// The sum of two cubes in Y.
registers per_element(int precision) {
  const auto bytes = precision == 0 ? 0 : 1;
  return layer(precision)
      .set("SDP.D_DP_EW_CFG.EW_BYPASS", 0)
      .set("SDP.D_DP_EW_CFG.EW_ALU_ALGO", 2)
      .set("SDP.D_DP_EW_CFG.EW_MUL_BYPASS", 1)
      .set("SDP.D_DP_EW_CFG.EW_LUT_BYPASS", 1)
      .set("SDP.D_DP_EW_ALU_CFG.EW_ALU_SRC", 1)
      .set("SDP.D_DP_EW_ALU_CFG.EW_ALU_CVT_BYPASS", 1)
      .set("SDP_RDMA.D_ERDMA_CFG.ERDMA_DISABLE", 0)
      .set("SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_USE", 1)
      .set("SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_SIZE", bytes)
      .set("SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_MODE", 1)
      .set("SDP_RDMA.D_ERDMA_CFG.ERDMA_RAM_TYPE", 1)
      .bytes("SDP_RDMA.D_EW_BASE_ADDR_LOW", operands)
      .bytes("SDP_RDMA.D_EW_LINE_STRIDE", cube.width * 32)
      .bytes("SDP_RDMA.D_EW_SURFACE_STRIDE", cube.width * cube.height * 32);
}

// X1, X2 and Y, each with a pair of 16-bit operands for each element.
registers all_per_element(int precision) {
  auto r = layer(precision).set("SDP.D_CVT_SCALE", 23456).set("SDP.D_CVT_SHIFT", 30);
  const auto pairs = [&](const std::string& unit, const std::string& dma, std::uint32_t at) {
    for (const auto* stage : {"ALU", "MUL"})
      r.set("SDP.D_DP_" + unit + "_" + stage + "_CFG." + unit + "_" + stage + "_SRC", 1);
    r.set("SDP.D_DP_" + unit + "_CFG." + unit + "_BYPASS", 0)
        .set("SDP.D_DP_" + unit + "_CFG." + unit + "_ALU_ALGO", 2)
        .set("SDP_RDMA.D_" + dma + "_CFG." + dma + "_DISABLE", 0)
        .set("SDP_RDMA.D_" + dma + "_CFG." + dma + "_DATA_USE", 2)
        .set("SDP_RDMA.D_" + dma + "_CFG." + dma + "_DATA_SIZE", 1)
        .set("SDP_RDMA.D_" + dma + "_CFG." + dma + "_DATA_MODE", 1)
        .set("SDP_RDMA.D_" + dma + "_CFG." + dma + "_RAM_TYPE", 1)
        .bytes("SDP_RDMA.D_" + unit + "_BASE_ADDR_LOW", operands + at)
        .bytes("SDP_RDMA.D_" + unit + "_LINE_STRIDE", cube.width * 128)
        .bytes("SDP_RDMA.D_" + unit + "_SURFACE_STRIDE", cube.width * cube.height * 128);
  };
  pairs("BS", "BRDMA", 0);
  pairs("BN", "NRDMA", 0x10000);
  pairs("EW", "ERDMA", 0x20000);
  return r.set("SDP.D_DP_BS_MUL_CFG.BS_MUL_SHIFT_VALUE", 9)
      .set("SDP.D_DP_BN_MUL_CFG.BN_MUL_SHIFT_VALUE", 14)
      .set("SDP.D_DP_EW_TRUNCATE_VALUE", 14)
      .set("SDP.D_DP_EW_CFG.EW_LUT_BYPASS", 1)
      .set("SDP.D_DP_EW_ALU_CFG.EW_ALU_CVT_BYPASS", 1)
      .set("SDP.D_DP_EW_MUL_CFG.EW_MUL_CVT_BYPASS", 1);
}

// Argument: the precision, 0 int8, 1 int16, 2 fp16.
void sdp(benchmark::State& state, registers (*make)(int)) {
  sim::device<nv_full> d;
  std::mt19937 random(1);
  for (const auto address : {cube.input, operands}) {
    std::vector<std::uint8_t> bytes(56 * 56 * 64 * 8);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
    if (state.range(0) == 2)  // numbers from 1/8 to 2
      for (std::size_t i = 1; i < bytes.size(); i += 2) bytes[i] = 0x30 | bytes[i] % 16;
    d.dram().write(address, bytes);
  }
  const auto r = make(static_cast<int>(state.range(0)));
  int group = 0;
  for (auto _ : state) {
    for (const auto* unit : {"SDP", "SDP_RDMA"})
      d.write(hw::find(nv_full::spec.map, text(unit, ".S_POINTER"))->address,
              static_cast<std::uint32_t>(group));
    r.write(d);
    program::enable(d, {"SDP_RDMA", "SDP"});
    group ^= 1;
  }
  state.counters["elements/s"] =
      benchmark::Counter(56.0 * 56 * 64 * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
}
BENCHMARK_CAPTURE(sdp, registers, with_x1)->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(sdp, per_channel, per_channel)
    ->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(sdp, per_element, per_element)
    ->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(sdp, all_per_element, all_per_element)->Arg(0)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
