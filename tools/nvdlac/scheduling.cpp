// SPDX-License-Identifier: Apache-2.0
#include "scheduling.hpp"

#include <iomanip>

#include <CLI/CLI.hpp>

#include <nvdlac/base/count.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/schedule/choices_json.hpp>

#include "preparation.hpp"
#include "progress.hpp"
#include "target.hpp"
#include "usage.hpp"

namespace nvdlac::cli {

void add_scheduling(CLI::App& app, scheduling_options& to) {
  const std::string group = "The schedule: order, tiles, and what stays in the CBUF";
  app.add_option("--optimize", to.trials,
                 "Try so many schedules, and take the one that needs the fewest cycles as "
                 "predicted, of the loadable, or with --trace of the trace; the same one for any "
                 "number of --threads")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))->type_name("TRIALS")
      ->group(group);
  app.add_option("--schedule", to.given,
                 "Take the schedule that `compile --save-schedule` wrote; with --optimize the "
                 "search begins there")
      ->type_name("FILE")->group(group);
}

schedule::saved read_schedule(const std::string& file, std::size_t configurations) {
  if (configurations > 1)
    throw usage_error("--schedule is for one configuration, but there are several --config");
  const auto bytes = data::read_file(file);
  return schedule::read_choices({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
}

scheduled_program build_scheduled(const target& t, const preparation& from,
                                  const cost::memory& memory, bool for_traces,
                                  progress_line& line) {
  scheduled_program result;
  auto options = from.options();
  options.memory = memory, options.cvsram = memory.cvsram, options.for_traces = for_traces;
  options.warn = [&](const problem& p) { from.warn(p); };
  options.searching = [&](std::size_t done, std::size_t all) { line(done, all); };
  options.scheduled = [&](const schedule::saved& s, const schedule::price& now,
                          const schedule::price& before) {
    result.schedule = s, result.now = now, result.before = before;
  };
  if (options.optimize != 0) line.begin(text("trying schedules for ", t.name()));
  result.program = t.build(from.network().integers, options);
  return result;
}

std::string search_summary(const scheduled_program& p, std::size_t trials) {
  if (trials == 0) return {};
  const auto before = static_cast<double>(p.before.cycles);
  const auto won = before == 0 ? 0 : 100 * (before - static_cast<double>(p.now.cycles)) / before;
  return text(count_of(trials, "schedule"), " tried: ", grouped(p.before.cycles), " -> ",
              grouped(p.now.cycles, "cycle"), " (",
              std::fixed, std::setprecision(1), won, " % fewer), ", grouped(p.before.moved), " -> ",
              grouped(p.now.moved, "byte"), " moved");
}

}  // namespace nvdlac::cli
