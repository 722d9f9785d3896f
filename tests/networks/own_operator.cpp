// SPDX-License-Identifier: Apache-2.0
// A network with operators of a user's own through the whole toolkit.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/compile.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/import/onnx.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/net/builder.hpp>

#include "examples/own_operator/blur.hpp"
#include "examples/own_operator/tint.hpp"
#include "pipeline.hpp"

using namespace nvdlac;

namespace {

// Known to a graph, but to no hardware.
struct unheard {
  static constexpr net::arity inputs{1, 1};
  static constexpr std::string_view onnx = "my.company:Unheard";
  static constexpr void fields(auto&&) {}

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const { return *in[0]; }
};

}  // namespace

template <>
struct nvdlac::quant::rule<unheard> : usual_rule {
  static void run(const unheard&, auto& to) { put_scale(to, std::array{1.0}); }
};

namespace {

// One list for all tests: what is compiled for a list takes a compiler half a minute.
using graph = net::graph_with<unheard, tint>;

constexpr net::network tinted{
    net::node{"picture", net::input{{3, 9, 11}}},
    net::node{"tinted", tint{.gain = {1, -0.5, 0.1}}},
    net::relu{},
    net::node{"soft", blur{}},
    net::node{"both", net::concat{}, "soft", "picture"},
};
static_assert(runs_on<nv_small>(tinted));

template <class Hw>
void check(const graph& network, const sample& picture, const compile_options& options = {}) {
  const std::vector<sample> samples{picture};
  const auto program = compile<Hw>(network, samples, options);
  const auto prepared = prepare(network, samples, options, pass::verify{}, [](const auto&) {});
  const auto p = options.precision.all;
  const auto feed = quantised::feed_of(
      quantised::numbers_of(picture[0], program.inputs[0].scale, p));
  compiled chip(hardware<Hw>(), prepared.integers, options);
  const auto out = chip.infer_any({feed}).at(0);
  CHECK((out == quantised::evaluate_any(prepared.integers, std::array{feed},
                                           quantised::order_of(Hw::spec)).at(0)));
  CHECK(chip.trace_differences({feed}) == 0);

  // Half a step for the input, for the tint and for the blur, and a little for the weights. In fp16
  // a step is relative: of values up to 8, at most 2^-8.
  const auto real = net::evaluate(network, picture[0]).at(0);
  const double step = p == hw::precision::fp16 ? 0x1p-8 : program.outputs[0].scale;
  const auto values = quantised::real_of(out, program.outputs[0].scale).values;
  REQUIRE(values.size() == real.values.size());
  double worst = 0;
  for (std::size_t i = 0; i < real.values.size(); ++i)
    worst = std::max(worst, std::fabs(static_cast<double>(real.values[i] - values[i])));
  CHECK(worst <= 2 * step);
}

}  // namespace

TEST_CASE("own operators run on the simulated NVDLA as their float reference says") {
  std::mt19937 random(5);
  const auto noise = [&](net::shape s) {
    net::float_tensor picture{s};
    for (auto& v : picture.values) v = static_cast<float>(random() % 511) / 64 - 4;
    return picture;
  };
  const auto written = net::to_graph<graph>(tinted);
  const sample picture{noise({3, 9, 11})}, small{noise({3, 6, 8})};
  check<nv_small>(written, picture);
  check<nv_full>(written, picture, {.without = {"fuse_relu"}, .calibrate = quant::min_max{}});
  // A network that is read from a file that has them.
  const graph read = import::onnx<type_list<unheard, tint, blur>>(
      NVDLAC_SOURCE_DIR "/examples/own_operator/warm.onnx");
  check<nv_small>(read, small);
  for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16}) {
    CAPTURE(hw::name_of(p));
    check<nv_full>(written, picture, {.precision = p});
    check<nv_full>(read, small, {.precision = p});
  }
}

TEST_CASE("an own operator that no hardware is said to run is an error with its layer") {
  graph g;
  const auto in = g.add("in", net::input{{1, 2, 2}});
  g[g.add("strange", unheard{}, {in})].output = true;
  net::infer_shapes(g);
  const std::vector<sample> samples{{net::float_tensor{{1, 2, 2}, {1, 2, 3, 4}}}};
  CHECK_THROWS_WITH_AS(
      compile<nv_small>(g, samples),
      doctest::Contains("layer 'strange': unheard does not run on nv_small: no lowering is known"),
      error);
}
