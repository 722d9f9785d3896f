// SPDX-License-Identifier: Apache-2.0
// Inputs of 16 bits that CDMA reads as images: which, in what order sums of fp16 are then added,
// and the rules that their programs keep.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/layer/pack.hpp>
#include <nvdlac/layer/placement_text.hpp>
#include <nvdlac/lower/image_orders.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/register_program.hpp>

#include "mutations.hpp"

using namespace nvdlac;
using quantised::image_order;
using quantised::detail::taps_of_image;

namespace {

// A convolution of an input in 16 bits; `tells`: with the order that is found for it.
quantised::graph stem_of_16_bits(net::shape in, std::int32_t kernels, const net::window& w,
                                 hw::precision p, bool tells = true) {
  quantised::graph g;
  const auto from = g.add("data", quantised::input{in});
  quantised::convolution op{.kernels = kernels, .window = w};
  op.wide_weights.assign(static_cast<std::size_t>(kernels * in.c * w.kernel_h * w.kernel_w), 1);
  op.bias.assign(static_cast<std::size_t>(kernels), 0);
  op.multiplier.assign(static_cast<std::size_t>(kernels), 1);
  const auto to = g.add("conv", op, {from});
  g[from].precision = g[to].precision = p;
  g[to].output = true;
  net::infer_shapes(g);
  if (tells) std::get<quantised::convolution>(g[to].op).image =
      lower::image_orders(nv_full::spec, g)[to];
  return g;
}

plan::program<nv_full> wide_program(const quantised::graph& g, bool images = true) {
  auto p = plan::make_program<nv_full>(lower::lower<nv_full>(g, "stem", {}, {}, images));
  for (const auto& found : {plan::validate(p), plan::verify(p)})
    CHECK_MESSAGE(found.empty(), (found.empty() ? "" : to_string(found.front())));
  return p;
}

layer::convolution& reader_of(plan::program_data& p) {
  for (auto& op : p.tasks[0].operations)
    if (auto* c = std::get_if<layer::convolution>(&op.layer.what)) return *c;
  throw std::logic_error("no convolution");
}

// (line, column, first channel, count) of each tap, and -1 behind each step.
std::vector<int> said(const std::vector<quantised::detail::tap>& taps) {
  std::vector<int> all;
  for (const auto& t : taps) {
    all.insert(all.end(), {t.line, t.column, t.first, t.count});
    if (t.ends_step) all.push_back(-1);
  }
  return all;
}

}  // namespace

TEST_CASE("a step has a line of the kernel, or several, and a block of its channels") {
  const net::window w{.kernel_h = 3, .kernel_w = 2};
  CHECK(said(taps_of_image(w, 2, {.channels = 2, .lines = 1}, 64)) ==
        std::vector{0, 0, 0, 2, 0, 1, 0, 2, -1, 1, 0, 0, 2, 1, 1, 0, 2, -1,
                    2, 0, 0, 2, 2, 1, 0, 2, -1});
  CHECK(said(taps_of_image(w, 1, {.channels = 1, .lines = 2}, 64)) ==
        std::vector{0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, -1,
                    2, 0, 0, 1, 2, 1, 0, 1, -1});
  // Three of four channels are the network's; blocks of 6 are cut within a column.
  const net::window line{.kernel_w = 3};
  CHECK(said(taps_of_image(line, 3, {.channels = 4}, 6)) ==
        std::vector{0, 0, 0, 3, 0, 1, 0, 2, -1, 0, 1, 2, 1, 0, 2, 0, 3, -1});
  CHECK_THROWS_WITH_AS(taps_of_image(w, 1, {.channels = 1, .lines = 4}, 6),
                       doctest::Contains("a step of 4 lines of 2 elements"), error);
}

TEST_CASE("the order shows in sums that round") {
  // By hand: beside 2048 * 2048 a step has no bits for 0.125 * 0.125, which it cuts; the
  // accumulator of 40 bits keeps it, and what is large leaves it.
  net::fp16_tensor x{{1, 1, 3}};
  quantised::convolution op{.kernels = 1, .window = {.kernel_w = 3}};
  for (const double v : {2048.0, 0.125, -2048.0}) {
    const auto i = op.wide_weights.size();
    x.values[i].bits = static_cast<std::uint16_t>(quant::half_bits(v, "x"));
    op.wide_weights.push_back(quant::half_bits(std::fabs(v), "w"));
  }
  const auto sum = [&](image_order image) {
    float result = 0;
    quantised::wide_sums<arithmetic::fp16_accumulator>(
        op.window, x, {1, 1, 1}, 1, op.wide_weights.data(), {}, image, 0,
        [](auto& to, auto data, auto of) { quantised::add_products(to, data, of); },
        [&](std::size_t, std::size_t, const auto& s) {
          result = std::bit_cast<float>(s.result().bits);
        });
    return result;
  };
  CHECK(sum({}) == 0.015625F);
  CHECK(std::fmod(sum({.channels = 1}), 0.25F) == 0);
}

TEST_CASE("inputs of 16 bits are images where it takes fewer cycles") {
  using enum hw::precision;
  const auto cube = [](net::shape in, const net::window& w, hw::precision p) {
    const auto s = wide_program(stem_of_16_bits(in, 20, w, p)).inputs[0].surface;
    CHECK(s.precision == p);
    return s.is_interleaved() ? s.shape.c : 0;
  };
  const net::window five = net::square{.kernel = 5},
                    eleven = net::square{.kernel = 11, .stride = 4};
  for (const auto p : {int16, fp16}) {
    CHECK(cube({1, 28, 28}, five, p) == 1);
    CHECK(cube({2, 28, 28}, five, p) == 2);
    CHECK(cube({3, 28, 28}, five, p) == 3);
    CHECK(cube({4, 28, 28}, five, p) == 4);
    CHECK(cube({3, 35, 35}, eleven, p) == 4);  // steps of 12 pixels are beyond the registers
    // A step for a tap in any case; more channels; dilated; what a batch puts below each other.
    CHECK(cube({3, 12, 12}, {}, p) == 0);
    CHECK(cube({5, 28, 28}, five, p) == 0);
    CHECK(cube({3, 28, 28}, net::square{.kernel = 5, .dilation = 2}, p) == 0);
    CHECK(cube({4, 6, 6}, net::square{.kernel = 6}, p) == 0);
  }
  // Taps of zeros would make nothing of a number that is none.
  const net::window padded = net::square{.kernel = 3, .pad = 3};
  CHECK(cube({3, 28, 28}, padded, int16) == 3);
  CHECK(cube({3, 28, 28}, padded, fp16) == 0);
  CHECK(wide_program(stem_of_16_bits({1, 28, 28}, 20, five, int16), false).inputs[0].surface
            .surface_stride != 0);
}

TEST_CASE("LeNet's first convolution takes a tenth of the cycles as an image of fp16") {
  const net::window five = net::square{.kernel = 5};
  auto memory = cost::memory_of(nv_full::spec);
  memory.read_latency = memory.write_latency = 64;
  const auto cycles = [&](bool tells) {
    const auto p = wide_program(stem_of_16_bits({1, 28, 28}, 20, five, hw::precision::fp16, tells));
    return cost::cycles(p.tasks, nv_full::spec, memory).totals.cycles;
  };
  CHECK(lower::image_orders(nv_full::spec,
                            stem_of_16_bits({1, 28, 28}, 20, five, hw::precision::fp16))[1] ==
        image_order{.channels = 1, .lines = 4});
  // NVIDIA's RTL: 28,800, and as an image 2,626, both without the operands of SDP.
  CHECK(cycles(false) > 28'800);
  CHECK(cycles(true) > 2'500);
  CHECK(cycles(true) < 2'900);
}

TEST_CASE("an order that CSC does not have is refused") {
  const net::window five = net::square{.kernel = 5};
  const auto refuses = [](const quantised::graph& g) {
    CHECK_THROWS_WITH_AS(lower::lower<nv_full>(g, "stem"), doctest::Contains("order of an image"),
                         error);
  };
  const auto given = [&](image_order o, net::shape in = {3, 28, 28},
                         hw::precision p = hw::precision::fp16) {
    auto g = stem_of_16_bits(in, 20, five, p, false);
    std::get<quantised::convolution>(g[1].op).image = o;
    return g;
  };
  wide_program(given({.channels = 3, .lines = 4}));
  wide_program(given({.channels = 4, .lines = 2}));
  refuses(given({.channels = 3, .lines = 2}));
  refuses(given({.channels = 4, .lines = 4}));
  refuses(given({.channels = 3, .lines = 4}, {2, 28, 28}));
  refuses(given({.channels = 5}));
  refuses(given({.channels = 3, .lines = 4}, {3, 28, 28}, hw::precision::int16));
  // All that read the input tell the same.
  auto two = given({.channels = 3, .lines = 4});
  auto other = std::get<quantised::convolution>(two[1].op);
  other.image = {};
  const auto n = two.add("other", other, {0});
  two[n].output = true;
  two[n].precision = hw::precision::fp16;
  net::infer_shapes(two);
  refuses(two);
  // A graph with such an order of too few channels, or of groups, is not sound.
  auto few = given({.channels = 2});
  CHECK(!net::verify(few).empty());
}

TEST_CASE("values of 16 bits stand in pixels as the text and firmware expect them") {
  const auto s = layer::interleaved({3, 4, 5}, hw::precision::fp16);
  CHECK(s.line_stride == 32);  // 30 bytes
  CHECK(layer::interleaved_placement_text(s, false) ==
        "values of fp16 in pixels: channel c of (y, x) at byte y * 32 + x * 6 + c * 2");
  CHECK(layer::offset_of(s, {32}, 2, 3, 4) == 3 * 32 + 4 * 6 + 4);
  const cube firmware{{0, s.size}, {3, 4, 5}, s.line_stride, 0, 16, hw::precision::fp16};
  CHECK(firmware.offset(2, 3, 4) == 3 * 32 + 4 * 6 + 4);

  std::vector<std::int16_t> values(2 * 3 * 2);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int16_t>(0x100 + i);
  const auto padded = layer::interleaved({4, 3, 2}, hw::precision::int16);
  std::vector<std::uint8_t> memory(padded.size, 0xee);
  layer::pack_interleaved(values, 2, padded, memory);
  const auto at = [&](std::size_t i) { return memory[i] + 256 * memory[i + 1]; };
  CHECK(at(0) == 0x100);       // (0, 0, 0)
  CHECK(at(2) == 0x106);       // channel 1
  CHECK(at(4) == 0);           // the network has two
  CHECK(at(8) == 0x101);       // (0, 0, 1)
  CHECK(at(32 + 2) == 0x108);  // (1, 1, 0)
  CHECK(memory[16] == 0xee);   // behind the line
  CHECK_THROWS_WITH_AS(layer::pack_interleaved(std::vector<std::int8_t>(12), 2, padded, memory),
                       doctest::Contains("another data type"), error);
}

TEST_CASE("the checker finds each rule of images of 16 bits that is broken") {
  using program = plan::program<nv_full>;
  const auto on_reader = [](auto harm) {
    return [harm](program& p) { harm(reader_of(p)); };
  };
  const net::window w = net::square{.kernel = 5, .stride = 2, .pad = 2};
  using enum layer::pixel_format;
  expect_found<nv_full>(wide_program(stem_of_16_bits({3, 21, 20}, 8, w, hw::precision::fp16)),
        {{"pixels of fp16 do not have the format 4", on_reader([](auto& c) { c.format = r16_i; })},
         {"pixels of 1 channels do not have the format 8",
          on_reader([](auto& c) { c.format = a16b16g16r16_f; })},
         {"nothing makes int16 of pixels of fp16",
          on_reader([](auto& c) { c.precision = hw::precision::int16; })},
         {"its format 0 is not that of the 3 channels of fp16 of 'data'",
          on_reader([](auto& c) { c.format = r8; })},
         {"it takes values of fp16 for signed integers",
          on_reader([](auto& c) { c.pixels_signed = true; })},
         {"it converts values of fp16", on_reader([](auto& c) { c.convert = true; })},
         {"the pixels' line stride of 96 is less than a line of 120 bytes",
          on_reader([](auto& c) { c.input.line_stride = 96; })},
         {"a slice takes 2 entries of the CBUF, not 1",
          on_reader([](auto& c) { c.entries_per_slice = 1; })},
         {"one step cannot take 8 lines of the kernel",
          on_reader([](auto& c) { c.kernel_lines = 8; })},
         {"within its lines", on_reader([](auto& c) { c.input.at.offset += 32; })},
         {"some columns of 'data' apart", on_reader([](auto& c) { c.window.stride_w = 5; })}});
  expect_found<nv_full>(wide_program(stem_of_16_bits({4, 21, 20}, 8, w, hw::precision::int16)),
        {{"it takes values of int16 for unsigned",
          on_reader([](auto& c) { c.pixels_signed = false; })},
         {"it converts values of int16", on_reader([](auto& c) { c.convert = true; })},
         {"pixels of int16 do not have the format 8",
          on_reader([](auto& c) { c.format = a16b16g16r16_f; })},
         {"is not that of the 4 channels of int16 of 'data'",
          on_reader([](auto& c) { c.format = r16_i; })},
         {"as a feature cube", on_reader([](auto& c) { c.format = feature; })}});
}
