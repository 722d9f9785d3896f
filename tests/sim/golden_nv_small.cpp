// SPDX-License-Identifier: Apache-2.0
// The golden cases of nv_small: each passes, and fails with one wrong bit.
#include <nvdlac/hw/nv_small.hpp>

#include "golden_flips.hpp"

using namespace golden;

TEST_CASE("golden: nv_small") { check_folder<nv_small>("nv_small", 37); }
TEST_CASE("flips: nv_small") { check_flips<nv_small>("nv_small"); }

TEST_CASE("golden: public traces of nv_small") { check_folder<nv_small>("public/nv_small", 35); }
TEST_CASE("flips: public traces of nv_small") { check_flips<nv_small>("public/nv_small"); }

TEST_CASE("golden: programs of several layers of nv_small") {
  check_programs<nv_small>("programs/nv_small", "WEIGHT_BYTES", "CDMA.D_WEIGHT_BYTES: ", 18, 13);
}

// Ways to program the hardware that nvdlac does not use: CDMA told another shape than CSC,
// operations of CDMA alone, weights of a dummy layer.
TEST_CASE("golden: techniques of nv_small") {
  std::size_t passed = 0;
  for (const auto& path : traces("techniques/nv_small")) {
    const auto name = path.parent_path().filename().string();
    const auto is = [&](std::string_view start) { return name.starts_with(start); };
    CAPTURE(name);
    const auto trace = sim::read_trace(path);
    if (name == "q6c_d_c") {
      CHECK_THROWS_WITH_AS(hardware<nv_small>().replay(trace, {}),
                           doctest::Contains("CDMA.D_BANK.WEIGHT_BANK"), error);
    } else if (is("li") || is("all_") || is("q6") || is("fc") || is("dw") || is("mbn_li") ||
               is("p") || is("f") || is("z") || is("m_4")) {
      CHECK(hardware<nv_small>().replay(trace, {}).empty());
      ++passed;
    }
  }
  CHECK((passed == 0 || passed == 38));
}
