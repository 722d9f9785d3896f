// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "cli.hpp"

namespace {

const std::string model_and_scales =
    " '" + digits + "/digits.onnx' --calibration '" + digits + "/calibration.idx' ";

void check_refused(const std::string& arguments, int code, std::string_view reason) {
  CAPTURE(arguments);
  const scratch dir;
  const auto r = nvdlac_in(dir.path, "import " + arguments);
  CHECK(r.code == code);
  CAPTURE(r.err);
  CHECK(r.complains(reason));
  CHECK(dir.files() == 0);
}

}  // namespace

TEST_CASE("a network becomes a header, with the weights of each configuration beside it") {
  const std::string command =
      "import" + model_and_scales + "--cpp digits.hpp --config nv_small --config nv_large";
  const scratch a, b;
  const auto r = nvdlac_in(a.path, command);
  CHECK(r.code == 0);
  CHECK(r.err == "");
  CHECK(r.says("digits.nv_small.weights.bin: "));
  CHECK(r.says("symbol digits_nv_large_weights"));
  CHECK(r.says("digits.hpp: 8 layers, digits::model"));
  CHECK(a.files() == 3);
  const auto header = content(a.path / "digits.hpp");
  for (const char* part : {"// digits.onnx in", "namespace digits {", "node{\"conv1\", ",
                           ".weights = only_size{200}", "digits_nv_small_weights["})
    CHECK(header.find(part) != std::string::npos);
  CHECK(header.find(digits) == std::string::npos);
  CHECK(nvdlac_in(b.path, command).out == r.out);
  for (const char* name : {"digits.hpp", "digits.nv_small.weights.bin",
                           "digits.nv_large.weights.bin"})
    CHECK(content(a.path / name) == content(b.path / name));
}

TEST_CASE("the weights beside a header are those of the trace") {
  const scratch dir;
  CHECK(nvdlac_in(dir.path, "import" + model + "--cpp d.hpp").code == 0);
  CHECK(nvdlac_in(dir.path, "compile" + model + "--trace t.nvtrace").code == 0);
  CHECK(content(dir.path / "d.nv_small.weights.bin") == content(dir.path / "t.weights.bin"));
  CHECK(!content(dir.path / "t.weights.bin").empty());
}

TEST_CASE("a header alone needs no configuration, and takes weights and a namespace") {
  const scratch dir;
  CHECK(nvdlac_in(dir.path, "import" + model_and_scales +
                                "--cpp d.hpp --constants --namespace my::net").code == 0);
  CHECK(dir.files() == 1);
  const auto header = content(dir.path / "d.hpp");
  for (const char* part : {"namespace my::net {", "std::array<std::int8_t, 18432> fc1_weights{"})
    CHECK(header.find(part) != std::string::npos);
}

TEST_CASE("an import that is refused leaves no file and says what to do") {
  check_refused(model, 2, "--cpp OUT.hpp");
  check_refused("--cpp d.hpp", 2, "name the MODEL");
  check_refused(model + "--cpp d.hpp --namespace 2d", 2, "'2d' is not the name of a C++ namespace");
  check_refused(model + "--cpp d.hpp --namespace index", 2, "headers of C declare the name");
  check_refused(" '" + digits + "/digits.onnx' --cpp d.hpp", 2, "Give --calibration DIR|FILE");
  check_refused(model + "--cpp absent/d.hpp", 1, "create 'absent' first");
  check_refused(model + "--cpp d.hpp --config nothing", 2, "there is no configuration 'nothing'");
  check_refused("absent.onnx --scales s.json --cpp d.hpp", 1,
                "absent.onnx: there is no such file");
}
