// SPDX-License-Identifier: Apache-2.0
// The one source of tools/demo in examples/digits: `demo OUT` compiles the digit classifier for
// nv_small as `nvdlac compile` does, into loadable, trace and report, and proves it as `nvdlac
// verify` does. It needs nothing that was built before: of the readers of models it has ONNX's, and
// of the configurations one. Where NVDLAC_COMPILED is defined, a library has what it uses.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/cost/lower_bound.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/emit/files.hpp>
#include <nvdlac/emit/host_steps.hpp>
#include <nvdlac/emit/trace.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/import/onnx.hpp>
#include <nvdlac/report/compilation.hpp>
#include <nvdlac/report/distributions.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/prediction.hpp>
#include <nvdlac/report/program.hpp>
#include <nvdlac/report/verification.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/runtime/user_inputs.hpp>
#include <nvdlac/verify.hpp>
#ifndef NVDLAC_COMPILED
#include <nvdlac/chip_definitions.hpp>
#endif

using namespace nvdlac;

namespace {

using hardware = nv_small;

// The register trace of the first of the inputs.
std::vector<emit::file> trace_of(product<hardware>& made, const pictures& inputs) {
  auto& session = made.on_chip().session();
  const auto wanted = runtime::wanted_by(session.inputs());
  const data::input_files files(data::paths_of(inputs, wanted), wanted);
  const auto feeds = runtime::feeds_of(files.first(), session.inputs());
  return emit::trace(made.program(), session.record(feeds),
                     std::string(made.program().network.view()));
}

void compile_into(const std::filesystem::path& out, const model& digits,
                  const pictures& calibration) {
  std::map<std::string, quant::magnitudes> activations;
  compile_options options{.for_traces = true};
  options.histogram = [&](const auto& layer, const auto& seen) { activations[layer] = seen; };
  auto made = compile<hardware>(digits, calibration, options);
  const auto& program = made.program();

  const report::conditions given{.memory = cost::memory_of(hardware::spec)};
  const auto in_trace = report::predict_registers(program, hardware::spec, given,
                                                  emit::host_steps<hardware>(program));
  const auto in_loadable = report::predict(program.tasks, hardware::spec, given);
  auto loadable = made.loadable();
  const auto least =
      cost::lower_bound_of(made.network().integers, hardware::spec, given.memory);
  std::cout << report::summary(program, hw::name<hardware>(), in_loadable, loadable.size(),
                               &in_trace)
            << report::summary(least, in_trace) << '\n';

  auto json = report::to_json(made.network(), program, hw::name<hardware>(), hardware::spec,
                              in_loadable);
  json["prediction"]["of"] = "loadable";
  json["prediction_of_trace"] = report::to_json<report::json>(in_trace);
  json["lower_bound"] = report::to_json<report::json>(least);
  json["activations"] = report::json::object();
  for (const auto& e : made.network().scales.entries)
    if (const auto seen = activations.find(e.layer); seen != activations.end())
      json["activations"][e.layer] = report::histogram<report::json>(seen->second);
  const auto text = report::json_text(json);

  auto files = trace_of(made, calibration);
  files.push_back({"digits.nvdla", std::move(loadable)});
  files.push_back({"digits.json", {text.begin(), text.end()}});
  emit::write_files(out, std::move(files));
}

void demonstrate(const std::filesystem::path& out) {
  auto network = import::onnx_network("digits.onnx");
  network.file = "digits.onnx";
  const model digits(std::move(network));
  const pictures calibration("calibration.idx");
  compile_into(out, digits, calibration);
  auto made = compile<hardware>(digits, calibration);
  std::cout << report::to_text(verify(made, pictures("images")), {.inputs = true});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    demonstrate(argv[1]);
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
