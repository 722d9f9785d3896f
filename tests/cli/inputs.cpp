// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/data/npy.hpp>

#include "cli.hpp"

namespace {

const std::string two_inputs =
    "name: 'sum'\n"
    "layer { name: 'a' type: 'Input' top: 'a'\n"
    "        input_param { shape { dim: 1 dim: 8 dim: 1 dim: 1 } } }\n"
    "layer { name: 'b' type: 'Input' top: 'b'\n"
    "        input_param { shape { dim: 1 dim: 8 dim: 1 dim: 1 } } }\n"
    "layer { name: 'sum' type: 'Eltwise' bottom: 'a' bottom: 'b' top: 'sum' }\n";

struct sum_network : scratch {
  sum_network() {
    write("sum.prototxt", two_inputs);
    write_values("x.npy", {1, 2, 3, 4, 5, 6, 7, 127});
    write_values("y.npy", {0, 0, 0, 0, 0, 0, 0, 127});
  }
  void write_values(const char* name, std::vector<float> values) const {
    nvdlac::data::write_npy(path / name, {{values.size()}, values});
  }
  outcome run(const std::string& arguments) const { return nvdlac_in(path, arguments); }

  std::string compile = "compile sum.prototxt '" + digits + "/digits.caffemodel' -c nv_small ";
};

}  // namespace

TEST_CASE("a network of two inputs takes files by the inputs' names") {
  const sum_network dir;
  const auto made = dir.run(dir.compile + "--calibration a=x.npy --calibration b=y.npy");
  CAPTURE(made.err);
  REQUIRE(made.code == 0);
  const auto r = dir.run("run sum.nvdla -c nv_small --input a=x.npy b=x.npy --output o.npy");
  CAPTURE(r.err);
  CHECK(r.code == 0);
  const auto sums = nvdlac::data::read_npy(dir.path / "o.npy").content.values;
  REQUIRE(sums.size() == 8);
  CHECK(sums[4] == doctest::Approx(10).epsilon(0.2));
  CHECK(sums[7] == doctest::Approx(254).epsilon(0.01));
  CHECK(dir.run("run sum.nvdla -c nv_small --input x.npy").complains("give NAME=FILE"));
  CHECK(dir.run("run sum.nvdla -c nv_small --input a=x.npy").code == 1);
}

TEST_CASE("pixels need a meaning: told at compilation, or when the program runs") {
  const sum_network dir;
  REQUIRE(dir.run(dir.compile + "--calibration a=x.npy b=y.npy").code == 0);
  REQUIRE(dir.run(dir.compile + "--calibration a=x.npy --calibration b=y.npy").code == 0);
  dir.write("p.raw", "abcdefgh");
  const std::string run = "run sum.nvdla -c nv_small --input a=p.raw b=p.raw ";
  const auto r = dir.run(run);
  CHECK(r.code == 1);
  CHECK(r.complains("the loadable does not say how pixels become its values"));
  CHECK(dir.run(run + "--mean 100").code == 0);
  REQUIRE(dir.run(dir.compile + "--mean 100 --calibration a=x.npy --calibration b=y.npy").code ==
          0);
  CHECK(dir.run(run).code == 0);
}

TEST_CASE("options that may be given several times take several values, and no other's") {
  const auto several = [](const std::string& arguments) {
    auto r = nvdlac_in(digits, arguments);
    CAPTURE(r.err);
    CHECK(r.code == 0);
    return r.out;
  };
  const std::string verify = "verify digits.onnx --calibration images/0_a.pgm calibration.idx ";
  const auto spread = several(verify + "-c nv_small --input images/0_a.pgm images/3_a.pgm");
  CHECK(spread.find("2 inputs") != spread.npos);
  CHECK(spread == several("verify digits.onnx --calibration images/0_a.pgm --config=nv_small "
                          "--calibration calibration.idx -i images/0_a.pgm "
                          "--input images/3_a.pgm"));
  // The model may come behind one value, where no word can be both.
  CHECK(spread == several("verify --input images/0_a.pgm images/3_a.pgm --calibration "
                          "images/0_a.pgm calibration.idx -c nv_small -- digits.onnx"));
  CHECK(several("verify --first 3 --input images --calibration calibration.idx -c nv_small "
                "digits.onnx").find("3 inputs") != std::string::npos);

  const auto second = nvdlac_in(digits, verify + "-c nv_small nv_tiny --input images");
  CHECK(second.code == 2);
  CHECK(second.complains("no configuration 'nv_tiny'"));
  const auto open = nvdlac_in(digits, "verify -c nv_small --calibration a b c digits.onnx");
  CHECK(open.code == 2);
  CHECK(open.complains("which words behind --calibration are its values: write MODEL before it"));
  CHECK(nvdlac_in(digits, "run x.nvdla -i a -c nv_small nv_large").code == 2);
  for (const std::string option : {"--memory", "--cvsram", "--calibration", "--scales-out"}) {
    const auto empty = nvdlac_in(digits, "compile digits.onnx " + option + " -o x.nvdla");
    CHECK(empty.code == 2);
    CHECK(empty.complains(option + " needs a value, but -o stands behind it, which is an option: "
                                   "write " + option + "=-o if it is meant"));
  }
}
