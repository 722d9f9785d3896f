// SPDX-License-Identifier: Apache-2.0
// nvdlac check: whether a board's NVDLA is what it is said to be, and works.
#include <algorithm>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/report/location.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/sim/rule.hpp>
#include <nvdlac/verify/locate.hpp>
#include <nvdlac/verify/self_test.hpp>

#include "commands.hpp"
#include "device_options.hpp"
#include "find_target.hpp"
#include "loadable_of.hpp"
#include "outputs.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

struct check_arguments {
  std::string config{};
  device_options device{};
};

struct outcome {
  std::string wrong{};      // in words what differs or does not end; empty: nothing
  bool is_foreign = false;  // most of a layer's elements differ, or it does not end
};

// Runs the network on the device and the simulator.
outcome outcome_of(const verification::unit_test& test, const device_options& on,
                   const target& t) try {
  const auto options = verification::options_of(test, t.spec());
  const auto image = emit::read_loadable(loadable_of(t, t.build(test.network, options)));
  const auto simulator = t.simulate(runtime::load(image, t.spec()), sim::settings{});
  const auto device = on.run_on(t, image);
  std::mt19937 random(7);
  for (int run = 0; run < 3; ++run) {
    const auto values = verification::any_values(simulator->inputs(), random);
    const auto found = verification::locate(*simulator, *device, values, t.spec().atom());
    if (const auto& d = found.first)
      return {report::to_text(found, {}), d->count > d->of / 2};
  }
  return {};
} catch (const error& e) {
  return {std::string(e.what()) + '\n', true};
}

// The other configurations of which the device computes the first network right.
std::string configurations_like(const device_options& device, const target& other_than,
                                target_list targets) {
  auto quick = device;
  quick.patience = std::min(quick.patience, 1.0);
  std::string names;
  for (const auto* t : targets)
    if (t->name() != other_than.name() && t->spec().map == other_than.spec().map &&
        outcome_of(verification::unit_tests_of(t->spec()).front(), quick, *t).wrong.empty())
      names += text(names.empty() ? "" : ", ", t->name());
  return names;
}

void check(const check_arguments& a, target_list targets) {
  const auto& t = find_target(targets, a.config);
  bool right = true, is_foreign = false;
  const auto tell = [&](std::string_view what, const std::string& wrong) {
    std::cout << what << (wrong.empty() ? ": right\n" : ": wrong\n") << wrong;
    flush_standard_output();
    right = right && wrong.empty();
  };
  {
    auto device = a.device.open();
    if (!device.takes_tasks()) {
      std::string wrong;
      for (const auto& p : verification::check_registers(t.spec(), runtime::register_port(device)))
        wrong += text("  ", to_string(p), '\n');
      tell("registers", wrong);
      if (!right) throw negative{};  // no program is told by them
    }
  }
  const bool has_cvsram = a.device.name.find("cvsram=") != std::string::npos;
  const auto tests = verification::unit_tests_of(t.spec());
  for (const auto& test : tests) {
    if (test.in_cvsram && !has_cvsram) {
      std::cout << test.units << ": not tried, as --device names none (cvsram=ADDRESS+SIZE)\n";
      continue;
    }
    const auto found = outcome_of(test, a.device, t);
    tell(test.units, found.wrong);
    if (&test == &tests.front()) is_foreign = found.is_foreign;
  }
  if (right) return;
  const auto names = is_foreign ? configurations_like(a.device, t, targets) : std::string();
  if (!names.empty()) std::cout << "It computes as " << names << " does: see --config\n";
  else
    std::cout << "Units are wrong like this, too, where an NVDLA is no " << t.name()
              << ": see which configuration was built (--config)\n";
  flush_standard_output();
  throw negative{};
}

}  // namespace

void add_check(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand("check", "See whether a board's NVDLA works, unit by unit");
  const auto a = std::make_shared<check_arguments>();
  a->device.add(*sub);
  sub->get_option("--device")->required();
  sub->add_option("-c,--config", a->config, "What it is: " + names_of(targets))
      ->required()->type_name("NAME");
  sub->footer(
      "Reads the words that describe the NVDLA, writes the registers of layers and reads them back,\n"
      "and runs a network of a few layers for each unit, precision and memory, three times, beside\n"
      "the simulator; not BDMA, which no program of nvdlac uses. The public RTL describes itself as\n"
      "nv_small in all configurations: where the first unit computes something else, those are\n"
      "named whose programs it computes right. The device must be idle.\n"
      "Exit codes: 0 all is right, 1 something is wrong, 2 wrong usage or no such device.\n"
      "Example:\n"
      "  nvdlac check --device uio0 --config nv_small");
  sub->callback([=] {
    try {
      check(*a, targets);
    } catch (const error& e) {
      throw trouble(e);
    }
  });
}

}  // namespace nvdlac::cli
