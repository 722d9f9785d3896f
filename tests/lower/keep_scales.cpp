// SPDX-License-Identifier: Apache-2.0
// Averages on a convolution buffer that is too small for their kernels: PDP computes them.
#include <nvdlac/lower/keep_scales.hpp>

#include <doctest/doctest.h>

#include <random>
#include <span>
#include <variant>
#include <vector>

#include <nvdlac/compile.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "../sim/run_program.hpp"

using namespace nvdlac;

namespace {

// One bank holds the kernel of 4 x 4 taps for one lane of an atom, the other one its input.
struct cramped_buffer {
  static constexpr hw::spec spec = [] {
    auto s = nv_small::spec;
    s.cbuf_banks = 2;
    s.cbuf_entries_per_bank = 16;
    return s;
  }();
};

net::graph averaging(net::shape in, const net::pool& op) {
  net::graph g;
  const auto mean = g.add("mean", op, {g.add("in", net::input{in})});
  g[mean].output = true;
  net::infer_shapes(g);
  return g;
}

// Around 0, so that the means are far smaller than what they are of.
std::vector<sample> samples_of(net::shape in) {
  std::mt19937 random(static_cast<unsigned>(in.size()));
  std::vector<sample> all(2, sample{net::float_tensor{in}});
  for (auto& s : all)
    for (float& v : s[0].values) v = static_cast<float>(random() % 2001) / 1000 - 1;
  return all;
}

template <class Op>
bool ends_in(const quantised::graph& g) {
  return std::holds_alternative<Op>(g[g.outputs().at(0)].op);
}

// Compares what `compile` makes with what the integer network means, which averages by `Op`.
template <class Hw, class Op>
void expect_means_by(net::shape in, const net::pool& op) {
  CAPTURE(in.c); CAPTURE(in.h);
  const auto g = averaging(in, op);
  const auto samples = samples_of(in);
  const auto prepared = prepare(g, std::span<const sample>(samples), {}, pass::verify{},
                                [](net::graph& n) { lower::keep_scales<Hw>(n); });
  CHECK(ends_in<Op>(prepared.integers));
  const auto program = compile<Hw>(g, std::span<const sample>(samples));
  const std::vector<quantised::feed> feeds{quantised::feed_of(quantised::numbers_of(
      samples[0][0], program.inputs.at(0).scale, hw::precision::int8))};
  program_run<Hw> device(program, 7);
  CHECK(device.run(feeds).at(0) ==
        quantised::evaluate(prepared.integers, feeds[0]).at(0).values);
}

template <class Hw>
bool is_lowered(net::shape in, const net::window& window) {
  quantised::graph g;
  const auto mean = g.add("mean", quantised::average{.window = window},
                          {g.add("in", quantised::input{.shape = in})});
  g[mean].output = true;
  net::infer_shapes(g);
  try {
    (void)lower::lower<Hw>(g, "mean");
    return true;
  } catch (const error&) {
    return false;
  }
}

constexpr net::pool whole{.kind = net::pool_kind::average, .global = true};

}  // namespace

TEST_CASE("an average whose kernels find no room in the CBUF is PDP's, bit for bit") {
  using quantised::average, quantised::pool;
  const net::pool sliding{.kind = net::pool_kind::average,
                          .window = {.kernel_h = 5, .kernel_w = 5, .stride_h = 3, .stride_w = 3}};
  auto padded = sliding;
  padded.window.pad_top = padded.window.pad_left = 2;
  padded.count_include_pad = true;
  expect_means_by<cramped_buffer, pool>({20, 13, 13}, whole);  // in two levels
  expect_means_by<cramped_buffer, pool>({20, 16, 9}, whole);
  expect_means_by<cramped_buffer, pool>({20, 7, 7}, whole);
  expect_means_by<cramped_buffer, pool>({9, 8, 11}, sliding);
  expect_means_by<cramped_buffer, pool>({9, 9, 9}, padded);
  expect_means_by<cramped_buffer, average>({20, 4, 4}, whole);
  expect_means_by<cramped_buffer, average>({9, 2, 8}, whole);
}

TEST_CASE("an average keeps its scale exactly where it would not be lowered") {
  int kept = 0, summed = 0;
  for (const std::int32_t channels : {3, 8, 20})
    for (std::int32_t h = 1; h <= 16; ++h)
      for (std::int32_t w = 1; w <= 16; ++w) {
        CAPTURE(channels); CAPTURE(h); CAPTURE(w);
        const net::shape in{channels, h, w};
        auto g = averaging(in, whole);
        lower::keep_scales<cramped_buffer>(g);
        const bool keeps = std::get<net::pool>(g[g.outputs()[0]].op).keeps_scale;
        CHECK(keeps != is_lowered<cramped_buffer>(in, whole.window_on(in)));
        ++(keeps ? kept : summed);
        auto roomy = averaging(in, whole);
        lower::keep_scales<nv_small>(roomy);
        CHECK_FALSE(std::get<net::pool>(roomy[roomy.outputs()[0]].op).keeps_scale);
      }
  CHECK(kept > 100);
  CHECK(summed > 100);
}
