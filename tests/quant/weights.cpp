// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include <nvdlac/quant/convolution.hpp>

using namespace nvdlac;

TEST_CASE("multiples of a step keep their integers") {
  CHECK(quant::integer_of_largest(std::vector<double>{0.3, -0.9, 6.6, 0}, 6.6) == 110);
  CHECK(quant::integer_of_largest(std::vector<double>{-12.7, 0.1, 3.3}, 12.7) == 127);
  // The finest step counts; there are no 128 of them; the last ones are no multiples.
  CHECK(quant::integer_of_largest(std::vector<double>{1, -1}, 1) == 127);
  CHECK(quant::integer_of_largest(std::vector<double>{12.8, 0.1}, 12.8) == 127);
  CHECK(quant::integer_of_largest(std::vector<double>{3.14159, 2.71828, 1.41421}, 3.14159) == 127);
  CHECK(quant::integer_of_largest(std::vector<double>{0, 0}, 0) == 127);
}

TEST_CASE("weights are rounded so that the sum over a channel is the nearest") {
  const std::vector<double> weights{1.4, 2.4, -3.45, 0.49,  // 0.84: two would be lost
                                    5.5, -1.6, 0.2, -4.0,   // 0.1
                                    126.6, 127, 127, 127};  // nothing is above 127
  std::vector<std::int8_t> q(weights.size());
  quant::round_weights(weights, 4, q);
  CHECK(q == std::vector<std::int8_t>{1, 2, -3, 1, 6, -2, 0, -4, 127, 127, 127, 127});
  for (std::size_t i = 0; i < q.size(); ++i) CHECK(std::fabs(weights[i] - q[i]) < 1);
}
