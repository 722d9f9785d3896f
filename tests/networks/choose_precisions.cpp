// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/choose_precisions.hpp>

#include <doctest/doctest.h>

using namespace nvdlac;

namespace {

// Classes by small values, which in int8 are nothing beside the large one that "far" gives as well:
// a slope above 1 behind it keeps its channels from steps of their own.
net::graph far_reaching(float reach = 1000) {
  net::graph g;
  const auto in = g.add("in", net::input{{4, 1, 1}});
  std::vector<float> far(5 * 4, 0.0F), pick(4 * 5, 0.0F);
  far[0] = reach;
  for (std::size_t i = 0; i < 4; ++i) {
    far[(i + 1) * 4 + i] = 1;
    pick[i * 5 + i + 1] = 1;
  }
  const auto first = g.add("far", net::fully_connected{.outputs = 5, .weights = far}, {in});
  const auto bent = g.add("bent", net::prelu{.slope = {2}}, {first});
  const auto last = g.add("pick", net::fully_connected{.outputs = 4, .weights = pick}, {bent});
  g[last].output = true;
  return g;
}
std::vector<sample> samples_of_classes(float apart) {
  std::vector<sample> all;
  for (std::size_t k = 0; k < 8; ++k) {
    net::float_tensor t{{4, 1, 1}};
    t.values = {1 - apart, 1 - 2 * apart, 1 - 3 * apart, 1 - 4 * apart};
    t.values[k % 4] = 1 - apart * static_cast<float>(k) / 64;
    all.push_back({t});
  }
  return all;
}
// Classes differ by so much of an input, of which int8 tells a 127th apart.
precision_choice chosen(const net::graph& g, hw::precision wide, double most,
                        float apart = 0.25F, const faster& is_faster = {}) {
  const auto all = samples_of_classes(apart);
  const quant::sample_stream stream{all.size(), [&](const auto& visit) {
    for (const auto& s : all) visit(s);
  }};
  return choose_precisions(g, stream, wide, most, {},
                           [&](const scale_source& source, const compile_options& how) {
                             return prepare(g, source, how, pass::silent{}, [](net::graph&) {});
                           },
                           is_faster);
}

}  // namespace

TEST_CASE("the layer that needs 16 bits gets them, and what reads it, and no other") {
  auto g = far_reaching();
  g[3].output = false;
  std::vector<float> same(4 * 4, 0.0F);
  for (std::size_t i = 0; i < 4; ++i) same[i * 5] = 1;
  const auto last = g.add("same", net::fully_connected{.outputs = 4, .weights = same}, {3});
  g[last].output = true;
  for (const auto wide : {hw::precision::int16, hw::precision::fp16}) {
    const auto found = chosen(g, wide, 0);
    CHECK(found.precisions ==
          net::layer_precisions(hw::precision::int8,
                                {{"far", wide}, {"bent", wide}, {"pick", wide}}));
    CHECK(found.narrow > 25);
    CHECK(found.changed == 0);
    CHECK(found.wide == 0);
  }
}

TEST_CASE("where int8 is good enough all layers are in int8") {
  const auto found = chosen(far_reaching(), hw::precision::int16, 100);
  CHECK(found.precisions == net::layer_precisions(hw::precision::int8));
  CHECK(found.changed == found.narrow);
}

TEST_CASE("where the input needs 16 bits too, or no mixture is faster, all layers have them") {
  const auto found = chosen(far_reaching(1), hw::precision::int16, 0, 1e-3F);
  CHECK(found.precisions == net::layer_precisions(hw::precision::int16));
  CHECK(found.wide_layers == found.layers);
  CHECK(found.changed == 0);
  const auto slower = chosen(far_reaching(), hw::precision::int16, 0, 0.25F,
                             [](const auto&, const auto&) { return false; });
  CHECK(slower.precisions == net::layer_precisions(hw::precision::int16));
}

TEST_CASE("where 16 bits change the class too, it is said how often") {
  const auto g = far_reaching();
  CHECK_THROWS_WITH_AS(chosen(g, hw::precision::int16, 0, 1e-3F),
                       doctest::Contains("in int16 75 % of the samples change, in int8 75 %"),
                       error);
  CHECK_THROWS_WITH_AS(chosen(g, hw::precision::int8, 0),
                       "int8 is not wider than int8: choose int16 or fp16", error);
}
