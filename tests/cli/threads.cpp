// SPDX-License-Identifier: Apache-2.0
// The commands that take --threads say the same with any number of them. The preset `threads` runs
// this under the thread sanitizer.
#include <doctest/doctest.h>

#include <map>
#include <sstream>
#include <string>

#include "cli.hpp"

namespace {

// The demo's layers are too small to be shared; of 2.4 M MACs the core makes parts.
const std::string wide = R"(name: "wide"
layer { name: "data" type: "Input" top: "data"
        input_param { shape { dim: 1 dim: 1 dim: 64 dim: 64 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
        convolution_param { num_output: 24 kernel_size: 5 pad: 2 } }
)";

void same_with_four(const scratch& dir, const std::string& compiled, const std::string& inputs) {
  REQUIRE(nvdlac_in(dir.path, "compile" + compiled + "-o d.nvdla --trace d.nvtrace").code == 0);
  for (const auto& command : {"run d.nvdla -c nv_small --input" + inputs,
                              std::string("replay d.nvtrace -c nv_small"),
                              "verify" + compiled + "--input" + inputs}) {
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

}  // namespace

TEST_CASE("run, replay and verify say the same with one thread and with four") {
  const scratch dir;
  SUBCASE("the demo model") { same_with_four(dir, model, pictures); }
  SUBCASE("a wide layer") {
    dir.write("wide.prototxt", wide);
    std::string picture = "P5 64 64 255\n";
    for (int i = 0; i < 64 * 64; ++i) picture += static_cast<char>(i * i % 251);
    dir.write("wide.pgm", picture);
    same_with_four(dir, " wide.prototxt --random-weights 1 -c nv_small --calibration wide.pgm ",
                   " wide.pgm");
  }
}

TEST_CASE("compile writes the same bytes whatever the number of threads that calibrate") {
  const scratch dir;
  dir.write("wide.prototxt", wide);
  std::filesystem::create_directory(dir.path / "calibration");
  for (int n = 0; n < 5; ++n) {
    std::string picture = "P5 64 64 255\n";
    for (int i = 0; i < 64 * 64; ++i) picture += static_cast<char>(i * (i + n) % 251);
    dir.write("calibration/" + std::to_string(n) + ".pgm", picture);
  }
  std::map<std::string, std::string> alone;
  for (const std::string threads : {"1", "2", "3", "64", ""}) {
    CAPTURE(threads);
    const auto command = "compile wide.prototxt --random-weights 1 -c nv_small --calibration "
                         "calibration -o w.nvdla --scales-out w.json --report r.json" +
                         (threads.empty() ? "" : " --threads " + threads);
    const auto done = nvdlac_in(dir.path, command);
    REQUIRE(done.code == 0);
    for (const std::string file : {"w.nvdla", "w.json", "r.json"}) {
      const auto bytes = content(dir.path / file);
      CHECK(bytes.size() > 10);
      CHECK(alone.emplace(file, bytes).first->second == bytes);
    }
  }
  for (const std::string wrong : {"0", "257", "two"})
    CHECK(nvdlac_in(dir.path, "compile wide.prototxt --random-weights 1 -c nv_small --calibration "
                              "calibration --threads " + wrong).code == 2);
}

TEST_CASE("no other command takes --threads") {
  std::string takes;
  for (const std::string command : {"bench", "check", "compile", "config", "configs", "diff",
                                    "explore", "import", "inspect", "locate", "replay",
                                    "reproduce", "run", "sweep", "verify"})
    if (nvdlac_in(".", command + " --help").says("--threads")) takes += command + ' ';
  CHECK(takes == "bench compile explore import locate replay reproduce run sweep verify ");
  std::istringstream commands(nvdlac_in(".", "--help").out);  // and there are no others
  int found = 0;
  for (std::string line; std::getline(commands, line) && line != "Subcommands:";) {}
  for (std::string line; std::getline(commands, line) && line.starts_with("  ");)
    found += line[2] != ' ';
  CHECK(found == 15);
}
