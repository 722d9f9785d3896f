// SPDX-License-Identifier: Apache-2.0
// The golden cases of nv_medium_1024_full: each passes, and fails with one wrong bit.
#include <nvdlac/hw/configurations/nv_medium_1024_full.hpp>

#include "golden_flips.hpp"

using namespace golden;

TEST_CASE("golden: nv_medium_1024_full") {
  check_folder<nv_medium_1024_full>("nv_medium_1024_full", 44);
}
TEST_CASE("flips: nv_medium_1024_full") { check_flips<nv_medium_1024_full>("nv_medium_1024_full"); }
