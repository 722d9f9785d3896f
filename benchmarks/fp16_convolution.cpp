// SPDX-License-Identifier: Apache-2.0
// Speed of fp16 convolutions, of the simulator and of the exact reference, in MAC/s. Build in
// Release.
#include <benchmark/benchmark.h>

#include <bit>
#include <random>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/quantised/convolution.hpp>

#include "../tests/sim/program.hpp"

namespace {

using namespace nvdlac;

// Normally distributed; with `rectified` half of them are 0, as after a ReLU.
std::vector<std::uint16_t> random_halves(std::size_t n, bool rectified) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<std::uint16_t> values(n);
  for (auto& v : values) {
    const sim::fp32 x{std::bit_cast<std::uint32_t>(normal(random))};
    const auto half = sim::convert<sim::fp16>(x);
    v = static_cast<std::uint16_t>((rectified ? arithmetic::relu(half) : half).bits);
  }
  return values;
}

void rate(benchmark::State& state, double macs) {
  state.counters["MAC/s"] =
      benchmark::Counter(macs * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
}

// The core alone: the input's lists, the weights' order, the passes. Arguments: width = height,
// channels, kernels, kernel size, stride, the way of fp16_ways(), rectified.
void fp16_kernel(benchmark::State& state) {
  const auto arg = [&](std::size_t i) { return static_cast<std::uint32_t>(state.range(i)); };
  sim::convolution c{.channels = arg(1), .kernel_width = arg(3), .kernel_height = arg(3),
                     .kernels = arg(2), .stride_x = arg(4), .stride_y = arg(4),
                     .pad_left = arg(3) / 2, .pad_top = arg(3) / 2,
                     .precision = hw::precision::fp16};
  c.out_width = c.out_height = (arg(0) + 2 * c.pad_left - c.kernel_width) / c.stride_x + 1;
  const auto& ways = sim::fp16_ways();
  if (arg(5) >= ways.size()) return state.SkipWithError("this processor has not so many ways");
  sim::cbuf_contents cbuf;
  cbuf.width = cbuf.height = arg(0);
  cbuf.channels = c.channels;
  for (const auto v : random_halves(std::size_t{arg(0)} * arg(0) * c.channels, arg(6) != 0))
    cbuf.data16.push_back(static_cast<std::int16_t>(v));
  for (const auto v : random_halves(c.kernel_elements() * c.kernels, false))
    cbuf.weights.insert(cbuf.weights.end(), {static_cast<std::uint8_t>(v),
                                             static_cast<std::uint8_t>(v >> 8)});
  sim::fp16_core core(ways[arg(5)]);
  std::vector<std::int32_t> out(std::size_t{c.out_width} * c.out_height * 16);
  for (auto _ : state) {
    core.prepare(c, cbuf);
    for (std::size_t s = 0; s * 16 < c.kernels; ++s) core.surface(s, 16, 16, 64, out);
    benchmark::DoNotOptimize(out.data());
  }
  rate(state, static_cast<double>(c.macs()));
}
BENCHMARK(fp16_kernel)
    ->Args({28, 64, 64, 3, 1, 0, 0})->Args({28, 64, 64, 3, 1, 0, 1})->Args({28, 64, 64, 1, 1, 0, 0})
    ->Args({14, 256, 256, 3, 1, 0, 0})->Args({56, 16, 32, 7, 2, 0, 0})
    ->Args({1, 4096, 256, 1, 1, 0, 0})->Args({28, 64, 64, 3, 1, 1, 0})
    ->Unit(benchmark::kMicrosecond);

// Winograd, 3x3. Arguments: width = height of the output, channels, kernels.
void fp16_winograd_kernel(benchmark::State& state) {
  const auto arg = [&](std::size_t i) { return static_cast<std::uint32_t>(state.range(i)); };
  const sim::convolution c{.channels = arg(1), .kernel_width = 4, .kernel_height = 4,
                           .kernels = arg(2), .out_width = arg(0), .out_height = arg(0),
                           .precision = hw::precision::fp16, .winograd = true};
  sim::cbuf_contents cbuf;
  cbuf.width = cbuf.height = arg(0) + 4;
  cbuf.channels = c.channels;
  for (const auto v : random_halves(std::size_t{cbuf.width} * cbuf.width * c.channels, false))
    cbuf.data16.push_back(static_cast<std::int16_t>(v));
  for (const auto v : random_halves(c.kernel_elements() * c.kernels, false))
    cbuf.weights.insert(cbuf.weights.end(), {static_cast<std::uint8_t>(v),
                                             static_cast<std::uint8_t>(v >> 8)});
  sim::fp16_winograd_core core;
  std::vector<std::int32_t> out(std::size_t{c.out_width} * c.out_height * 16);
  for (auto _ : state) {
    core.prepare(c, cbuf);
    for (std::size_t s = 0; s * 16 < c.kernels; ++s) core.surface(s, 16, 16, 64, out);
    benchmark::DoNotOptimize(out.data());
  }
  rate(state, 4.0 * arg(0) * arg(0) * c.channels * c.kernels);  // those that the hardware does
}
BENCHMARK(fp16_winograd_kernel)->Args({28, 64, 64})->Unit(benchmark::kMicrosecond);

// Whole layers of nv_full through the register bus. Arguments: width = height, channels, kernels,
// kernel size.
void fp16_layer(benchmark::State& state) {
  using hw_type = nv_full;
  constexpr const auto& spec = hw_type::spec;
  constexpr auto p = hw::precision::fp16;
  const auto arg = [&](std::size_t i) { return static_cast<std::uint32_t>(state.range(i)); };
  const program::convolution c{.width = arg(0), .height = arg(0), .channels = arg(1),
                               .kernels = arg(2), .kernel = arg(3), .pad = arg(3) / 2};
  auto r = program::convolution_registers<hw_type>(c);
  for (const std::string unit : {"CDMA.D_MISC_CFG.", "CSC.D_MISC_CFG."})
    r.set(unit + "IN_PRECISION", 2).set(unit + "PROC_PRECISION", 2);
  for (const std::string unit : {"CMAC_A", "CMAC_B", "CACC"})
    r.set(unit + ".D_MISC_CFG.PROC_PRECISION", 2);
  r.set("SDP.D_DATA_FORMAT.PROC_PRECISION", 2).set("SDP.D_DATA_FORMAT.OUT_PRECISION", 2);
  const auto per_kernel = c.channels * c.kernel * c.kernel;
  const auto entries = hw::feature_entries_per_slice(spec, p, c.width, c.channels);
  const auto banks = hw::data_banks(spec, entries, c.height);
  const auto packed = hw::weight_bytes(spec, p, c.kernels, per_kernel);
  const auto weight_banks = std::min(hw::weight_banks(spec, packed).n, spec.cbuf_banks - banks.n);
  r.count("CDMA.D_WEIGHT_SIZE_0", 2 * per_kernel);
  for (const std::string unit : {"CDMA", "CSC"})
    r.count(unit + ".D_ENTRY_PER_SLICE", static_cast<std::int64_t>(entries.n))
        .count(unit + ".D_BANK.DATA_BANK", static_cast<std::int64_t>(banks.n))
        .count(unit + ".D_BANK.WEIGHT_BANK", static_cast<std::int64_t>(weight_banks))
        .bytes(unit + ".D_WEIGHT_BYTES", static_cast<std::uint32_t>(packed.n));

  sim::device<hw_type> d;
  const auto load = [&](std::uint64_t address, std::size_t n) {
    const auto values = random_halves(n, false);
    d.dram().write(address, std::span(reinterpret_cast<const std::uint8_t*>(values.data()), 2 * n));
  };
  load(c.input, std::size_t{c.width} * c.height * align_up(c.channels, 16));
  load(c.weights, packed.n / 2);
  int group = 0;
  for (auto _ : state) {
    for (const auto* unit : {"CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC", "SDP"})
      d.write(hw::find(spec.map, text(unit, ".S_POINTER"))->address,
              static_cast<std::uint32_t>(group));
    r.write(d);
    program::start_convolution(d);
    group ^= 1;
  }
  if (!d.waiting().empty() || d.read(hw::address<spec.map, "GLB.S_INTR_STATUS">) == 0)
    state.SkipWithError("the layer did not run");
  rate(state, 1.0 * c.width * c.height * c.kernels * per_kernel);
}
BENCHMARK(fp16_layer)
    ->Args({28, 64, 64, 3})->Args({28, 64, 128, 1})->Args({14, 256, 32, 3})
    ->Unit(benchmark::kMicrosecond);

// The exact reference. Arguments: width = height, channels, kernels, kernel size.
void fp16_reference(benchmark::State& state) {
  const auto arg = [&](std::size_t i) { return static_cast<std::int32_t>(state.range(i)); };
  const auto pad = arg(3) / 2;
  const std::vector<std::int16_t> bias(static_cast<std::size_t>(arg(2))),
      multiplier(bias.size(), 0x3c00);
  quantised::convolution c{.kernels = arg(2),
                              .window = {arg(3), arg(3), 1, 1, pad, pad, pad, pad},
                              .bias = bias, .multiplier = multiplier};
  net::fp16_tensor x{{arg(1), arg(0), arg(0)}};
  const auto values = random_halves(x.values.size(), false);
  for (std::size_t i = 0; i < values.size(); ++i) x.values[i] = {values[i]};
  const auto weights =
      random_halves(static_cast<std::size_t>(c.weight_count(x.shape)), false);
  c.wide_weights = std::vector<std::int16_t>(weights.begin(), weights.end());
  const auto* in = &x;
  for (auto _ : state)
    benchmark::DoNotOptimize(c.evaluate(std::span<const net::fp16_tensor* const>(&in, 1)));
  rate(state, static_cast<double>(weights.size()) * arg(0) * arg(0));
}
BENCHMARK(fp16_reference)
    ->Args({28, 64, 64, 3})->Args({28, 64, 128, 1})->Args({14, 256, 32, 3})->Args({56, 3, 64, 3})
    ->Args({1, 4096, 256, 1})->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
