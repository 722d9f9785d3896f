// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/lower/dilated_lines.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "../net/random.hpp"
#include "../sim/run_program.hpp"

using namespace nvdlac;

namespace {

constexpr net::window square(std::int32_t size, std::int32_t dilation, std::int32_t pad) {
  return {.kernel_h = size, .kernel_w = size, .pad_top = pad, .pad_left = pad, .pad_bottom = pad,
          .pad_right = pad, .dilation_h = dilation, .dilation_w = dilation};
}

// Whether no tap of a line of the result meets a line of the input.
bool is_of_padding(std::int32_t line, net::shape in, const net::window& w) {
  for (std::int32_t tap = 0; tap < w.kernel_h; ++tap)
    if (const auto at = line - w.pad_top + tap * w.dilation_h; at >= 0 && at < in.h) return false;
  return true;
}

// Every line that a tap of a result reads is the one that the phase of this result reads there.
void check_lines(net::shape in, const net::window& w) {
  const net::shape out = net::fit_convolution(w, 8, 1, in).value();
  const auto phases = lower::detail::phases_of(in, out, w);
  bool any_of_padding = false;
  for (std::int32_t line = 0; line < out.h; ++line)
    any_of_padding = any_of_padding || is_of_padding(line, in, w);
  CHECK(phases.empty() == any_of_padding);
  if (phases.empty()) return;
  std::int32_t results = 0;
  for (std::int32_t k = 0; k < phases.count; ++k) {
    const auto p = phases.at(k);
    CHECK(p.lines_read <= phases.in.h);
    CHECK(p.lines <= phases.out.h);
    CHECK(p.lines_read + p.above + p.below - w.kernel_h + 1 == p.lines);
    results += p.lines;
    for (std::int32_t i = 0; i < p.lines; ++i)
      for (std::int32_t tap = 0; tap < w.kernel_h; ++tap) {
        const auto line = p.to + i * phases.step - w.pad_top + tap * w.dilation_h;
        const auto own = i - p.above + tap;
        const bool padding = own < 0 || own >= p.lines_read;
        CHECK(padding == (line < 0 || line >= in.h));
        if (!padding) CHECK(p.from + own * phases.step == line);
      }
  }
  CHECK(results == out.h);
}

quantised::graph network(net::shape in, std::int32_t kernels, const net::window& w, bool adds) {
  randomness random(7);
  const auto k = static_cast<std::size_t>(kernels);
  quantised::convolution op{.kernels = kernels, .window = w};
  op.weights = random.integers<std::int8_t>(
      k * static_cast<std::size_t>(in.c * w.kernel_h * w.kernel_w), -127, 127);
  op.bias.assign(k, 5);
  op.multiplier.assign(k, 3000);
  op.shift = 26;
  quantised::graph g;
  const auto data = g.add("data", quantised::input{.shape = in});
  auto last = data;
  if (adds) {
    const auto second = g.add("second", quantised::input{
        .shape = net::fit_convolution(w, kernels, 1, in).value()});
    last = g.add("conv", std::move(op), {data, second});
  } else {
    last = g.add("conv", std::move(op), {data});
  }
  g[last].output = true;
  net::infer_shapes(g);
  return g;
}

}  // namespace

TEST_CASE("phases read and give the lines of a kernel with lines apart, whatever the padding") {
  for (const std::int32_t height : {7, 12, 28, 33})
    for (const std::int32_t taps : {2, 3, 5})
      for (const std::int32_t dilation : {2, 3, 4})
        for (const std::int32_t top : {0, 1, dilation, dilation + 1})
          for (const std::int32_t bottom : {0, dilation}) {
            net::window w{.kernel_h = taps, .pad_top = top, .pad_bottom = bottom,
                          .dilation_h = dilation};
            if (w.extent_h() <= height) check_lines({8, height, 5}, w);
          }
}

TEST_CASE("there are no phases of strides, of a line, and where a line comes of padding alone") {
  const net::shape in{8, 28, 5};
  const auto none = [&](net::window w) {
    return lower::detail::phases_of(in, net::fit_convolution(w, 8, 1, in).value(), w).empty();
  };
  CHECK(none({.kernel_h = 3}));
  CHECK(none({.kernel_h = 3, .stride_h = 2, .dilation_h = 2}));
  CHECK(none({.kernel_w = 3, .dilation_h = 2}));
  CHECK(none({.kernel_h = 2, .pad_top = 20, .dilation_h = 4}));
}

TEST_CASE(
    "the branches of an atrous pyramid run where their lines lie too far apart for the CBUF") {
  for (const std::int32_t rate : {6, 12, 18, 24}) {
    const net::convolution op{.kernels = 256, .window = square(3, rate, rate)};
    CHECK(lower::support<net::convolution, nv_small>::check(
              op, std::array{net::shape{960, 28, 28}}) == lower::reason::none);
  }
}

TEST_CASE("where all lines have room, or the phases would read more, a convolution stays whole") {
  const auto divided = [](net::shape in, std::int32_t kernels, const net::window& w) {
    const net::shape out = net::fit_convolution(w, kernels, 1, in).value();
    return !lower::dilated_lines(nv_small::spec, in, out, w, hw::precision::int8, false).empty();
  };
  CHECK(!divided({64, 16, 16}, 64, square(3, 2, 2)));
  CHECK(divided({512, 28, 28}, 512, square(3, 4, 4)));
  CHECK(!divided({512, 28, 28}, 512, square(3, 1, 1)));
}

TEST_CASE("phases share their weights and compute what the whole does") {
  for (const bool adds : {false, true})
    for (const auto& w : {square(3, 4, 4), square(3, 3, 2),
                          net::window{.kernel_h = 2, .pad_top = 3, .dilation_h = 5}}) {
      const auto g = network({512, 17, 24}, 16, w, adds);
      auto lowered = lower::lower<nv_small>(g, "phases");
      std::size_t convolutions = 0, weights = 0;
      for (const auto& l : lowered.layers)
        convolutions += std::holds_alternative<layer::convolution>(l.what);
      for (const auto& b : lowered.buffers) weights += b.name.view().ends_with("/weights");
      CHECK(convolutions >= static_cast<std::size_t>(w.dilation_h));
      CHECK(weights == 1);
      const auto program = plan::make_program<nv_small>(std::move(lowered));
      CHECK(plan::verify(program).empty());
      randomness random(11);
      std::vector<quantised::feed> feeds;
      for (const auto n : net::input_nodes(g)) feeds.emplace_back(random.int8(g.shape(n)));
      program_run<nv_small> run(program, 1);
      CHECK(run.run(feeds)[0] == quantised::evaluate(g, std::span(feeds))[0].values);
    }
}
