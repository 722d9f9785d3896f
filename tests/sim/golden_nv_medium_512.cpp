// SPDX-License-Identifier: Apache-2.0
// The golden cases of nv_medium_512: each passes, and fails with one wrong bit.
#include <nvdlac/hw/configurations/nv_medium_512.hpp>

#include "golden_flips.hpp"

using namespace golden;

TEST_CASE("golden: nv_medium_512") { check_folder<nv_medium_512>("nv_medium_512", 37); }
TEST_CASE("flips: nv_medium_512") { check_flips<nv_medium_512>("nv_medium_512"); }
