// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <doctest/doctest.h>

#include <nvdlac/data/npy.hpp>

#include "cli.hpp"

namespace {

// The demo model, compiled in a directory of its own.
struct compiled : scratch {
  explicit compiled(const std::string& options = "") {
    const auto outputs = "-o d.nvdla --trace d.nvtrace ";
    REQUIRE(nvdlac_in(path, "compile" + model + outputs + options).code == 0);
  }
};

const std::string seven = " --input '" + digits + "/images/7_a.pgm' ";

}  // namespace

TEST_CASE("run prints the five best classes, without any option of preprocessing") {
  for (const char* options : {"", "--input-format int8"}) {
    const compiled dir(options);
    const auto r = nvdlac_in(dir.path, "run d.nvdla --config nv_small" + seven);
    CHECK(r.code == 0);
    CAPTURE(r.out);
    CHECK(r.out.starts_with("7_a.pgm:  7 (0.9"));
    CHECK(r.err == "");
  }
}

TEST_CASE("run takes directories and collections and writes arrays") {
  const compiled dir;
  const std::string run = "run d.nvdla --config nv_small --input" + pictures;
  CHECK(nvdlac_in(dir.path, run + "--output scores.npy").code == 0);
  const auto scores = nvdlac::data::read_npy(dir.path / "scores.npy").content;
  REQUIRE(scores.dims == std::vector<std::size_t>{20, 10});
  CHECK(nvdlac_in(dir.path, run + "--output raw.npy --raw").code == 0);
  const auto raw = nvdlac::data::read_npy(dir.path / "raw.npy").content;
  REQUIRE(raw.dims == scores.dims);
  for (std::size_t i = 0; i < raw.values.size(); ++i)
    CHECK(scores.values[i] == doctest::Approx(raw.values[i] / 127));
  const auto all = nvdlac_in(dir.path, "run d.nvdla --config nv_small --input '" + digits +
                                           "/calibration.idx'");
  CHECK(all.code == 0);
  CHECK(all.says("calibration.idx[99]: "));
}

TEST_CASE("what cannot be run is refused without an output") {
  const compiled dir;
  const auto before = dir.files();
  const auto refused = [&](const std::string& arguments, int code, std::string_view reason) {
    CAPTURE(arguments);
    const auto r = nvdlac_in(dir.path, "run " + arguments + " --output o.npy");
    CAPTURE(r.err);
    CHECK(r.code == code);
    CHECK(r.complains(reason));
    CHECK(dir.files() == before);
  };
  refused("d.nvdla -c nv_large" + seven, 1, "d.nvdla: the loadable was compiled for nv_small");
  refused("d.nvdla -c nv_small --scale 2" + seven, 2, "reads pixels");
  refused("d.nvtrace -c nv_small" + seven, 1, "d.nvtrace: is not a loadable");
  refused("absent -c nv_small" + seven, 1, "absent: there is no such file");
  refused("d.nvdla -c nv_small", 2, "--input is required");
  refused("d.nvdla -c nv_small --input d.nvdla", 1, "d.nvdla: is not a picture");
  refused("d.nvdla -c nv_small --input absent", 1, "absent: there is no such file");
}

TEST_CASE("the configuration of a run is that of the file") {
  const compiled dir;
  CHECK(nvdlac_in(dir.path, "replay d.nvtrace").code == 0);
  CHECK(nvdlac_in(dir.path, "compile" + model + "-o e.nvdla --report e.json")
            .says("\nwritten: e.nvdla, e.json\n"));
  const auto r = nvdlac_in(dir.path, "run d.nvdla" + seven);
  CHECK(r.code == 0);
  CHECK(r.out == nvdlac_in(dir.path, "run d.nvdla -c nv_small" + seven).out);
}

TEST_CASE("floats cannot be given to a program that reads pixels") {
  const compiled dir, values("--input-format int8");
  nvdlac::data::write_npy(dir.path / "f.npy", {{1, 28, 28}, std::vector<float>(784, 1)});
  const auto r = nvdlac_in(dir.path, "run d.nvdla -c nv_small --input f.npy");
  CHECK(r.code == 1);
  CHECK(r.complains("compile with --input-format int8"));
  std::filesystem::copy_file(dir.path / "f.npy", values.path / "f.npy");
  CHECK(nvdlac_in(values.path, "run d.nvdla -c nv_small --input f.npy").code == 0);
}

TEST_CASE("the trace gives the bytes that the loadable gives, and says where not") {
  const compiled dir;
  const auto r = nvdlac_in(dir.path, "replay d.nvtrace --config nv_small");
  CHECK(r.code == 0);
  CHECK(r.says(" 0 differences"));
  // The trace is of the first calibration picture.
  REQUIRE(nvdlac_in(dir.path, "run d.nvdla -c nv_small --raw --output o.npy --input '" + digits +
                                  "/calibration.idx'").code == 0);
  const auto expected = content(dir.path / "d.output-0.bin");
  const auto values = nvdlac::data::read_npy(dir.path / "o.npy").content.values;
  REQUIRE(expected.size() >= 10);
  for (std::size_t i = 0; i < 10; ++i)
    CHECK(static_cast<float>(static_cast<signed char>(expected[i])) == values[i]);

  auto wrong = expected;
  wrong[3] = static_cast<char>(wrong[3] ^ 1);
  dir.write("d.output-0.bin", wrong);
  const auto differs = nvdlac_in(dir.path, "replay d.nvtrace --config nv_small");
  CHECK(differs.code == 1);
  CHECK(differs.says("1 of 16 bytes differ from d.output-0.bin"));
  CHECK(differs.says(" 1 difference"));
  CHECK(nvdlac_in(dir.path, "replay d.nvtrace --config nv_full").code == 1);
  const auto lenient = nvdlac_in(dir.path, "replay d.nvtrace -c nv_small --lenient --threads 2");
  CHECK(lenient.says(" 1 difference, 0 warnings"));
  CHECK(nvdlac_in(dir.path, "replay d.nvdla --config nv_small").code == 1);
}

TEST_CASE("a loadable tells what it holds") {
  const compiled dir;
  const auto r = nvdlac_in(dir.path, "inspect d.nvdla");
  CHECK(r.code == 0);
  for (const char* part : {"digits for nv_small", "input  data 1x28x28: pixels", "Memory", "Layers",
                           "conv1/x0/sdp", "in image mode", "Dependencies", "conv2: waits for"})
    CHECK(r.says(part));
  const auto flow = nvdlac_in(dir.path, "inspect d.nvdla --dot").out;
  CHECK(flow.starts_with("digraph program {"));
  CHECK(flow.find("label=\"conv2\\nCONV + SDP + PDP\\n4x12x24 -> 16x6x6\"") != flow.npos);
  for (const char* edge : {"n0 -> n1;", "n0 -> n2;", "n0 -> n3;", "n1 -> n4;", "n2 -> n4;",
                           "n3 -> n4;", "n4 -> n5;", "n5 -> n6;", "n6 -> n7;", "n7 -> n8;"})
    CHECK(flow.find(edge) != flow.npos);
  CHECK(std::ranges::count(flow, '>') == 10 + 7);  // in labels, too
  const auto waiting = nvdlac_in(dir.path, "inspect d.nvdla --dot=dependencies").out;
  CHECK(waiting.find("subgraph cluster_0") != waiting.npos);
  CHECK(nvdlac_in(dir.path, "inspect d.nvdla --dot=nonsense").code == 2);
  CHECK(nvdlac_in(dir.path, "inspect d.nvdla --json").says("\"waits_for\": "));
  CHECK(nvdlac_in(dir.path, "inspect d.nvdla --json --dot").code == 2);
  CHECK(nvdlac_in(dir.path, "inspect d.nvtrace").code == 1);
}

TEST_CASE("a run tells which files it has written, and of none that it could not write") {
  const scratch dir;
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "-o d.nvdla").code == 0);
  const std::string run = "run d.nvdla -i '" + digits + "/images/3_a.pgm' ";
  CHECK(nvdlac_in(dir.path, run + "-o out.npy").out == "written: out.npy\n");
  CHECK(nvdlac_in(dir.path, run + "--raw").code == 2);
  const auto failed =
      nvdlac_in(dir.path, run + "--save-tensors all", "ulimit -f 1; trap '' XFSZ; ");
  CHECK(failed.code == 1);
  CHECK(!failed.says("tensors in"));
  CHECK(!std::filesystem::exists(dir.path / "all"));
}

TEST_CASE("files in folders beside other files are told, since they are not taken") {
  const scratch dir;
  const std::filesystem::path images = digits + "/images";
  std::filesystem::create_directories(dir.path / "all/more");
  std::filesystem::copy_file(images / "3_a.pgm", dir.path / "all/3_a.pgm");
  std::filesystem::copy_file(images / "4_a.pgm", dir.path / "all/more/4_a.pgm");
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "-o d.nvdla").code == 0);
  const auto r = nvdlac_in(dir.path, "run d.nvdla -i all");
  CHECK(r.code == 0);
  CHECK(r.complains("all: 1 input in folders below is not taken, as it holds inputs itself"));
}
