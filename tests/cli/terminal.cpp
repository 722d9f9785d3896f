// SPDX-License-Identifier: Apache-2.0
// What only a terminal sees: tables of its width.
#include <algorithm>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "cli.hpp"

namespace {

// In a terminal of script's, so wide.
std::string on_a_terminal(const scratch& dir, const std::string& arguments, int columns = 80) {
  const auto command = "stty cols " + std::to_string(columns) + "; '" NVDLAC_CLI "' " + arguments;
  dir.write("command.sh", command + '\n');
  return shell_in(dir.path, "TERM=xterm script -qec 'sh command.sh' /dev/null").out;
}

std::size_t longest_line(const std::string& all) {
  std::istringstream in(all);
  std::size_t longest = 0;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    longest = std::max(longest, line.size());
  }
  return longest;
}

struct with_loadable : scratch {
  const std::string seven = "run d.nvdla -c nv_small --input '" + digits + "/images/7_a.pgm' ";

  with_loadable() { REQUIRE(nvdlac_in(path, "compile" + model + "-o d.nvdla").code == 0); }
};

}  // namespace

TEST_CASE("tables fit 80 columns of a terminal, and take what a wider one has") {
  const with_loadable dir;
  for (const std::string& arguments : {dir.seven + "--layers", std::string("configs"),
                                       std::string("compile --list-passes")}) {
    const auto narrow = on_a_terminal(dir, arguments);
    CAPTURE(narrow);
    CHECK(longest_line(narrow) > 60);
    CHECK(longest_line(narrow) <= 80);
    CHECK(longest_line(on_a_terminal(dir, arguments, 40)) <= 80);
  }
  const auto wide = on_a_terminal(dir, dir.seven + "--layers", 160);
  CHECK(wide.find("MACs  DRAM read  DRAM written") != std::string::npos);
  CHECK(longest_line(wide) > 80);
  const auto piped = nvdlac_in(dir.path, dir.seven + "--layers");
  CHECK(piped.says("MACs  DRAM read  DRAM written"));
}
