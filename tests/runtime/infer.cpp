// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/runtime/infer.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/data/npy.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/runtime/output_array.hpp>
#include <nvdlac/runtime/session.hpp>

#include "compiled.hpp"
#include "loadable_of.hpp"
#include "planned.hpp"

using namespace nvdlac;
using namespace nvdlac::net;

TEST_CASE("real numbers in, real numbers out") {
  quantised::graph g;
  const auto in = g.add("in", quantised::input{{2, 3, 4}});
  const auto out = g.add("double", quantised::convolution{.weights = {2, -1}, .bias = {0},
                                                        .multiplier = {1}, .shift = 1}, {in});
  g[in].scale = 0.05;
  g[out].scale = 0.1;
  g[out].output = true;
  infer_shapes(g);
  float_tensor x{{2, 3, 4}};
  for (std::size_t i = 0; i < x.values.size(); ++i)
    x.values[i] = static_cast<float>(i % 7) - static_cast<float>(i % 3);
  runtime::session<nv_small> chip(compiled(hardware<nv_small>(), g).loadable());

  const auto y = runtime::infer(chip, std::vector{x});
  REQUIRE(y.size() == 1);
  REQUIRE(y[0].dims == std::vector<std::size_t>{1, 1, 3, 4});
  for (std::size_t i = 0; i < 12; ++i)
    CHECK(std::fabs(y[0].values[i] - (2 * x.values[i] - x.values[i + 12])) <= 0.05F);

  CHECK_THROWS_WITH_AS(runtime::infer(chip, {}), "the network has 1 input, not 0", error);
  float_tensor small{{2, 3, 3}};
  CHECK_THROWS_WITH_AS(runtime::infer(chip, std::vector{small}),
                       "layer 'in': takes 2x3x4, not 2x3x3 with 18 values", error);
  for (const float bad : {std::nanf(""), -std::numeric_limits<float>::infinity()}) {
    auto none = x;
    none.values[5] = bad;
    const auto said = text("layer 'in': element 5 is ", bad,
                           " (finite values that fit into a float)");
    CHECK_THROWS_WITH_AS(runtime::infer(chip, std::vector{none}), said.c_str(), error);
    auto binding = chip.inputs()[0];
    for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16}) {
      binding.surface.precision = p;
      CHECK_THROWS_AS(runtime::feed_of(none, binding), error);
      CHECK_NOTHROW(runtime::feed_of(x, binding));
    }
  }
  x.values.pop_back();
  CHECK_THROWS_AS(runtime::infer(chip, std::vector{x}), error);
}

TEST_CASE("values of an input that is a picture are the bytes that became them") {
  quantised::graph g;
  const auto in = g.add("in", quantised::input{{1, 2, 2}, quantised::pixels{.cvt = {.scale = 1}}});
  g[g.add("out", quantised::convolution{.weights = {1}, .bias = {0}, .multiplier = {1}},
          {in})].output = true;
  infer_shapes(g);
  auto binding = runtime::session<nv_small>(compiled(hardware<nv_small>(), g).loadable()).inputs();
  REQUIRE(binding[0].picture);
  const std::vector given{float_tensor{{1, 2, 2}, {-1, 0, 0.26F, 2}}};
  binding[0].preprocessing.reset();
  CHECK_THROWS_WITH_AS(runtime::feeds_of(given, binding), doctest::Contains("does not tell how"),
                       error);
  binding[0].preprocessing = net::preprocessing{.mean = {128}, .scale = {1.0 / 128}};
  CHECK(std::get<std::vector<std::uint8_t>>(runtime::feeds_of(given, binding).at(0)) ==
        std::vector<std::uint8_t>{0, 128, 161, 255});
}

TEST_CASE("an array of outputs has the shape in the file, or several runs in front of it") {
  using list = std::vector<std::size_t>;
  const auto dims = [](std::vector<std::int32_t> in_file, std::size_t runs, bool raw) {
    const net::file_tensor form{.name = "y", .shape = std::move(in_file)};
    runtime::output_array y({form, {{0, form}}}, raw);
    const auto elements = static_cast<std::int32_t>(form.size());
    const runtime::binding b{.name = "y", .shape = {elements, 1, 1}, .scale = 0.5};
    for (std::size_t i = 0; i < runs; ++i)
      y.take({b}, {net::tensor<std::int8_t>{{elements, 1, 1}}});
    const auto npy = y.npy();
    return data::parse_npy({npy.begin(), npy.end()}, "y.npy").content.dims;
  };
  for (const bool raw : {false, true}) {
    CHECK(dims({4, 1, 8}, 1, raw) == list{4, 1, 8});
    CHECK(dims({4, 1, 8}, 3, raw) == list{3, 4, 1, 8});
    CHECK(dims({1, 4, 8}, 1, raw) == list{1, 4, 8});
    CHECK(dims({1, 4, 8}, 3, raw) == list{3, 4, 8});
    CHECK(dims({4}, 1, raw) == list{4});
    CHECK(dims({}, 1, raw) == list{});
    CHECK(dims({}, 3, raw) == list{3});
  }
}

namespace {

// A layer of the user's own.
struct threefold {
  static constexpr arity inputs{1, 1};

  float bias = 0;
  static constexpr void fields(auto&& field) { field("bias", &threefold::bias); }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    float_tensor y = *in[0];
    for (float& v : y.values) v = 3 * v + bias;
    return y;
  }
};

}  // namespace

TEST_CASE("a layer of the user's own is computed by the host that knows it") {
  quantised::graph g;
  const auto in = g.add("in", quantised::input{{2, 2, 2}});
  const auto own = host::on_host(threefold{.bias = 0.5F});
  const auto out = g.add("own", quantised::on_host{own.call, own.layer, {2, 2, 2}}, {in});
  g[in].scale = 0.25;
  g[out].scale = 0.5;
  g[out].output = true;
  infer_shapes(g);
  const auto program = planned(hardware<nv_small>(), g);
  const auto loadable = cli::loadable_of(hardware<nv_small>(), program);

  CHECK_THROWS_WITH_AS(runtime::session<nv_small>{loadable},
                       doctest::Contains("the host has no layer 'threefold'"), error);
  host::registry mine;
  mine.add<threefold>();
  runtime::session<nv_small> chip(loadable, {}, {}, mine);
  const float_tensor x{{2, 2, 2}, {-2, -1, -0.5F, 0, 0.5F, 1, 1.5F, 2}};
  const auto y = runtime::infer(chip, std::vector{x});
  CHECK(y.at(0).values == std::vector<float>{-5.5F, -2.5F, -1, 0.5F, 2, 3.5F, 5, 6.5F});
}
