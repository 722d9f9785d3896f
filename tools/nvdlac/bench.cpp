// SPDX-License-Identifier: Apache-2.0
// nvdlac bench: how long runs of a loadable take, and where.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <deque>
#include <future>
#include <iomanip>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/report/json.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/report/loadable.hpp>
#include <nvdlac/report/prediction.hpp>
#include <nvdlac/report/table.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/pool.hpp>
#include <nvdlac/runtime/user_inputs.hpp>
#include <nvdlac/runtime/whole_runs.hpp>

#include "commands.hpp"
#include "device_options.hpp"
#include "find_target.hpp"
#include "inputs.hpp"
#include "limit_options.hpp"
#include "manner.hpp"
#include "measured_layers.hpp"
#include "prediction_options.hpp"
#include "preprocessing_options.hpp"
#include "program_input.hpp"
#include "progress.hpp"
#include "threads.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

struct bench_arguments {
  std::string loadable{}, config{};
  std::vector<std::string> inputs{}, beside{};
  std::size_t runs = 100;
  bool pooled = false, layers = false, json = false;
  preprocessing_options preprocessing{};
  device_options device{};
  prediction_options prediction{};
  budget limits{};
  sim::settings settings{};
};

// A part of the runs, in milliseconds.
struct summary {
  std::string part{};
  double least = 0, median = 0, p99 = 0, mean = 0;
};

summary summary_of(std::string part, const std::vector<runtime::run_times>& runs,
                   double (*of)(const runtime::run_times&)) {
  std::vector<double> ms;
  for (const auto& r : runs) ms.push_back(of(r) * 1000);
  std::ranges::sort(ms);
  // The least that so many parts of all do not exceed.
  const auto quantile = [&](double q) {
    const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(ms.size())));
    return ms[std::max<std::size_t>(rank, 1) - 1];
  };
  return {std::move(part), ms.front(), quantile(0.5), quantile(0.99),
          std::accumulate(ms.begin(), ms.end(), 0.0) / static_cast<double>(ms.size())};
}

std::vector<summary> parts_of(const std::vector<runtime::run_times>& runs) {
  return {summary_of("pack", runs, [](const auto& r) { return r.pack; }),
          summary_of("NVDLA", runs, [](const auto& r) { return r.hardware; }),
          summary_of("host layers", runs, [](const auto& r) { return r.host; }),
          summary_of("unpack", runs, [](const auto& r) { return r.unpack; }),
          summary_of("all", runs, [](const auto& r) { return r.all(); })};
}

std::string device_of(const bench_arguments& a) {
  return a.device.given() ? a.device.name : std::string("the simulator");
}

report::json headed(const bench_arguments& a, const std::string& network, const target& t,
                    const report::prediction& predicted) {
  auto j = report::headed("bench");
  j.update(report::json{{"network", network}, {"configuration", t.name()},
                        {"device", device_of(a)}, {"runs", a.runs},
                        {"cycles_predicted", predicted.estimate.totals.cycles}});
  return j;
}

void print(const bench_arguments& a, const runtime::any_session& m, const target& t,
           const std::vector<summary>& parts, const report::prediction& predicted,
           const std::vector<measured_layer>& layers) {
  const auto on = device_of(a);
  const auto cycles = predicted.estimate.totals.cycles;
  // Cycles that a board took at that clock; the simulator's seconds are none of NVDLA's.
  const auto taken = parts[1].median / 1000 * a.prediction.megahertz * 1e6;
  if (a.json) {
    auto j = headed(a, m.network(), t, predicted);
    j["milliseconds"] = report::json::object();
    if (a.layers) j["layers"] = to_json(layers, a.prediction.megahertz);
    if (a.device.given()) j["cycles_taken"] = taken;
    for (const auto& p : parts)
      j["milliseconds"][p.part] = {
          {"least", p.least}, {"p50", p.median}, {"p99", p.p99}, {"mean", p.mean}};
    std::cout << report::json_text(j);
    return;
  }
  report::table rows({{"milliseconds"}, {"least", true}, {"p50", true}, {"p99", true},
                      {"mean", true}});
  const auto ms = [](double v) {
    std::ostringstream s;
    s << std::fixed << std::setprecision(3) << v;
    return s.str();
  };
  for (const auto& p : parts)
    rows.add({p.part, ms(p.least), ms(p.median), ms(p.p99), ms(p.mean)});
  std::cout << m.network() << " on " << on << " (" << t.name() << "), "
            << count_of(a.runs, "run") << "\n\n"
            << rows.print(line_width()) << "\n" << report::runs_a_second(1000 / parts.back().mean)
            << " runs a second; " << grouped(cycles, "cycle") << " of NVDLA predicted";
  if (a.device.given())
    std::cout << ", " << grouped(static_cast<std::uint64_t>(std::llround(taken)))
              << " taken (p50) at " << a.prediction.megahertz << " MHz";
  std::cout << '\n';
  if (a.layers)
    std::cout << "\nCycles of the layers, each from the end of the one before it, and what units "
                 "counted\n" << to_table(layers, a.prediction.megahertz);
}

// Runs that share devices, of which a few more are given than devices take at a time.
void bench_pool(const bench_arguments& a, const target& t, const emit::loadable_image& image,
                std::unique_ptr<runtime::any_session> first,
                const std::vector<std::vector<quantised::feed>>& feeds,
                const report::prediction& predicted) {
  const auto network = first->network();
  std::vector<std::unique_ptr<runtime::any_session>> sessions;
  sessions.push_back(std::move(first));
  for (const auto& name : a.beside) {
    auto device = a.device;
    device.name = name;
    sessions.push_back(device.run_on(t, image));
  }
  for (const auto& s : sessions) (void)s->infer_any(feeds.front());
  runtime::pool all(std::move(sessions));
  progress_line line("running");
  const auto begin = std::chrono::steady_clock::now();
  std::deque<std::future<runtime::pool::outputs>> under_way;
  std::size_t done = 0;
  for (std::size_t i = 0; i < a.runs || !under_way.empty();) {
    if (runtime::signals_deferred::is_awaited()) return;  // which ends the command
    if (i < a.runs && under_way.size() < 4 * all.size()) {
      under_way.push_back(all.run(feeds[i++ % feeds.size()]));
      continue;
    }
    (void)under_way.front().get();
    under_way.pop_front();
    line(++done, a.runs);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const auto rate = static_cast<double>(a.runs) / seconds.count();
  if (a.json) {
    auto j = headed(a, network, t, predicted);
    j["beside"] = a.beside;
    j["seconds"] = seconds.count();
    j["runs_per_second"] = rate;
    j["buffer_sets"] = report::json::array();
    for (std::size_t i = 0; i < all.size(); ++i) j["buffer_sets"].push_back(all.sets(i).count);
    std::cout << report::json_text(j);
    return;
  }
  std::cout << network << " on " << device_of(a);
  for (const auto& name : a.beside) std::cout << ", " << name;
  std::cout << " (" << t.name() << "), " << count_of(a.runs, "run") << " of a pool\n\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& s = all.sets(i);
    std::cout << (i == 0 ? device_of(a) : a.beside[i - 1]) << ": "
              << (s.count == 2 ? "is loaded while it runs"
                               : "is not loaded while it runs: " + s.reason)
              << '\n';
  }
  std::cout << report::runs_a_second(rate) << " runs a second; "
            << grouped(predicted.estimate.totals.cycles, "cycle") << " of NVDLA predicted\n";
}

void bench(bench_arguments& a, target_list targets) {
  if (!a.config.empty()) (void)find_target(targets, a.config);  // before the file is read
  const auto image = emit::read_loadable(data::read_file(a.loadable), a.loadable);
  const auto& t = find_target_of(image, a.loadable, a.config, targets);
  a.settings.limit_by(a.limits);
  auto m = in_file(a.loadable, [&] {
    return a.device.given() ? a.device.run_on(t, image)
                            : t.simulate(runtime::load(image, t.spec()), a.settings);
  });
  const auto how = wanted_by(*m, a.preprocessing, a.limits.samples);
  const input_files inputs(paths_for(a.inputs, how), how);
  if (!a.preprocessing.given()) runtime::check_preprocessing(inputs, m->inputs());
  std::vector<std::vector<quantised::feed>> feeds;
  inputs.each([&](input_set&& set) { feeds.push_back(runtime::feeds_of(set, m->inputs())); });
  const auto predicted =
      report::predict(report::tasks_of(m->program()), t.spec(), a.prediction.on(t));
  if (a.pooled || !a.beside.empty())
    return bench_pool(a, t, image, std::move(m), feeds, predicted);
  std::vector<runtime::run_times> runs;
  progress_line line("running");
  (void)m->infer_any(feeds.front());  // what a first run pays alone does not count
  for (std::size_t i = 0; i < a.runs; ++i) {
    (void)m->infer_any(feeds[i % feeds.size()]);
    runs.push_back(m->times());
    line(i + 1, a.runs);
  }
  std::vector<measured_layer> layers;
  if (a.layers)
    layers = measure_layers(*m, feeds.front(),
                            report::rows_of(report::tasks_of(m->program()),
                                            predicted.estimate.layers),
                            std::min<std::size_t>(a.runs, 9));
  print(a, *m, t, parts_of(runs), predicted, layers);
}

}  // namespace

void add_bench(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand("bench", "Time runs of a loadable on a board or the simulator");
  const auto a = std::make_shared<bench_arguments>();
  sub->add_option("LOADABLE", a->loadable, "A file of `nvdlac compile`")->required()
      ->type_name("FILE");
  sub->add_option(
         "-c,--config", a->config,
         "The configuration that runs it; default: that of the loadable, which names it if "
         "nvdlac has written it")
      ->type_name("NAME");
  sub->add_option("-i,--input", a->inputs, "Inputs as for `nvdlac run`, which take turns")
      ->required()->type_name("FILE");
  sub->add_option("-n,--runs", a->runs, "How many runs, behind one that does not count; "
                                        "default: 100")
      ->check(CLI::Range(1, 10'000'000))->type_name("N");
  a->device.add(*sub);
  auto* const device = sub->get_option("--device");
  auto* const layers =
      sub->add_flag("--layers", a->layers,
                    "Measure the hardware layers of up to 9 further runs of the first input, and "
                    "read what units count: cycles of waiting for memory, values out of range")
          ->needs(device);
  sub->add_flag("--pool", a->pooled,
                "Pack the inputs of the next run and unpack the outputs of the last one while a "
                "run computes, as runtime::pool does, and tell the runs a second")
      ->needs(device)->excludes(layers);
  sub->add_option("--beside", a->beside,
                  "Further NVDLAs of this configuration, which share the runs in a pool")
      ->needs(device)->excludes(layers)->type_name("DEVICE");
  sub->add_flag("--json", a->json, "Print the times as JSON");
  add_threads(*sub, a->settings.threads);
  add_limits(*sub, a->limits);
  add_preprocessing(*sub, a->preprocessing);
  add_prediction(*sub, a->prediction);
  sub->footer(
      "pack: values into NVDLA's memory; NVDLA: its tasks from the first register to the last\n"
      "interrupt; host layers: those of the processor; unpack: values out of memory.\n"
      "Examples:\n"
      "  nvdlac bench digits.nvdla --device uio0 --clock 100 --input pictures/ --runs 10000\n"
      "  nvdlac bench digits.nvdla --device uio0 --clock 100 --input seven.png --layers\n"
      "  nvdlac bench digits.nvdla --device uio0 --beside uio1 --input pictures/ --runs 10000\n"
      "  nvdlac bench digits.nvdla --input seven.png --json");
  sub->callback([=] { bench(*a, targets); });
}

}  // namespace nvdlac::cli
