// SPDX-License-Identifier: Apache-2.0
// The golden cases of nv_small: each passes, and fails with one wrong bit.
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "golden_flips.hpp"

using namespace golden;

TEST_CASE("golden: nv_small") { check_folder<nv_small>("nv_small", 37); }
TEST_CASE("flips: nv_small") { check_flips<nv_small>("nv_small"); }

TEST_CASE("golden: public traces of nv_small") { check_folder<nv_small>("public/nv_small", 35); }
TEST_CASE("flips: public traces of nv_small") { check_flips<nv_small>("public/nv_small"); }

TEST_CASE("golden: programs of several layers of nv_small") {
  check_programs<nv_small>("programs/nv_small", 18,
                           {{"WEIGHT_BYTES", "CDMA.D_WEIGHT_BYTES: ", 13},
                            {"image_wrap", "CSC.D_BANK.DATA_BANK: line ", 2},
                            {"CACC keeps a stale end tag", "CACC.D_OP_ENABLE: ", 1}});
}
