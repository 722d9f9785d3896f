// SPDX-License-Identifier: Apache-2.0
// nvdlac compile: from a network to loadable, trace and report.
#include <iostream>
#include <memory>
#include <optional>
#include <span>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>
#include <nvdlac/compile_steps.hpp>
#include <nvdlac/emit/host_stub.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/quant/scale_table_json.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/program.hpp>
#include <nvdlac/report/table.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/schedule/choices_json.hpp>
#include <nvdlac/sim/rule.hpp>

#include "commands.hpp"
#include "compilation_options.hpp"
#include "described_options.hpp"
#include "given_options.hpp"
#include "loadable_of.hpp"
#include "manner.hpp"
#include "network_report.hpp"
#include "node_data.hpp"
#include "outputs.hpp"
#include "page.hpp"
#include "preparation.hpp"
#include "progress.hpp"
#include "provenance.hpp"
#include "scheduling.hpp"
#include "trace_formats.hpp"
#include "traced_input.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

namespace fs = std::filesystem;

struct compile_arguments : compilation_options {
  std::string loadable{}, trace{}, report{}, html{}, scales{}, public_scales{}, host_stub{},
      schedule{}, overlay{};
  bool list_passes = false, dot = false, no_provenance = false, trace_layers = false;
  std::set<std::string> dump_after{};
  std::string dump_format = "text";
  std::string trace_format = "nvtrace";

  bool writes() const {
    return !(loadable + trace + report + html + scales + public_scales + host_stub + schedule +
             overlay)
                .empty();
  }
};

std::vector<pass::pass_info> all_passes() {
  const auto& of_network = network_passes::passes;
  std::vector<pass::pass_info> all(of_network.begin(), of_network.end());
  all.insert(all.end(), steps_for_hardware.begin(), steps_for_hardware.end());
  return all;
}

void list_passes() {
  report::table t({{"pass"}, {.title = "what it does", .wraps = true}});
  for (const auto& p : all_passes()) t.add({std::string(p.name), std::string(p.description)});
  std::cout << t.print(line_width());
}

std::string names_of_passes() {
  std::string names;
  for (const auto& p : all_passes()) names += (names.empty() ? "" : ", ") + std::string(p.name);
  return names;
}

// The name of a configuration's file.
fs::path name_for(std::string_view option, const std::string& path, const target& t,
                  bool several) {
  return several ? with_infix(option, path, t.name()) : fs::path(path);
}

// Compiles the network for one configuration, into the files that the user wants.
void compile_for(const target& t, const preparation& from, const compile_arguments& a,
                 const emit::provenance& made_from, output_set& files, bool several) {
  const auto name = [&](std::string_view option, const std::string& path) {
    return name_for(option, path, t, several);
  };
  progress_line line(text("compiling for ", t.name()));
  const auto conditions = a.prediction.on(t);
  const auto scheduled = build_scheduled(t, from, conditions, !a.trace.empty(), line);
  const auto& program = scheduled.program;
  auto loadable = loadable_of(t, program, made_from);
  const auto in_loadable = report::predict(program.tasks, t.spec(), conditions);
  std::optional<report::prediction> in_trace;
  if (!a.trace.empty() && !a.trace_layers)
    in_trace = report::predict_registers(program, t.spec(), conditions, t.host_steps(program));
  auto summary = report::summary(program, t.name(), in_loadable, loadable.size(),
                                 in_trace ? &*in_trace : nullptr);
  if (from.options().optimize != 0)
    summary += search_summary(scheduled, from.options().optimize) + '\n';
  const auto& judged = in_trace ? *in_trace : in_loadable;
  summary += report::summary(least_cycles(from, t, judged), judged) + '\n';
  files.remarks() << folded(summary, line_width());
  if (!a.schedule.empty())
    files.add("--save-schedule", name("--save-schedule", a.schedule),
              schedule::write_choices(scheduled.schedule));
  if (!(a.report + a.html + a.overlay).empty()) {
    line.begin("writing reports");
    const bool is_trace_alone = in_trace && a.loadable.empty();
    auto r = is_trace_alone ? report_on(from, t, program, *in_trace, made_from, "trace")
                            : report_on(from, t, program, in_loadable, made_from);
    if (in_trace && !is_trace_alone)
      r.json["prediction_of_trace"] = report::to_json<report::json>(*in_trace);
    if (!a.report.empty())
      files.add("--report", name("--report", a.report), report::json_text(r.json));
    if (!a.html.empty())
      files.add("--html", name("--html", a.html), page_of(r.json, r.data_flows));
    if (!a.overlay.empty())
      for (const auto& [what, data] : node_data_of(r.json))
        files.add("--overlay", with_infix("--overlay", name("--overlay", a.overlay), what),
                  report::json_text(data));
  }
  if (!a.trace.empty()) {
    const auto path = name("--trace", a.trace);
    line.begin("simulating");
    const auto m = t.simulate(runtime::load(emit::read_loadable(loadable), t.spec()),
                              sim::settings::limited_by(from.options().limits));
    const auto input = traced_input(from, *m);
    auto parts = in_format(a.trace_format, t,
                           t.trace(program, a.trace_layers ? m->record_layers(input)
                                                           : m->record(input),
                                   path.stem().string()), path);
    for (auto& part : parts)
      files.add("--trace", path.parent_path() / part.name, std::move(part.bytes));
  }
  if (!a.host_stub.empty()) {
    const auto path = name("--host-stub", a.host_stub);
    for (auto& part : emit::host_stub(program, t.spec().atom(), path.stem().string()))
      files.add("--host-stub", path.parent_path() / part.name, std::move(part.bytes));
  }
  if (!a.loadable.empty())
    files.add("--output", name("--output", a.loadable), std::move(loadable));
}

using option_and_name = std::pair<std::string_view, const std::string&>;

// The files whose names are known before the work.
void plan_outputs(const compile_arguments& a, const std::vector<const target*>& targets,
                  output_set& files) {
  const bool several = targets.size() > 1;
  if (!a.trace.empty()) check_trace_name(a.trace_format, a.trace);
  for (const auto& [option, path] : {option_and_name("--output", a.loadable),
                                     {"--trace", a.trace}, {"--report", a.report},
                                     {"--html", a.html},
                                     {"--save-schedule", a.schedule}})
    for (const auto* t : targets)
      if (!path.empty()) files.plan(option, name_for(option, path, *t, several));
  if (!a.overlay.empty())
    for (const auto* t : targets)
      for (const auto what : std::span(kinds_of_node_data).first<kinds_of_node_data.size() - 1>())
        files.plan("--overlay",
                   with_infix("--overlay", name_for("--overlay", a.overlay, *t, several), what));
  for (const auto& [option, path] : {option_and_name("--scales-out", a.scales),
                                     {"--public-scales-out", a.public_scales}})
    if (!path.empty()) files.plan(option, path);
  if (a.host_stub.empty()) return;
  for (const auto* t : targets) {
    const auto path = name_for("--host-stub", a.host_stub, *t, several);
    if (path.extension() != ".c") throw usage_error("--host-stub names a C file, OUT.c");
    for (const auto& part : {path, fs::path(path).replace_extension(".h")}) {
      files.plan("--host-stub", part);
      std::error_code ignored;
      if (fs::exists(part, ignored))
        throw error(problem{.file = part.string(), .reason = "exists and may hold code of yours",
                            .remedy = "name another file, or remove it"});
    }
  }
}

void compile(compile_arguments a, target_list targets) {
  if (a.list_passes && a.writes())
    throw usage_error("--list-passes compiles nothing, and so has no other output beside it");
  if (a.list_passes) return list_passes();
  if (a.dump_after.empty() && a.dump_format != "text")
    throw usage_error("--dump-format is of no use without --dump-after");
  if (a.trace.empty() && a.trace_format != "nvtrace")
    throw usage_error("--trace-format is of no use without --trace");
  if (a.trace.empty() && a.trace_layers)
    throw usage_error("--trace-layers is of no use without --trace");
  preparation from(a.model, targets);
  const bool as_dot = a.dump_format == "dot";
  if (!a.dump_after.empty() && !a.writes())
    return from.run_passes({a.dump_after, as_dot, std::cout});
  if (!a.writes()) a.loadable = from.options().network + ".nvdla";

  from.require_targets();
  output_set files(from.files());
  plan_outputs(a, from.targets(), files);
  const dumping dump{a.dump_after, as_dot, files.messages()};
  from.choose_batch(a.batch);
  from.compare_for([&](const target& t) { return a.prediction.on(t).memory; });
  from.quantise(dump);
  const auto& scales = from.network().scales;
  if (!quant::needs_scales(from.network().graph, from.options().precision) &&
      !(a.scales + a.public_scales).empty())
    throw usage_error("a network in fp16 has no scales to write");
  if (!a.scales.empty()) files.add("--scales-out", a.scales, quant::write_scales(scales));
  if (!a.public_scales.empty())
    files.add("--public-scales-out", a.public_scales, quant::write_public_scales(scales));
  const auto made_from =
      a.no_provenance ? emit::provenance{} : provenance_of(from, !a.trace.empty());
  diagnostics found;
  for (const auto* t : from.targets()) try {
      in_file(a.model.model, [&] {
        compile_for(*t, from, a, made_from, files, from.targets().size() > 1);
      });
    } catch (const error& e) {
      for (const auto& p : e.problems()) found.add(p);
    }
  found.check();
  const auto written = files.names();
  if (!written.empty()) files.tell_when_written("written: " + joined(written));
  files.write();
}

void add_outputs(CLI::App& sub, compile_arguments& a) {
  const std::string outputs =
      "Outputs (with several --config, their names get the configuration's name)";
  const auto output = [&](const char* name, std::string& to, const char* what) {
    sub.add_option(name, to, what)->check(check_output_name)->type_name("FILE")->group(outputs);
  };
  output("-o,--output", a.loadable,
         "The loadable; without any output option: the model's name with .nvdla. As with other "
         "outputs of one file, - is the standard output");
  output("--trace", a.trace,
         "Register trace of one run, with the memory that it expects in files beside it");
  sub.add_option("--trace-format", a.trace_format,
                  "nvtrace (default), which `nvdlac replay` reads; public: for the test benches of "
                  "nvdla/hw, which read DIR/input.txn; c: C99 with a header; uio: a shell script "
                  "for a Linux board")
      ->check(CLI::IsMember(trace_formats))->type_name("FORMAT")->group(outputs);
  sub.add_flag(
         "--trace-layers", a.trace_layers,
         "Compare each tensor, in the trace, as soon as its layers have written it, so that a "
         "difference names them. The trace then waits for one layer before it starts the "
         "next, so no cycles of it are predicted")
      ->group(outputs);
  output("--report", a.report,
         "Layers with their cycles, memory, scales and preprocessing in JSON");
  output("--html", a.html,
         "A page to look at in a browser: data flow, timeline, roofline, memory, activations and "
         "weights");
  output("--overlay", a.overlay,
         "Node data for Google's Model Explorer, which shows them on the model's own graph: files "
         "OUT.cycles.json, OUT.unit.json, OUT.limit.json, OUT.bytes.json, OUT.scale.json and "
         "OUT.became.json for OUT.json, by the names of the file's nodes");
  output("--scales-out", a.scales, "The scales, for --scales");
  output("--public-scales-out", a.public_scales,
         "The scales in the calibration table of the public NVDLA compiler, which has no means to "
         "correct biases by");

  sub.add_option("--host-stub", a.host_stub,
                  "C functions for what --host lets the host compute, to be filled in, with a "
                  "header OUT.h beside it; softmax over channels is the public runtime's own")
      ->check(check_output_name)->type_name("OUT.c")->group(outputs);
  output("--save-schedule", a.schedule, "The schedule, for --schedule");
  sub.add_flag("--no-provenance", a.no_provenance,
               "Keep no note in the loadable of what it was made from, so that one program has the "
               "same bytes whatever it was made from")
      ->group(outputs);
}

}  // namespace

void add_compile(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand("compile", "Compile a network to an NVDLA loadable");
  const auto a = std::make_shared<compile_arguments>();
  add_model_options(*sub, a->model);
  add_outputs(*sub, *a);
  add_building(*sub, *a);

  const std::string passes = "Passes over the network";
  sub->add_flag("--list-passes", a->list_passes, "List the passes and stop")->group(passes);
  sub->add_option("--dump-after", a->dump_after,
                  "Print the network after this pass; may be given several times; without an "
                  "output option nothing else is done")
      ->type_name("PASS")->group(passes);
  sub->add_option("--dump-format", a->dump_format, "text (default) or dot, for Graphviz")
      ->check(CLI::IsMember({"text", "dot"}))->type_name("FORMAT")->group(passes);
  sub->get_option("--without")->group(passes);
  for (const char* option : {"--without", "--dump-after"})
    suggest(*sub->get_option(option), names_of_passes());
  sub->footer(
      "Examples:\n"
      "  nvdlac compile digits.onnx --config nv_small --calibration pictures/ -o digits.nvdla\n"
      "  nvdlac compile net.prototxt net.caffemodel --config nv_small --config nv_large \\\n"
      "      --calibration train.idx --mean 127.5 --scale 0.0078125 --report net.json\n"
      "  nvdlac compile yolo.cfg yolo.weights --config nv_full --calibration pictures/ -o y.nvdla\n"
      "  nvdlac compile digits.onnx --dump-after fuse_relu --dump-format dot | dot -Tsvg > n.svg");
  sub->callback([=] {
    a->model.words = given_options(*sub);
    compile(*a, targets);
  });
}

}  // namespace nvdlac::cli
