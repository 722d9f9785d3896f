// SPDX-License-Identifier: Apache-2.0
// The provenance of a loadable: its notes hold it, inspect shows it, reproduce makes the file anew.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/version.hpp>
#include <nvdlac/data/digest.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/emit/loadable_notes.hpp>
#include <nvdlac/emit/notes_reader.hpp>

#include "cli.hpp"

namespace {

const std::string calibration = " --calibration '" + digits + "/calibration.idx' ";

nlohmann::json inspected(const scratch& dir, const std::string& file) {
  return nlohmann::json::parse(nvdlac_in(dir.path, "inspect --json " + file).out);
}

std::string hash_of(const std::filesystem::path& file) {
  return nvdlac::data::sha256_of(file).hex();
}

struct made_loadable : scratch {
  made_loadable() {
    std::filesystem::copy(digits + "/digits.onnx", path / "digits.onnx");
    REQUIRE(nvdlac_in(path, "compile digits.onnx -c nv_small --effort 1 --without order" +
                                calibration + "-o d.nvdla").code == 0);
  }
};

}  // namespace

TEST_CASE("notes tell what a loadable was made from, by content") {
  const made_loadable dir;
  const auto said = nvdlac_in(dir.path, "inspect d.nvdla --provenance");
  CHECK(said.code == 0);
  const auto model_hash = hash_of(dir.path / "digits.onnx");
  for (const std::string& part : {"made by      nvdlac " + std::string(nvdlac::version),
                                 "model        SHA-256 " + model_hash,
                                 std::string("calibration  SHA-256 "),
                                 std::string(" of the values of 100 inputs"),
                                 std::string("--config=nv_small"), std::string("--effort=1"),
                                 std::string("--without=order")})
    CHECK(said.says(part));
  const auto noted = inspected(dir, "d.nvdla").at("provenance");
  CHECK(noted.at("options") ==
        nlohmann::json{"--config=nv_small", "--effort=1", "--without=order"});
  CHECK(noted.at("sources")[0].at("sha256") == model_hash);
  CHECK(content(dir.path / "d.nvdla").find(dir.path.string()) == std::string::npos);
  CHECK(content(dir.path / "d.nvdla").find("calibration.idx") == std::string::npos);
}

TEST_CASE("neither options that change no byte are noted nor the order of words") {
  const scratch dir;
  const std::string common = "compile '" + digits + "/digits.onnx' -c nv_small" + calibration;
  REQUIRE(nvdlac_in(dir.path, common + "-o a.nvdla --mean 0 --scale 0.00390625").code == 0);
  REQUIRE(nvdlac_in(dir.path, common + "--scale=0.00390625 --mean=0.0 --threads 2 --clock 500 -q "
                                       "--report r.json -o b.nvdla").code == 0);
  CHECK(content(dir.path / "a.nvdla") == content(dir.path / "b.nvdla"));
  const auto options = inspected(dir, "a.nvdla").at("provenance").at("options");
  CHECK(options == nlohmann::json{"--config=nv_small", "--mean=0", "--scale=0.00390625"});
}

TEST_CASE("a loadable is made anew from its notes, and other files are told by their hashes") {
  const made_loadable dir;
  const auto again = nvdlac_in(dir.path, "reproduce d.nvdla digits.onnx" + calibration);
  CAPTURE(again.err);
  CHECK(again.code == 0);
  CHECK(again.says("d.nvdla: the same "));
  std::filesystem::rename(dir.path / "digits.onnx", dir.path / "other name.onnx");
  CHECK(nvdlac_in(dir.path, "reproduce d.nvdla 'other name.onnx' -o again.nvdla" + calibration)
            .code == 0);
  CHECK(content(dir.path / "again.nvdla") == content(dir.path / "d.nvdla"));

  SUBCASE("another model") {
    auto bytes = content(dir.path / "other name.onnx");
    bytes.at(bytes.find("nvdlac")) = 'N';  // in the name of who made the file
    dir.write("changed.onnx", bytes);
    const auto r = nvdlac_in(dir.path, "reproduce d.nvdla changed.onnx" + calibration);
    CHECK(r.code == 1);
    CHECK(r.complains("changed.onnx: is another model than d.nvdla was made from: SHA-256 " +
                      hash_of(dir.path / "changed.onnx") + ", not " +
                      hash_of(dir.path / "other name.onnx")));
  }
  SUBCASE("another calibration") {
    const auto r = nvdlac_in(dir.path, "reproduce d.nvdla 'other name.onnx' --calibration" +
                                           pictures);
    CHECK(r.code == 1);
    CHECK(r.complains("is another calibration than d.nvdla was made from"));
    CHECK(r.complains(" of 20, not "));
  }
  SUBCASE("what is missing or too much") {
    const auto without = nvdlac_in(dir.path, "reproduce d.nvdla 'other name.onnx'");
    CHECK(without.code == 2);
    CHECK(without.complains("was made with calibration: give --calibration"));
    const auto with = nvdlac_in(dir.path, "reproduce d.nvdla 'other name.onnx' --scales x.json" +
                                              calibration);
    CHECK(with.code == 2);
    CHECK(with.complains("was made without scales: leave out --scales"));
  }
  SUBCASE("bytes that are not what is made") {
    auto bytes = content(dir.path / "d.nvdla");
    bytes[bytes.size() - 100] = static_cast<char>(bytes[bytes.size() - 100] ^ 1);
    dir.write("changed.nvdla", bytes);
    const auto r = nvdlac_in(dir.path, "reproduce changed.nvdla 'other name.onnx'" + calibration);
    CHECK(r.code == 1);
    CHECK(r.complains("is not what is made from other name.onnx"));
    CHECK(r.complains("differ from byte " + std::to_string(bytes.size() - 100) + " on"));
  }
}

TEST_CASE("all options that notes have are taken from them") {
  const scratch dir;
  const std::string compile = "compile '" + digits + "/digits.onnx' -c nv_small" + calibration;
  // A mean that is small, which --std has made of one that is smaller.
  for (const std::string given :
       {"--mean 0.001 --std 1", "--observer min-max", "--input-format int8", "--order bgr",
        "--order grey --resize short:32 --crop 28", "--layout chw",
        "--memory width=4,latency=100"}) {
    CAPTURE(given);
    REQUIRE(nvdlac_in(dir.path, compile + "-o a.nvdla " + given).code == 0);
    const auto again =
        nvdlac_in(dir.path, "reproduce a.nvdla '" + digits + "/digits.onnx'" + calibration);
    CAPTURE(again.err);
    CHECK(again.code == 0);
  }
}

TEST_CASE("a loadable of another version is told, and one with options that are unknown") {
  const made_loadable dir;
  const auto changed = [&](const std::string& from, const std::string& to,
                           const std::string& name) {
    auto bytes = content(dir.path / "d.nvdla");
    const auto at = bytes.find(from);
    REQUIRE(at != bytes.npos);
    bytes.replace(at, from.size(), to);
    dir.write(name, bytes);
  };
  const std::string version(nvdlac::version);
  changed(version, std::string(version.size(), '9'), "later.nvdla");
  const auto later = nvdlac_in(dir.path, "reproduce later.nvdla digits.onnx" + calibration);
  CAPTURE(later.err);
  CHECK(later.code == 0);
  CHECK(later.says("was made by nvdlac " + std::string(version.size(), '9')));
  changed("--effort=1", "--effart=1", "options.nvdla");
  const auto options = nvdlac_in(dir.path, "reproduce options.nvdla digits.onnx" + calibration);
  CHECK(options.code == 1);
  CHECK(options.complains("does not take the options of its notes"));

  changed("--effort=1", "own passes", "own.nvdla");
  const auto own = nvdlac_in(dir.path, "reproduce own.nvdla digits.onnx" + calibration);
  CHECK(own.code == 1);
  CHECK(own.complains("was made by a program in C++ with what this command has not: own passes"));

  const auto bytes = content(dir.path / "d.nvdla");
  const auto image =
      nvdlac::emit::read_loadable(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
  auto notes = image.notes;
  notes.made_from = {};
  CHECK(nvdlac::emit::read_notes(nvdlac::emit::write_notes(notes)).made_from.empty());
  CHECK(nvdlac::emit::read_notes(nvdlac::emit::write_notes(image.notes)) == image.notes);
}

TEST_CASE("a difference of what two loadables were made from is told") {
  const made_loadable dir;
  REQUIRE(nvdlac_in(dir.path, "compile digits.onnx -c nv_small" + calibration +
                                  "-o e.nvdla").code == 0);
  const auto r = nvdlac_in(dir.path, "diff d.nvdla e.nvdla");
  CHECK(r.code == 1);
  CHECK(r.says("\noptions "));
  CHECK(r.says("--without=order"));
  CHECK(!r.says("model SHA-256"));
}

TEST_CASE("loadable and trace are both told, the loadable first") {
  const made_loadable dir;
  const auto r = nvdlac_in(dir.path, "compile digits.onnx -c nv_small" + calibration +
                                         "-o a.nvdla --trace a.nvtrace --report a.json");
  const auto report = nlohmann::json::parse(content(dir.path / "a.json"));
  const auto of_loadable = report.at("prediction").at("cycles").get<std::uint64_t>(),
             of_trace = report.at("prediction_of_trace").at("cycles").get<std::uint64_t>();
  CHECK(report.at("prediction").at("of") == "loadable");
  CHECK(of_trace < of_loadable);
  CHECK(inspected(dir, "a.nvdla --memory weights-ahead=0").at("prediction").at("cycles") ==
        of_loadable);
  CHECK(r.says(nvdlac::grouped(of_loadable) + " cycles predicted"));
  CHECK(r.says("the trace, which can bring weights ahead of their layers, takes " +
               nvdlac::grouped(of_trace) + " cycles"));
  CHECK(r.out.find(nvdlac::grouped(of_loadable)) < r.out.find(nvdlac::grouped(of_trace)));
  int own = 0;
  for (const auto& l : report.at("layers")) own += l.at("cycles").at("own").get<int>();
  CHECK(own == of_loadable);
  nvdlac_in(dir.path, "compile digits.onnx -c nv_small" + calibration +
                          "--trace b.nvtrace --report b.json");
  const auto alone = nlohmann::json::parse(content(dir.path / "b.json"));
  CHECK(alone.at("prediction").at("of") == "trace");
  CHECK(alone.at("prediction").at("cycles") == of_trace);
  CHECK(!alone.contains("prediction_of_trace"));
}
