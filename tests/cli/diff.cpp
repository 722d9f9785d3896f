// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

#include "cli.hpp"

namespace {

struct compiled_twice : scratch {
  explicit compiled_twice(const std::string& otherwise) {
    REQUIRE(nvdlac_in(path, "compile" + model + "-o a.nvdla").code == 0);
    REQUIRE(nvdlac_in(path, "compile" + model + otherwise + " -o b.nvdla").code == 0);
  }
  nlohmann::json diff(const std::string& files, int code) const {
    const auto r = nvdlac_in(path, "diff " + files + " --json");
    CAPTURE(r.err);
    REQUIRE(r.code == code);
    return nlohmann::json::parse(r.out);
  }
};

const nlohmann::json* change_called(const nlohmann::json& list, const std::string& what) {
  const auto at = std::find_if(list.begin(), list.end(),
                               [&](const nlohmann::json& c) { return c.at("what") == what; });
  return at == list.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("the same loadable has no difference") {
  const compiled_twice dir("");
  const auto r = nvdlac_in(dir.path, "diff a.nvdla b.nvdla");
  CHECK(r.code == 0);
  CHECK(r.out == "a.nvdla and b.nvdla are the same, byte for byte\n");
  CHECK(nvdlac_in(dir.path, "compare a.nvdla b.nvdla").out == r.out);
  const auto all = dir.diff("a.nvdla b.nvdla", 0);
  CHECK(all.at("same") == true);
  CHECK(all.at("changes").empty());
  CHECK(all.at("layers").at("changed").empty());
  CHECK(all.at("layers").at("equal") > 10);
}

TEST_CASE("a comparison whose lines cannot be printed is an error, not an answer") {
  const compiled_twice dir("--observer min-max");
  for (const std::string files : {"a.nvdla a.nvdla", "a.nvdla b.nvdla", "a.nvdla b.nvdla --json"}) {
    const auto r = shell_in(dir.path, "('" NVDLAC_CLI "' diff " + files + " >/dev/full)");
    CHECK(r.code == 2);
    CHECK(r.complains("the standard output cannot be written"));
  }
}

TEST_CASE("other scales change shifts and weights, and nothing else of a layer") {
  const compiled_twice dir("--observer min-max");
  const auto all = dir.diff("a.nvdla b.nvdla", 1);
  CHECK(all.at("same") == false);
  CHECK(change_called(all.at("changes"), "cycles") == nullptr);
  const auto& layers = all.at("layers");
  CHECK(layers.at("added").empty());
  CHECK(layers.at("removed").empty());
  CHECK(layers.at("reordered") == false);
  bool shift = false;
  for (const auto& l : layers.at("changed")) {
    for (const auto& f : l.at("fields")) {
      const auto name = f.at("what").get<std::string>();
      CAPTURE(name);
      CHECK(name.find("ADDR") == name.npos);
      CHECK((name.find('.') != name.npos || name.ends_with("_scale")));  // a register's
      CHECK(f.at("a") != f.at("b"));
      shift = shift || name.find("SHIFT") != name.npos;
    }
    const auto& c = l.at("constants");
    CHECK(c.at("bytes_a") == c.at("bytes_b"));
    CHECK(c.at("different") <= c.at("bytes_a"));
  }
  CHECK(shift);
  const auto back = dir.diff("b.nvdla a.nvdla", 1);
  CHECK(back.at("layers").at("changed").size() == layers.at("changed").size());
}

TEST_CASE("weights that differ are counted, byte by byte") {
  const compiled_twice dir("");
  REQUIRE(nvdlac_in(dir.path, "compile '" + digits + "/digits.onnx' --random-weights 1 -c nv_small "
                              "--calibration '" + digits + "/calibration.idx' -o b.nvdla")
              .code == 0);
  const auto all = dir.diff("a.nvdla b.nvdla", 1);
  std::size_t different = 0;
  for (const auto& l : all.at("layers").at("changed"))
    different += l.at("constants").at("different").get<std::size_t>();
  CHECK(different > 1000);
}

TEST_CASE("layers of one file alone are named, and lines fit a terminal") {
  const compiled_twice dir("--without fuse_relu --without image_input --input-format int8");
  const auto r = nvdlac_in(dir.path, "diff a.nvdla b.nvdla");
  CHECK(r.code == 1);
  CHECK(r.err == "");
  for (const char* part : {"A: a.nvdla\nB: b.nvdla\n", "cycles", "input data format", "pixels",
                           "Layers: ", " changed, "})
    CHECK(r.says(part));
  std::istringstream lines(r.out);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
}

TEST_CASE("diff ends with 2 where there is nothing to compare") {
  const compiled_twice dir("");
  const auto absent = nvdlac_in(dir.path, "diff a.nvdla c.nvdla");
  CHECK(absent.code == 2);
  CHECK(absent.complains("error: c.nvdla: there is no such file"));
  dir.write("text.nvdla", "no loadable");
  const auto other = nvdlac_in(dir.path, "diff text.nvdla a.nvdla");
  CHECK(other.code == 2);
  CHECK(other.complains("text.nvdla"));
  CHECK(nvdlac_in(dir.path, "diff a.nvdla").code == 2);
  CHECK(nvdlac_in(dir.path, "diff a.nvdla b.nvdla -c nv_tiny").code == 2);
}
