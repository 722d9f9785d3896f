// SPDX-License-Identifier: Apache-2.0
// The golden cases of nv_full: each passes, and fails with one wrong bit.
#include <nvdlac/hw/nv_full.hpp>

#include "golden_flips.hpp"

using namespace golden;

TEST_CASE("golden: nv_full") { check_folder<nv_full>("nv_full", 95); }
TEST_CASE("flips: nv_full") { check_flips<nv_full>("nv_full"); }

TEST_CASE("golden: public traces of nv_full") { check_folder<nv_full>("public/nv_full", 5); }
TEST_CASE("flips: public traces of nv_full") { check_flips<nv_full>("public/nv_full"); }
