// SPDX-License-Identifier: Apache-2.0
// `support` says of an operator what it says of the pieces that the passes make of it.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_in_integers.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/print.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/split.hpp>
#include <nvdlac/pass/split_windows.hpp>
#include <tests/net/random.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

struct counts {
  int run = 0, refused = 0;
};

// The reason against what no pass changes any more: a convolution is the one that CONV gets.
template <class Hw, class Op>
lower::reason as_is(const Op& op, std::span<const shape> in, hw::precision p) {
  using quantised = nvdlac::quantised::convolution;
  if constexpr (std::is_same_v<Op, convolution>)
    return lower::reason_of<Hw>(
        quantised{.kernels = op.kernels, .window = op.window, .groups = op.groups}, in, p);
  else if constexpr (std::is_same_v<Op, fully_connected>)
    return lower::reason_of<Hw>(
        quantised{.kernels = op.outputs,
                  .window = {.kernel_h = in[0].h, .kernel_w = in[0].w}}, in, p);
  else return lower::reason_of<Hw>(op, in, p);
}

// The operator alone in a network, as the user wrote it and in pieces.
template <class Hw, class Op>
void compare(const Op& op, shape in, hw::precision p, counts& seen) {
  graph g;
  const auto data = g.add("data", input{in}, {});
  g[g.add("x", op, {data})].output = true;
  infer_shapes(g, check_constants::no);
  const auto whole = lower::reason_of<Hw>(op, std::array{in}, p);
  pass::split_deconvolution::run(g);
  pass::split_global_pool::run(g);
  pass::split_windows::run(g);
  pass::split_kernels::run(g);
  infer_shapes(g, check_constants::no);
  auto pieces = lower::reason::none;
  for (const auto n : g.order()) {
    std::vector<shape> of;
    for (const auto i : g.inputs(n)) of.push_back(g[i].shape);
    const auto why =
        std::visit([&](const auto& piece) { return as_is<Hw>(piece, of, p); }, g[n].op);
    if (pieces == lower::reason::none) pieces = why;
  }
  CAPTURE(describe(graph::any_operator(op)));
  CAPTURE(in);
  CAPTURE(lower::to_text(whole));
  CAPTURE(lower::to_text(pieces));
  // How many layers the results of a transposed convolution take to stand in turns is judged of the
  // move, once there is one: a user can give it to the host, or raise the limit.
  if (pieces == lower::reason::too_many_layers) CHECK(whole == lower::reason::none);
  else CHECK(whole == pieces);
  ++(whole == lower::reason::none ? seen.run : seen.refused);
}

std::int32_t one_of(randomness& random, std::initializer_list<std::int32_t> values) {
  return values.begin()[random.integer(0, static_cast<std::int32_t>(values.size()) - 1)];
}

window random_window(randomness& random, bool dilated) {
  window w;
  w.kernel_h = one_of(random, {1, 2, 3, 7, 8, 9, 16, 31, 32, 33, 40});
  w.kernel_w = one_of(random, {1, 2, 3, 7, 8, 9, 16, 31, 32, 33, 40});
  w.stride_h = one_of(random, {1, 2, 7, 8, 9, 11, 16});
  w.stride_w = one_of(random, {1, 2, 7, 8, 9, 11, 16});
  if (dilated && random.coin()) w.dilation_h = one_of(random, {1, 2, 31, 32, 33});
  if (dilated && random.coin()) w.dilation_w = one_of(random, {1, 2, 31, 32, 33});
  const auto pad = [&](std::int32_t kernel) {
    return random.coin() ? 0 : random.integer(0, dilated ? kernel + 20 : kernel - 1);
  };
  w.pad_top = pad(w.kernel_h);
  w.pad_bottom = pad(w.kernel_h);
  w.pad_left = pad(w.kernel_w);
  w.pad_right = pad(w.kernel_w);
  return w;
}

template <class Hw>
void compare_all(hw::precision p, std::uint32_t seed, int n) {
  randomness random(seed);
  counts seen;
  for (int i = 0; i < n; ++i) {
    CAPTURE(i);
    const auto channels = one_of(random, {1, 3, 8, 9, 400, 4000, 8000});
    const auto largest = channels > 9 ? 7 : 16;  // the passes list the elements that they copy
    const shape in{channels, random.integer(1, largest), random.integer(1, largest)};
    const auto try_one = [&](const auto& op) {
      if (op.fit(std::array{in}).ok()) compare<Hw>(op, in, p, seen);
    };
    switch (random.integer(0, 3)) {
      case 0:
        try_one(pool{.kind = random.coin() ? pool_kind::average : pool_kind::maximum,
                     .window = random_window(random, false), .ceil = random.coin()});
        break;
      case 1: {
        const auto groups = random.coin() ? 1 : in.c;
        try_one(convolution{.kernels = groups * one_of(random, {1, 2, 8200 / groups + 1}),
                            .window = random_window(random, true), .groups = groups});
        break;
      }
      case 2: try_one(fully_connected{.outputs = one_of(random, {1, 10, 9000})}); break;
      default: {
        deconvolution d{.kernels = 2, .window = random_window(random, true)};
        const auto weights = d.weight_count(in);
        if (weights > 100000) break;
        d.weights.assign(static_cast<std::size_t>(weights), 0.5F);
        try_one(d);
      }
    }
  }
  CHECK(seen.run > n / 10);
  CHECK(seen.refused > 0);
}

}  // namespace

TEST_CASE("an operator runs where its pieces do") {
  compare_all<nv_small>(hw::precision::int8, 1, 600);
  compare_all<nv_full>(hw::precision::int8, 2, 200);
  compare_all<nv_full>(hw::precision::fp16, 3, 200);
}

TEST_CASE("a dilated kernel on a small map is judged by the taps that meet the map") {
  const window w{.kernel_h = 3, .kernel_w = 3, .pad_top = 12, .pad_left = 12, .pad_bottom = 12,
                 .pad_right = 12, .dilation_h = 12, .dilation_w = 12};
  counts seen;
  for (const std::int32_t size : {12, 13})
    compare<nv_small>(convolution{.window = w}, {8000, size, size}, hw::precision::int8, seen);
  CHECK(seen.run == 1);
  CHECK(seen.refused == 1);
}
