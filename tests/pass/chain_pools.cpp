// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/chain_pools.hpp>
#include <tests/net/random.hpp>

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

pool around(std::int32_t kernel, pool_kind kind = pool_kind::maximum) {
  const std::int32_t pad = kernel / 2;
  return {.kind = kind,
          .window = {.kernel_h = kernel, .kernel_w = kernel, .pad_top = pad, .pad_left = pad,
                     .pad_bottom = pad, .pad_right = pad}};
}

// The windows of the poolings after the pass, whose values are those of before.
std::vector<std::int32_t> windows(shape in, const std::vector<pool>& pools) {
  graph g;
  const auto data = g.add("data", input{in}, {});
  for (std::size_t i = 0; i < pools.size(); ++i)
    g[g.add("p" + std::to_string(i), pools[i], {data})].output = true;
  infer_shapes(g);
  float_tensor x{in};
  x.values = randomness(7).reals(in.size());
  const auto before = evaluate(g, x);
  pass::chain_pools::run(g);
  infer_shapes(g);
  REQUIRE(verify(g).empty());
  CHECK(evaluate(g, x) == before);
  std::vector<std::int32_t> found;
  for (const auto n : g.outputs()) found.push_back(std::get<pool>(g[n].op).window.kernel_h);
  return found;
}

using list = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("maxima of large windows are maxima of those of smaller ones") {
  CHECK(windows({2, 13, 11}, {around(5), around(9), around(13)}) == list{5, 5, 5});
  CHECK(windows({2, 13, 11}, {around(13), around(5), around(9)}) == list{5, 5, 5});
  CHECK(windows({1, 4, 3}, {around(5), around(9), around(13)}) == list{5, 5, 5});
  const auto least = pool_kind::minimum;
  CHECK(windows({2, 9, 9}, {around(3, least), around(9, least)}) == list{3, 7});
}

TEST_CASE("other poolings stay") {
  CHECK(windows({2, 9, 9}, {around(3), around(5)}) == list{3, 5});  // PDP takes both at once
  CHECK(windows({2, 9, 9}, {around(3, pool_kind::minimum), around(9)}) == list{3, 9});
  CHECK(windows({2, 9, 9}, {around(5, pool_kind::average), around(9)}) == list{5, 9});
}
