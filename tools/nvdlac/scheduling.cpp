// SPDX-License-Identifier: Apache-2.0
#include "scheduling.hpp"

#include <cstdint>
#include <iomanip>
#include <string>
#include <utility>

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

namespace {

std::uint64_t predicted_cycles(const target& t, const plan::program_data& p,
                               const report::conditions& given, bool of_trace) {
  if (of_trace)
    return report::predict_registers(p, t.spec(), given, t.host_steps(p)).estimate.totals.cycles;
  return report::predict(p.tasks, t.spec(), given).estimate.totals.cycles;
}

}  // namespace

scheduled_program build_scheduled(const target& t, const preparation& from,
                                  const report::conditions& given, bool for_traces,
                                  progress_line& line) {
  scheduled_program result;
  auto options = from.options();
  options.memory = given.memory;
  options.cvsram = given.memory.cvsram;
  options.for_traces = for_traces;
  options.warn = [&](const problem& p) { from.warn(p); };
  options.searching = [&](std::size_t done, std::size_t all) { line(done, all); };
  options.scheduled = [&](const schedule::saved& s, const schedule::price& now,
                          const schedule::price& before) {
    result.schedule = s;
    result.now = now;
    result.before = before;
  };
  const auto build = [&](std::size_t trials) {
    options.optimize = trials;
    result.program = t.build(from.network().integers, options);
    return std::move(result);
  };
  auto chosen = build(0);
  const auto trials = from.options().optimize;
  if (trials == 0) return chosen;
  // The search does not know the host, with which what it has found can be slower.
  line.begin(text("trying schedules for ", t.name()));
  auto found = build(trials);
  for (auto* p : {&chosen, &found})
    p->now.cycles = predicted_cycles(t, p->program, given, for_traces);
  chosen.before = found.before = chosen.now;
  return found.now.cycles < chosen.now.cycles ? std::move(found) : std::move(chosen);
}

std::string search_summary(const scheduled_program& p, std::size_t trials) {
  if (trials == 0) return {};
  if (p.now.cycles >= p.before.cycles)
    return text(count_of(trials, "schedule"), " tried: none takes less than ",
                grouped(p.before.cycles, "cycle"));
  const auto before = static_cast<double>(p.before.cycles);
  const auto won = before == 0 ? 0 : 100 * (before - static_cast<double>(p.now.cycles)) / before;
  return text(count_of(trials, "schedule"), " tried: ", grouped(p.before.cycles), " -> ",
              grouped(p.now.cycles, "cycle"), " (",
              std::fixed, std::setprecision(1), won, " % fewer), ", grouped(p.before.moved), " -> ",
              grouped(p.now.moved, "byte"), " moved");
}

}  // namespace nvdlac::cli
