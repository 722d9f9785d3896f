// SPDX-License-Identifier: Apache-2.0
// The commands that take --threads say the same with any number of them. The preset `threads` runs
// this under the thread sanitizer.
#include <doctest/doctest.h>

#include <sstream>

#include "cli.hpp"

namespace {

const std::string chip = " -c nv_small --input" + pictures;

}  // namespace

TEST_CASE("run, replay and verify say the same with one thread and with four") {
  const scratch dir;
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "-o d.nvdla --trace d.nvtrace").code == 0);
  const std::string commands[]{"run d.nvdla" + chip, "replay d.nvtrace -c nv_small",
                               "verify" + model + "--input" + pictures};
  for (const auto& command : commands) {
    CAPTURE(command);
    const auto one = nvdlac_in(dir.path, command + " --threads 1");
    const auto four = nvdlac_in(dir.path, command + " --threads 4");
    CHECK(one.code == 0);
    CHECK(one.out.size() > 10);
    CHECK(four.code == 0);
    CHECK(four.out == one.out);
    CHECK(four.err == one.err);
  }
}

TEST_CASE("no other command takes --threads") {
  std::string takes;
  for (const std::string command : {"compile", "configs", "import", "inspect", "replay", "run",
                                    "verify"})
    if (nvdlac_in(".", command + " --help").says("--threads")) takes += command + ' ';
  CHECK(takes == "replay run verify ");
  std::istringstream commands(nvdlac_in(".", "--help").out);  // and there are no others
  int found = 0;
  for (std::string line; std::getline(commands, line) && line != "Subcommands:";) {}
  for (std::string line; std::getline(commands, line) && line.starts_with("  ");)
    found += line[2] != ' ';
  CHECK(found == 7);
}
