// SPDX-License-Identifier: Apache-2.0
// Speed of CDP through the register bus, from memory to memory: elements/s. Build in Release.
#include <benchmark/benchmark.h>

#include <random>

#include <nvdlac/hw/configurations/nv_full.hpp>

#include "../tests/sim/cdp_program.hpp"

namespace {

using namespace nvdlac;

// Entries of a falling curve.
sim::lut_tables falling(hw::precision p) {
  sim::lut_tables t;
  for (std::size_t i = 0; i < t.le.size(); ++i)
    t.le[i] = static_cast<std::int16_t>(p == hw::precision::fp16 ? 0x3c00 - 8 * i
                                                                 : 30000 - 300 * i);
  return t;
}

// Arguments: precision, whether sums and products are bypassed. Always with the table.
void cdp_layer(benchmark::State& state) {
  const auto p = static_cast<hw::precision>(state.range(0));
  const program::normalisation n{.width = 56, .height = 56, .channels = 64, .precision = p,
                                 .sum_bypass = state.range(1) != 0,
                                 .product_bypass = state.range(1) != 0, .output_scale = 25,
                                 .output_shift = 12};
  constexpr std::size_t elements = 56 * 56 * 64;
  sim::device<nv_full> d;
  std::mt19937 random(1);
  std::vector<std::uint8_t> bytes(elements * hw::element_bytes(p));
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
  if (p == hw::precision::fp16)  // numbers from 1/128 to 2
    for (std::size_t i = 1; i < bytes.size(); i += 2)
      bytes[i] = static_cast<std::uint8_t>((bytes[i] & 0x9f) | 0x20);
  d.dram().write(n.input, bytes);
  const bool wide = p == hw::precision::int16;
  program::load_cdp_tables(d, falling(p), p == hw::precision::fp16 ? 0 : wide ? 24 : 11,
                           p == hw::precision::fp16 ? 0x7f7fffff : 0x1fffff);
  const auto r = program::cdp_registers<nv_full>(n);
  std::uint32_t group = 0;
  for (auto _ : state) {
    for (const auto* unit : {"CDP", "CDP_RDMA"})
      d.write(hw::find(hw::register_map::full, text(unit, ".S_POINTER"))->address, group);
    r.write(d);
    program::enable(d, {"CDP_RDMA", "CDP"});
    group ^= 1;
  }
  if (!d.waiting().empty()) state.SkipWithError("the layer did not run");
  state.counters["elements/s"] = benchmark::Counter(
      static_cast<double>(elements) * static_cast<double>(state.iterations()),
      benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
}
BENCHMARK(cdp_layer)->ArgsProduct({{0, 1, 2}, {1, 0}})->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
