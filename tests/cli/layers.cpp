// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli.hpp"

namespace {

struct compiled : scratch {
  compiled() {
    REQUIRE(nvdlac_in(path, "compile" + model + "-o d.nvdla --trace d.nvtrace").code == 0);
  }
};

}  // namespace

TEST_CASE("run and replay tell what the layers did") {
  const compiled dir;
  const auto run = "run d.nvdla -c nv_small --input '" + digits + "/images/7_a.pgm' --threads 2 ";
  const auto table = nvdlac_in(dir.path, run + "--layers");
  CHECK(table.code == 0);
  CHECK(table.says("7_a.pgm:  7 (0.9"));
  CHECK(table.says("CONV SDP"));
  CHECK(table.says("1x28x12 int8"));

  CHECK(nvdlac_in(dir.path, run + "--layers=l.json").code == 0);
  CHECK(nvdlac_in(dir.path, "replay d.nvtrace -c nv_small --layers=r.json").code == 0);
  const auto run_layers = nlohmann::json::parse(content(dir.path / "l.json")).at("layers");
  const auto replayed = nlohmann::json::parse(content(dir.path / "r.json")).at("layers");
  REQUIRE(run_layers.size() > 2);
  CHECK(run_layers.size() == replayed.size());
  const auto& first = run_layers[0];
  CHECK(first.at("units").get<std::string>().starts_with("CONV"));
  CHECK(first.at("input").at("shape").at(2) == 12);  // the first of several passes of columns
  CHECK(first.at("macs").get<std::uint64_t>() > 28 * 28);
  CHECK(first.at("bytes").at("CDMA_DAT").at("dram_read").get<std::uint64_t>() >= 12 * 28);
  CHECK(first.at("bytes").at("PDP").at("dram_written").get<std::uint64_t>() > 0);

  // The report says before what the simulated units and the host moved.
  CHECK(nvdlac_in(dir.path, "compile" + model + "-o e.nvdla --report e.json").code == 0);
  const auto report = nlohmann::json::parse(content(dir.path / "e.json"));
  const auto& totals = report.at("totals");
  std::uint64_t read = 0, written = 0;
  for (const auto& l : report.at("layers"))
    if (l.at("unit") == "host") {
      read += l.at("bytes_read").get<std::uint64_t>();
      written += l.at("bytes_written").get<std::uint64_t>();
    }
  for (const auto& l : run_layers)
    for (const auto& [client, bytes] : l.at("bytes").items())
      for (const auto& [what, n] : bytes.items())
        (what.ends_with("read") ? read : written) += n.get<std::uint64_t>();
  CHECK(totals.at("bytes_read") == read);
  CHECK(totals.at("bytes_written") == written);

  CHECK(nvdlac_in(dir.path, run + "--layers=none/l.json").code == 1);
  CHECK(nvdlac_in(dir.path, run + "--threads 0").code == 2);
}

TEST_CASE("a lenient replay goes on with warnings") {
  const scratch dir;
  dir.write("t.nvtrace", "nvtrace 1\nconfig nv_small\nreg_read 0xfff0 1 0\n"
                         "reg_write 0x5ffc 1\nreg_read 0xfff0 1 1\n");
  const auto strict = nvdlac_in(dir.path, "replay t.nvtrace -c nv_small");
  CHECK(strict.code == 1);
  CHECK(strict.complains("t.nvtrace:3: register bus: no register at the address 0xfff0"));
  const auto lenient = nvdlac_in(dir.path, "replay t.nvtrace -c nv_small --lenient");
  CHECK(lenient.code == 1);
  CHECK(lenient.says("t.nvtrace:4: warning: register bus: no register at the address 0x5ffc"));
  CHECK(lenient.says("1 difference, 3 warnings"));
}
