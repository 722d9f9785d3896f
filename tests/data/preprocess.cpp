// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/data/array_layouts.hpp>
#include <nvdlac/data/preprocess.hpp>

#include "bytes.hpp"

using namespace nvdlac::data;

namespace {

const picture colours{1, 2, 3, {10, 20, 30, 40, 50, 60}};

std::vector<float> run(const picture& p, nvdlac::net::shape want, const preprocessing& how) {
  return preprocess(p, want, how, "f");
}

}  // namespace

TEST_CASE("pixels become planes of values") {
  CHECK(run(colours, {3, 1, 2}, {}) == std::vector<float>{10, 40, 20, 50, 30, 60});
  CHECK(run(colours, {3, 1, 2}, {.order = channel_order::bgr}) ==
        std::vector<float>{30, 60, 20, 50, 10, 40});
  // mean and scale are in the order of the network's channels: 1 belongs to blue here
  CHECK(run(colours, {3, 1, 2}, {{1, 2, 3}, {2}, channel_order::bgr}) ==
        std::vector<float>{58, 118, 36, 96, 14, 74});
  CHECK(run(colours, {1, 1, 2}, {.order = channel_order::grey}) == std::vector<float>{18, 48});
  CHECK(run({1, 2, 1, {7, 8}}, {1, 1, 2}, {{-1}, {0.5F}}) == std::vector<float>{4, 4.5F});
}

TEST_CASE("nothing is resized unasked, or guessed") {
  CHECK(said([] { run(colours, {3, 2, 2}, {}); }) ==
        "f: is 2x1 pixels, the network takes 2x2 (resize the picture, or let nvdlac: --resize, in "
        "C++ net::preprocessing::size)");
  CHECK(says(said([] { run(colours, {4, 1, 2}, {}); }), "has 3 channels, the network takes 4"));
  CHECK(says(said([] { run({1, 1, 1, {7}}, {2, 1, 1}, {}); }), "has 1 channels"));
}

TEST_CASE("grey pictures become colour, and coloured ones grey, as the network takes them") {
  CHECK(run(colours, {1, 1, 2}, {}) == run(colours, {1, 1, 2}, {.order = channel_order::grey}));
  CHECK(run({1, 2, 1, {7, 8}}, {3, 1, 2}, {}) == std::vector<float>{7, 8, 7, 8, 7, 8});
}

TEST_CASE("all wrong numbers are found") {
  nvdlac::diagnostics found;
  check({.mean = {1, 2}, .scale = {0}}, 3, found);
  REQUIRE(found.problems().size() == 2);
  CHECK(found.problems()[0].reason == "input mean has 2 numbers, the network 3 channels");
  nvdlac::diagnostics of_grey;
  check({.mean = {1, 2, 3}}, 1, of_grey);
  CHECK(of_grey.problems().at(0).reason == "input mean has 3 numbers, the network 1 channel");
  CHECK(found.problems()[1].reason == "input scale is 0");
}

TEST_CASE("arrays are divided by their dimensions") {
  const auto by = [](std::vector<std::size_t> dims, nvdlac::net::shape want,
                     array_layout layout = array_layout::automatic) {
    return divide(dims, want, layout, "f");
  };
  CHECK(by({3, 4, 5}, {3, 4, 5}) == division{1, false});
  CHECK(by({7, 3, 4, 5}, {3, 4, 5}) == division{7, false});
  CHECK(by({7, 4, 5, 3}, {3, 4, 5}) == division{7, true});
  CHECK(by({7, 60}, {3, 4, 5}) == division{7, false});
  CHECK(by({7, 60}, {3, 4, 5}, array_layout::hwc) == division{7, true});
  CHECK(by({9, 4, 5}, {1, 4, 5}) == division{9, false});
  CHECK(by({0, 4, 5}, {1, 4, 5}) == division{0, false});
  CHECK(by({6}, {6, 1, 1}) == division{1, false});
  CHECK(by({3, 3, 3}, {3, 3, 3}, array_layout::hwc) == division{1, true});
  CHECK(says(said([&] { by({3, 3, 3}, {3, 3, 3}); }), "name the layout"));
  CHECK(says(said([&] { by({7, 3, 4, 5}, {3, 4, 5}, array_layout::hwc); }), "dimensions 7x3x4x5"));
  CHECK(says(said([&] { by({5, 4, 3}, {3, 4, 5}); }), "the network takes 3x4x5"));
  // The dimensions of the network's file are told, where it has other ones.
  const nvdlac::net::file_tensor steps{.name = "x", .shape = {12, 1, 8}};
  const auto of_file = [&](array_layout layout, std::vector<std::int32_t> shape) {
    auto told = steps;
    told.shape = std::move(shape);
    return said([&] { divide({48, 1, 8}, {8, 12, 1}, layout, "f", &told); });
  };
  CHECK(says(of_file(array_layout::automatic, {12, 1, 8}),
             "has dimensions 48x1x8, the network takes 12x1x8"));
  CHECK(says(of_file(array_layout::automatic, {1, 12, 8}), "the network takes 12x8"));
  CHECK(says(of_file(array_layout::chw, {12, 1, 8}), "the network takes 8x12x1"));
}
