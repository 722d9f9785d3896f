// SPDX-License-Identifier: Apache-2.0
// Where the time of `nvdlac compile` goes, from an ONNX file and its calibration pictures to the
// bytes of nv_small's loadable: for each part the seconds on the clock and of the processors.
//   calibrated_compile MODEL.onnx PICTURES THREADS [SCALES.json]
// Pixels become values by (x - 127.5) / 64. SCALES.json gets the scales.
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>

#include <nvdlac/compile.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/import/onnx.hpp>
#include <nvdlac/quant/scale_table_json.hpp>

namespace {

using namespace nvdlac;

class stopwatch {
 public:
  // Prints what has passed since the last time.
  void lap(const std::string& what) {
    const auto now = times();
    std::cout << std::left << std::setw(22) << what << std::right << std::fixed
              << std::setprecision(3) << std::setw(8) << now.clock - last_.clock << " s"
              << std::setw(8) << now.processors - last_.processors << " s of the processors\n";
    last_ = now;
  }

 private:
  struct time_point {
    double clock = 0, processors = 0;
  };
  static time_point times() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return {std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
                .count(),
            static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9};
  }
  time_point last_ = times();
};

void run(const std::string& model, const std::string& pictures, std::size_t threads,
         const std::string& scales) {
  stopwatch watch;
  auto g = import::without_scales(import::onnx_network(model));
  nvdlac::detail::throw_if_any(net::verify(g));
  watch.lap("import");
  compile_options options;
  options.threads = threads;
  options.preprocessing.emplace(net::preprocessing{.mean = {127.5F}, .scale = {1 / 64.0F}});
  const auto wanted = data::inputs_of(g, {*options.preprocessing, {}, {}});
  data::input_files files(data::paths_of(nvdlac::pictures(pictures), wanted), wanted);
  options.progress = [&](std::size_t done, std::size_t all) {
    if (done == all) watch.lap("passes, float network");
  };
  const quant::sample_stream samples{files.size(), [&](const auto& visit) {
    files.each([&](data::input_set&& set) { visit(data::tensors_of(std::move(set), wanted)); });
  }};
  const auto network = prepare_for<nv_small>(g, samples, options);
  watch.lap("ranges, quantisation");
  const auto program = build<nv_small>(network.integers, options);
  watch.lap("layers, memory, checks");
  const auto bytes = emit::loadable(program);
  watch.lap("loadable");
  std::cout << bytes.size() << " bytes\n";
  if (!scales.empty())
    std::ofstream(scales, std::ios::binary) << quant::write_scales(network.scales);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4 || argc > 5) {
    std::cerr << "usage: calibrated_compile MODEL.onnx PICTURES THREADS [SCALES.json]\n";
    return 2;
  }
  run(argv[1], argv[2], std::stoul(argv[3]), argc > 4 ? argv[4] : "");
} catch (const std::exception& e) {
  std::cerr << "calibrated_compile: " << e.what() << '\n';
  return 1;
}
