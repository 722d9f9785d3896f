// SPDX-License-Identifier: Apache-2.0
// nvdlac sweep: many networks for many configurations.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/version.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/report/json.hpp>

#include "commands.hpp"
#include "find_target.hpp"
#include "limit_options.hpp"
#include "manner.hpp"
#include "options_of.hpp"
#include "outputs.hpp"
#include "page.hpp"
#include "preparation.hpp"
#include "progress.hpp"
#include "sweep_row.hpp"
#include "tables.hpp"
#include "threads.hpp"
#include "usage.hpp"
#include "queue/work_queue.hpp"

namespace nvdlac::cli {
namespace {

namespace fs = std::filesystem;

struct sweep_arguments {
  std::string plan{}, output{}, page{};
  std::uint32_t threads = 1;
  budget limits{};
};

// The first message of a usage_error, or nothing.
template <class F>
std::string objection(const F& f) {
  try {
    f();
    return {};
  } catch (const usage_error& e) {
    return e.what();
  }
}

// Words that no item can be done with, such as an unknown pass, are mistakes of the plan.
void check_words(const sweep_plan& plan, const std::string& file, target_list targets) {
  diagnostics found;
  std::set<std::string> told;
  const auto refuse = [&](std::string reason) {
    if (told.insert(reason).second) found.add({.file = file, .reason = std::move(reason)});
  };
  std::map<std::pair<std::string, std::string>, std::string> wrong;  // by network and schedule
  std::set<std::pair<std::string, std::string>> right;
  for (const auto& item : plan.items) {
    const auto of_precision = objection(
        [&] { options_of({.model = item.network, .precision = item.precision}); });
    if (!of_precision.empty()) {
      refuse(of_precision);
      continue;
    }
    const std::pair form(item.network, item.schedule);
    const auto reason = objection([&] {
      options_of(item.options.model);
      item.options.prediction.on(find_target(targets, item.configuration));
    });
    if (reason.empty()) right.insert(form);
    else wrong.emplace(form, reason);
  }
  for (const auto& [form, reason] : wrong)
    if (!right.contains(form)) refuse("network '" + form.first + "': " + reason);
  found.check();
}

// From now on the names of files are those of the plan.
void enter_folder_of(const fs::path& plan) {
  if (plan.has_parent_path()) fs::current_path(plan.parent_path());
}

// "swept 12 of 448 items": on a terminal always, elsewhere a line every ten seconds.
class sweep_progress {
 public:
  sweep_progress(std::size_t items, std::size_t before)
      : items_(items), line_("sweeping", false, before) {}

  void operator()(std::size_t done) {
    line_(done, items_);
    const auto now = std::chrono::steady_clock::now();
    if (line_.is_on_terminal() || manner::in_force().quiet || now < next_) return;
    next_ = now + std::chrono::seconds(10);
    std::cerr << text("nvdlac: swept ", done, " of ", items_, " items\n") << std::flush;
  }

 private:
  std::size_t items_;
  progress_line line_;
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(10);
};

// A checksum of what results depend on besides the files that the plan names.
std::string identity_of(const std::string& plan, const budget& limits, target_list targets) {
  auto all = plan + sweep_head() + names_of(targets) + std::string(version);
  for (const auto& l : all_limits) all += text(' ', limits.*l.value);
  return checksum(all);
}

// The table for the page.
report::json for_page(const fs::path& output, const std::string& table) {
  auto rows = cells_of(table);
  const auto columns = std::move(rows.front());
  rows.erase(rows.begin());
  return {{"title", output.stem().string()}, {"columns", columns}, {"rows", rows}};
}

void finish(work_queue& queue, output_set& files, const fs::path& output, const fs::path& page) {
  const auto rows = queue.results();
  std::string table = sweep_head() + '\n';
  std::map<std::string, std::size_t> results;
  for (const auto& row : rows) {
    ++results[result_in(row)];
    table += row + '\n';
  }
  files.add("--output", output, table_file(output, "results", table));
  if (!page.empty()) files.add("--html", page, page_of_sweep(for_page(output, table)));
  files.write();
  if (results["unfinished"] == 0) queue.forget();
  files.remarks() << output.string() << ": " << rows.size() << " items, " << results["done"]
                  << " done, " << results["failed"] << " failed, " << rows.size() - queue.left()
                  << " from before\n";
  if (results["defect"] > 0)
    throw std::logic_error(text(results["defect"], " items, see the rows with 'defect' in ",
                                output.string()));
  if (results["unfinished"] > 0)
    throw error({.file = output.string(),
                 .reason = text("of ", results["unfinished"],
                                " items there is no result: the memory does not suffice"),
                 .remedy = "the same command does these again and keeps the others: with fewer "
                           "--threads, fewer ranks of a machine, or on a larger one"});
}

void sweep(const sweep_arguments& a, target_list targets) {
  ranks all;
  auto output = fs::path(a.plan).filename().replace_extension(".csv");
  if (!a.output.empty()) output = a.output;
  output = fs::absolute(output);
  const auto page = a.page.empty() ? fs::path() : fs::absolute(a.page);
  const auto plan_file = fs::absolute(a.plan);
  std::optional<output_set> files;
  const auto content = all.on_first([&] {
    if (!a.output.empty()) require_file("--output", a.output);
    require_table(output);
    const auto bytes = data::read_file(plan_file);
    std::string s(bytes.begin(), bytes.end());
    enter_folder_of(plan_file);
    const auto plan = read_sweep_plan(s, a.plan, targets);
    check_words(plan, a.plan, targets);
    auto read = plan.files();
    read.push_back(plan_file);
    files.emplace(read).plan("--output", output);
    if (!page.empty()) files->plan("--html", page);
    return s;
  });
  enter_folder_of(plan_file);
  const auto plan = read_sweep_plan(content, a.plan, targets);
  auto stem = output;
  work_queue queue(all, stem += ".journal", identity_of(content, a.limits, targets),
                   plan.items.size(), is_final);
  if (all.first() && queue.damaged() > 0)
    std::cerr << "nvdlac: note: " << count_of(queue.damaged(), "damaged line")
              << " in the journals; what they tell is computed again\n";
  {
    sweep_progress progress(plan.items.size(), plan.items.size() - queue.left());
    queue.run(a.threads, [&](std::size_t number) {
      return sweep_row(plan.items[number], plan.simulate, a.limits, targets);
    }, [&](std::size_t done) { progress(done); });
  }
  all.on_first([&] {
    finish(queue, *files, output, page);
    return std::string();
  });
}

}  // namespace

void add_sweep(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand(
      "sweep", "Compile, predict and check many networks for many configurations, into one table");
  const auto a = std::make_shared<sweep_arguments>();
  sub->add_option("PLAN", a->plan, "What to do, in JSON")->required()->type_name("FILE");
  sub->add_option("-o,--output", a->output,
                  "The table, a row for each item in the plan's order: CSV or, by the name "
                  ".sqlite, .sqlite3 or .db, a database; default: PLAN's name with .csv, in this "
                  "folder")
      ->check(check_output_name)->type_name("FILE");
  sub->add_option("--html", a->page,
                  "A page that shows the table: networks beside configurations, for each measure")
      ->check(check_output_name)->type_name("OUT.html");
  sub->add_option("--threads", a->threads,
                  "So many items at once, of each rank; the table is the same")
      ->check(CLI::Range(1u, 256u))->type_name("N");
  add_limits(*sub, a->limits);
  sub->footer(
      "A plan names networks, with the options of `nvdlac verify` as keys, and what to make of all\n"
      "of them. All but the networks may be absent; files are sought beside the plan.\n"
      "  {\n"
      "    \"networks\": [\n"
      "      {\"model\": \"digits.onnx\", \"calibration\": \"calibration.idx\", \"input\": \"images\"},\n"
      "      {\"name\": \"wide\", \"model\": \"wide.prototxt\", \"scales\": \"wide.json\"}\n"
      "    ],\n"
      "    \"options\": {\"random-weights\": 1},\n"
      "    \"configurations\": [\"nv_small\", \"nv_large\"],\n"
      "    \"precisions\": [\"int8\"],\n"
      "    \"schedules\": [{\"name\": \"default\"}, {\"name\": \"plain\", \"without\": \"order\"}],\n"
      "    \"simulate\": true\n"
      "  }\n"
      "`options` hold for all networks that say nothing else, a schedule's come before both. With\n"
      "`input`, and maybe `labels`, a row says how often the classes are right; with `simulate` the\n"
      "simulator must give the same bits as the integer network. An item that fails is a row with\n"
      "its reason. Results are kept in OUTPUT.journal-* until the table is complete: whatever\n"
      "stopped a sweep, the same command goes on where it was, and does items again for which the\n"
      "memory did not suffice ('unfinished').\n"
      "Examples:\n"
      "  nvdlac sweep plan.json --threads 2 -o results.csv --html results.html\n"
      "  mpirun -n 64 nvdlac sweep plan.json -o results.csv   (docs/scale.md)");
  sub->callback([=] { sweep(*a, targets); });
}

}  // namespace nvdlac::cli
