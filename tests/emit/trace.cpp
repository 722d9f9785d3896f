// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>
#include <iterator>

#include <doctest/doctest.h>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/trace.hpp>
#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/sim/replay.hpp>
#include <nvdlac/sim/runtime.hpp>

#include "emit/example.hpp"
#include "scratch.hpp"

using namespace nvdlac;
namespace fs = std::filesystem;

namespace {

emit::run_record run(const plan::program<nv_small>& p) {
  sim::runtime<nv_small> runtime(emit::loadable(p));
  return runtime.record({example::noise(288, 77)});
}

}  // namespace

TEST_CASE("a trace replays with the bytes of the loadable's run") {
  const auto program = example::program<nv_small>();
  const auto record = run(program);
  const auto files = emit::trace(program, record, "example");
  REQUIRE(files.size() == 6);
  CHECK(files[0].name == "example.nvtrace");
  const std::string text(files[0].bytes.begin(), files[0].bytes.end());
  CHECK(text.starts_with("nvtrace 1\nconfig nv_small\nglb_base 0x1000\ninfo example\n"));
  CHECK(text.find("# conv1\nreg_write 0x07004 0x00000000 # CACC.S_POINTER") != std::string::npos);
  CHECK(text.find("mem_check dram 0x8000") != std::string::npos);

  const scratch dir;
  emit::write_files(dir.path, files);
  CHECK(dir.files() == files.size());
  const auto differences = sim::replay<nv_small>(dir.path / "example.nvtrace");
  for (const auto& d : differences) MESSAGE(d.line << ": " << d.what);
  CHECK(differences.empty());
}

TEST_CASE("a wrong byte of an input or of an expectation is found") {
  const auto program = example::program<nv_small>();
  const auto files = emit::trace(program, run(program), "example");
  const scratch dir;
  for (const auto changed : {1u, 2u, 3u, 5u}) {  // weights, input, softmax's input, output
    auto damaged = files;
    for (auto& b : damaged[changed].bytes) b ^= 0x40;
    emit::write_files(dir.path, damaged);
    CHECK(!sim::replay<nv_small>(dir.path / "example.nvtrace").empty());
  }
}

TEST_CASE("a trace of the same run has the same bytes") {
  const auto program = example::program<nv_small>();
  const auto a = emit::trace(program, run(program), "a");
  const auto b = emit::trace(program, run(program), "a");
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].bytes == b[i].bytes);
  CHECK_THROWS_AS(emit::trace(program, emit::run_record{}, "a"), error);
}

TEST_CASE("files are written all or not at all") {
  const scratch dir;
  emit::write_files(dir.path, {{"one", {1}}, {"two", {2, 3}}});
  CHECK(dir.files() == 2);
  fs::create_directory(dir.path / "four.part");  // "four" cannot be written
  CHECK_THROWS_AS(emit::write_files(dir.path, {{"three", {1}}, {"four", {2, 3}}}), error);
  CHECK(!fs::exists(dir.path / "three"));
  CHECK(!fs::exists(dir.path / "three.part"));
  fs::create_directory(dir.path / "five");
  CHECK_THROWS_AS(emit::write_files(dir.path, {{"three", {1}}, {"five", {2, 3}}}), error);
  CHECK(!fs::exists(dir.path / "three"));
  CHECK(!fs::exists(dir.path / "five.part"));
  CHECK_THROWS_WITH_AS(emit::write_file(dir.path / "no" / "file", {1}),
                       doctest::Contains("cannot be written"), error);
}
