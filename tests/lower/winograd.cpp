// SPDX-License-Identifier: Apache-2.0
// How convolutions are cut for Winograd's mode, and which are faster by it.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/winograd_choice.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

using namespace nvdlac;
using lower::split_winograd;

namespace {

constexpr auto int8 = hw::precision::int8, int16 = hw::precision::int16,
               fp16 = hw::precision::fp16;

constexpr quantised::convolution direct_of_sizes(std::int32_t channels, std::int32_t kernels,
                                                 hw::precision p) {
  const auto k = static_cast<std::size_t>(kernels);
  quantised::convolution op{.kernels = kernels, .window = net::square{.kernel = 3, .pad = 1},
                            .bias = net::only_size{k}, .multiplier = net::only_size{k}};
  const net::only_size weights{k * static_cast<std::size_t>(channels) * 9};
  if (p == int8) op.weights = weights;
  else op.wide_weights = weights;
  return op;
}

// The layers of a convolution in Winograd's mode.
template <class Hw>
constexpr std::vector<layer::layer> lowered(net::shape in, std::int32_t kernels, hw::precision p) {
  lower::assembly to(lower::contents::none());
  const auto op = lower::in_winograd_form(direct_of_sizes(in.c, kernels, p));
  const auto cube = [&](net::shape s) {
    auto packed = layer::packed(s, Hw::spec.atom(), {}, p);
    packed.at = to.reserve("cube", plan::memory::features, packed.size);
    return packed;
  };
  lower::site<quantised::convolution> s{.op = op, .name = "c"};
  s.in.push_back(cube(in));
  s.out = cube(op.infer(std::array{in}));
  lower::lowering<quantised::convolution, Hw>::run(to, s);
  return std::move(to.result.layers);
}

// Lowering works while compiling: one pass of CONV and SDP, and a copy where tiles do not fit.
static_assert(lowered<nv_full>({16, 8, 12}, 16, int16).size() == 2);
static_assert(lowered<nv_full>({16, 9, 12}, 16, int16).size() == 3);

}  // namespace

static_assert(lower::in_winograd_tiles(1) == 8 && lower::in_winograd_tiles(8) == 8 &&
              lower::in_winograd_tiles(9) == 12);
static_assert(split_winograd(nv_full::spec, {16, 14, 14}, {16, 14, 14}, fp16)->padded ==
              net::shape{16, 16, 16});
static_assert(!split_winograd(nv_large::spec, {16, 14, 14}, {16, 14, 14},
                              int8));  // has no such mode
static_assert(!split_winograd(nv_full::spec, {16, 3, 14}, {16, 1, 12}, int8));      // a line
static_assert(!split_winograd(nv_full::spec, {8192, 8, 8}, {16, 8, 8}, fp16));      // no room

TEST_CASE("passes in Winograd's mode cover the output in whole tiles, and read what they need") {
  for (const net::shape in : {net::shape{64, 224, 224}, {200, 50, 37}, {33, 9, 100}})
    for (const auto p : {int8, int16}) {
      const auto layers = lowered<nv_full>(in, 48, p);
      std::vector<char> there(static_cast<std::size_t>(in.h * in.w), false);
      const layer::surface* first = nullptr;
      for (const auto& l : layers) {
        if (const auto* c = std::get_if<layer::convolution>(&l.what)) {
          CHECK(c->winograd);
          CHECK(c->input_csc().h == c->output.h + 4);
          CHECK(c->input_csc().w == c->output.w + 4);
          CHECK(c->output.h % 4 == 0);
          CHECK(c->output.w % 4 == 0);
          CHECK(c->release == c->output.h + 4);
        }
        const auto* s = std::get_if<layer::sdp>(&l.what);
        if (s == nullptr || !s->winograd) continue;
        if (first == nullptr) first = &s->output;
        const auto at = static_cast<std::int32_t>(s->output.at.offset - first->at.offset);
        const auto line = static_cast<std::int32_t>(s->output.line_stride);
        const std::int32_t y0 = at / line, x0 = at % line / 32;
        CHECK(y0 % 2 == 0);
        CHECK(x0 % 2 == 0);
        for (std::int32_t y = y0; y < std::min(y0 + s->output.shape.h, in.h); ++y)
          for (std::int32_t x = x0; x < std::min(x0 + s->output.shape.w, in.w); ++x)
            there[static_cast<std::size_t>(y * in.w + x)] = true;
      }
      CHECK(std::ranges::all_of(there, [](char c) { return c; }));
    }
}

TEST_CASE("Winograd's mode is chosen where it saves an eighth of the cycles") {
  const auto faster = [](net::shape in, std::int32_t kernels, hw::precision p,
                         const quantised::pool* pool = nullptr) {
    return lower::is_faster_in_winograd(lower::target_of<nv_full>,
                                        direct_of_sizes(in.c, kernels, p), pool, std::array{in}, p,
                                        cost::memory_of(nv_full::spec));
  };
  CHECK(faster({64, 224, 224}, 64, fp16));
  CHECK(faster({64, 224, 224}, 64, int8));
  CHECK(faster({64, 56, 56}, 64, int16));
  CHECK(!faster({512, 7, 7}, 512, fp16));    // its weights are what takes the time
  CHECK(faster({40, 112, 112}, 64, int16));
  CHECK(!faster({40, 112, 112}, 64, fp16));  // lanes that may be no numbers
  const auto direct = direct_of_sizes(64, 64, int8);
  const std::array in{net::shape{64, 56, 56}};
  CHECK(!lower::is_faster_in_winograd(lower::target_of<nv_large>, direct, nullptr, in, int8,
                                      cost::memory_of(nv_large::spec)));
  auto slow = cost::memory_of(nv_full::spec);
  slow.width = 1;  // which the input and the weights take all of
  const auto in_16_bits = direct_of_sizes(64, 64, int16);
  const auto usual = cost::memory_of(nv_full::spec);
  const auto& hw = lower::target_of<nv_full>;
  CHECK(lower::is_faster_in_winograd(hw, in_16_bits, nullptr, in, int16, usual));
  CHECK(!lower::is_faster_in_winograd(hw, in_16_bits, nullptr, in, int16, slow));
}

TEST_CASE("nothing takes what Winograd's mode gives on the fly, nor gives it pixels") {
  quantised::graph g;
  auto op = direct_of_sizes(3, 16, int8);
  op.winograd = true;
  op.weights.assign(3 * 16 * 16, 1);
  op.bias.assign(16, 0);
  op.multiplier.assign(16, 1);
  const auto in = g.add("in", quantised::input{{3, 32, 32}}, {});
  const auto conv = g.add("conv", op, {in});
  quantised::pool pool;
  pool.window = net::square{.kernel = 2, .stride = 2};
  g[g.add("pool", pool, {conv})].output = true;
  net::infer_shapes(g);
  const auto layers = lower::lower<nv_full>(g, "network");
  REQUIRE(layers.remarks.size() == 1);
  CHECK(std::string_view(layers.remarks[0].text).find("Winograd") != std::string_view::npos);
  const auto* first = std::get_if<layer::convolution>(&layers.layers[0].what);
  REQUIRE(first != nullptr);
  CHECK(!first->is_pixel());
}
