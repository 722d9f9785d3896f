// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/lower/compiled_target.hpp>
#include <nvdlac/lower/float_rules.hpp>
#include <nvdlac/lower/own_float_rules.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quant/sample_stream.hpp>
#include <nvdlac/standard_steps.hpp>

using namespace nvdlac;

namespace {

// nv_full, but for a normalisation that its team does not want.
struct no_lrn {
  static constexpr hw::spec spec = nv_full::spec;
};

}  // namespace

template <>
struct nvdlac::lower::support<net::lrn, no_lrn> {
  static constexpr reason check(const net::lrn&, std::span<const net::shape>) {
    return reason::no_cdp;
  }
};

namespace {

constexpr auto any_layers = std::numeric_limits<std::uint64_t>::max();

// A network of what configurations differ in: a table, a normalisation, a kernel too large for a
// small CBUF, an average, and a sum behind a convolution.
net::graph network() {
  net::graph g;
  auto x = g.add("input", net::input{.shape = {8, 16, 16}});
  x = g.add("sigmoid", net::activation{.function = net::function::sigmoid}, {x});
  x = g.add("norm", net::lrn{.local_size = 5}, {x});
  const auto convolution =
      g.add("convolution",
            net::convolution{.kernels = 8, .window = {.kernel_h = 3, .kernel_w = 3, .pad_top = 1,
                                                      .pad_left = 1, .pad_bottom = 1,
                                                      .pad_right = 1}},
            {x});
  x = g.add("sum", net::add{}, {convolution, x});
  x = g.add("average",
            net::pool{.kind = net::pool_kind::average, .window = {.kernel_h = 16, .kernel_w = 16}},
            {x});
  g[x].output = true;
  net::infer_shapes(g, net::check_constants::no);
  return g;
}

std::string told(const std::vector<problem>& found) {
  std::string all;
  for (const auto& p : found) all += p.layer + ": " + p.reason + " (" + p.remedy + ")\n";
  return all;
}

}  // namespace

TEST_CASE_TEMPLATE("the shared rules judge by a configuration's numbers as its own do", Hw,
                   nv_small, nv_small_256, nv_small_256_full, nv_medium_512, nv_medium_1024_full,
                   nv_large, nv_full) {
  const auto& rules = lower::standard_float_rules();
  CHECK(&lower::float_rules_of<Hw, net::graph>() == &rules);
  const auto hw = lower::compiled_target<Hw>();
  const auto g = network();
  for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16})
    CHECK(told(rules.check(hw, g, {p}, any_layers)) == told(lower::check<Hw>(g, {p}, any_layers)));
  auto a = g, b = g;
  rules.keep_scales(hw, a, {});
  lower::keep_scales<Hw>(b);
  for (net::graph::id n = 0; n < g.size(); ++n) {
    const auto *one = a.get_if<net::pool>(n), *other = b.get_if<net::pool>(n);
    if (one != nullptr) CHECK(one->keeps_scale == other->keeps_scale);
    if (g[n].name == "sum")
      CHECK(rules.adds_behind(hw, g, n - 1, n, {}) == lower::adds_behind<Hw>(g, n - 1, n, {}));
  }
}

TEST_CASE("a configuration's own rule for an operator in float is asked") {
  const auto hw = lower::compiled_target<no_lrn>();
  const auto& own = lower::float_rules_of<no_lrn, net::graph>();
  REQUIRE(&own != &lower::standard_float_rules());
  CHECK(told(own.check(hw, network(), {}, any_layers)).starts_with("norm: lrn does not run on "));
  CHECK(lower::standard_float_rules().check(hw, network(), {}, any_layers).empty());
  net::graph g;
  g[g.add("norm", net::lrn{}, {g.add("input", net::input{.shape = {8, 4, 4}})})].output = true;
  net::infer_shapes(g);
  CHECK_THROWS_WITH_AS(standard_steps<no_lrn>::prepare(g, quant::scale_table{}, {}),
                       doctest::Contains("lrn does not run on"), error);
}
