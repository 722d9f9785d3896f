// SPDX-License-Identifier: Apache-2.0
// nvdlac locate: the first layer at which a device and the simulator disagree.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/report/location.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/user_inputs.hpp>
#include <nvdlac/verify/locate.hpp>

#include "commands.hpp"
#include "device_options.hpp"
#include "find_target.hpp"
#include "inputs.hpp"
#include "limit_options.hpp"
#include "outputs.hpp"
#include "program_input.hpp"
#include "threads.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

struct locate_arguments {
  std::string directory{}, loadable{}, config{};
  std::vector<std::string> inputs{};
  preprocessing_options preprocessing{};
  device_options device{};
  std::size_t runs = 1;
  budget limits{};
  sim::settings settings{};
};

// The two places of the command line, of which a device leaves one.
void sort_places(locate_arguments& a) {
  if (a.device.given() != a.loadable.empty())
    throw usage_error(a.device.given()
                          ? "a device has no directory of dumps: name the loadable alone"
                          : "LOADABLE is required: the program that ran, behind DIR");
  if (a.device.given()) a.loadable.swap(a.directory);
}

void locate(locate_arguments& a, target_list targets) try {
  sort_places(a);
  if (!a.config.empty()) (void)find_target(targets, a.config);  // before the file is read
  a.settings.limit_by(a.limits);
  if (!a.device.given()) verification::check_directory(a.directory);
  const auto image = emit::read_loadable(data::read_file(a.loadable), a.loadable);
  const auto& t = find_target_of(image, a.loadable, a.config, targets);
  std::unique_ptr<runtime::any_session> device;
  const auto m = in_file(a.loadable, [&] {
    if (a.device.given()) device = a.device.run_on(t, image);
    return t.simulate(runtime::load(image, t.spec()), a.settings);
  });
  const auto how = wanted_by(*m, a.preprocessing, a.limits.samples);
  const input_files inputs(paths_for(a.inputs, how), how);
  if (!a.preprocessing.given()) runtime::check_preprocessing(inputs, m->inputs());
  if (inputs.size() != 1)
    throw usage_error(text("a dump is of one run, but there are ",
                           count_of(inputs.size(), "input")));
  inputs.each([&](input_set&& set) {
    const auto feeds = runtime::feeds_of(set, m->inputs());
    const auto atom = t.spec().atom();
    const auto found = device ? verification::locate(*m, *device, feeds, atom, a.runs)
                              : verification::locate(*m, feeds, atom, a.directory);
    std::cout << report::to_text(found, a.directory) << report::registers_to_text(found);
    flush_standard_output();
    if (found.first) throw negative{};
  });
} catch (const error& e) {
  throw trouble(e);
}

}  // namespace

void add_locate(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand(
      "locate", "Find the first layer whose result on a device is not the simulator's");
  const auto a = std::make_shared<locate_arguments>();
  sub->add_option("DIR", a->directory,
                  "Dumps of the device's memory, called as `nvdlac run --save-tensors` calls them "
                  "(.bin); those that are absent are passed over. None with --device, on which the "
                  "program runs")
      ->required()->type_name("DIR");
  sub->add_option("LOADABLE", a->loadable,
                  "The program that ran, as `nvdlac compile` wrote it; not its model")
      ->type_name("FILE");
  sub->add_option("-c,--config", a->config, "The configuration that runs it: " + names_of(targets) +
                  "; default: that of the loadable, which names it if nvdlac has written it")
      ->type_name("NAME");
  sub->add_option("-i,--input", a->inputs, "What the device was given: the files of one run")
      ->required()->type_name("FILE");
  a->device.add(*sub);
  sub->add_option("-n,--runs", a->runs,
                  "So many runs of the device at most, up to one that differs, for a fault that "
                  "comes and goes; default: 1")
      ->needs(sub->get_option("--device"))->check(CLI::Range(1, 10'000'000))->type_name("N");
  add_threads(*sub, a->settings.threads);
  add_limits(*sub, a->limits);
  add_preprocessing(*sub, a->preprocessing);
  sub->footer(
      "Layers are compared in the order in which they end, element by element; of the first that\n"
      "differs the registers are told, as the program writes them. By UIO the program then runs once\n"
      "more, one layer at a time, which tells a layer that is wrong by itself from two that disturb\n"
      "each other. index.json of --save-tensors tells where in memory each one is.\n"
      "Exit codes: 0 no difference, 1 a difference, 2 wrong usage or input, 3 a defect of nvdlac.\n"
      "Examples:\n"
      "  nvdlac locate dumps digits.nvdla --config nv_small --input seven.png\n"
      "  nvdlac locate digits.nvdla --device uio0 --input seven.png --runs 1000\n"
      "  nvdlac locate digits.nvdla --device drm --input seven.png");
  sub->callback([=] { locate(*a, targets); });
}

}  // namespace nvdlac::cli
