// SPDX-License-Identifier: Apache-2.0
// Names that a command line should not have, or may have.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "cli.hpp"

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
  const auto odd = dir.path / "\xff\xfe.onnx";
  std::filesystem::copy_file(digits + "/digits.onnx", odd);
  const auto r = nvdlac_in(dir.path, "verify '" + odd.string() + "' -c nv_small --calibration '" +
                                         digits + "/calibration.idx' --input" + pictures +
                                         "--json --first 1");
  CAPTURE(r.err);
  CHECK(r.code == 0);
  CHECK(nlohmann::json::parse(r.out).contains("network"));
}
