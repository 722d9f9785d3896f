// SPDX-License-Identifier: Apache-2.0
// Convolutions with a pooling or a table behind them, of random shapes: the loadable, its trace and
// the exact integer reference, which knows nothing of what is computed together, agree in every
// byte.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
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
  quantised::graph with_pooling(std::int32_t channels, std::int32_t side) {
    const auto [convolution, convolved] = convolve(channels, side);
    quantised::pool pool;
    pool.kind = static_cast<net::pool_kind>(pick(0, 2));
    pool.ceil = pick(0, 1) == 1;
    pool.count_include_pad = pick(0, 1) == 1;
    if (pick(0, 1) == 1) pool.pad = static_cast<std::int8_t>(random_());
    slide(convolved, pool.window, 8, 4);
    if (pick(1, 3) == 1) {
      pool.window.stride_h = pool.window.kernel_h;
      pool.window.stride_w = pool.window.kernel_w;
    }
    return ending_in("pooling", pool, convolution);
  }
  // A convolution and a table, in which also what is beyond int8 is looked up.
  quantised::graph with_table(std::int32_t channels, std::int32_t side) {
    const auto convolution = convolve(channels, side).first;
    quantised::lookup table;
    for (std::int64_t i = 0; i < quantised::lookup::size; ++i)
      table.values.push_back(static_cast<std::int8_t>(random_()));
    auto& op = std::get<quantised::convolution>(g_[convolution].op);
    op.shift = static_cast<std::uint8_t>(std::max(0, op.shift - pick(0, 3)));
    return ending_in("table", table, convolution);
  }

 private:
  quantised::graph ending_in(const char* name, auto op, quantised::graph::id from) {
    g_[g_.add(name, std::move(op), {from})].output = true;
    net::infer_shapes(g_);
    return std::move(g_);
  }
  std::pair<quantised::graph::id, net::shape> convolve(std::int32_t channels, std::int32_t side) {
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
    return {g_.add("convolution", op, inputs), convolved};
  }
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

// How many programs there were with a pooling or a table on the fly, and how many had it in several
// passes.
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
      const auto* pooling = std::get_if<layer::pdp>(&op.layer.what);
      const auto* table = std::get_if<layer::sdp>(&op.layer.what);
      return (pooling != nullptr && pooling->input.at.on_the_fly()) ||
             (table != nullptr && table->lut >= 0 && table->input.at.on_the_fly());
    });
  count.on_the_fly += passes > 0;
  count.in_passes += passes > 1;
}

template <class... Hw>
found agreements(auto make, std::uint64_t first, std::uint64_t count, std::int32_t channels,
                 std::int32_t side) {
  found all;
  for (auto seed = first; seed < first + count; ++seed) {
    random_pair random(seed);
    const auto g = (random.*make)(channels, side);
    (expect_agreement<Hw>(seed, g, all), ...);
  }
  return all;
}

}  // namespace

TEST_CASE("convolutions and poolings of any shape are computed together") {
  const auto n = agreements<nv_small, nv_small_256, nv_medium_512, nv_large, nv_full>(
      &random_pair::with_pooling, 0, 60, 40, 20);
  CHECK(n.on_the_fly > 200);
}

TEST_CASE("convolutions and poolings are computed together in several passes") {
  const auto n = agreements<nv_small, nv_large>(&random_pair::with_pooling, 100, 20, 100, 90);
  CHECK(n.in_passes > 5);
}

TEST_CASE("Y looks up what a convolution gives") {
  const auto n = agreements<nv_large, nv_full>(&random_pair::with_table, 200, 40, 40, 20);
  CHECK(n.on_the_fly > 50);
  CHECK(agreements<nv_large>(&random_pair::with_table, 300, 10, 100, 90).in_passes > 2);
}
