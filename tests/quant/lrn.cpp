// SPDX-License-Identifier: Apache-2.0
// How far CDP's tables are from real local response normalisation.
#include <doctest/doctest.h>

#include <cmath>

#include <nvdlac/quant/lrn.hpp>

#include "networks.hpp"

using namespace nvdlac;
using namespace quant_test;

namespace {

// The largest error of a result in steps of the output, its own rounding included: over sums of
// squares, each with all elements that it can have.
double worst_error(const net::lrn& op, const net::integer::lrn& q, double in_scale,
                   double out_scale) {
  const auto tables = q.tables();
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
