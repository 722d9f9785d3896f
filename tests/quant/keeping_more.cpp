// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/keeping_more.hpp>

#include <string>

#include <doctest/doctest.h>

#include <nvdlac/quantised/graph.hpp>

using namespace nvdlac;

TEST_CASE("what keeps more of an output's numbers is no precision that computes them already") {
  const auto remedy = [](hw::precision a, hw::precision b) {
    quantised::graph g;
    const auto x = g.add("x", quantised::input{.shape = {1, 1, 1}});
    g[x].precision = a;
    g[g.add("y", quantised::scale{}, {x})].precision = b;
    return quant::keeping_more(g);
  };
  const auto says = [](const std::string& text, const char* words) {
    return text.find(words) != text.npos;
  };
  using enum hw::precision;
  CHECK(says(remedy(int8, int8), "int16 keeps more than int8"));
  CHECK(remedy(int8, int16) == remedy(int8, int8));
  CHECK(says(remedy(int16, int16), "--precision fp16"));
  CHECK(!says(remedy(int16, int16), "int16 keeps more"));
  CHECK(!says(remedy(int16, int16), "--effort"));
  CHECK(says(remedy(fp16, fp16), "11 bits"));
  CHECK(!says(remedy(fp16, fp16), "--effort"));
}
