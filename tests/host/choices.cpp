// SPDX-License-Identifier: Apache-2.0
// Layers of the host that weigh values of a line against each other.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <nvdlac/host/registry.hpp>

using namespace nvdlac;

namespace {

template <class Op>
std::vector<float> computed(const Op& op, const net::float_tensor& x) {
  const net::float_tensor* const in[]{&x};
  CHECK(op.infer(std::vector{x.shape}) == x.shape);
  return op.evaluate(in).values;
}

}  // namespace

TEST_CASE("the logarithm of softmax over any axes, of large values as well") {
  const net::float_tensor x{{2, 1, 2}, {0, 10000, 1, 10002}};
  const auto y = computed(host::log_softmax{}, x);
  const double narrow = std::log(1 + std::exp(1.0)), wide = std::log(1 + std::exp(2.0));
  CHECK(double{y[0]} == doctest::Approx(-narrow));
  CHECK(double{y[1]} == doctest::Approx(-wide));
  CHECK(double{y[2]} == doctest::Approx(1 - narrow));
  CHECK(double{y[3]} == doctest::Approx(2 - wide));
  const auto lines = computed(host::log_softmax{{false, false, true}}, x);
  CHECK(lines[0] == -10000);
  CHECK(lines[1] == 0);
}

TEST_CASE("one at the first of the largest values") {
  const net::float_tensor x{{2, 1, 2}, {3, 7, 3, 8}};
  CHECK(computed(host::hard_max{}, x) == std::vector<float>{1, 0, 0, 1});
  CHECK(computed(host::hard_max{{false, false, true}}, x) == std::vector<float>{0, 1, 0, 1});
  CHECK(computed(host::hard_max{host::over_all}, x) == std::vector<float>{0, 0, 0, 1});
}
