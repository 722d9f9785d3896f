// SPDX-License-Identifier: Apache-2.0
// nvdlac diff: two loadables beside each other.
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/report/loadable.hpp>
#include <nvdlac/report/loadable_diff.hpp>
#include <nvdlac/report/loadable_diff_text.hpp>
#include <nvdlac/report/prediction.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

#include "commands.hpp"
#include "find_target.hpp"
#include "outputs.hpp"
#include "page.hpp"
#include "prediction_options.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

struct diff_arguments {
  std::string a{}, b{}, config{};
  std::string html{};
  bool json = false;
  prediction_options prediction{};
};

report::loadable_side side_of(const std::string& file, const diff_arguments& a,
                              target_list targets) {
  report::loadable_side side{.file = file, .bytes = data::read_file(file)};
  side.image = emit::read_loadable(side.bytes, file);
  const auto& on = find_target_of(side.image, file, a.config, targets);
  side.configuration = on.name();
  side.spec = on.spec();
  side.given = a.prediction.on(on);
  side.written_fields = [&on](const runtime::loaded_task& task, std::size_t layer) {
    return on.written_fields(task, layer);
  };
  return side;
}

// The layers of a loadable with their own cycles, for the page.
report::json layers_of(const report::loadable_side& side) {
  const auto tasks = report::tasks_of(runtime::load(side.image, side.spec));
  const auto predicted = report::predict(tasks, side.spec, side.given);
  report::json to{{"cycles", predicted.estimate.totals.cycles}, {"layers", report::json::array()}};
  for (const auto& row : report::rows_of(tasks, predicted.estimate.layers)) {
    const auto& on = row.on_hardware;
    to["layers"].push_back({{"name", row.name}, {"unit", row.unit}, {"start", on.start},
                            {"done", on.done}, {"cycles", on.own()},
                            {"bytes", on.moved.read() + on.moved.written}});
  }
  return to;
}

void compare_loadables(const diff_arguments& a, target_list targets) try {
  if (a.html == "-")
    throw usage_error("--html: the comparison goes to the standard output, name a file");
  output_set files({a.a, a.b});
  if (!a.html.empty()) files.plan("--html", a.html);
  const auto first = side_of(a.a, a, targets), second = side_of(a.b, a, targets);
  const auto found = report::diff(first, second);
  if (!a.html.empty()) {
    auto page = report::to_json(found);
    page["sides"] = report::json::array({layers_of(first), layers_of(second)});
    files.add("--html", a.html, page_of_diff(std::move(page)));
    files.write();
  }
  std::cout << (a.json ? report::json_text(report::to_json(found)) : report::to_text(found));
  flush_standard_output();
  if (!found.same) throw negative{};
} catch (const error& e) {
  throw trouble(e);
}

}  // namespace

void add_diff(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand("diff", "Tell what is different in two loadables");
  sub->alias("compare");
  const auto a = std::make_shared<diff_arguments>();
  sub->add_option("A", a->a, "A loadable")->required()->type_name("FILE");
  sub->add_option("B", a->b, "Another one")->required()->type_name("FILE");
  sub->add_option("-c,--config", a->config,
                  "Their configuration, where a file does not name it: " + names_of(targets))
      ->type_name("NAME");
  sub->add_option("--html", a->html,
                  "Write a page to look at in a browser: the timelines of both, and their layers "
                  "beside each other")
      ->check(check_output_name)->type_name("FILE");
  sub->add_flag("--json", a->json, "Everything as JSON");
  add_prediction(*sub, a->prediction);
  sub->footer(
      "Prints cycles, memory and the scales of inputs and outputs where they are not the same,\n"
      "layers that are in one file alone, and of the others what is changed, by name: shapes,\n"
      "predicted cycles, traffic, fields of registers, and how many bytes of constants (weights,\n"
      "operands, tables) differ. Addresses are not listed; where nothing else differs, they do.\n"
      "To compare two ways of compiling one model, compile it twice. `compare` is another name.\n"
      "Example:\n"
      "  nvdlac diff before.nvdla after.nvdla\n"
      "Exit codes: 0 the same byte for byte, 1 different, 2 wrong usage or input, 3 a defect of "
      "nvdlac.");
  sub->callback([=] { compare_loadables(*a, targets); });
}

}  // namespace nvdlac::cli
