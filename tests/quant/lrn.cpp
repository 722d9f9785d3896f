// SPDX-License-Identifier: Apache-2.0
// How far CDP's tables are from real local response normalisation.
#include <doctest/doctest.h>

#include <cmath>
#include <tuple>

#include <nvdlac/quant/lrn.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "networks.hpp"

using namespace nvdlac;
using namespace quant_test;

namespace {

// The largest error of a result in steps of the output, its own rounding included: over sums of
// squares, each with all elements that it can have.
double worst_error(const net::lrn& op, const quantised::lrn& q, double in_scale,
                   double out_scale) {
  const auto tables = quantised::tables_of(q.le, q.lo);
  arithmetic::lut_counts counts;
  double worst = 0;
  for (std::int64_t sum = 1; sum <= std::int64_t{op.local_size} * 128 * 128;
       sum += sum < 3000 ? 1 : 7) {
    const double real = in_scale / out_scale *
                        std::pow(double{op.k} + double{op.alpha} / op.local_size * in_scale *
                                                    in_scale * static_cast<double>(sum),
                                 -double{op.beta});
    const std::int64_t factor = arithmetic::cdp_lut(q.table, tables, sum, counts);
    for (int x = 1; x <= 128 && std::int64_t{x} * x <= sum; ++x) {
      const auto y = saturate<8>(round_shift(factor * -x * q.out.scale, q.out.shift));
      worst = std::max(worst, std::fabs(static_cast<double>(y) + std::min(x * real, 128.0)));
      if (x * real > 140) break;
    }
  }
  return worst;
}

// The largest error of a result of elements of any size up to `range`, in int16 or fp16, as a part
// of the largest result, which is the range of the output.
template <class T>
double worst_part(const net::lrn& op, double range) {
  std::mt19937 random(5);
  constexpr bool real = quantised::is_real<T>;
  const double in_scale = real ? 1 : range / 32767;
  const std::int32_t channels = 19, side = 36;
  net::tensor<T> x{{channels, side, side}};
  for (std::int32_t c = 0; c < channels; ++c)
    for (std::int32_t y = 0; y < side; ++y)
      for (std::int32_t column = 0; column < side; ++column) {
        const double v = range * std::ldexp(1, -(column % 12)) *
                         (static_cast<double>(random() % 4001) / 2000 - 1) / in_scale;
        if constexpr (real) x.at(c, y, column) = std::bit_cast<T>(quant::half_bits(v, "x"));
        else x.at(c, y, column) = static_cast<T>(std::lround(v));
      }
  const auto numbers = quantised::real_of(x, in_scale);
  const std::array real_in{&numbers};
  const auto exact = op.evaluate(std::span<const net::float_tensor* const>(real_in));
  double top = 0;
  for (const float v : exact.values) top = std::max(top, std::fabs(static_cast<double>(v)));
  const double out_scale = real ? 1 : top / 32767;
  const auto q = real ? quant::real_lrn(op, range)
                      : quant::quantise_lrn(op, in_scale, out_scale, hw::precision::int16);
  const std::array in{static_cast<const net::tensor<T>*>(&x)};
  const auto y = q.evaluate(std::span<const net::tensor<T>* const>(in));
  double worst = 0;
  for (std::size_t i = 0; i < y.values.size(); ++i)
    worst = std::max(worst, std::fabs(quantised::value_of(y.values[i]) * out_scale -
                                      static_cast<double>(exact.values[i])));
  return worst / top;
}

// The scale for which the largest element beside others of the usual size gives 127.
double usual_scale(const net::lrn& op, double in_scale) {
  const double x = 127 * in_scale;
  const double sum = x * x + (op.local_size - 1) * x * x / 3;
  const double base = double{op.k} + double{op.alpha} / op.local_size * sum;
  return x * std::pow(base, -double{op.beta}) / 127;
}

double worst_error(const net::lrn& op, double in_scale) {
  const double out_scale = usual_scale(op, in_scale);
  return worst_error(op, quant::quantise_lrn(op, in_scale, out_scale), in_scale, out_scale);
}

}  // namespace

TEST_CASE("tables are as good as int8 can tell, and the bound that is documented beyond") {
  // alpha / n * scale^2 / k, and the error allowed: docs/quantisation.md
  for (const auto& [c, bound] : {std::pair{1e-6, 0.51}, {1e-5, 0.51}, {1e-4, 0.53}, {1e-3, 0.75},
                                 {1e-2, 3.5}, {1.0, 6.0}})
    for (const int size : {3, 5, 9})
      for (const float beta : {0.5F, 0.75F, 1.0F}) {
        CAPTURE(c);
        CAPTURE(size);
        CAPTURE(beta);
        CHECK(worst_error({.local_size = size, .alpha = static_cast<float>(c * size),
                           .beta = beta}, 1) < bound);
      }
}

TEST_CASE("networks' own normalisations round once") {
  for (const double scale : {0.01, 0.3, 2.0})
    for (const int size : {3, 5, 7, 9}) {
      CHECK(worst_error({.local_size = size, .alpha = 1e-4F}, scale) < 0.53);
      CHECK(worst_error({.local_size = size, .alpha = 1e-4F, .k = 2}, scale) < 0.53);
      CHECK(worst_error({.local_size = size, .alpha = 1e-4F, .beta = 0.5F}, scale) < 0.53);
      CHECK(worst_error({.local_size = size, .alpha = 1e-4F, .beta = -0.5F}, scale) < 0.53);
      CHECK(worst_error({.local_size = size, .alpha = 0}, scale) < 0.51);
    }
}

TEST_CASE("in int16 and fp16 tables are within the documented part of the largest result") {
  // alpha / n * range^2 / k, and the parts allowed: docs/quantisation.md
  for (const auto& [c, in_int16, in_fp16] :
       {std::tuple{0.1, 5e-5, 1e-3}, {10.0, 8e-4, 1.3e-3}, {1000.0, 0.016, 0.025}})
    for (const int size : {3, 9})
      for (const float beta : {0.5F, 0.75F, 1.0F}) {
        CAPTURE(c);
        CAPTURE(size);
        CAPTURE(beta);
        const double range = 6;
        const net::lrn op{.local_size = size,
                          .alpha = static_cast<float>(c * size / range / range), .beta = beta};
        CHECK(worst_part<std::int16_t>(op, range) < in_int16);
        CHECK(worst_part<net::half>(op, range) < in_fp16);
      }
}

TEST_CASE("random tensors come close to the real operator, and each attribute counts") {
  std::mt19937 random(3);
  for (const int channels : {1, 4, 19}) {
    const net::lrn usual{.local_size = 5, .alpha = 0.5F, .beta = 0.75F, .k = 1.5F};
    const std::vector x{random_tensor(random, {channels, 5, 7}, 2)};
    std::vector<std::vector<float>> seen;
    for (const auto& op : {usual, net::lrn{3, 0.5F, 0.75F, 1.5F}, net::lrn{5, 1.5F, 0.75F, 1.5F},
                           net::lrn{5, 0.5F, 1.5F, 1.5F}, net::lrn{5, 0.5F, 0.75F, 3}}) {
      net::graph g;
      const auto in = g.add("in", net::input{x[0].shape});
      mark(g, g.add("norm", op, {in}));
      const auto table = min_max_table(g, x);
      const auto q = quant::quantise(g, table);
      const double step = q[1].scale;
      const auto real = net::evaluate(g, std::span<const net::float_tensor>(x));
      const auto got = run(q, x);
      double worst = 0;
      for (std::size_t i = 0; i < got[0].values.size(); ++i)
        worst = std::max(worst, std::fabs(static_cast<double>(got[0].values[i]) -
                                          static_cast<double>(real[0].values[i])));
      CHECK(worst / step < 2);  // the input was rounded, too
      for (const auto& other : seen) CHECK((other != got[0].values));
      if (channels > 1) seen.push_back(got[0].values);
    }
  }
}

TEST_CASE("scales and powers of any size give tables or a refusal") {
  for (const double in : {1e-30, 1e-3, 1e30})
    for (const double out : {1e-30, 1e-3, 1e30})
      for (const float beta : {-2.0F, 0.0F, 0.75F, 50.0F}) {
        const net::lrn op{.alpha = 1, .beta = beta};
        try {
          const auto q = quant::quantise_lrn(op, in, out);
          CHECK(q.fit(std::array{net::shape{8, 1, 1}}).ok());
        } catch (const error& e) {
          CHECK(std::string(e.what()).find("power of -beta") != std::string::npos);
        }
      }
  CHECK_THROWS_AS(quant::quantise_lrn({.k = -1}, 1, 1), error);
  CHECK_THROWS_AS(quant::quantise_lrn({.alpha = -1}, 1, 1), error);
  CHECK_NOTHROW(quant::quantise_lrn({.alpha = 1, .k = 0}, 1, 1));
}
