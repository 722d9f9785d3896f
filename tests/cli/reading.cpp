// SPDX-License-Identifier: Apache-2.0
// Files that cannot be read, wherever one is named: an error with the file's name, and no hanging.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include "cli.hpp"

namespace {

namespace fs = std::filesystem;

// Every place on the command line that takes a file to read.
std::vector<std::string> readers_of(const std::string& file) {
  const std::string prototxt = " '" + digits + "/digits.prototxt' ", demo = " '" + digits +
                                                                          "/digits.onnx' ";
  return {"compile " + file + " -c nv_small --random-weights 1 --scales x",
          "compile" + prototxt + file + " -c nv_small",
          "compile" + demo + "-c nv_small --scales " + file,
          "compile" + demo + "-c nv_small --calibration " + file,
          "verify" + model + "--input " + file,
          "verify" + model + "--input" + pictures + "--labels " + file,
          "run " + file + " -c nv_small --input" + pictures,
          "replay " + file + " -c nv_small",
          "inspect " + file};
}

}  // namespace

TEST_CASE("a FIFO, a device, and a file that is too large are refused by name, and at once") {
  const scratch dir;
  REQUIRE(::mkfifo((dir.path / "pipe").c_str(), 0600) == 0);
  dir.write("sparse", "x");
  fs::resize_file(dir.path / "sparse", std::uintmax_t{9} << 30);
  for (const std::string file : {"pipe", "/dev/zero", "sparse", "absent"})
    for (const auto& command : readers_of(file)) {
      CAPTURE(command);
      const auto r = nvdlac_in(dir.path, command, address_limit(4000000) + "timeout 60 ");
      CAPTURE(r.err);
      CHECK(r.code == 1);
      CHECK(r.complains(file));
    }
}

TEST_CASE("memory that does not suffice is the file's error") {
  const scratch dir;
  dir.write("large", "x");
  fs::resize_file(dir.path / "large", std::uintmax_t{1900} << 20);
  for (const auto& command : readers_of("large")) {
    if (command.starts_with("replay")) continue;  // a text, of which the first line is wrong
    CAPTURE(command);
    const auto r = nvdlac_in(dir.path, command, address_limit(1000000) + "timeout 60 ");
    CAPTURE(r.err);
    CHECK(r.code == 1);
    CHECK(r.complains("large"));
  }
}

TEST_CASE("an empty value is wrong usage") {
  const scratch dir;
  for (const char* command :
       {"compile '' -c nv_small", "compile m --calibration ''", "compile m --scales ''",
        "compile m -o ''", "compile m --report ''", "compile m -c ''", "compile m --mean ''",
        "compile m ''", "verify m --input ''", "verify m --input x --labels ''",
        "run '' -c nv_small --input x", "run m -c nv_small --input ''",
        "run m -c nv_small --input x -o ''", "replay '' -c nv_small", "replay x -c ''",
        "inspect ''", "import m --cpp ''", "compile m --precision ''", "compile m --host ''"}) {
    CAPTURE(command);
    const auto r = nvdlac_in(dir.path, command);
    CAPTURE(r.err);
    CHECK(r.code == 2);
  }
}

TEST_CASE("a model's name need not be UTF-8") {
  const scratch dir;
  const fs::path odd = dir.path / "\xff\xfe.onnx";
  fs::copy_file(digits + "/digits.onnx", odd);
  const std::string rest = " -c nv_small --calibration '" + digits + "/calibration.idx' ";
  const auto r = nvdlac_in(dir.path, "verify '" + odd.string() + "'" + rest + "--input '" + digits +
                                         "/images' --json --first 1");
  CAPTURE(r.err);
  CHECK(r.code == 0);
  CHECK(nlohmann::json::parse(r.out).contains("network"));
  const auto made = nvdlac_in(dir.path, "compile '" + odd.string() + "'" + rest +
                                            "-o o.nvdla --report r.json --trace t.nvtrace");
  CAPTURE(made.err);
  CHECK(made.code == 0);
  for (const char* command : {"inspect o.nvdla --json", "inspect o.nvdla"})
    CHECK(nvdlac_in(dir.path, command).code == 0);
  CHECK(nvdlac_in(dir.path, "run o.nvdla -c nv_small --layers=l.json --input" + pictures).code ==
        0);
}
