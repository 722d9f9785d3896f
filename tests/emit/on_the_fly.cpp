// SPDX-License-Identifier: Apache-2.0
// Convolutions with a pooling behind them, of random shapes: the loadable, its trace and the exact
// integer reference, which knows nothing of what is computed together, agree in every byte.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <variant>

#include "disagreement.hpp"
#include "planned.hpp"
#include "random_graph.hpp"

using namespace nvdlac;

namespace {

class random_pair {
 public:
  explicit random_pair(std::uint64_t seed) : random_(seed) {}

  // A convolution of pixels or of features, perhaps with a second input, and a pooling of it.
  quantised::graph make(std::int32_t channels, std::int32_t side) {
    const bool pixels = pick(1, 3) == 1, adds = !pixels && pick(1, 4) == 1;
    quantised::input in;
    in.shape = {pixels ? (pick(1, 3) == 1 ? 1 : 3) : pick(1, channels), pick(1, side),
                pick(1, side)};
    if (pixels) in.pixels = quantised::pixels{.mean = {}, .cvt = {0, 12000, 14}};
    const auto picture = g_.add("in", in);
    const auto groups = !pixels && !adds && pick(1, 4) == 1 ? in.shape.c : 1;
    quantised::convolution op;
    op.groups = groups;
    op.kernels = groups > 1 ? groups * pick(1, 2) : pick(1, channels);
    slide(in.shape, op.window, 5, 2);
    fill_evenly(op, in.shape.c / groups, random_);
    op.relu = pick(0, 1) == 1;
    if (pick(0, 1) == 1) op.pad = static_cast<std::int8_t>(random_());
    const net::shape convolved = op.infer(std::array{in.shape});
    std::vector<quantised::graph::id> inputs{picture};
    if (adds) {
      op.operand_shift = 6;
      inputs.push_back(g_.add("other", quantised::input{convolved}));
    }
    const auto convolution = g_.add("convolution", op, inputs);
    quantised::pool pool;
    pool.kind = static_cast<net::pool_kind>(pick(0, 2));
    pool.ceil = pick(0, 1) == 1;
    pool.count_include_pad = pick(0, 1) == 1;
    if (pick(0, 1) == 1) pool.pad = static_cast<std::int8_t>(random_());
    slide(convolved, pool.window, 8, 4);
    if (pick(1, 3) == 1)
      pool.window.stride_h = pool.window.kernel_h, pool.window.stride_w = pool.window.kernel_w;
    g_[g_.add("pooling", pool, {convolution})].output = true;
    net::infer_shapes(g_);
    return std::move(g_);
  }

 private:
  int pick(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  void slide(net::shape in, net::window& w, int most, int step) {
    const auto one = [&](int size, int& kernel, int& stride, int& before, int& after) {
      kernel = pick(1, std::min(most, size));
      stride = pick(1, step);
      before = pick(0, 1) == 1 ? 0 : pick(0, kernel - 1);
      after = pick(0, 1) == 1 ? before : pick(0, kernel - 1);
    };
    one(in.h, w.kernel_h, w.stride_h, w.pad_top, w.pad_bottom);
    one(in.w, w.kernel_w, w.stride_w, w.pad_left, w.pad_right);
  }
  std::mt19937_64 random_;
  quantised::graph g_{};
};

// How many programs there were with a pooling on the fly, and how many had it in several passes.
struct found {
  int on_the_fly = 0, in_passes = 0;
};

template <class Hw>
void expect_agreement(std::uint64_t seed, const quantised::graph& g, found& count) {
  const auto feeds = [&](const auto& network, std::uint64_t input) {
    return random_graph::feeds(network, 10 * seed + input);
  };
  if (const auto why = disagreement(hardware<Hw>(), g, feeds); !why.empty())
    FAIL_CHECK(type_name<Hw>() << ", seed " << seed << ": " << why << '\n'
                               << smallest_failure(hardware<Hw>(), g, feeds, why));
  std::ptrdiff_t passes = 0;
  for (const auto& t : planned(hardware<Hw>(), g).tasks)
    passes += std::ranges::count_if(t.operations, [](const plan::operation& op) {
      const auto* l = std::get_if<layer::pdp>(&op.layer.what);
      return l != nullptr && l->input.at.on_the_fly();
    });
  count.on_the_fly += passes > 0;
  count.in_passes += passes > 1;
}

template <class... Hw>
found agreements(std::uint64_t first, std::uint64_t count, std::int32_t channels,
                 std::int32_t side) {
  found all;
  for (auto seed = first; seed < first + count; ++seed) {
    const auto g = random_pair(seed).make(channels, side);
    (expect_agreement<Hw>(seed, g, all), ...);
  }
  return all;
}

}  // namespace

TEST_CASE("convolutions and poolings of any shape are computed together") {
  const auto n =
      agreements<nv_small, nv_small_256, nv_medium_512, nv_large, nv_full>(0, 60, 40, 20);
  CHECK(n.on_the_fly > 200);
}

TEST_CASE("convolutions and poolings are computed together in several passes") {
  const auto n = agreements<nv_small, nv_large>(100, 20, 100, 90);
  CHECK(n.in_passes > 5);
}
