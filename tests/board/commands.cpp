// SPDX-License-Identifier: Apache-2.0
// The command line on boards that are not there: the libraries of this folder, which its processes
// load before others.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "cli/cli.hpp"
#include "cli/report_in_page.hpp"
#include "drm.hpp"
#include "simulated_board.hpp"

namespace {

const std::string seven = " --input '" + digits + "/images/7_a.pgm' ";

// The demo model, compiled in a directory of its own.
struct compiled : scratch {
  compiled() { REQUIRE(nvdlac_in(path, "compile" + model + "-o d.nvdla").code == 0); }
};

}  // namespace

TEST_CASE("run, locate, verify and bench take a UIO device") {
  const simulated_board board;
  if (!board) return;
  const compiled dir;
  const auto expected = nvdlac_in(dir.path, "run d.nvdla" + seven);
  const auto run = nvdlac_in(dir.path, "run d.nvdla --device uio0" + seven);
  CHECK(run.code == 0);
  CHECK(run.out == expected.out);
  const auto tensors = "--device uio0 --save-tensors dumps" + seven;
  CHECK(nvdlac_in(dir.path, "run d.nvdla " + tensors).code == 0);
  CHECK(nvdlac_in(dir.path, "locate dumps d.nvdla" + seven).code == 0);
  const auto locate = nvdlac_in(dir.path, "locate d.nvdla --device uio0" + seven);
  CHECK(locate.code == 0);
  CHECK(locate.says("no difference: "));
  const auto verify = nvdlac_in(dir.path, "verify" + model + "--device uio0" + seven);
  CAPTURE(verify.err);
  CHECK(verify.code == 0);
  CHECK(verify.says("  uio0 and exact integer network: equal bit for bit"));
  const auto bench = nvdlac_in(dir.path, "bench d.nvdla --device uio0 --runs 5" + seven);
  CHECK(bench.code == 0);
  for (const auto* part : {"pack", "NVDLA", "host layers", "unpack", "p99", "cycles of NVDLA",
                           "taken (p50) at 1000 MHz"})
    CHECK(bench.says(part));
  CHECK(nvdlac_in(dir.path, "bench d.nvdla --json --runs 5" + seven).says("\"p50\""));
}

TEST_CASE("a wrong bit is located by verify itself") {
  const simulated_board board("nv_small", "flip=5:7:7");
  if (!board) return;
  const compiled dir;
  const auto locate = nvdlac_in(dir.path, "locate d.nvdla --device uio0" + seven);
  CHECK(locate.code == 1);
  CHECK(locate.says("differs in 1 of "));
  CHECK(locate.says("one bit differs"));
  const auto verify = nvdlac_in(dir.path, "verify" + model + "--device uio0" + seven);
  CHECK(verify.code == 1);
  CHECK(verify.complains("uio0 differs from the simulator for 7_a.pgm"));
  CHECK(verify.complains("one bit differs"));
}

TEST_CASE("verify names a layer whose fault no output shows, and lists its registers") {
  // The demo has six hardware layers; pool2 is the fourth of each run.
  const simulated_board board("nv_small", "flip=3:9:6,every=6");
  if (!board) return;
  const compiled dir;
  const auto verify = nvdlac_in(dir.path, "verify" + model + "--device uio0" + seven);
  CAPTURE(verify.err);
  CHECK(verify.code == 1);
  CHECK(
      verify.complains("uio0 differs from the simulator for 7_a.pgm: layer 'pool2' differs in 1 of "
                       "576 elements, first at (c 1, y 0, x 1)"));
  CHECK(verify.complains("\nRegisters of 'pool2', the same in both groups\n"));
  CHECK(verify.complains("  PDP.D_OPERATION_MODE_CFG "));
}

TEST_CASE("a wrong bit that comes and goes is waited for") {
  // The bit is wrong in the third run of a program of six hardware layers, and in each second run.
  const compiled dir;
  {
    const simulated_board board("nv_small", "flip=15:9:6");
    if (!board) return;
    const auto once = nvdlac_in(dir.path, "locate d.nvdla --device uio0 --runs 5" + seven);
    CHECK(once.code == 1);
    CHECK(once.says(
        "in run 3: layer 'pool2' differs in 1 of 576 elements, first at (c 1, y 0, x 1)"));
    const auto never = nvdlac_in(dir.path, "locate d.nvdla --device uio0 --runs 2" + seven);
    CHECK(never.code == 0);
    CHECK(never.says("no difference in 2 runs: "));
    CHECK(nvdlac_in(dir.path, "locate dumps d.nvdla --runs 2" + seven).code == 2);
  }
  // The output of the second run is wrong, behind one whose layers were compared.
  const simulated_board board("nv_small", "flip=11:7:7,every=12");
  const auto verify = nvdlac_in(dir.path, "verify" + model + "--device uio0" + seven);
  CAPTURE(verify.err);
  CHECK(verify.code == 1);
  CHECK(verify.complains("uio0 differs from the simulator for 7_a.pgm: in run 2: layer '"));
}

TEST_CASE("locate says whether a layer is wrong by itself, or only beside another") {
  const compiled dir;
  dir.write("two.prototxt", R"(
    input: "data" input_dim: 1 input_dim: 1 input_dim: 28 input_dim: 28
    layer { name: "a" type: "Convolution" bottom: "data" top: "a"
            convolution_param { num_output: 8 kernel_size: 3 } }
    layer { name: "b" type: "Pooling" bottom: "data" top: "b"
            pooling_param { kernel_size: 2 stride: 2 } })");
  REQUIRE(nvdlac_in(dir.path, "compile two.prototxt --random-weights 1 --config nv_small "
                              "--calibration '" + digits + "/images' -o two.nvdla").code == 0);
  for (const auto& [fault, alone] :
       {std::pair{"flip=1:9:6,beside,every=1", "with one layer at a time nothing differs"},
        std::pair{"flip=0:9:6,every=1", "with one layer at a time as well"}}) {
    const simulated_board board("nv_small,layer=2000", fault);
    if (!board) return;
    const auto locate = nvdlac_in(dir.path, "locate two.nvdla --device uio0" + seven);
    CAPTURE(locate.out);
    CAPTURE(locate.err);
    CHECK(locate.code == 1);
    CHECK(locate.says("differs in 1 of "));
    CHECK(locate.says(alone));
  }
}

TEST_CASE("bench tells what each layer took and counted, and shares runs among devices") {
  const simulated_board board("nv_small,devices=2,layer=200");
  if (!board) return;
  const compiled dir;
  const auto layers =
      nvdlac_in(dir.path, "bench d.nvdla --device uio0 --runs 3 --layers --clock 100" + seven);
  CAPTURE(layers.out);
  CAPTURE(layers.err);
  CHECK(layers.code == 0);
  for (const auto* word : {"predicted", "taken", "ratio", "conv1", "pool2"})
    CHECK(layers.says(word));
  const auto json =
      nvdlac_in(dir.path, "bench d.nvdla --device uio0 --runs 3 --layers --json" + seven);
  CHECK(json.says("\"CDMA.D_PERF_WT_READ_STALL\": 0"));
  const std::string both =
      "bench d.nvdla --device uio0,memory=udmabuf0 --beside uio1,memory=udmabuf1 --runs 40";
  const auto shared = nvdlac_in(dir.path, both + seven);
  CAPTURE(shared.err);
  CHECK(shared.code == 0);
  CHECK(shared.says("uio0,memory=udmabuf0, uio1,memory=udmabuf1 (nv_small), 40 runs of a pool"));
  CHECK(shared.says("uio1,memory=udmabuf1: is loaded while it runs"));
  CHECK(nvdlac_in(dir.path, both + " --json" + seven).says("\"runs_per_second\""));
  CHECK(nvdlac_in(dir.path, "bench d.nvdla --device uio0 --pool" + seven).code == 0);
  CHECK(nvdlac_in(dir.path, "bench d.nvdla --layers" + seven).code == 2);
  CHECK(nvdlac_in(dir.path, both + " --layers" + seven).code == 2);
}

TEST_CASE("verify's page has what each layer took on the device") {
  const simulated_board board("nv_small,layer=1000");
  if (!board) return;
  const scratch dir;
  const auto run =
      nvdlac_in(dir.path, "verify" + model + "--device uio0 --clock 100 --html p.html" + seven);
  CAPTURE(run.err);
  CHECK(run.code == 0);
  const auto page = report_in(content(dir.path / "p.html"));
  const auto& measured = page.at("measured");
  CHECK(measured.at("device") == "uio0");
  CHECK(measured.at("clock_megahertz") == 100);
  // A millisecond for each of six; what hands on without memory ends by the same interrupt.
  CHECK(std::ranges::count_if(measured.at("layers"), [](const auto& l) {
    return l.at("cycles_taken") >= 100'000;
  }) == 6);
  for (const auto& l : measured.at("layers"))
    CHECK(std::ranges::any_of(page.at("layers"), [&](const auto& row) {
      return row.at("task") == l.at("task") && row.at("operation") == l.at("operation");
    }));
}

TEST_CASE("check tells whether the units of a board work") {
  for (const std::string config : {"nv_small", "nv_large"}) {
    const simulated_board board(config);
    if (!board) return;
    CAPTURE(config);
    const scratch dir;
    const auto right = nvdlac_in(dir.path, "check --device uio0 --config " + config);
    CAPTURE(right.out);
    CHECK(right.code == 0);
    for (const auto* line : {"registers: right", "CACC SDP: right", "SDP_RDMA SDP: right",
                             "PDP_RDMA PDP: right", "CDP_RDMA CDP: right"})
      CHECK(right.says(line));
    CHECK(right.says("SDP's table: right") == (config == "nv_large"));
  }
  const scratch dir;
  const simulated_board broken("nv_small", "flip=0:7:0");
  const auto wrong = nvdlac_in(dir.path, "check --device uio0 --config nv_small");
  CHECK(wrong.code == 1);
  CHECK(wrong.says("CACC SDP: wrong"));
  CHECK(wrong.says("PDP_RDMA PDP: right"));
}

TEST_CASE("devices that fail or are not there are told with what helps") {
  const simulated_board board("nv_small", "silent");
  if (!board) return;
  const compiled dir;
  const auto silent =
      nvdlac_in(dir.path, "run d.nvdla --device uio0 --patience 0.05" + seven);
  CHECK(silent.code == 1);
  CHECK(silent.complains("is enabled and never ends, though all units are idle"));
  CHECK(nvdlac_in(dir.path, "run d.nvdla --device uio7" + seven).code == 1);
  CHECK(nvdlac_in(dir.path, "run d.nvdla --device uio0,colour=red" + seven).complains("colour"));
  CHECK(nvdlac_in(dir.path, "locate d.nvdla" + seven).code == 2);
  CHECK(nvdlac_in(dir.path, "locate dumps d.nvdla --device uio0" + seven).code == 2);
  const auto layers = nvdlac_in(dir.path, "run d.nvdla --device uio0 --layers" + seven);
  CHECK(layers.code == 2);
  CHECK(layers.complains("leave --device out"));
}

TEST_CASE("the example classifies pictures on a board") {
  const simulated_board board;
  if (!board) return;
  const compiled dir;
  const auto pictures = " '" + digits + "/images/7_a.pgm' '" + digits + "/images/3_a.pgm'";
  const auto r = shell_in(dir.path, "'" NVDLAC_BOARD_EXAMPLE "' d.nvdla uio0" + pictures);
  CAPTURE(r.err);
  CHECK(r.code == 0);
  CHECK(r.says("7_a.pgm: 7\n"));
  CHECK(r.says("3_a.pgm: 3\n"));
}

TEST_CASE("the kernel driver takes the same commands") {
  const driver_with driver("");
  const compiled dir;
  const auto expected = nvdlac_in(dir.path, "run d.nvdla" + seven);
  const auto environment = preloaded(NVDLA_DRM_SHIM);
  const auto run = nvdlac_in(dir.path, "run d.nvdla --device drm" + seven, environment);
  CAPTURE(run.err);
  CHECK(run.code == 0);
  CHECK(run.out == expected.out);
  const auto locate = nvdlac_in(dir.path, "locate d.nvdla --device drm" + seven, environment);
  CHECK(locate.code == 0);
  CHECK(nvdlac_in(dir.path, "check --device drm --config nv_small", environment).code == 0);
  const auto layers =
      nvdlac_in(dir.path, "bench d.nvdla --device drm --layers" + seven, environment);
  CHECK(layers.code == 1);
  CHECK(layers.complains("times no layer"));
  const auto page = nvdlac_in(dir.path, "verify" + model + "--device drm --html p.html" + seven,
                              environment);
  CHECK(page.code == 0);
  CHECK(
      page.complains("note: the page has no cycles of drm: the device's driver runs whole tasks"));
  CHECK(!report_in(content(dir.path / "p.html")).contains("measured"));
  const auto tensors =
      nvdlac_in(dir.path, "run d.nvdla --device drm --save-tensors dumps" + seven, environment);
  CHECK(tensors.code == 0);
  CHECK(nvdlac_in(dir.path, "locate dumps d.nvdla" + seven).code == 0);
}

TEST_CASE("check names the configuration that a device computes as") {
  const driver_with driver("");
  const scratch dir;
  const auto other =
      nvdlac_in(dir.path, "check --device drm --config nv_small_256", preloaded(NVDLA_DRM_SHIM));
  CAPTURE(other.out);
  CHECK(other.code == 1);
  CHECK(other.says("It computes as nv_small does: see --config"));
}

TEST_CASE("a wrong bit behind the kernel driver is located by verify itself") {
  const compiled dir;
  const auto environment = preloaded(NVDLA_DRM_SHIM);
  // Six of the layers of the demo write to memory, pool2 is the fourth: each run is as wrong.
  const driver_with driver("flip:3:9:6,every:6");
  const std::string where = "layer 'pool2' differs in 1 of 576 elements, first at (c 1, y 0, x 1)";
  const auto locate = nvdlac_in(dir.path, "locate d.nvdla --device drm" + seven, environment);
  CHECK(locate.code == 1);
  CHECK(locate.says(where));
  const auto verify = nvdlac_in(dir.path, "verify" + model + "--device drm" + seven, environment);
  CHECK(verify.code == 1);
  CAPTURE(verify.err);
  CHECK(verify.complains("drm differs from the simulator for 7_a.pgm: " + where));
  CHECK(verify.complains(" found; 16x6x6 (int8), tensor 5 of 8; one bit differs: "));
}

#ifdef NVDLAC_RUN
TEST_CASE("nvdlac-run takes both kinds of devices") {
  const simulated_board board;
  if (!board) return;
  const compiled dir;
  const auto expected = shell_in(dir.path, "'" NVDLAC_RUN "' d.nvdla" + seven);
  CHECK(expected.says("7_a.pgm:  7 ("));
  const auto uio = shell_in(dir.path, "'" NVDLAC_RUN "' d.nvdla --device uio0" + seven);
  CHECK(uio.code == 0);
  CHECK(uio.out == expected.out);
  const driver_with driver("");
  const auto drm = shell_in(dir.path, preloaded(NVDLA_DRM_SHIM) + "'" NVDLAC_RUN
                                          "' d.nvdla --device drm" + seven);
  CHECK(drm.code == 0);
  CHECK(drm.out == expected.out);
}
#endif
