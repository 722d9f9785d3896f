// SPDX-License-Identifier: Apache-2.0
// The golden cases of nv_large: each passes, and fails with one wrong bit.
#include <nvdlac/hw/configurations/nv_large.hpp>

#include "golden_flips.hpp"

using namespace golden;

TEST_CASE("golden: nv_large") { check_folder<nv_large>("nv_large", 43); }
TEST_CASE("flips: nv_large") { check_flips<nv_large>("nv_large"); }

TEST_CASE("golden: public traces of nv_large") { check_folder<nv_large>("public/nv_large", 6); }
TEST_CASE("flips: public traces of nv_large") { check_flips<nv_large>("public/nv_large"); }

TEST_CASE("golden: programs of several layers of nv_large") {
  check_programs<nv_large>("programs/nv_large", 5,
                           {{"WEIGHT_BYTES", "CDMA.D_WEIGHT_BYTES: ", 2},
                            {"leaves the stale tag", "CACC.D_OP_ENABLE: ", 1}});
}
