// SPDX-License-Identifier: Apache-2.0
// Convolutions in two tiles of rows: where they are cut, what the tiles are, and what it saves.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/standard.hpp>

using namespace nvdlac;

namespace {

constexpr bytes atom = nv_small::spec.atom();

// A chain of convolutions of 32 channels with windows of 3 lines, unless told, whose cubes are
// buffers 0, 1, 2, ..
class chain {
 public:
  explicit chain(std::int32_t height) : height_(height) { add_cube(height); }

  chain& convolve(std::int32_t kernel = 3, std::int32_t stride = 1, std::int32_t operand = -1) {
    const auto in = static_cast<std::int32_t>(buffers.size() - 1), pad = kernel / 2;
    const auto h = (height_ + 2 * pad - kernel) / stride + 1;
    layer::convolution c{.input = cube(in, height_),
                         .weights = {.at = {in, 0}, .size = 9216},
                         .output = {channels, h, width}};
    c.window = {.kernel_h = kernel, .kernel_w = 3, .stride_h = stride, .pad_top = pad,
                .pad_left = 1, .pad_bottom = pad, .pad_right = 1};
    c.entries_per_slice = 64;
    c.release = static_cast<std::uint16_t>(height_);
    height_ = h;
    add_cube(h);
    layer::sdp s{.input = cube(-1, h), .output = cube(in + 1, h)};
    if (operand >= 0)
      s.x2 = {.alu = true, .mode = layer::sdp_mode::per_point, .operand_bytes = 1,
              .operands = cube(operand, h)};
    layers.push_back({"c" + std::to_string(in), c});
    layers.push_back({"s" + std::to_string(in), s});
    return *this;
  }
  bool tile() {
    plan::lowered l;
    l.layers = layers;
    l.buffers = buffers;
    const schedule::draft d(nv_small::spec, l);
    const auto tiles = d.tile({});
    schedule::order::apply(d, tiles, l);
    layers = l.layers;
    return !tiles.tiles.empty();
  }

  static layer::surface cube(std::int32_t buffer, std::int32_t h) {
    return layer::packed({channels, h, width}, atom, {buffer, 0});
  }

  std::vector<layer::layer> layers{};
  std::vector<plan::buffer> buffers{};

 private:
  static constexpr std::int32_t channels = 32, width = 16;
  void add_cube(std::int32_t h) {
    buffers.push_back({.name = "cube", .memory = plan::memory::features, .size = cube(0, h).size});
  }
  std::int32_t height_;
};

const layer::convolution& conv(const chain& c, std::size_t i) {
  return std::get<layer::convolution>(c.layers[2 * i].what);
}
const layer::sdp& sdp(const chain& c, std::size_t i) {
  return std::get<layer::sdp>(c.layers[2 * i + 1].what);
}

}  // namespace

TEST_CASE("the tiles of a convolution are its rows, with the lines that they read") {
  chain c(16);
  REQUIRE(c.convolve().tile());
  REQUIRE(c.layers.size() == 4);
  CHECK(c.layers[0].name == "c0/y0");
  CHECK(c.layers[2].name == "c0/y8");
  CHECK(conv(c, 0).output.h == 8);
  CHECK(conv(c, 0).input.shape.h == 9);
  CHECK(conv(c, 0).release == 9);
  CHECK(conv(c, 0).window.pad_top == 1);
  CHECK(conv(c, 0).window.pad_bottom == 0);
  CHECK(conv(c, 1).input.shape.h == 9);
  CHECK(conv(c, 1).input.at.offset == 7 * conv(c, 1).input.line_stride);
  CHECK(conv(c, 1).window.pad_top == 0);
  CHECK(conv(c, 1).window.pad_bottom == 1);
  CHECK(sdp(c, 1).output.at.offset == 8 * sdp(c, 1).output.line_stride);
  CHECK(sdp(c, 1).input.shape.h == 8);
}

TEST_CASE("the CBUF has room for both tiles and all weights") {
  chain c(16);
  REQUIRE(c.convolve().tile());
  // 18 lines of 64 entries of 8 bytes in banks of 512 entries, and 9,216 bytes in banks of 4,096.
  CHECK(conv(c, 0).data_banks == 3);
  CHECK(conv(c, 0).weight_banks == 3);
  chain large(16);
  large.convolve();
  std::get<layer::convolution>(large.layers[0].what).weights.size = 30 * 4096;
  CHECK_FALSE(large.tile());
}

TEST_CASE("a tile begins with what the first tile before it gave") {
  chain c(16);
  REQUIRE(c.convolve().convolve().convolve().tile());
  REQUIRE(c.layers.size() == 12);
  for (const std::size_t i : {2U, 4U}) {  // first tiles
    const auto& before = sdp(c, i - 2).output;
    CHECK(conv(c, i).input.at == before.at);
    CHECK(conv(c, i).input.shape.h <= before.shape.h);
    CHECK(conv(c, i).output.h == sdp(c, i - 2).output.shape.h - 1);
  }
}

TEST_CASE("an operand of a sum has to be there as well") {
  chain c(16);
  REQUIRE(c.convolve(3).convolve(1, 1, 1).tile());  // reads what the first one gives in both ways
  CHECK(sdp(c, 2).x2.operands.shape.h == conv(c, 2).output.h);
  CHECK(conv(c, 2).output.h <= sdp(c, 0).output.shape.h);
  CHECK(sdp(c, 3).x2.operands.at.offset ==
        static_cast<std::uint64_t>(conv(c, 2).output.h) * sdp(c, 3).x2.operands.line_stride);
}

TEST_CASE("a stride takes fewer rows of more lines") {
  chain c(16);
  REQUIRE(c.convolve().convolve(3, 2).tile());
  CHECK(conv(c, 2).output.h == 4);
  CHECK(conv(c, 2).input.shape.h == 8);
  CHECK(conv(c, 3).input.at.offset == 7 * conv(c, 3).input.line_stride);
}

TEST_CASE("tiles of Winograd's mode begin with multiples of four rows, and have eight") {
  const auto whole = [](std::int32_t rows) {
    chain c(rows);
    c.convolve();
    auto& conv = std::get<layer::convolution>(c.layers[0].what);
    conv.winograd = std::get<layer::sdp>(c.layers[1].what).winograd = true;
    conv.window.kernel_h = conv.window.kernel_w = 4;
    conv.window.pad_bottom = conv.window.pad_right = 3;
    conv.release = static_cast<std::uint16_t>(rows + 4);
    return c;
  };
  auto c = whole(24);
  REQUIRE(c.tile());
  CHECK(c.layers[2].name == "c0/y12");
  for (const std::size_t i : {0U, 1U}) {
    const auto& of = conv(c, i);
    CHECK(of.output.h == 12);
    CHECK(of.window.pad_top + of.input.shape.h + of.window.pad_bottom == 16);
    CHECK(of.release == 16);
  }
  CHECK(conv(c, 0).window.pad_top == 1);
  CHECK(conv(c, 0).window.pad_bottom == 2);  // no window sees these lines
  CHECK(conv(c, 1).window.pad_top == 0);
  CHECK(conv(c, 1).window.pad_bottom == 3);
  CHECK(conv(c, 1).input.at.offset == 11 * conv(c, 1).input.line_stride);
  CHECK(conv(c, 0).data_banks == 4);  // 32 slices of 64 entries
  CHECK_FALSE(whole(12).tile());

  plan::lowered l;
  const auto given = whole(24);
  l.layers = given.layers;
  l.buffers = given.buffers;
  const schedule::draft d(nv_small::spec, l);
  CHECK_NOTHROW(d.tile({}, "c0", {8, 16}));
  for (const auto& rows : {std::vector<std::int32_t>{10}, {4}, {20}, {8, 12}})
    CHECK_THROWS_WITH_AS(d.tile({}, "c0", rows), doctest::Contains("8, 12, 16, .. rows"), error);
}

TEST_CASE("what is short, a single column, of pixels or pooled twice stays whole") {
  chain low(3);
  CHECK_FALSE(low.convolve().tile());

  chain column(16);
  column.convolve();
  std::get<layer::convolution>(column.layers[0].what).output.w = 1;
  CHECK_FALSE(column.tile());

  chain pixels(16);
  pixels.convolve();
  std::get<layer::convolution>(pixels.layers[0].what).format = layer::pixel_format::a8b8g8r8;
  CHECK_FALSE(pixels.tile());

  chain pooled(16);
  pooled.convolve();
  auto& to = std::get<layer::sdp>(pooled.layers[1].what).output;
  layer::pdp pool{.input = to, .output = chain::cube(1, 8)};
  to.at = pool.input.at = {};
  pool.window = {.kernel_h = 2, .kernel_w = 1, .stride_h = 2};
  auto again = pooled;
  pooled.layers.push_back({"p0", pool});
  REQUIRE(pooled.tile());
  REQUIRE(pooled.layers.size() == 6);
  CHECK(std::get<layer::pdp>(pooled.layers[5].what).output.at.offset ==
        4 * pool.output.line_stride);
  CHECK(std::get<layer::convolution>(pooled.layers[3].what).output.h == 8);
  pool.window.kernel_h = 3;
  again.layers.push_back({"p0", pool});
  CHECK_FALSE(again.tile());
}
