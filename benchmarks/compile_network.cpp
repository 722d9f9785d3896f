// SPDX-License-Identifier: Apache-2.0
// From a model on disk to the bytes of nv_small's loadable, as a whole and in parts; calibration is
// not timed, scales and means are a table. The process's largest memory is counted as well.
//   compile_network resnet50.prototxt [resnet50.caffemodel] [--benchmark_...]
// The weights of a prototxt without a caffemodel are random.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/compile.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/import/model.hpp>

namespace {

using namespace nvdlac;

std::string file;
import::weight_source with;
quant::scale_table scales;
const compile_options options;

net::graph load() {
  auto g = import::without_scales(import::any_network(file, with));
  net::infer_shapes(g);
  return g;
}

// One scale and one mean for all tensors: how good they are does not matter to the time.
quant::scale_table any_scales() {
  const auto original = load();
  auto g = original;
  pass::standard::run(g, {}, pass::silent{});
  std::map<std::string, std::int32_t> channels;
  for (const auto* each : {&original, &std::as_const(g)})
    for (net::graph::id n = 0; n < each->size(); ++n)
      channels.emplace((*each)[n].name, (*each)[n].shape.c);
  quant::scale_table table;
  for (const auto& [name, count] : channels)
    table.entries.push_back(
        {name, 1 / 16.0, std::vector<double>(static_cast<std::size_t>(count), 1)});
  return table;
}

double megabytes_at_most() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void whole(benchmark::State& state) {
  std::size_t bytes = 0;
  for (auto _ : state)
    bytes = emit::loadable(compile<nv_small>(load(), scales, options)).size();
  state.counters["loadable_bytes"] = static_cast<double>(bytes);
  state.counters["peak_MiB"] = megabytes_at_most();
}
BENCHMARK(whole)->Unit(benchmark::kMillisecond);

void import_model(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(load().size());
}
BENCHMARK(import_model)->Unit(benchmark::kMillisecond);

void prepare_integers(benchmark::State& state) {
  const auto g = load();
  for (auto _ : state)
    benchmark::DoNotOptimize(
        prepare(g, scales, options, pass::silent{}, [](auto&) {}).integers.size());
}
BENCHMARK(prepare_integers)->Unit(benchmark::kMillisecond);

void build_and_emit(benchmark::State& state) {
  const auto from = prepare(load(), scales, options, pass::silent{}, [](auto&) {});
  for (auto _ : state)
    benchmark::DoNotOptimize(emit::loadable(build<nv_small>(from.integers, options)).size());
}
BENCHMARK(build_and_emit)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2 || argc > 3) {
    std::cerr << "usage: compile_network MODEL [CAFFEMODEL]\n";
    return 2;
  }
  file = argv[1];
  if (argc == 3) with = std::filesystem::path(argv[2]);
  else if (file.ends_with(".prototxt")) with = import::random_weights{1};
  scales = any_scales();
  benchmark::RunSpecifiedBenchmarks();
}
