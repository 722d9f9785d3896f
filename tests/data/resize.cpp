// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/data/resize.hpp>

#include "bytes.hpp"

using namespace nvdlac::data;
using nvdlac::net::picture_size;
using nvdlac::net::resizing;

namespace {

// Pixels that differ in every place.
picture many_coloured(std::size_t height, std::size_t width, std::size_t channels) {
  picture p{height, width, channels, {}};
  for (std::size_t i = 0; i < height * width * channels; ++i)
    p.pixels.push_back(static_cast<std::uint8_t>((i * 37 + i * i / 11) % 251));
  return p;
}

// A line in double precision, filtered by a triangle as wide as a pixel of the result, but at least
// as one of the picture.
std::vector<double> filtered(const std::vector<double>& line, std::size_t to) {
  const auto length = static_cast<double>(line.size());
  const double step = length / static_cast<double>(to), reach = std::max(1.0, step);
  std::vector<double> result;
  for (std::size_t i = 0; i < to; ++i) {
    const double middle = (static_cast<double>(i) + 0.5) * step;
    double sum = 0, weights = 0;
    for (std::size_t x = 0; x < line.size(); ++x) {
      const double from_middle = std::fabs(static_cast<double>(x) + 0.5 - middle);
      const double weight = std::max(0.0, 1 - from_middle / reach);
      sum += weight * line[x];
      weights += weight;
    }
    result.push_back(sum / weights);
  }
  return result;
}

// Rows, then columns.
std::vector<double> filtered(const picture& p, std::size_t height, std::size_t width) {
  std::vector<double> result(height * width * p.channels);
  for (std::size_t c = 0; c < p.channels; ++c) {
    std::vector<std::vector<double>> rows;
    for (std::size_t y = 0; y < p.height; ++y) {
      std::vector<double> row;
      for (std::size_t x = 0; x < p.width; ++x)
        row.push_back(p.pixels[(y * p.width + x) * p.channels + c]);
      rows.push_back(filtered(row, width));
    }
    for (std::size_t x = 0; x < width; ++x) {
      std::vector<double> column;
      for (const auto& row : rows) column.push_back(row[x]);
      const auto done = filtered(column, height);
      for (std::size_t y = 0; y < height; ++y)
        result[(y * width + x) * p.channels + c] = done[y];
    }
  }
  return result;
}

picture resized_as(const picture& p, std::int32_t height, std::int32_t width, picture_size how) {
  return resized(p, {static_cast<std::int32_t>(p.channels), height, width}, how, "f",
                 nvdlac::budget{}.samples);
}

}  // namespace

TEST_CASE("stretched pictures are what a triangular filter gives, within one step of 255") {
  for (const auto& [height, width, channels] :
       {std::tuple(24, 40, 3), {7, 5, 1}, {100, 3, 1}, {16, 16, 3}, {1, 1, 3}})
    for (const auto& [to_height, to_width] : {std::pair(8, 8), {31, 29}, {16, 16}, {5, 30}}) {
      CAPTURE(height);
      CAPTURE(to_height);
      const auto of = [](int n) { return static_cast<std::size_t>(n); };
      const auto p = many_coloured(of(height), of(width), of(channels));
      const auto q = resized_as(p, to_height, to_width, {.resize = resizing::stretch});
      REQUIRE(q.height == of(to_height));
      REQUIRE(q.width == of(to_width));
      const auto expected = filtered(p, q.height, q.width);
      REQUIRE(q.pixels.size() == expected.size());
      double largest = 0;
      for (std::size_t i = 0; i < expected.size(); ++i)
        largest = std::max(largest, std::fabs(q.pixels[i] - expected[i]));
      CHECK(largest <= 1);  // each direction rounds once
      CHECK(q == resized_as(p, to_height, to_width, {.resize = resizing::stretch}));
    }
}

TEST_CASE("a picture of one colour stays so, and a line is averaged as by hand") {
  const picture plain{37, 50, 3, std::vector<std::uint8_t>(37 * 50 * 3, 201)};
  for (const std::int32_t size : {1, 9, 36, 38, 99})
    CHECK(resized_as(plain, size, size, {.resize = resizing::stretch}).pixels ==
          std::vector<std::uint8_t>(static_cast<std::size_t>(size * size) * 3, 201));
  // Weights 1, 3, 3, 1 of each half, of which the ends have but 3, 3, 1.
  const picture line{1, 4, 1, {0, 70, 140, 210}};
  CHECK(
      resized_as(line, 1, 2, {.resize = resizing::stretch}).pixels ==
      std::vector<std::uint8_t>{(3 * 0 + 3 * 70 + 1 * 140) / 7, (1 * 70 + 3 * 140 + 3 * 210) / 7});
  CHECK(resized_as({1, 2, 1, {0, 100}}, 1, 4, {.resize = resizing::stretch}).pixels ==
        std::vector<std::uint8_t>{0, 25, 75, 100});
}

TEST_CASE("a picture of the right size stays what it is") {
  const auto p = many_coloured(6, 4, 3);
  for (const auto how : {resizing::stretch, resizing::fit, resizing::fill})
    CHECK(resized_as(p, 6, 4, {.resize = how}) == p);
  CHECK(resized_as(p, 6, 4, {.resize = resizing::shorter, .side = 4}) == p);
}

TEST_CASE("fit shows all of a picture between grey, fill and short cut what is too much") {
  // Black, white, black: of three squares beside each other.
  picture p{2, 6, 1, {}};
  for (int row = 0; row < 2; ++row)
    for (const int grey : {0, 0, 255, 255, 0, 0})
      p.pixels.push_back(static_cast<std::uint8_t>(grey));
  const auto row_of = [](const picture& q, std::size_t y) {
    const auto at = q.pixels.begin() + static_cast<std::ptrdiff_t>(y * q.width);
    return std::vector<int>(at, at + static_cast<std::ptrdiff_t>(q.width));
  };
  const auto fitted = resized_as(p, 6, 6, {.resize = resizing::fit});
  for (const std::size_t y : {0u, 1u, 4u, 5u}) CHECK(row_of(fitted, y) == std::vector<int>(6, 127));
  for (const std::size_t y : {2u, 3u})
    CHECK(row_of(fitted, y) == std::vector<int>{0, 0, 255, 255, 0, 0});
  CHECK(resized_as(p, 2, 2, {.resize = resizing::fill}).pixels ==
        std::vector<std::uint8_t>(4, 255));
  CHECK(resized_as(p, 2, 2, {.resize = resizing::shorter, .side = 2}).pixels ==
        std::vector<std::uint8_t>(4, 255));
  CHECK(resized_as(p, 1, 1, {.crop = 1}).pixels == std::vector<std::uint8_t>{255});
}

TEST_CASE("the shorter side gets its length, then the middle is cut") {
  const auto p = many_coloured(40, 30, 3);
  const picture_size recipe{.resize = resizing::shorter, .side = 16};
  const auto whole = detail::scaled(p, 21, 16, "f", 1 << 20);  // 16 * 40 / 30
  const auto cut = detail::middle(whole, 14, 14, detail::odd_rest::to_even);
  CHECK(resized_as(p, 14, 14, recipe) == cut);
  CHECK(resized_as(p, 14, 14, {.resize = resizing::shorter, .side = 16, .crop = 14}) == cut);
  CHECK(resized_as(p, 14, 14, {.resize = resizing::stretch, .side = 16}) ==
        detail::middle(detail::scaled(p, 16, 16, "f", 1 << 20), 14, 14));
  CHECK(detail::middle(many_coloured(5, 5, 1), 2, 2).pixels[0] ==
        many_coloured(5, 5, 1).pixels[6]);
}

TEST_CASE("the middle behind a shorter side begins where torchvision's CenterCrop begins") {
  // int(round((side - crop) / 2.0)), by Python's rounding of halves to even numbers.
  const std::size_t first[] = {0, 0, 1, 2, 2, 2, 3, 4, 4};
  for (std::size_t rest = 0; rest < std::size(first); ++rest) {
    CAPTURE(rest);
    const auto crop = std::int32_t{8};
    const auto side = static_cast<std::size_t>(crop) + rest;
    // Its shorter side has the length already, so that no pixel changes before the cut.
    const auto tall = many_coloured(side, 8, 3), wide = many_coloured(8, side, 3);
    const picture_size recipe{.resize = resizing::shorter, .side = crop};
    const auto rows = resized_as(tall, crop, crop, recipe);
    const auto columns = resized_as(wide, crop, crop, recipe);
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(rows.pixels[k] == tall.pixels[first[rest] * 8 * 3 + k]);
      CHECK(columns.pixels[k] == wide.pixels[first[rest] * 3 + k]);
    }
    const auto floored = resized_as(tall, crop, crop, {.crop = crop});
    CHECK(floored.pixels[0] == tall.pixels[rest / 2 * 8 * 3]);
  }
}

TEST_CASE("what cannot be cut or would be too large is refused") {
  const auto p = many_coloured(10, 20, 1);
  CHECK(says(said([&] { resized_as(p, 12, 12, {.crop = 12}); }),
             "f: has 20x10 pixels, of which 12x12 cannot be cut"));
  CHECK(says(said([&] {
               resized_as(p, 12, 12, {.resize = resizing::shorter, .side = 5, .crop = 12});
             }),
             "f: has 10x5 pixels when it is resized, of which 12x12 cannot be cut"));
  picture line{1, 60000, 1, std::vector<std::uint8_t>(60000)};
  CHECK(says(said([&] {
               resized_as(line, 12, 12, {.resize = resizing::shorter, .side = 65535});
             }),
             "--limit"));
}
