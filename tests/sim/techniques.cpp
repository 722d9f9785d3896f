// SPDX-License-Identifier: Apache-2.0
// Unusual programs of nv_small with the verdict of its RTL: what that computes runs bit-exact, and
// what hangs it is refused.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "hardware.hpp"
#include "scratch.hpp"
#include "shared.hpp"

using namespace nvdlac;

namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The write to the register of nv_small gets another value.
void rewrite(std::string& trace, const std::string& address, std::uint32_t value) {
  const auto at = trace.find("reg_write " + address);
  REQUIRE(at != std::string::npos);
  trace.replace(at, trace.find('\n', at) - at,
                "reg_write " + address + ' ' + std::to_string(value));
}

}  // namespace

// CACC's cube of 16x16x32 has 1024 atoms; each line is as the RTL of nv_small behaves.
TEST_CASE("SDP takes a cube of any shape with as many atoms as CACC gives") {
  const auto from = shared_path("golden/techniques/nv_small/nh_dc");
  if (!from) {
    MESSAGE("no techniques at hand; skipped");
    return;
  }
  const scratch dir;
  for (const auto* name : {"nh_dc.1.in", "nh_dc.2.in"}) dir.write(name, contents(*from / name));
  const auto pixels = contents(*from / "nh_dc.3.gold");  // 4 atoms each; CACC gives surfaces
  std::string stream;
  for (std::size_t i = 0; i < 1024; ++i) stream += pixels.substr(i % 256 * 32 + i / 256 * 8, 8);
  dir.write("stream", stream);

  struct cube { std::uint32_t width, height, channels; bool runs; };
  for (const auto& c : {cube{1, 256, 32, true}, cube{1, 512, 16, true}, cube{1, 1024, 8, true},
                        cube{128, 8, 8, true}, cube{1, 256, 25, true},  // whole atoms are written
                        cube{1, 255, 32, false}, cube{1, 257, 32, false},
                        cube{2, 171, 48, false}, cube{1, 341, 24, false}}) {
    CAPTURE(c.width);
    CAPTURE(c.height);
    auto trace = contents(*from / "trace.txt");
    rewrite(trace, "0x0903c", c.width - 1);
    rewrite(trace, "0x09040", c.height - 1);
    rewrite(trace, "0x09044", c.channels - 1);
    rewrite(trace, "0x09050", c.width * 8);             // line stride
    rewrite(trace, "0x09054", c.width * c.height * 8);  // surface stride
    trace.replace(trace.find("nh_dc.3.gold"), 12, "stream");
    const auto play = [&] {
      return hardware<nv_small>().replay(runtime::read_trace(dir.write("t.txt", trace)), {});
    };
    if (c.runs) CHECK(play().empty());
    else CHECK_THROWS_WITH_AS(play(), doctest::Contains("SDP.D_DATA_CUBE_WIDTH"), error);
  }
}

TEST_CASE("techniques: the RTL's verdict") {
  const auto root = shared_path("golden/techniques");
  if (!root) {
    MESSAGE("no techniques at hand; skipped");
    return;
  }
  std::ifstream index(*root / "index.tsv");
  std::string line;
  std::getline(index, line);  // the heading
  int seen = 0;
  while (std::getline(index, line)) {
    std::istringstream columns(line);
    std::string name, verdict;
    std::getline(columns, name, '\t');
    std::getline(columns, verdict, '\t');
    ++seen;
    const bool runs = verdict.starts_with("PASS");
    CAPTURE(name);
    // Names of other configurations' techniques have the configuration's name before them.
    const bool small = name.find('/') == std::string::npos;
    const auto file = (small ? *root / "nv_small" : *root) / name / "trace.txt";
    const auto play = [&] {
      const auto trace = runtime::read_trace(file);
      if (name.starts_with("nv_large/")) return hardware<nv_large>().replay(trace, {});
      if (name.starts_with("nv_full/")) return hardware<nv_full>().replay(trace, {});
      return hardware<nv_small>().replay(trace, {});
    };
    if (!runs) {
      const auto* rule = name.starts_with("w_") ? "PDP.D_DATA_CUBE_OUT_WIDTH"  // line buffers
                                                : "CDMA.D_BANK.WEIGHT_BANK";
      CHECK_THROWS_WITH_AS(play(), doctest::Contains(rule), error);
      continue;
    }
    std::vector<runtime::difference> differences;
    if (name == "q6_a_dummy") {
      // A convolution of one atom, enabled while the one before runs: right at this latency.
      CHECK_THROWS_WITH_AS(play(), doctest::Contains("CACC.D_OP_ENABLE: "), error);
      const auto trace = runtime::read_trace(file);
      std::string warned;
      differences = hardware<nv_small>().replay(
          trace, {.settings = {.lenient = true},
                  .on_warning = [&](std::size_t, const std::string& w) { warned += w; }});
      CHECK(warned.starts_with("CACC.D_OP_ENABLE: "));
    } else {
      REQUIRE_NOTHROW(differences = play());
    }
    CHECK_MESSAGE(differences.empty(), (differences.empty() ? "" : differences[0].what));
  }
  CHECK(seen == 64);
}
