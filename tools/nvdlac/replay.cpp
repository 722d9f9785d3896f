// SPDX-License-Identifier: Apache-2.0
// nvdlac replay: a register trace on the simulator, compared with the memory that it expects.
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include <nvdlac/sim/replay.hpp>

#include "commands.hpp"
#include "find_target.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

void replay(const std::string& path, const std::string& config, target_list targets) {
  const auto& t = find_target(targets, config);
  const auto trace = sim::read_trace(path);
  const auto differences = t.replay(trace);
  for (const auto& d : differences) std::cout << path << ':' << d.line << ": " << d.what << '\n';
  std::cout << path << ": " << trace.commands.size() << " commands, " << differences.size()
            << " differences\n";
  if (!differences.empty()) throw negative{};
}

}  // namespace

void add_replay(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand(
      "replay", "Run a register trace on the simulator and compare the memory that it expects");
  const auto path = std::make_shared<std::string>(), config = std::make_shared<std::string>();
  sub->add_option("TRACE", *path, "A file of `nvdlac compile --trace`")->required()
      ->type_name("FILE");
  sub->add_option("-c,--config", *config, "The trace's configuration: " + names_of(targets))
      ->required()->type_name("NAME");
  sub->footer("Every difference is printed; with one or more the exit code is 1.\n"
              "Example:\n  nvdlac replay digits.nvtrace --config nv_small");
  sub->callback([=] { replay(*path, *config, targets); });
}

}  // namespace nvdlac::cli
