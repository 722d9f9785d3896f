// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/hw/capacity.hpp>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_medium_512.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>

#include <doctest/doctest.h>

#include <cstdint>

using namespace nvdlac;

namespace {

struct played {
  std::uint64_t line, width;
  bool right;
};

}  // namespace

// Random pictures, played on the RTL of nv_small: the others have wrong bytes.
TEST_CASE("the rule of an image's lines is the verdict of the RTL of nv_small") {
  for (const auto [line, width, right] : {
           played{44, 1, false}, {44, 17, false}, {44, 2, true}, {44, 16, true}, {44, 33, false},
           {40, 1, true}, {48, 1, true}, {12, 1, true}, {4, 1, true}, {1, 1, true},
           {20, 1, true}, {20, 17, true}, {20, 33, true}, {28, 1, false}, {28, 17, false},
           {36, 1, false}, {28, 5, true}, {92, 1, false}, {124, 1, false}, {60, 17, false},
           {9, 1, true}, {9, 17, true}, {17, 1, false}, {17, 2, false}, {17, 16, false},
           {18, 1, true}, {19, 2, true}, {22, 1, true}, {23, 1, true}, {25, 1, false},
           {25, 5, false}, {25, 16, false}, {26, 1, false}, {26, 17, false}, {26, 16, true},
           {27, 1, false}, {29, 1, true}, {29, 17, true}, {30, 1, true}, {31, 17, true}}) {
    CAPTURE(line);
    CAPTURE(width);
    CHECK(hw::reads_image_lines(nv_small::spec, line, width) == right);
  }
}

// Lines have at most 128 elements: two blocks of 64, four of 32.
TEST_CASE("wide MAC arrays read nearly all lines of images right") {
  for (std::uint64_t line = 1; line <= 128; ++line)
    for (std::uint64_t width = 1; width <= 130; ++width) {
      CHECK(hw::reads_image_lines(nv_full::spec, line, width));
      CHECK(hw::reads_image_lines(nv_large::spec, line, width));
    }
  for (const auto& s : {nv_small_256::spec, nv_medium_512::spec}) {  // stripes of 32 columns
    CHECK_FALSE(hw::reads_image_lines(s, 100, 1));
    CHECK_FALSE(hw::reads_image_lines(s, 112, 33));
    CHECK(hw::reads_image_lines(s, 100, 17));
    CHECK(hw::reads_image_lines(s, 116, 1));
    CHECK(hw::reads_image_lines(s, 92, 1));
  }
}
