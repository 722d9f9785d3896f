// SPDX-License-Identifier: Apache-2.0
// What one input may cost, and how users raise it.
#include <doctest/doctest.h>

#include <nvdlac/budget.hpp>
#include <nvdlac/data/npy.hpp>

#include "cli.hpp"

TEST_CASE("limits are options, and what is beyond them is refused") {
  const scratch dir;
  const auto compile = [&](const std::string& more) {
    return nvdlac_in(dir.path, "compile" + model + "-o d.nvdla " + more);
  };
  const auto r = compile("--limit nodes=5");
  CHECK(r.code == 1);
  CHECK(r.complains("digits.onnx: it has "));
  CHECK(r.complains("more than the limit of 5 (if that is meant, raise it: --limit nodes="));
  CHECK(compile("--limit operations=1000").complains("--limit operations="));
  CHECK(compile("--limit samples=100 --limit weights=10").complains("--limit weights="));
  CHECK(compile("--limit nodes=1000 --limit operations=100000000").code == 0);
  CHECK(compile("--limit nodes").code == 2);
  CHECK(compile("--limit nodes=").code == 2);
  CHECK(compile("--limit nodes=1e3").code == 2);
  CHECK(compile("--limit speed=3").complains("names none of the limits fields ("));
  for (const auto& l : nvdlac::all_limits)
    CHECK(nvdlac_in(dir.path, "compile --help").says(l.name));

  CHECK(nvdlac_in(dir.path, "run d.nvdla -c nv_small --limit macs=1000 -i" + pictures)
            .complains("--limit macs"));
  CHECK(nvdlac_in(dir.path, "run d.nvdla -c nv_small --limit memory=1000 -i" + pictures)
            .complains("--limit memory"));
  dir.write("t.nvtrace", "nvtrace 1\nconfig nv_small\nmem_crc dram 0 0x180000000 0\n");
  const auto sum = nvdlac_in(dir.path, "replay t.nvtrace -c nv_small");
  CHECK(sum.code == 1);
  CHECK(sum.complains("t.nvtrace:3: it has 6442450944 bytes"));
}

TEST_CASE("calibration keeps one file in memory, not all samples") {
  const scratch dir;
  dir.write("net.prototxt",
            "name: 'twice'\n"
            "layer { name: 'a' type: 'Input' top: 'a'\n"
            "        input_param { shape { dim: 1 dim: 8 dim: 1 dim: 1 } } }\n"
            "layer { name: 'b' type: 'Eltwise' bottom: 'a' bottom: 'a' top: 'b' }\n");
  std::filesystem::create_directory(dir.path / "inputs");
  for (int file = 0; file < 8; ++file)
    nvdlac::data::write_npy(dir.path / "inputs" / (std::to_string(file) + ".npy"),
                            {{1 << 16, 8}, std::vector<float>(8 << 16, 1.0F)});
  const auto few = nvdlac_in(dir.path, "--help >/dev/null; ulimit -v 150000; exec '" NVDLAC_CLI
                                       "' compile net.prototxt --random-weights 1 -c nv_small "
                                       "--calibration inputs -o o.nvdla");
  CAPTURE(few.err);
  CHECK(few.code == 0);
}
