// SPDX-License-Identifier: Apache-2.0
// nvdlac inspect: what a loadable holds.
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/report/data_flow.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/report/loadable.hpp>
#include <nvdlac/report/loaded_data_flow.hpp>
#include <nvdlac/report/prediction.hpp>
#include <nvdlac/report/program.hpp>
#include <nvdlac/report/provenance.hpp>
#include <nvdlac/report/table.hpp>

#include "commands.hpp"
#include "find_target.hpp"
#include "manner.hpp"
#include "prediction_options.hpp"

namespace nvdlac::cli {
namespace {

struct inspect_arguments {
  std::string loadable{}, config{}, dot{};
  bool json = false, provenance = false;
  prediction_options prediction{};
};

void print_text(const target& t, const emit::loadable_image& image,
                const runtime::loaded_program& program, const std::vector<plan::task>& tasks,
                const report::prediction& predicted) {
  std::cout << escape::line(program.network) << " for " << t.name() << '\n';
  const auto print = [&](const char* kind, const runtime::binding& b) {
    std::cout << folded(kind + report::describe(b) + '\n' +
                            report::describe_places(b, t.spec().atom()),
                        line_width());
  };
  for (const auto& b : program.inputs) print("input  ", b);
  for (const auto& b : program.outputs) print("output ", b);
  std::cout << "\nMemory\n" << report::memory_table(image, line_width())
            << "\nLayers (task.operation)\n"
            << report::layer_table(report::rows_of(tasks, predicted.estimate.layers),
                                   line_width())
            << folded(report::summary(predicted), line_width()) << "\n\nDependencies\n"
            << folded(report::dependency_list(tasks), line_width());
}

// Prints what can be read of a loadable whose tasks cannot.
void print_container(const target& t, const emit::loadable_image& image) {
  std::cout << "a loadable of version " << int{image.version[0]} << '.' << int{image.version[1]}
            << '.' << int{image.version[2]} << ", taken for " << t.name() << ": "
            << count_of(image.tasks.size(), "task") << ", "
            << count_of(image.submissions.size(), "submission") << ", "
            << count_of(image.relocations.size(), "relocation") << "\n\nMemory\n"
            << report::memory_table(image, line_width()) << "\nTensors\n";
  for (const auto& one : image.tensors)
    std::cout << "  " << one.name << ": " << one.n << 'x' << one.c << 'x' << one.h << 'x' << one.w
              << ", data type " << int{one.data_type} << ", " << grouped(one.size, "byte") << '\n';
  report::table blobs(
      {{.title = "blob", .shortens = true}, {"bytes", true}, {"interface"}, {"version"}});
  for (const auto& b : image.blobs)
    blobs.add({std::string(b.name), grouped(b.size), text("0x", std::hex, b.interface),
               text(int{b.version[0]}, '.', int{b.version[1]}, '.', int{b.version[2]})});
  std::cout << "\nBlobs\n" << blobs.print(line_width()) << "\nNot read: the layers of its tasks\n";
}

using report::json;

json to_json(const runtime::binding& b) {
  json j{{"name", b.name}, {"shape", report::to_json(b.shape)}, {"scale", b.scale},
         {"format", b.picture ? "pixels" : hw::name_of(b.surface.precision)}};
  if (!b.gain.empty()) j["gain"] = b.gain;
  for (const auto& t : b.in_file) j["in_file"].push_back(report::to_json(t));
  if (b.preprocessing) j["preprocessing"] = report::to_json(*b.preprocessing);
  return j;
}

json to_json(const plan::operation& op, const report::layer_row& r) {
  json consumers = json::array();
  const auto add = [&](const plan::link& l) {
    if (l.operation >= 0)
      consumers.push_back({{"operation", l.operation}, {"event", report::to_string(l.event)}});
  };
  for (const auto& c : op.consumers) add(c);
  add(op.fused_parent);
  return {{"task", r.task}, {"operation", r.index}, {"name", r.name}, {"unit", r.unit},
          {"input", report::to_json(r.input)}, {"output", report::to_json(r.output)},
          {"macs", r.macs},
          {"bytes_read", r.on_hardware.moved.read()},
          {"bytes_written", r.on_hardware.moved.written},
          {"cycles", report::to_json<json>(r.on_hardware)}, {"what", r.detail},
          {"waits_for", op.dependency_count}, {"consumers", consumers}};
}

void print_json(const target& t, const emit::loadable_image& image,
                const runtime::loaded_program& program, const std::vector<plan::task>& tasks,
                const report::prediction& predicted) {
  auto j = report::headed("inspect");
  j.update(json{{"network", program.network}, {"configuration", t.name()},
                {"inputs", json::array()}, {"outputs", json::array()},
                {"memories", json::array()}, {"layers", json::array()}});
  for (const auto& b : program.inputs) j["inputs"].push_back(to_json(b));
  for (const auto& b : program.outputs) j["outputs"].push_back(to_json(b));
  for (const auto& m : image.memories)
    j["memories"].push_back({{"bytes", m.size}, {"flags", m.flags}, {"domain", m.domain},
                             {"contents", m.contents}});
  for (const auto& r : report::rows_of(tasks, predicted.estimate.layers))
    j["layers"].push_back(to_json(tasks[r.task].operations[r.index], r));
  j["prediction"] = report::to_json<json>(predicted);
  j["prediction"]["of"] = "loadable";
  if (!image.notes.made_from.empty()) j["provenance"] = report::to_json(image.notes.made_from);
  std::cout << report::json_text(j);
}

void inspect(const inspect_arguments& a, target_list targets) {
  const auto image = emit::read_loadable(data::read_file(a.loadable), a.loadable);
  if (a.provenance && !a.json) {
    std::cout << report::to_text(image.notes.made_from);
    return;
  }
  const auto& t = find_target_of(image, a.loadable, a.config, targets);
  const auto program = in_file(a.loadable, [&]() -> runtime::loaded_program {
    try {
      return runtime::load(image, t.spec());
    } catch (const error&) {
      if (a.dot.empty() && !a.json) print_container(t, image);
      throw;
    }
  });
  const auto tasks = report::tasks_of(program);
  const auto predicted = report::predict(tasks, t.spec(), a.prediction.on(t));
  if (a.dot == "dependencies") std::cout << report::dependency_graph(tasks);
  else if (!a.dot.empty()) std::cout << report::data_flow_graph(program, t.spec().atom());
  else if (a.json) print_json(t, image, program, tasks, predicted);
  else print_text(t, image, program, tasks, predicted);
}

}  // namespace

void add_inspect(CLI::App& app, target_list targets) {
  auto* sub =
      app.add_subcommand("inspect", "Show the layers, memory and dependencies of a loadable");
  const auto a = std::make_shared<inspect_arguments>();
  sub->add_option("LOADABLE", a->loadable, "A loadable")->required()->type_name("FILE");
  sub->add_option("-c,--config", a->config,
                  "Its configuration, where the file does not name it: " + names_of(targets))
      ->type_name("NAME");
  auto* dot = sub->add_flag("--dot{data}", a->dot,
                            "In Graphviz's language, who reads whose results, or with "
                            "--dot=dependencies what waits for what");
  dot->check(CLI::IsMember({"data", "dependencies"}).description(""));
  sub->add_flag("--json", a->json, "Everything as JSON")->excludes(dot);
  sub->add_flag("--provenance", a->provenance,
                "Tell instead what it was made from: nvdlac's version and commit, the options, and "
                "the SHA-256 of model, weights, calibration, scales and schedule")
      ->excludes(dot);
  add_prediction(*sub, a->prediction);
  sub->footer("Examples:\n"
              "  nvdlac inspect digits.nvdla\n"
              "  nvdlac inspect digits.nvdla --provenance\n"
              "  nvdlac inspect digits.nvdla --dot | dot -Tsvg > digits.svg");
  sub->callback([=] { inspect(*a, targets); });
}

}  // namespace nvdlac::cli
