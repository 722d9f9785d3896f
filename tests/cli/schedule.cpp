// SPDX-License-Identifier: Apache-2.0
// --optimize, --save-schedule and --schedule.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "cli.hpp"
#include "shared.hpp"

TEST_CASE("a schedule that was searched for is saved, and gives the same loadable") {
  const scratch dir;
  const auto found = nvdlac_in(dir.path, "compile" + model +
                                             "--optimize 60 --save-schedule s.json -o a.nvdla "
                                             "--no-provenance");
  REQUIRE(found.code == 0);
  CHECK(found.says("60 schedules tried: "));
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "--schedule s.json -o b.nvdla --no-provenance")
              .code == 0);
  CHECK(content(dir.path / "b.nvdla") == content(dir.path / "a.nvdla"));
  for (const std::string threads : {"1", "2", "4"}) {
    REQUIRE(nvdlac_in(dir.path, "compile" + model + "--optimize 60 --save-schedule t.json" +
                                    " -o c.nvdla --no-provenance --threads " + threads)
                .code == 0);
    CHECK(content(dir.path / "c.nvdla") == content(dir.path / "a.nvdla"));
    CHECK(content(dir.path / "t.json") == content(dir.path / "s.json"));
  }
  CHECK(nvdlac_in(dir.path, "verify" + model + "--schedule s.json --input" + pictures).code == 0);
  CHECK(nvdlac_in(dir.path, "verify" + model + "--optimize 20 --input" + pictures).code == 0);
}

TEST_CASE("a schedule that does not fit is refused") {
  const scratch dir;
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "--save-schedule s.json").code == 0);
  auto text = content(dir.path / "s.json");
  const auto refused = [&](const std::string& given, const std::string& more = {}) {
    dir.write("wrong.json", given);
    const auto told = nvdlac_in(dir.path, "compile" + model + "--schedule wrong.json" + more);
    CHECK(told.code == 1);
    return told.err;
  };
  const auto with = [&](const std::string& part, const std::string& by) {
    auto changed = text;
    REQUIRE(changed.find(part) != changed.npos);
    return changed.replace(changed.find(part), part.size(), by);
  };
  CHECK(refused("{").find("wrong.json: is not JSON") != std::string::npos);
  CHECK(refused(with("\"tiles\": {", "\"tiles\": {\"no such\": [1]"))
            .find("wrong.json: layer 'no such': is no stage") != std::string::npos);
  CHECK(refused(with("\"nv_small\"", "\"nv_large\""))
            .find("is a schedule for nv_large, not for nv_small") != std::string::npos);
  dir.write("other.json", with("\"digits\"", "\"other\""));
  CHECK(nvdlac_in(dir.path, "compile" + model + "--schedule other.json")
            .complains("other.json: is the schedule of a network called other, not digits"));
  CHECK(refused(text, " --without order").find("without the step 'order'") != std::string::npos);
  CHECK(nvdlac_in(dir.path, "compile" + model + "--schedule absent.json").code == 1);
  CHECK(nvdlac_in(dir.path, "compile" + model + "--optimize 0").code == 2);
  CHECK(nvdlac_in(dir.path, "compile" + model + "--save-schedule s.json --schedule s.json")
            .code == 2);  // an output in the place of an input
}

TEST_CASE("a search ends with no more cycles than what is chosen without one") {
  // Its own prices are without a host: of dscnn on nv_large what it finds can lose.
  const auto net = shared_path("peer/rtl_baseline/dscnn.prototxt");
  const auto scales = shared_path("peer/rtl_baseline/dscnn.json");
  if (!net || !scales) return;
  const scratch dir;
  const auto cycles = [&](const std::string& more) {
    const auto r = nvdlac_in(
        dir.path, "compile " + net->string() + " --random-weights 1 --scales " + scales->string() +
                      " -c nv_large --memory latency=64 --report r.json" + more);
    REQUIRE(r.code == 0);
    return nlohmann::json::parse(content(dir.path / "r.json"))
        .at("prediction").at("cycles").get<std::uint64_t>();
  };
  for (const std::string form : {"", " --trace t.nvtrace"})
    CHECK(cycles(form + " --optimize 100") <= cycles(form));
}
