// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/emit/trace.hpp>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

#include "emit/example.hpp"
#include "hardware.hpp"
#include "loadable_of.hpp"
#include "scratch.hpp"

using namespace nvdlac;
namespace fs = std::filesystem;

namespace {

emit::run_record run(const plan::program<nv_small>& p, bool layers = false) {
  const auto& hw = hardware<nv_small>();
  const auto image = emit::read_loadable(cli::loadable_of(hw, p));
  const auto values = example::noise(288, 77);
  const std::vector<quantised::feed> in{
      net::int8_tensor{{8, 6, 6}, {values.begin(), values.end()}}};
  const auto session = hw.simulate(runtime::load(image, hw.spec()), {});
  return layers ? session->record_layers(in) : session->record(in);
}

std::vector<runtime::difference> replay(const fs::path& trace) {
  return hardware<nv_small>().replay(runtime::read_trace(trace), {});
}

// A configuration whose name is no word.
struct named {
  static constexpr std::string_view name = "soc, rev. \"B\"\n100%";
  static constexpr auto spec = nv_small::spec;
};

}  // namespace

TEST_CASE("a trace has the name of its configuration in a word") {
  const auto files = emit::trace(example::digits<named>(), run(example::digits<nv_small>()), "a");
  const std::string text(files[0].bytes.begin(), files[0].bytes.end());
  CHECK(text.starts_with("nvtrace 1\nconfig soc%2c%20rev.%20%22B%22%0a100%25\nglb_base 0x1000\n"));
  const scratch dir;
  emit::write_files(dir.path, files);
  CHECK(runtime::read_trace(dir.path / "a.nvtrace").config == named::name);
}

TEST_CASE("a trace replays with the bytes of the loadable's run") {
  const auto program = example::digits<nv_small>();
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
  const auto differences = replay(dir.path / "example.nvtrace");
  for (const auto& d : differences) MESSAGE(d.line << ": " << d.what);
  CHECK(differences.empty());
}

TEST_CASE("a trace replays again and again without a reset") {
  const auto program = example::digits<nv_small>();
  auto files = emit::trace(program, run(program), "example");
  std::string text(files[0].bytes.begin(), files[0].bytes.end());
  const auto commands = text.substr(text.find("# weights"));
  for (int more = 1; more < 10; ++more) text += commands;
  files[0].bytes.assign(text.begin(), text.end());
  const scratch dir;
  emit::write_files(dir.path, files);
  CHECK(replay(dir.path / "example.nvtrace").empty());
}

TEST_CASE("a wrong byte of an input or of an expectation is found") {
  const auto program = example::digits<nv_small>();
  const auto files = emit::trace(program, run(program), "example");
  const scratch dir;
  for (const auto changed : {1u, 2u, 3u, 5u}) {  // weights, input, softmax's input, output
    auto damaged = files;
    for (auto& b : damaged[changed].bytes) b ^= 0x40;
    emit::write_files(dir.path, damaged);
    CHECK(!replay(dir.path / "example.nvtrace").empty());
  }
}

TEST_CASE("a trace with the memory of its layers names the first that differs") {
  const auto program = example::digits<nv_small>();
  const auto record = run(program, true);
  REQUIRE(record.layers.size() == program.tasks.size());
  auto files = emit::trace(program, record, "example");
  const auto find = [&](std::string_view name) -> emit::file& {
    const auto found = std::ranges::find(files, name, &emit::file::name);
    REQUIRE(found != files.end());
    return *found;
  };
  REQUIRE(files.size() == 9);  // three more than without
  const scratch dir;
  const auto differences = [&] {
    emit::write_files(dir.path, files);
    return replay(dir.path / "example.nvtrace");
  };
  CHECK(differences().empty());

  // One element of a layer, which those behind it are not compared with.
  auto& pool = find("example.layer-0-2_pool1.bin");
  pool.bytes.back() ^= 0x40;
  auto found = differences();
  REQUIRE(found.size() == 1);
  CHECK(found[0].what.starts_with(
      "written by 'pool1': 1 of 144 bytes differ from example.layer-0-2_pool1.bin, first 0x"));
  pool.bytes.back() ^= 0x40;

  // The second convolution's weights: it is the first that differs.
  auto& weights = find("example.weights.bin");
  for (auto i = weights.bytes.size() * 3 / 4; i < weights.bytes.size(); ++i)
    weights.bytes[i] ^= 0x40;
  found = differences();
  REQUIRE(!found.empty());
  CHECK(found[0].what.starts_with("written by 'fc' to 'fc sdp'"));
}

TEST_CASE("a trace of the same run has the same bytes") {
  const auto program = example::digits<nv_small>();
  const auto a = emit::trace(program, run(program), "a");
  const auto b = emit::trace(program, run(program), "a");
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].bytes == b[i].bytes);
  CHECK_THROWS_AS(emit::trace(program, emit::run_record{}, "a"), error);
}
