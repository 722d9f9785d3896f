// SPDX-License-Identifier: Apache-2.0
// Speed of the simulator: MAC/s of convolutions, elements/s of SDP and PDP. Build in Release.
#include <benchmark/benchmark.h>

#include <random>

#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_medium_512.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "../tests/sim/program.hpp"

namespace {

using namespace nvdlac;

void fill_random(sim::memory& m, std::uint64_t address, std::size_t size) {
  std::mt19937 random(1);
  std::vector<std::uint8_t> bytes(size);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
  m.write(address, bytes);
}

void rate(benchmark::State& state, const char* name, double per_iteration) {
  state.counters[name] =
      benchmark::Counter(per_iteration * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
}

// Whole layers through the register bus: CDMA from memory, the MACs, SDP to memory.
template <hw::hardware Hw>
void run_layer(benchmark::State& state, const program::convolution& c, std::uint32_t threads) {
  sim::device<Hw> d({.threads = threads});
  fill_random(d.dram(), c.input, std::size_t{c.width} * c.height * align_up(c.channels, 32));
  fill_random(d.dram(), c.weights,
              std::size_t{c.kernels} * c.channels * c.kernel * c.kernel + 128);
  const auto r = program::convolution_registers<Hw>(c);
  int group = 0;
  for (auto _ : state) {
    for (const auto* unit : {"CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC", "SDP"})
      d.write(hw::find(Hw::spec.map, text(unit, ".S_POINTER"))->address,
              static_cast<std::uint32_t>(group));
    r.write(d);
    program::start_convolution(d);
    group ^= 1;
  }
  if (!d.waiting().empty() || d.read(hw::address<Hw::spec.map, "GLB.S_INTR_STATUS">) == 0)
    state.SkipWithError("the layer did not run");
  rate(state, "MAC/s", 1.0 * c.width * c.height * c.channels * c.kernels * c.kernel * c.kernel);
}

// Arguments: width = height, channels, kernels, kernel size.
template <hw::hardware Hw>
void convolution_layer(benchmark::State& state) {
  const auto arg = [&](std::size_t i) { return static_cast<std::uint32_t>(state.range(i)); };
  run_layer<Hw>(state, {.width = arg(0), .height = arg(0), .channels = arg(1), .kernels = arg(2),
                        .kernel = arg(3), .pad = arg(3) / 2, .truncate = 8}, 1);
}
BENCHMARK(convolution_layer<nv_small>)
    ->Args({28, 64, 64, 3})->Args({14, 128, 32, 3})->Args({28, 64, 64, 1})
    ->Args({24, 1, 20, 5})->Args({12, 20, 48, 5})->Args({4, 48, 500, 1})
    ->Unit(benchmark::kMicrosecond);
// The buffer of nv_small is too small for 56x56x64; these have the room.
BENCHMARK(convolution_layer<nv_medium_512>)->Args({56, 64, 64, 3})->Unit(benchmark::kMicrosecond);
BENCHMARK(convolution_layer<nv_large>)->Args({56, 64, 64, 3})->Unit(benchmark::kMicrosecond);

// Argument: the threads. As much as nv_large's buffer holds.
void threads(benchmark::State& state) {
  run_layer<nv_large>(state, {.width = 56, .height = 56, .channels = 128, .kernels = 64,
                              .truncate = 8}, static_cast<std::uint32_t>(state.range(0)));
}
BENCHMARK(threads)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMicrosecond);

// The convolution alone, 3x3, 64 to 64 channels on 56x56, in nv_small's blocks.
void convolution_kernel(benchmark::State& state) {
  const sim::convolution c{.channels = 64, .kernel_width = 3, .kernel_height = 3, .kernels = 64,
                           .pad_left = 1, .pad_top = 1, .out_width = 56, .out_height = 56,
                           .truncate = 8};
  sim::cbuf_contents cbuf;
  std::mt19937 random(1);
  cbuf.width = cbuf.height = 56;
  cbuf.channels = 64;
  cbuf.data.resize(56 * 56 * 64);
  for (auto& v : cbuf.data) v = static_cast<std::int8_t>(random());
  cbuf.weights.resize(64 * 64 * 9);
  for (auto& v : cbuf.weights) v = static_cast<std::uint8_t>(random());
  sim::convolution_core core;
  std::vector<std::int32_t> out(56 * 56 * 8);
  for (auto _ : state) {
    core.prepare(c, cbuf);
    for (std::size_t s = 0; s < 8; ++s) core.surface(s, 8, 8, 8, out);
    benchmark::DoNotOptimize(out.data());
  }
  rate(state, "MAC/s", static_cast<double>(c.macs()));
}
BENCHMARK(convolution_kernel)->Unit(benchmark::kMicrosecond);

void sdp_layer(benchmark::State& state) {
  const program::cube c{.width = 56, .height = 56, .channels = 64};
  sim::device<nv_small> d;
  fill_random(d.dram(), c.input, 56 * 56 * 64);
  auto r = program::sdp_registers<nv_small>(c);
  r.set("SDP.D_DP_BS_CFG.BS_BYPASS", 0)
      .set("SDP.D_DP_BS_CFG.BS_ALU_ALGO", 2)
      .set("SDP.D_DP_BS_ALU_SRC_VALUE", 5)
      .set("SDP.D_DP_BS_MUL_SRC_VALUE", 77)
      .set("SDP.D_DP_BS_MUL_CFG.BS_MUL_SHIFT_VALUE", 5)
      .set("SDP.D_CVT_SCALE", 99)
      .set("SDP.D_CVT_SHIFT", 8);
  int group = 0;
  for (auto _ : state) {
    for (const auto* unit : {"SDP", "SDP_RDMA"})
      d.write(hw::find(hw::register_map::small, text(unit, ".S_POINTER"))->address,
              static_cast<std::uint32_t>(group));
    r.write(d);
    program::enable(d, {"SDP_RDMA", "SDP"});
    group ^= 1;
  }
  rate(state, "elements/s", 56.0 * 56 * 64);
}
BENCHMARK(sdp_layer)->Unit(benchmark::kMicrosecond);

// Argument: the method, 0 average, 1 max.
void pdp_layer(benchmark::State& state) {
  const program::pooling p{.width = 56, .height = 56, .channels = 64, .out_width = 28,
                           .out_height = 28, .kernel = 2, .stride = 2,
                           .method = static_cast<std::uint32_t>(state.range(0))};
  sim::device<nv_small> d;
  fill_random(d.dram(), p.input, 56 * 56 * 64);
  const auto r = program::pdp_registers<nv_small>(p);
  int group = 0;
  for (auto _ : state) {
    for (const auto* unit : {"PDP", "PDP_RDMA"})
      d.write(hw::find(hw::register_map::small, text(unit, ".S_POINTER"))->address,
              static_cast<std::uint32_t>(group));
    r.write(d);
    program::enable(d, {"PDP_RDMA", "PDP"});
    group ^= 1;
  }
  rate(state, "elements/s", 56.0 * 56 * 64);
}
BENCHMARK(pdp_layer)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
