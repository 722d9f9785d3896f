// SPDX-License-Identifier: Apache-2.0
// The golden cases of nv_full: each passes, and fails with one wrong bit.
#include <filesystem>
#include <map>
#include <string>

#include <nvdlac/hw/configurations/nv_full.hpp>

#include "golden_flips.hpp"

using namespace golden;

TEST_CASE("golden: nv_full") { check_folder<nv_full>("nv_full", 93); }
TEST_CASE("flips: nv_full") { check_flips<nv_full>("nv_full"); }

// Programs that the RTL of nv_full computed as emitted, and those that it got wrong or hung on.
TEST_CASE("golden: programs of nv_full that the RTL ran, and that it did not") {
  std::size_t passed = 0;
  std::map<std::string, std::string> refused;
  for (auto path : traces("programs/nv_full")) {
    CAPTURE(path.string());
    if (exists(path)) {
      CHECK(hardware<nv_full>().replay(runtime::read_trace(path), {}).empty());
      ++passed;
    }
    path.replace_filename("bad.txt");
    if (!exists(path)) continue;
    try {
      hardware<nv_full>().replay(runtime::read_trace(path), {});
      FAIL("it is not refused");
    } catch (const error& e) {
      refused[path.parent_path().filename().string()] = e.what();
    }
  }
  if (passed == 0) return;  // without the vectors
  CHECK(passed == 12);
  const auto says = [&](const char* name, const char* what) {
    CAPTURE(name);
    CHECK(refused[name].find(what) != std::string::npos);
  };
  says("sdp_i8_to_fp16", "SDP.D_DATA_FORMAT.OUT_PRECISION: what is computed in int8 becomes fp16");
  says("concat_fc_8_16", "SDP.D_DATA_FORMAT.OUT_PRECISION: what is computed in int8 becomes fp16");
  says("concat_fc_16_8", "SDP.D_DATA_FORMAT.OUT_PRECISION: what is computed in int8 becomes fp16");
  says("pdp_avg_7x7_fp16", "PDP.D_DATA_CUBE_OUT_WIDTH: (input + pads - kernel) is not");
  CHECK(refused.size() == 4);
}

TEST_CASE("golden: public traces of nv_full") { check_folder<nv_full>("public/nv_full", 5); }
TEST_CASE("flips: public traces of nv_full") { check_flips<nv_full>("public/nv_full"); }
