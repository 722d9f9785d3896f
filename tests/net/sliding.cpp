// SPDX-License-Identifier: Apache-2.0
// The sums behind convolutions: every instruction set gives the bits of the plain order of sums.
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/sliding_sums.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/convolution.hpp>

#include "random.hpp"

using namespace nvdlac::net;

namespace {

struct sliding_case {
  window w{};
  shape in{}, out{};
  std::int32_t groups = 1;

  std::size_t depth() const {
    return static_cast<std::size_t>(in.c / groups * w.kernel_h * w.kernel_w);
  }
};

sliding_case drawn_case(randomness& random, std::int32_t most_channels) {
  sliding_case s{.w = random.window(4, true), .groups = random.coin() ? 1 : random.integer(2, 4)};
  s.in = {s.groups * random.integer(1, most_channels), random.integer(8, 12),
          random.integer(8, 20)};
  if (random.integer(0, 3) == 0) s.w = {};  // in place
  s.out = fit_window(s.w, s.in, s.groups * random.integer(1, 19)).value();
  return s;
}

// The results that sum(products) makes of each sum's products in the order of the weights.
template <class T, class Sum>
std::vector<double> plain_sums(const sliding_case& s, const tensor<T>& x,
                               const std::vector<T>& weights, T pad, Sum sum) {
  std::vector<double> result;
  const auto channels = s.in.c / s.groups;
  for (std::int32_t k = 0; k < s.out.c; ++k)
    for (std::int32_t oy = 0; oy < s.out.h; ++oy)
      for (std::int32_t ox = 0; ox < s.out.w; ++ox) {
        std::vector<float> products;
        auto weight = weights.begin() + static_cast<std::ptrdiff_t>(s.depth()) * k;
        for (std::int32_t c = 0; c < channels; ++c)
          for (std::int32_t r = 0; r < s.w.kernel_h; ++r)
            for (std::int32_t q = 0; q < s.w.kernel_w; ++q) {
              const auto y = oy * s.w.stride_h - s.w.pad_top + r * s.w.dilation_h;
              const auto column = ox * s.w.stride_w - s.w.pad_left + q * s.w.dilation_w;
              const bool inside = y >= 0 && y < s.in.h && column >= 0 && column < s.in.w;
              const auto group = k / (s.out.c / s.groups);
              const T v = inside ? x.at(group * channels + c, y, column) : pad;
              products.push_back(static_cast<float>(*weight++) * static_cast<float>(v));
            }
        result.push_back(sum(products));
      }
  return result;
}

template <class T>
std::vector<double> sums_by(const sum_blocks& set, const sliding_case& s, const tensor<T>& x,
                            const std::vector<T>& weights, T pad) {
  const auto area = static_cast<std::size_t>(s.out.h * s.out.w);
  std::vector<double> result(s.out.size(), -1);
  std::vector<int> stored(s.out.size());
  sliding_sums(s.w, s.in, x.values.data(), s.out, s.groups, weights.data(),
               [&](std::size_t k, std::size_t position, std::span<const double> sums) {
                 for (auto i = k * area + position; const double sum : sums) {
                   result.at(i) = sum;
                   ++stored.at(i++);
                 }
               }, pad, set);
  CHECK(std::ranges::all_of(stored, [](int n) { return n == 1; }));
  return result;
}

// In float over 1024 products, then in double.
double in_chunks(const std::vector<float>& products) {
  double sum = 0;
  for (std::size_t start = 0; start < products.size(); start += 1024) {
    volatile float partial = 0;  // rounded after every product
    for (std::size_t i = start; i < std::min(products.size(), start + 1024); ++i)
      partial = partial + products[i];
    sum += double{partial};
  }
  return sum;
}

}  // namespace

TEST_CASE("sums of floats have the same bits by every instruction set") {
  REQUIRE(sets_of_sum_blocks().back()->name == "portable");
  randomness random(7);
  for (int i = 0; i < 25; ++i) {
    // Now and then more than a chunk of products for each sum.
    const auto s = drawn_case(random, i % 5 == 0 ? 90 : 6);
    if (s.out.h * s.out.w == 1) continue;  // of one position by `dot`
    const auto x = random.tensor(s.in);
    const auto weights =
        random.reals(s.depth() * static_cast<std::size_t>(s.out.c));
    const auto wanted = plain_sums(s, x, weights, 0.0F, in_chunks);
    for (const auto* set : sets_of_sum_blocks()) {
      CAPTURE(set->name);
      CAPTURE(s.in);
      CAPTURE(s.out);
      const auto got = sums_by(*set, s, x, weights, 0.0F);
      CHECK(std::ranges::equal(got, wanted, {}, [](double v) {
        return std::bit_cast<std::uint64_t>(v);
      }, [](double v) { return std::bit_cast<std::uint64_t>(v); }));
    }
  }
}

TEST_CASE("sums of integers are exact by every instruction set, whatever is around the input") {
  randomness random(8);
  for (int i = 0; i < 25; ++i) {
    const auto s = drawn_case(random, i % 5 == 0 ? 90 : 6);
    const auto x = random.int8(s.in);
    const auto weights = random.integers<std::int8_t>(
        s.depth() * static_cast<std::size_t>(s.out.c), -128, 127);
    const auto pad = static_cast<std::int8_t>(random.integer(-128, 127));
    const auto wanted = plain_sums(s, x, weights, pad, [](const std::vector<float>& products) {
      std::int64_t sum = 0;
      for (const float p : products) sum += static_cast<std::int64_t>(p);
      return static_cast<double>(sum);
    });
    for (const auto* set : sets_of_sum_blocks()) {
      CAPTURE(set->name);
      CHECK(sums_by(*set, s, x, weights, pad) == wanted);
    }
  }
}

TEST_CASE("bias, operand and activation are added in double and rounded once") {
  const std::vector<double> sums{1, -3, 0.1, -0.1, 1e-30, -2};
  const std::vector<float> operand{1e8F, 1, -0.1F, 0.1F, 0, 5};
  std::vector<float> y(sums.size());
  for (const bool relu : {false, true})
    for (const float* more : {static_cast<const float*>(nullptr), operand.data()}) {
      finish_sums(sums, 0.25, more, relu, y.data());
      for (std::size_t i = 0; i < sums.size(); ++i) {
        double wanted = sums[i] + 0.25;
        if (more) wanted += double{more[i]};
        if (relu) wanted = std::max(wanted, 0.0);
        CHECK(y[i] == static_cast<float>(wanted));
      }
    }
}
