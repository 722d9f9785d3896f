// SPDX-License-Identifier: Apache-2.0
// The golden cases of nv_small_256: each passes, and fails with one wrong bit.
#include <nvdlac/hw/configurations/nv_small_256.hpp>

#include "golden_flips.hpp"

using namespace golden;

TEST_CASE("golden: nv_small_256") { check_folder<nv_small_256>("nv_small_256", 37); }
TEST_CASE("flips: nv_small_256") { check_flips<nv_small_256>("nv_small_256"); }
