// SPDX-License-Identifier: Apache-2.0
// The golden cases of nv_small_256_full: each passes, and fails with one wrong bit.
#include <nvdlac/hw/configurations/nv_small_256_full.hpp>

#include "golden_flips.hpp"

using namespace golden;

TEST_CASE("golden: nv_small_256_full") { check_folder<nv_small_256_full>("nv_small_256_full", 48); }
TEST_CASE("flips: nv_small_256_full") { check_flips<nv_small_256_full>("nv_small_256_full"); }
