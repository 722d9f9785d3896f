// SPDX-License-Identifier: Apache-2.0
// Output that only a terminal sees: tables of its width, and what is done at the moment.
#include <algorithm>
#include <regex>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "cli.hpp"
#include "manner.hpp"
#include "progress.hpp"

namespace {

// In a terminal of script's, so wide.
std::string on_a_terminal(const scratch& dir, const std::string& arguments, int columns = 80,
                          const std::string& environment = {}) {
  const auto command = "stty cols " + std::to_string(columns) + "; " + environment +
                       "'" NVDLAC_CLI "' " + arguments;
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

TEST_CASE("summaries, messages and help break between words at 80 columns of a terminal") {
  const with_loadable dir;
  for (const std::string& arguments :
       {"compile" + model + "-o e.nvdla", "verify" + model + "--input" + pictures,
        std::string("inspect d.nvdla"), std::string("compile --help"), std::string("diff --help"),
        "compile" + model + "--mean 1,2 --color never -o e.nvdla"}) {
    CAPTURE(arguments);
    const auto narrow = on_a_terminal(dir, arguments);
    CAPTURE(narrow);
    CHECK(longest_line(narrow) > 60);
    CHECK(longest_line(narrow) <= 80);
  }
  CHECK(longest_line(on_a_terminal(dir, "compile" + model + "-o e.nvdla", 200)) > 100);
  CHECK(longest_line(on_a_terminal(dir, "compile --help", 200)) > 80);
  CHECK(longest_line(on_a_terminal(dir, "compile --help", 200)) <= 100);

  using nvdlac::cli::folded;
  CHECK(folded("one two three\nfour", 8) == "one two\n  three\nfour");
  CHECK(folded("  a 'bb': ccc dd\n", 10) == "  a 'bb':\n    ccc dd\n");
  CHECK(folded("one_word_that_is_long and\n", 8) == "one_word_that_is_long\n  and\n");
  CHECK(folded("abc   \n", 3) == "abc\n");
  CHECK(folded("\x1b[1mone\x1b[0m two three", 8) == "\x1b[1mone\x1b[0m two\n  three");
  CHECK(folded("any length at all", 0) == "any length at all");
}

TEST_CASE("numbers of tables stand in groups of three digits, and in JSON as they are") {
  const with_loadable dir;
  const auto table = nvdlac_in(dir.path, "inspect d.nvdla").out;
  CHECK(table.find(" 165,888 ") != std::string::npos);  // 16 x 12 x 12 sums of 4 x 3 x 6
  CHECK(table.find("165888") == std::string::npos);
  CHECK(table.find("20,480  constant") != std::string::npos);
  CHECK(nvdlac_in(dir.path, "inspect d.nvdla --json").says("\"macs\": 165888"));
  const auto layers = nvdlac_in(dir.path, dir.seven + "--layers");
  CHECK(layers.says(" 165,888 "));
  CHECK(nvdlac_in(dir.path, dir.seven + "--layers=l.json").code == 0);
  CHECK(content(dir.path / "l.json").find("\"macs\": 165888") != std::string::npos);
  const std::string otherwise = "--without fuse_relu --without image_input --input-format int8 ";
  REQUIRE(nvdlac_in(dir.path, "compile" + model + otherwise + "-o e.nvdla").code == 0);
  const auto diff = nvdlac_in(dir.path, "diff d.nvdla e.nvdla");
  CHECK(std::regex_search(diff.out, std::regex("\ncycles +1[0-9],[0-9]{3} +[0-9]{2},[0-9]{3} ")));
}

TEST_CASE("progress tells how many, how fast, and the time that is left") {
  using nvdlac::cli::progress_text;
  CHECK(progress_text(3, 12, 100) == "12/100, 4/s, 22 s left");
  CHECK(progress_text(3, 12, 100, 9) == "12/100, 1/s, 1 min 28 s left");  // 9 were there before
  CHECK(progress_text(2, 500, 1000) == "500/1000, 250/s, 2 s left");
  CHECK(progress_text(10, 1, 1000) == "1/1000, 0.1/s, 2 h 46 min left");
  CHECK(progress_text(1000, 1, 1000) == "1/1000, 0.001/s, days left");
  CHECK(progress_text(7, 0, 100) == "0/100, 7 s");
  CHECK(progress_text(100, 0, 0) == "1 min 40 s");  // nothing is counted
}

TEST_CASE("what takes more than a second tells its phases on a terminal, and nowhere else") {
  const scratch dir;
  dir.write("n.prototxt", R"(
    input: "data" input_shape { dim: 1 dim: 1 dim: 28 dim: 28 }
    layer { name: "a" type: "Convolution" bottom: "data" top: "a"
            convolution_param { num_output: 64 kernel_size: 5 stride: 2 } }
    layer { name: "b" type: "Convolution" bottom: "a" top: "b"
            convolution_param { num_output: 128 kernel_size: 3 } }
    layer { name: "c" type: "InnerProduct" bottom: "b" top: "c"
            inner_product_param { num_output: 256 } })");
  const auto faster = preloaded(NVDLAC_FAST_CLOCK);  // a millisecond is a second
  const std::string counted = " [1-9][0-9]*/20, [0-9.e+-]+/s, [0-9a-z ]+ left\x1b\\[K",
                    timed = ", [0-9]+ (s|min [0-9]+ s)\x1b\\[K";
  const std::string network = "n.prototxt --random-weights 1 -c nv_small --calibration" + pictures;
  const std::string compile = "compile " + network + "-o n.nvdla ";
  const auto input = "--input" + pictures;
  const auto shows = [](const std::string& said, const std::string& phase) {
    CAPTURE(said);
    CAPTURE(phase);
    CHECK(std::regex_search(said, std::regex("\r" + phase)));
  };
  // A picture alone is compiled in some milliseconds, which a busy machine may not see.
  shows(on_a_terminal(dir, compile + "--batch 32", 80, faster), "compiling for nv_small" + timed);
  const auto compiled = on_a_terminal(dir, compile, 80, faster);
  shows(compiled, "importing" + timed);
  shows(compiled, "calibrating" + counted);
  shows(compiled, "quantising" + timed);
  const auto cleared = compiled.rfind("\r\x1b[K");  // the result stands where the line was
  REQUIRE(cleared != std::string::npos);
  CHECK(compiled.substr(cleared + 4).starts_with("n for nv_small: "));
  shows(on_a_terminal(dir, "run n.nvdla -c nv_small " + input, 80, faster), "simulating" + counted);
  shows(on_a_terminal(dir, "verify " + network + input, 80, faster), "verifying" + counted);

  CHECK(on_a_terminal(dir, compile + "-q", 80, faster).empty());
  const auto piped = nvdlac_in(dir.path, compile, faster);
  CHECK(piped.code == 0);
  CHECK(piped.err.empty());
}
