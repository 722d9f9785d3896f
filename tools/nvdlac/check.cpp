// SPDX-License-Identifier: Apache-2.0
// nvdlac check: whether a board's NVDLA is what it is said to be, and works.
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>
#include <nvdlac/compile_options.hpp>
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
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

struct check_arguments {
  std::string config{};
  device_options device{};
};

std::vector<quantised::feed> any_input(const runtime::any_session& of, std::mt19937& random) {
  std::vector<quantised::feed> all;
  for (const auto& b : of.inputs()) {
    net::int8_tensor x{b.shape};
    for (auto& v : x.values) v = static_cast<std::int8_t>(random() % 256 - 128);
    all.emplace_back(std::move(x));
  }
  return all;
}

// Runs the network on the device and the simulator; what differs, or does not end, in words.
std::string failure_of(const verification::unit_test& test, const check_arguments& a,
                       const target& t) try {
  const auto image = emit::read_loadable(loadable_of(t, t.build(test.network, {})));
  const auto simulator = t.simulate(runtime::load(image, t.spec()), sim::settings{});
  const auto device = a.device.run_on(t, image);
  std::mt19937 random(7);
  for (int run = 0; run < 3; ++run) {
    const auto found =
        verification::locate(*simulator, *device, any_input(*simulator, random), t.spec().atom());
    if (found.first) return report::to_text(found, {});
  }
  return "";
} catch (const error& e) {
  return std::string(e.what()) + '\n';
}

void check(const check_arguments& a, target_list targets) {
  const auto& t = find_target(targets, a.config);
  bool right = true;
  const auto tell = [&](std::string_view what, const std::string& wrong) {
    std::cout << what << (wrong.empty() ? ": right\n" : ": wrong\n") << wrong << std::flush;
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
  for (const auto& test : verification::unit_tests_of(t.spec()))
    tell(test.units, failure_of(test, a, t));
  if (right) return;
  std::cout << "Units are wrong like this, too, where an NVDLA is no " << t.name()
            << ": see which configuration was built (--config)\n";
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
      "and runs a network of a few layers for each unit, three times, beside the simulator. That\n"
      "the configuration is another one, they tell by wrong results: the public RTL describes\n"
      "itself as nv_small in all of them. The device must be idle.\n"
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
