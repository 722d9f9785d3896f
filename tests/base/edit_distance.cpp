// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/base/edit_distance.hpp>

using nvdlac::edit_distance;

TEST_CASE("letters that are changed, left out and put in count") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("conv1", "conv1") == 0);
  CHECK(edit_distance("conv1", "conv2") == 1);
  CHECK(edit_distance("calibrate", "calibration") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("sitting", "kitten") == 3);
}
