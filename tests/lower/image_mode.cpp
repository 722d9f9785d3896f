// SPDX-License-Identifier: Apache-2.0
// Convolutions in image mode: which, and that they compute the same.
#include <doctest/doctest.h>

#include <random>

#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/image_mode.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

using namespace nvdlac;
using lower::image_view;

namespace {

layer::surface cube(net::shape s, bool in_lines) {
  auto c = layer::packed(s, nv_small::spec.atom());
  if (!in_lines) return c;
  c.surface_stride = c.line_stride;
  c.line_stride *= static_cast<std::uint32_t>(layer::surfaces(s, nv_small::spec.atom()));
  return c;
}

template <class Hw = nv_small>
std::optional<lower::convolution_split> split(net::shape in, std::int32_t kernels,
                                              const net::window& w) {
  const auto out = net::fit_window(w, in, kernels).value();
  return lower::split_as_image(Hw::spec, cube(in, true), out, w);
}

}  // namespace

TEST_CASE("a cube is an image where its surfaces stand in its lines") {
  const auto atom = nv_small::spec.atom();
  CHECK(!image_view::of(cube({16, 4, 6}, false), atom));
  CHECK(image_view::of(cube({8, 4, 6}, false), atom)->lines == 1);
  const auto view = *image_view::of(cube({24, 4, 6}, true), atom);
  CHECK(view.lines == 3);
  CHECK(view.pixels == 2);

  // Every element of the part is where the image has it.
  const auto whole = cube({24, 5, 7}, true);
  const auto image = view.part(whole, atom, {.first = 1, .count = 3}, {.first = 2, .count = 4});
  CHECK(image.shape == net::shape{4, 9, 8});
  for (std::int32_t c = 0; c < 24; ++c)
    for (std::int32_t y = 0; y < 3; ++y)
      for (std::int32_t x = 0; x < 4; ++x) {
        const auto line = static_cast<std::uint64_t>(y * 3 + c / 8);
        const auto pixel = static_cast<std::uint64_t>(x * 2 + c % 8 / 4);
        CHECK(image.at.offset + line * image.line_stride + pixel * 4 +
                  static_cast<std::uint64_t>(c % 4) ==
              layer::offset_of(whole, atom, c, y + 1, x + 2));
      }
}

TEST_CASE("what waits for its results is computed in image mode") {
  const net::window three = net::square{.kernel = 3, .pad = 1}, one{};
  // Passes of 8 to 12 columns lose none of 9 cycles for each 8 channels of a pixel.
  CHECK(split({8, 24, 24}, 8, three)->columns == 8);
  CHECK(split({16, 16, 16}, 32, one)->columns == 8);
  CHECK(split({32, 14, 14}, 64, one)->columns == 7);
  // Enough to compute; too narrow; registers that do not hold it; an atom of other size.
  CHECK(!split({16, 24, 24}, 8, three));
  CHECK(!split({64, 14, 14}, 64, three));
  CHECK(!split({8, 5, 5}, 8, three));
  CHECK(!split({72, 16, 16}, 32, net::square{.stride = 1}));
  CHECK(!split({8, 24, 24}, 8, net::square{.kernel = 3, .pad = 1, .dilation = 2}));
  CHECK(!split({8, 48, 48}, 8, net::square{.kernel = 3, .stride = 5}));
  CHECK(!lower::split_as_image(nv_large::spec, layer::packed({32, 24, 24}, nv_large::spec.atom()),
                                         {32, 24, 24}, three));
}

TEST_CASE("passes of pixels begin at atoms") {
  const auto found = lower::split_pixels(
      nv_small::spec,
      {4, 64, 64}, {16, 32, 32}, net::square{.kernel = 3, .stride = 2, .pad = 1});
  REQUIRE(found);
  CHECK(found->zeros == 1);  // columns 15, 31, .. are half an atom late
  CHECK(found->split.columns <= 12);
}

TEST_CASE("tensors that only convolutions read stand in lines where one is faster so") {
  quantised::graph g;
  const auto filter = [](std::int32_t kernels, std::int32_t channels) {
    quantised::convolution c{.kernels = kernels};
    c.weights.resize(static_cast<std::size_t>(kernels * channels));
    c.bias.resize(static_cast<std::size_t>(kernels));
    c.multiplier.assign(static_cast<std::size_t>(kernels), std::int16_t{1});
    return c;
  };
  const auto in = g.add("in", quantised::input{.shape = {16, 16, 16}});
  const auto a = g.add("a", filter(32, 16), {in}), b = g.add("b", filter(16, 32), {a});
  const auto c = g.add("c", filter(16, 16), {b});
  const auto clip = g.add("clip", quantised::clip{.low = 0}, {b});
  g[g.add("sum", quantised::add{}, {c, clip})].output = true;
  net::infer_shapes(g);
  const auto program = plan::make_program<nv_small>(lower::lower<nv_small>(g, "lines"));
  CHECK(plan::validate(program).empty());
  CHECK(plan::verify(program).empty());
  int images = 0, passes = 0;
  for (const auto& op : program.tasks[0].operations)
    if (const auto* conv = std::get_if<layer::convolution>(&op.layer.what)) {
      ++passes;
      images += conv->is_pixel();
    }
  // The input stands as the user gives it, and a clipping reads what b makes.
  CHECK(passes == 4);
  CHECK(images == 2);
}
