// SPDX-License-Identifier: Apache-2.0
// nvdlac verify: the float network beside the simulated program.
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/report/verification.hpp>
#include <nvdlac/report/verification_json.hpp>
#include <nvdlac/verify/labels.hpp>
#include <nvdlac/verify/verdict.hpp>

#include "commands.hpp"
#include "device_options.hpp"
#include "given_options.hpp"
#include "inputs.hpp"
#include "junit.hpp"
#include "labels.hpp"
#include "manner.hpp"
#include "measured_layers.hpp"
#include "node_data.hpp"
#include "number_from.hpp"
#include "outputs.hpp"
#include "page.hpp"
#include "threads.hpp"
#include "usage.hpp"
#include "verification.hpp"

namespace nvdlac::cli {
namespace {

struct verify_arguments {
  model_options model{};
  std::vector<std::string> inputs{};
  std::string labels{}, html{}, junit{}, overlay{};
  bool each = false, json = false, csv = false, layers = false;
  verification::thresholds wanted{};
  std::size_t first = 0;  // 0: all
  sim::settings settings{};
  prediction_options prediction{};
  device_options device{};
};

// The files of an option, by target.
std::vector<std::filesystem::path> files_for(const std::string& option, const std::string& path,
                                             const std::vector<const target*>& targets) {
  if (path == "-")
    throw usage_error(option + ": the comparison goes to the standard output, name a file");
  std::vector<std::filesystem::path> files;
  for (const auto* t : targets)
    if (!path.empty())
      files.push_back(targets.size() > 1 ? with_infix(option, path, t->name())
                                         : std::filesystem::path(path));
  return files;
}

std::string_view option_of(verification::threshold t) {
  using enum verification::threshold;
  return t == top1 ? "--min-top1" : t == drop ? "--max-drop" : "--min-snr";
}

void print_json(const verification::report& r, const std::vector<report::prediction>& predicted,
                const std::vector<verification::judgement>& judged) {
  auto all = report::to_json(r, predicted);
  for (const auto& j : judged)
    all["thresholds"].push_back({{"option", option_of(j.of)},
                                 {"name", r.programs[j.program].configuration}, {"what", j.what},
                                 {"value", j.value}, {"limit", j.limit}, {"met", j.met}});
  std::cout << report::json_text(all);
}

// The report of a target, with what was found.
network_report verified_report(const verification::report& r, network_report of_target,
                               std::size_t target) {
  auto& found = of_target.json["verification"];
  found = report::network_to_json(r);
  found.update(report::program_to_json(r, target));
  found["confusion"] = report::confusion_to_json(r, target);
  return of_target;
}

// Cycles of the layers on the device.
void add_measured(network_report& to, const verified_programs& programs, const input_files& inputs,
                  const verify_arguments& a) {
  if (!programs.times_layers()) {
    std::cerr << "nvdlac: note: the page has no cycles of " << a.device.name
              << ": the device's driver runs whole tasks, and times no layer of them\n";
    return;
  }
  constexpr std::size_t runs = 9;
  to.json["measured"] = {
      {"device", a.device.name}, {"clock_megahertz", a.prediction.megahertz}, {"runs", runs},
      {"layers", to_json(programs.measure(inputs.first(), runs), a.prediction.megahertz)}};
}

void verify(const verify_arguments& a, target_list targets) {
  ranks all;
  std::ostream silent(nullptr);
  std::optional<preparation> from;
  std::optional<input_files> inputs;
  std::optional<std::vector<std::size_t>> labels;
  std::optional<verified_programs> programs;
  std::optional<output_set> files;
  std::vector<std::filesystem::path> pages, overlays;
  auto settings = a.settings;
  settings.limit_by(a.model.limits);
  all.together([&] {
    from.emplace(a.model, targets, all.first() ? std::cerr : silent);
    from->require_targets();
    if (!a.model.carry_states.empty() && all.size() > 1)
      throw usage_error("--carry-states: the steps of a sequence are computed one behind the "
                        "other, which ranks cannot share out");
    const auto wanted = from->wanted();
    inputs.emplace(paths_for(a.inputs, wanted), wanted);
    if (all.first()) tell(std::cerr, "note", inputs->notes());
    labels = labels_for(a.labels, inputs->size());
    if (!labels) labels = inputs->labels();
    if (a.wanted.drop && !labels)
      throw usage_error("--max-drop compares how many classes are right: give --labels, or inputs "
                        "in a directory for each class");
    if (a.first != 0) inputs->keep(a.first);
    if (all.first()) {
      auto read = from->files();
      read.insert(read.end(), a.inputs.begin(), a.inputs.end());
      read.emplace_back(a.labels);
      files.emplace(read);
      pages = files_for("--html", a.html, from->targets());
      overlays = files_for("--overlay", a.overlay, from->targets());
      for (const auto& page : pages) files->plan("--html", page);
      for (const auto& overlay : overlays)
        for (const auto kind : kinds_of_node_data)
          files->plan("--overlay", with_infix("--overlay", overlay, kind));
      if (!a.junit.empty()) files->plan("--junit", a.junit);
    }
    from->compare_for([&](const target& t) { return a.prediction.on(t).memory; });
    from->quantise({}, &*inputs);
    in_file(a.model.model, [&] {
      programs.emplace(*from, settings, a.prediction,
                       all.first() && !(a.html + a.overlay).empty(), a.device);
    });
    const auto report = programs->begin();
    const auto& outputs = report.outputs;
    if (labels)
      verification::check_labels(*labels, report, a.labels.empty() ? a.inputs[0] : a.labels);
    if (all.first() && outputs.size() > 1 && (a.wanted.top1 || a.wanted.drop))
      std::cerr << "nvdlac: note: " << (a.wanted.top1 ? "--min-top1" : "--max-drop")
                << " judges the classes of '" << outputs[0].name << "', the first of "
                << outputs.size() << " outputs\n";
  });
  const auto found = in_file(
      a.model.model, [&] { return verify_on(*programs, *inputs, labels, {}, all); });
  if (!all.first()) return;
  const auto judged = verification::judge(found, a.wanted);
  if (a.json) {
    std::vector<report::prediction> predicted;
    for (const auto& p : programs->programs()) predicted.push_back(p.predicted);
    print_json(found, predicted, judged);
  } else if (a.csv) std::cout << report::to_csv(found);
  else
    std::cout << folded(
        report::to_text(found, {.inputs = a.each || inputs->size() <= verification::few,
                                .layers = a.layers, .width = line_width()}),
        line_width());
  for (std::size_t t = 0; t < programs->reports().size(); ++t) {
    auto r = verified_report(found, programs->reports()[t], t);
    if (!pages.empty() && a.device.given()) add_measured(r, *programs, *inputs, a);
    if (!pages.empty()) files->add("--html", pages[t], page_of(r.json, r.data_flows));
    if (overlays.empty()) continue;
    for (const auto& [kind, data] : node_data_of(r.json))
      files->add("--overlay", with_infix("--overlay", overlays[t], kind), report::json_text(data));
  }
  if (!a.junit.empty()) files->add("--junit", a.junit, in_junit(found, judged, option_of));
  files->write();
  const auto missed = verification::missed(found, judged, option_of);
  flush_standard_output();
  if (!missed.empty()) throw unmet(missed);
}

}  // namespace

void add_verify(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand(
      "verify", "Compare the float network with its program on the simulator or a board");
  const auto a = std::make_shared<verify_arguments>();
  add_model_options(*sub, a->model);
  sub->add_option("-i,--input", a->inputs,
                  "Inputs to compare on: files or directories as for --calibration")
      ->required()->type_name("FILE");
  sub->add_option("--labels", a->labels,
                  "The right class of each input (IDX, npy, or text with a number on each line); "
                  "default: that of its folder, if the inputs are a folder of classes")
      ->type_name("FILE");
  sub->add_option("--first", a->first, "Take only so many of the inputs")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000'000}))->type_name("N");
  sub->add_flag("--each", a->each,
                text("Print a row for each input, also for more than ", verification::few));
  sub->add_option("--html", a->html,
                  "Write a page to look at in a browser: the error of every layer beside data "
                  "flow, timeline, roofline, memory, activations and weights, and what each layer "
                  "took on --device; with several --config one for each, whose name it gets")
      ->check(check_output_name)->type_name("FILE");
  sub->add_option("--overlay", a->overlay,
                  "Write node data for Google's Model Explorer as `nvdlac compile` does, and "
                  "OUT.snr.json with the signal to noise")
      ->check(check_output_name)->type_name("OUT.json");
  sub->add_option("--junit", a->junit,
                  "Write what must hold as tests, in JUnit's XML, which CI servers show: that the "
                  "program is exact, and each of the thresholds")
      ->check(check_output_name)->type_name("FILE");
  auto* const json = sub->add_flag(
      "--json", a->json, "Print the summary, a row for each input and all layers as JSON");
  auto* const csv = sub->add_flag("--csv", a->csv, "Print the table of --layers, as CSV");
  csv->excludes(json);
  sub->add_flag("--layers", a->layers,
                text("Print the error of every layer, the worst first, on at most ",
                     count_of(verification::few, "input")))
      ->excludes(json)->excludes(csv);
  const std::string group = "What must hold; otherwise the exit code is 4";
  sub->add_option("--min-top1", a->wanted.top1,
                  "So many percent of the first classes are right (with --labels) or those of the "
                  "float network, on every configuration")
      ->check(number_from(0, 100))->type_name("PERCENT")->group(group);
  sub->add_option("--max-drop", a->wanted.drop,
                  "Of the right classes of the float network at most so many percent of all inputs "
                  "are lost; with --labels")
      ->check(number_from(0, 100))->type_name("PERCENT")->group(group);
  sub->add_option("--min-snr", a->wanted.snr,
                  "Signal to noise of every output, in decibels")
      ->check(number_from(-1000, 1000))->type_name("DB")->group(group);
  add_scheduling(*sub, a->model.scheduling);
  add_threads(*sub, a->settings.threads, a->model);
  add_prediction(*sub, a->prediction);
  a->device.add(*sub);
  sub->footer(
      "Prints the error of the outputs, how often both find the same class and the first class is\n"
      "tied with another, and the layer that loses most: that whose integers are farthest from\n"
      "what the float layer makes of the integers it reads. Every run is compared bit for bit\n"
      "with an exact integer reference; one on a device as well, and where it differs the first\n"
      "layer is named that is not as the simulator has it. Under mpirun the ranks share the inputs\n"
      "out, and print the same (docs/scale.md).\n"
      "Examples:\n"
      "  nvdlac verify digits.onnx --config nv_small --calibration train.idx --input pictures/\n"
      "  nvdlac verify lenet.prototxt lenet.caffemodel --config nv_small --scale 0.00390625 \\\n"
      "      --calibration train.idx --input test.idx --labels labels.idx --max-drop 0.5");
  sub->callback([=] {
    a->model.words = given_options(*sub);
    verify(*a, targets);
  });
}

}  // namespace nvdlac::cli
