// SPDX-License-Identifier: Apache-2.0
// Inputs of int8 values that CDMA reads as images: which, how they stand in memory and in
// loadables, and that the convolutions compute the same.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/program_checks.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/runtime/session.hpp>

#include "../sim/run_program.hpp"
#include "mutations.hpp"

using namespace nvdlac;

namespace {

std::mt19937 values_of_images(224);

quantised::convolution random_kernels(std::int32_t channels, std::int32_t kernels,
                                      const net::window& w) {
  quantised::convolution op{.kernels = kernels, .window = w};
  for (std::int32_t i = 0; i < kernels * channels * w.kernel_h * w.kernel_w; ++i)
    op.weights.push_back(static_cast<std::int8_t>(values_of_images()));
  op.bias.assign(static_cast<std::size_t>(kernels), 5);
  op.multiplier.assign(static_cast<std::size_t>(kernels), 700);
  op.shift = 21;
  op.pad = -3;
  return op;
}

// A convolution of int8 values, with a pooling behind it if there is a window for one.
quantised::graph stem(net::shape in, std::int32_t kernels, const net::window& w,
                      const net::window* pool = nullptr) {
  quantised::graph g;
  auto last = g.add("data", quantised::input{in});
  last = g.add("conv", random_kernels(in.c, kernels, w), {last});
  if (pool != nullptr) last = g.add("pool", quantised::pool{.window = *pool}, {last});
  g[last].output = true;
  net::infer_shapes(g);
  return g;
}

template <class Hw = nv_small>
plan::program<Hw> program_of(const quantised::graph& g, bool images = true) {
  auto p = plan::make_program<Hw>(lower::lower<Hw>(g, "stem", {}, {}, images));
  for (const auto& found : {plan::validate(p), plan::verify(p)})
    CHECK_MESSAGE(found.empty(), (found.empty() ? "" : to_string(found.front())));
  return p;
}

net::int8_tensor random_values(net::shape s) {
  net::int8_tensor t{s};
  for (auto& v : t.values) v = static_cast<std::int8_t>(values_of_images());
  return t;
}

// The channels of a column in memory; 0: a feature cube. It computes what the network says.
template <class Hw = nv_small>
std::int32_t channels_in_memory(const quantised::graph& g) {
  const auto p = program_of<Hw>(g);
  const quantised::feed in = random_values(g.shape(0));
  const auto wanted = quantised::evaluate(g, std::span(&in, 1));
  program_run<Hw> run(p, 7);
  const auto found = run.run(std::span(&in, 1));
  CHECK(found[0] == wanted[0].values);
  const auto& cube = p.inputs[0].surface;
  return cube.is_interleaved() ? cube.shape.c : 0;
}

layer::convolution& first_convolution(plan::program_data& p) {
  for (auto& op : p.tasks[0].operations)
    if (auto* c = std::get_if<layer::convolution>(&op.layer.what)) return *c;
  throw std::logic_error("no convolution");
}

}  // namespace

TEST_CASE("inputs of up to four channels are images where it takes fewer cycles") {
  const net::window seven = net::square{.kernel = 7, .stride = 2, .pad = 3},
                    three = net::square{.kernel = 3, .stride = 2, .pad = 1},
                    large = net::square{.kernel = 11, .stride = 4};
  CHECK(channels_in_memory(stem({3, 30, 28}, 16, seven)) == 3);
  CHECK(channels_in_memory(stem({1, 20, 19}, 9, seven)) == 1);
  CHECK(channels_in_memory(stem({2, 16, 24}, 8, seven)) == 2);
  CHECK(channels_in_memory(stem({4, 16, 20}, 16, seven)) == 4);
  // 3 pixels of R8 for each column are beyond the registers.
  CHECK(channels_in_memory(stem({3, 35, 31}, 8, large)) == 4);
  CHECK(channels_in_memory(stem({1, 12, 12}, 24, net::square{.kernel = 12})) == 1);
  CHECK(channels_in_memory<nv_large>(stem({3, 30, 28}, 16, seven)) == 3);
  // It waits for its results in any case; as many steps for a tap; more channels; dilated; what a
  // batch puts below each other.
  CHECK(channels_in_memory(stem({3, 48, 48}, 16, three)) == 0);
  CHECK(channels_in_memory(stem({3, 12, 12}, 40, {})) == 0);
  CHECK(channels_in_memory(stem({5, 12, 12}, 8, seven)) == 0);
  CHECK(channels_in_memory(stem({3, 16, 16}, 8, net::square{.kernel = 3, .dilation = 2})) == 0);
  CHECK(channels_in_memory(stem({4, 6, 6}, 8, net::square{.kernel = 6})) == 0);
}

TEST_CASE("random convolutions of images compute the same") {
  const auto one_of = [](int least, int most) {
    return least + static_cast<std::int32_t>(values_of_images() %
                                             static_cast<unsigned>(most - least + 1));
  };
  int images = 0;
  for (int i = 0; i < 40; ++i) {
    net::window w{.kernel_h = one_of(1, 7), .kernel_w = one_of(1, 7), .stride_h = one_of(1, 3),
                  .stride_w = one_of(1, 3), .pad_top = one_of(0, 3), .pad_left = one_of(0, 3),
                  .pad_bottom = one_of(0, 3), .pad_right = one_of(0, 3)};
    const net::window pool = net::square{.kernel = 2, .stride = 2};
    const auto kernels = one_of(1, 20);
    const auto g = stem({one_of(1, 4), one_of(10, 20), one_of(10, 30)}, kernels, w,
                        i % 3 == 0 ? &pool : nullptr);
    CAPTURE(i);
    images += channels_in_memory(g) != 0;
  }
  CHECK(images >= 20);
}

TEST_CASE("all that read an image are convolutions") {
  const net::window seven = net::square{.kernel = 7, .pad = 3};
  quantised::graph g;
  const auto in = g.add("data", quantised::input{{3, 16, 16}});
  const auto a = g.add("a", random_kernels(3, 8, seven), {in});
  const auto b = g.add("b", random_kernels(3, 8, net::square{.kernel = 5, .pad = 2}), {in});
  const auto c = g.add("c", random_kernels(3, 8, seven), {in, b});  // SDP adds b's results
  g[g.add("sum", quantised::add{}, {a, c})].output = true;
  net::infer_shapes(g);
  CHECK(channels_in_memory(g) == 3);
  CHECK(!program_of(g, false).inputs[0].surface.is_interleaved());
  g[g.add("clip", quantised::clip{.low = 0}, {in})].output = true;
  net::infer_shapes(g);
  CHECK(!program_of(g).inputs[0].surface.is_interleaved());
}

TEST_CASE("ResNet's first convolution takes half of the cycles as an image") {
  const net::window pool{.kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2,
                         .pad_bottom = 1, .pad_right = 1};
  const auto g = stem({3, 224, 224}, 64, net::square{.kernel = 7, .stride = 2, .pad = 3}, &pool);
  const auto cycles = [&](bool images) {
    return cost::cycles<nv_small>(program_of(g, images)).totals.cycles;
  };
  CHECK(cycles(false) > 4'900'000);
  CHECK(cycles(true) < 2'200'000);
}

TEST_CASE("a loadable tells how values stand as an image, and the session puts them there") {
  for (const std::int32_t channels : {2, 3, 4}) {
    const bool padded = channels == 2;  // to 4, for a kernel that is beyond R8
    const net::window beyond = net::square{.kernel = 17, .stride = 1},
                      usual = net::square{.kernel = 5, .stride = 2, .pad = 2};
    const auto g = stem({channels, 24, 40}, 9, padded ? beyond : usual);
    const auto p = program_of(g);
    const auto file = emit::loadable(p);
    const auto image = emit::read_loadable(file);
    const auto& t = image.tensors[0];
    CHECK(t.data_category == emit::loadable_code::image);
    CHECK(t.data_type == emit::loadable_code::int8);
    CHECK(t.data_format == emit::loadable_code::nhwc);
    CHECK(t.pixel_format == (channels == 3 ? 0 : 12));  // R8, A8B8G8R8
    CHECK(net::shape{t.c, t.h, t.w} == net::shape{channels == 3 ? 1 : 4, 24,
                                                  channels == 3 ? 120 : 40});
    CHECK(t.stride[0] == 1);
    CHECK(t.stride[1] == (channels == 3 ? 128 : 160));
    runtime::session<nv_small> session(file);
    CHECK(session.inputs()[0].shape == g.shape(0));
    const quantised::feed in = random_values(g.shape(0));
    CHECK(session.infer({in})[0].values ==
          quantised::evaluate(g, std::span(&in, 1))[0].values);
    const std::vector<quantised::feed> picture{std::vector<std::uint8_t>(g.shape(0).size())};
    CHECK_THROWS_WITH_AS(session.infer(picture),
                         doctest::Contains("takes values, not a picture"), error);
  }
}

TEST_CASE("the checker finds each rule of images of values that is broken") {
  const auto good =
      program_of(stem({3, 20, 20}, 8, net::square{.kernel = 5, .stride = 2, .pad = 2}));
  using program = plan::program<nv_small>;
  const auto on_reader = [](auto harm) {
    return [harm](program& p) { harm(first_convolution(p)); };
  };
  expect_found<nv_small>(good, {
      {"it takes values of int8 for unsigned",
       on_reader([](auto& c) { c.pixels_signed = false; })},
      {"it takes the bytes of a picture for signed",
       [](program& p) { p.inputs[0].pixels = quantised::pixels{}; }},
      {"it converts values of int8", on_reader([](auto& c) { c.convert = true; })},
      {"it converts values of int8", on_reader([](auto& c) { c.use_mean = true; })},
      {"as a feature cube",
       on_reader([](auto& c) { c.format = layer::pixel_format::feature; })},
      {"is not that of the 3 channels",
       on_reader([](auto& c) { c.format = layer::pixel_format::a8b8g8r8; })},
      {"it reads lines of 128 bytes", on_reader([](auto& c) { c.input.line_stride = 128; })},
      {"it reads lines of 64 bytes",
       [](program& p) { p.inputs[0].surface.line_stride = 96; }},
      {"some columns of 'data' apart", on_reader([](auto& c) { c.window.stride_w = 5; })},
      {"within its lines", on_reader([](auto& c) { c.input.at.offset += 8; })},
      {"pixels of 2 channels stand for 3",
       [](program& p) { p.inputs[0].surface.shape.c = 2; }},
      {"the pixels' line stride of 72",
       [](program& p) { p.inputs[0].surface.line_stride = 72; }}});
}
