// SPDX-License-Identifier: Apache-2.0
// Convolutions that read one tensor and become one: the loadable, its trace and the exact integer
// reference, which knows nothing of that, agree in every byte.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "compiled.hpp"
#include "disagreement.hpp"
#include "planned.hpp"
#include "random_graph.hpp"
#include "wide_graph.hpp"

using namespace nvdlac;

namespace {

// Branches over one tensor, some of which go on, and some into concats.
class random_siblings {
 public:
  using id = quantised::graph::id;

  explicit random_siblings(std::uint64_t seed) : random_(seed) {}

  quantised::graph make(std::int32_t channels, std::int32_t side, bool pixels = true) {
    quantised::input in;
    in.shape = {pick(1, channels), pick(1, side), pick(1, side)};
    if (pixels && pick(1, 5) == 1) {
      in.shape.c = 3;
      in.pixels = quantised::pixels{.mean = {}, .cvt = {0, 12000, 14}};
    }
    id from = g_.add("in", in);
    net::infer_shapes(g_);
    if (pick(0, 1) == 1) from = convolve(from, pick(1, channels), {});
    // Windows that see the whole input, and those that see the padding, too.
    net::window window;
    const auto shape = g_.shape(from);
    window.kernel_h = std::min(shape.h, pick(1, 3));
    window.kernel_w = std::min(shape.w, pick(1, 3));
    if (pick(1, 6) == 1 && std::max(shape.h, shape.w) <= 12) {
      window.kernel_h = shape.h;
      window.kernel_w = shape.w;
    }
    if (pick(0, 1) == 1) window.pad_top = window.pad_bottom = window.kernel_h / 2;
    if (pick(0, 1) == 1) window.pad_left = window.pad_right = window.kernel_w / 2;
    std::vector<id> branches;
    const bool relu = pick(0, 1) == 1, prelu = pick(1, 4) == 1;
    for (int count = pick(2, 4); count > 0; --count) {
      const auto kernels = pick(0, 1) == 1 ? 32 * pick(1, 2) : pick(1, channels);
      branches.push_back(convolve(from, kernels, window, relu, prelu));
    }
    join(branches);
    for (id n = 0; n < g_.size(); ++n)
      if (g_.consumers(n).empty()) g_[n].output = true;
    net::infer_shapes(g_);
    return std::move(g_);
  }

 private:
  int pick(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  id convolve(id from, std::int32_t kernels, net::window window, bool relu = false,
              bool prelu = false) {
    quantised::convolution op{.kernels = kernels, .window = window, .relu = relu};
    fill_evenly(op, g_.shape(from).c, random_);
    if (prelu) {
      op.slope_shift = 8;
      op.relu = false;
      for (std::int32_t k = 0; k < kernels; ++k)
        op.slope.push_back(static_cast<std::int16_t>(pick(-50, 250)));
    }
    return add(op, {from});
  }
  id add(quantised::graph::any_operator op, const std::vector<id>& inputs) {
    const auto n = g_.add("n" + std::to_string(number_++), std::move(op), inputs);
    net::infer_shapes(g_);
    return n;
  }
  // Adds a reader of a branch, one more convolution or a pooling, or gives the branch itself.
  id further(id n) {
    const auto s = g_.shape(n);
    switch (pick(0, 5)) {
      case 0: return convolve(n, pick(1, 40), {});
      case 1: return convolve(n, 32, {.kernel_h = std::min(3, s.h), .pad_top = 0});
      case 2: return add(quantised::pool{}, {n});
      default: return n;
    }
  }
  void join(std::vector<id> branches) {
    for (int concats = pick(0, 2); concats > 0; --concats) {
      std::vector<id> inputs;
      for (const id b : branches)
        if (const id n = further(b); pick(1, 5) > 1 &&
                                     (inputs.empty() || g_.shape(n).h == g_.shape(inputs[0]).h))
          inputs.push_back(n);
      if (inputs.empty()) continue;
      if (pick(0, 1) == 1) std::shuffle(inputs.begin(), inputs.end(), random_);
      quantised::concat op;
      for (std::size_t i = 0; i < inputs.size(); ++i) op.multiplier.push_back({});
      const id all = add(op, inputs);
      if (pick(1, 3) > 1) convolve(all, pick(1, 40), {});
    }
    for (const id b : branches)
      if (g_.consumers(b).empty() && pick(1, 4) > 1) convolve(b, pick(1, 40), {});
  }

  std::mt19937_64 random_;
  int number_ = 0;
  quantised::graph g_{};
};

// Layers of CONV that compute several convolutions of the network.
std::ptrdiff_t joined_in(const plan::program_data& p) {
  std::ptrdiff_t found = 0;
  for (const auto& t : p.tasks)
    found += std::ranges::count_if(t.operations, [](const plan::operation& op) {
      return std::holds_alternative<layer::convolution>(op.layer.what) &&
             op.layer.name.view().find('+') != std::string_view::npos;
    });
  return found;
}

template <class Hw>
std::ptrdiff_t expect_agreement(std::uint64_t seed, const quantised::graph& g) {
  const auto feeds = [&](const auto& network, std::uint64_t input) {
    return wide_graph::feeds(network, 10 * seed + input);
  };
  if (const auto why = disagreement(hardware<Hw>(), g, feeds); !why.empty())
    FAIL_CHECK(type_name<Hw>() << ", seed " << seed << ": " << why << '\n'
                               << smallest_failure(hardware<Hw>(), g, feeds, why));
  return joined_in(planned(hardware<Hw>(), g));
}

}  // namespace

TEST_CASE("convolutions that read one tensor become one, and no value changes") {
  std::ptrdiff_t joined = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto g = random_siblings(seed).make(40, 12);
    joined += expect_agreement<nv_small>(seed, g) + expect_agreement<nv_large>(seed, g) +
              expect_agreement<nv_full>(seed, g);
  }
  for (std::uint64_t seed = 60; seed < 70; ++seed) {
    const auto g = random_siblings(seed).make(200, 30);
    joined += expect_agreement<nv_small>(seed, g) + expect_agreement<nv_large>(seed, g);
  }
  CHECK(joined > 100);
}

TEST_CASE("so do those in 16 bits") {
  std::ptrdiff_t joined = 0;
  for (std::uint64_t seed = 100; seed < 130; ++seed)
    for (const auto p : {hw::precision::int16, hw::precision::fp16}) {
      const auto g = wide_graph::widened(random_siblings(seed).make(40, 12, false), seed, p);
      joined += expect_agreement<nv_full>(seed, g);
    }
  CHECK(joined > 20);
}

TEST_CASE("each picture of a batch has siblings of its own") {
  std::ptrdiff_t joined = 0;
  for (std::uint64_t seed = 200; seed < 230; ++seed) {
    const auto g = random_siblings(seed).make(40, 12);
    compile_options options;
    options.batch = 3;
    compiled batch(hardware<nv_full>(), g, options);
    std::vector<quantised::feed> all;
    std::vector<net::any_tensor> expected;
    for (std::uint64_t picture = 0; picture < 3; ++picture) {
      const auto feeds = random_graph::feeds(g, 10 * seed + picture);
      const auto each = quantised::evaluate_any(g, std::span<const quantised::feed>(feeds),
                                                quantised::order_of(nv_full::spec));
      all.insert(all.end(), feeds.begin(), feeds.end());
      expected.insert(expected.end(), each.begin(), each.end());
    }
    CAPTURE(seed);
    CHECK((batch.infer_any(all) == expected));
    CHECK(batch.trace_differences(all) == 0);
    joined += joined_in(batch.program());
  }
  CHECK(joined > 20);
}
