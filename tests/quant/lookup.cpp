// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/lookup.hpp>

#include <doctest/doctest.h>

#include "networks.hpp"

using namespace quant_test;

namespace {

struct fixture {
  net::graph g{};
  std::mt19937 random{9};
  net::graph::id in = g.add("in", net::input{{4, 6, 6}});
  std::vector<net::float_tensor> x{random_tensor(random, {4, 6, 6}, 2)};
  net::graph::id conv = g.add("conv", net::convolution{.kernels = 5,
                                                       .weights = random_values(random, 20, 1),
                                                       .bias = random_values(random, 5, 1)}, {in});

  quantised::graph after(auto op, double worst = 3) {
    const auto n = mark(g, g.add("f", std::move(op), {conv}));
    auto table = min_max_table(g, x);
    const auto q = quant::quantise(g, table);
    CHECK(worst_steps(g, q, x) < worst);
    CHECK(q[q.outputs()[0]].name == g[n].name);
    return q;
  }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "a convolution takes over what saturation does not clip") {
  SUBCASE("ReLU6 is ReLU at a scale that ends at 6") {
    const auto q = after(net::clip{0, 1});
    REQUIRE(q.size() == 2);
    const auto& op = std::get<quantised::convolution>(q[1].op);
    CHECK(op.relu);
    CHECK(op.high == quantised::no_high);
  }
  SUBCASE("a bound within the scale") {
    const auto q = after(net::clip{-1.5F, 0.5F});
    REQUIRE(q.size() == 3);  // -127 and 42 are two bounds
    CHECK(std::get<quantised::clip>(q[2].op).high == 42);
  }
  SUBCASE("a lower bound") {
    const auto q = after(net::clip{-0.5F, 1.0F});
    REQUIRE(q.size() == 2);
    CHECK(std::get<quantised::convolution>(q[1].op).low == -64);
  }
  SUBCASE("an upper bound") {
    const auto n = mark(g, g.add("f", net::clip{0, 1}, {conv}));
    quant::scale_table table = min_max_table(g, x);
    for (auto& e : table.entries)
      if (e.layer == g[n].name) e.range = 1.0 / 50;
    const auto q = quant::quantise(g, table);
    CHECK(std::get<quantised::convolution>(q[1].op).high == 50);
    CHECK(worst_steps(g, q, x) < 1.2);
  }
}

TEST_CASE_FIXTURE(fixture, "a tensor that others read is clipped apart") {
  const auto other = g.add("other", net::relu{}, {conv});
  const auto clipped = g.add("clipped", net::clip{-0.25F, 1}, {conv});
  mark(g, g.add("sum", net::add{}, {other, clipped}));
  const auto q = quant::quantise(g, min_max_table(g, x));
  CHECK(worst_steps(g, q, x) < 3);
  int clips = 0;
  for (quantised::graph::id n = 0; n < q.size(); ++n)
    clips += std::holds_alternative<quantised::clip>(q[n].op);
  CHECK(clips == 1);
}

TEST_CASE_FIXTURE(fixture, "an average is clipped behind itself") {
  conv = g.add("pool", net::pool{.kind = net::pool_kind::average,
                                 .window = {.kernel_h = 3, .kernel_w = 3}}, {conv});
  const auto q = after(net::clip{0, 0.3F}, 8);
  CHECK(q.size() == 4);
}

TEST_CASE_FIXTURE(fixture, "PReLU joins a convolution that nobody else reads") {
  SUBCASE("with a slope for each channel") {
    const auto q = after(net::prelu{{0.1F, -1, 3, 0, 0.5F}}, 1.7);
    REQUIRE(q.size() == 2);
    CHECK(std::get<quantised::convolution>(q[1].op).slope.size() == 5);
  }
  SUBCASE("with one slope") {
    const auto q = after(net::prelu{{0.01F}});
    REQUIRE(q.size() == 2);
    CHECK(std::get<quantised::convolution>(q[1].op).slope.size() == 1);
  }
  SUBCASE("and is computed apart where it is read") {
    g[conv].output = true;
    mark(g, g.add("f", net::prelu{{-1}}, {conv}));
    const auto q = quant::quantise(g, min_max_table(g, x));
    CHECK(q.size() == 3);
    CHECK(std::get<quantised::prelu>(q[2].op).slope[0] == -(1 << 14));
  }
}

TEST_CASE("PReLU of any slope rounds once") {
  for (const float slope : {-3.0F, -1.0F, 0.0F, 1e-6F, 0.1F, 1.0F, 700.0F})
    for (const double in : {0.01, 0.5, 3.0}) {
      const auto q = quant::quantise_prelu(std::array{slope}, in, 1);
      for (int v = -128; v <= 127; ++v) {
        const double y = in * v * (v < 0 ? static_cast<double>(slope) : 1.0);
        CHECK(std::fabs(q.finish(static_cast<std::int8_t>(v), 0) - std::clamp(y, -128.0, 127.0)) <
              0.52);
      }
    }
  CHECK_THROWS_AS(quant::quantise_prelu(std::array{1e6F}, 1, 1), error);
}

TEST_CASE("tables hold the best int8 value for every input") {
  using enum net::function;
  for (const net::activation& op :
       {net::activation{sigmoid}, net::activation{net::function::tanh}, net::activation{mish},
        net::activation{elu, 0.5F}, net::activation{power, 1, 0, 0.5F},
        net::activation{power, 1, 0, -1}, net::activation{logarithm},
        net::activation{exponential}})
    for (const double in : {0.01, 0.05, 0.3})
      for (const double out : {1.0 / 127, 0.05}) {
        for (const auto& [before, behind] : {std::pair(0, 0), {-128, 0}, {0, -100}, {-77, -128}}) {
          const auto table = quant::quantise_activation(op, {in, out, before, behind});
          REQUIRE(table.values.size() == 256);
          for (int x = -128; x <= 127; ++x) {
            const double real = op((x - before) * in) / out + behind;
            const int got = table.finish(static_cast<std::int8_t>(x));
            if (std::isnan(real)) CHECK(got == behind);
            else CHECK(std::fabs(std::clamp(real, -128.0, 127.0) - got) <= 0.5);
          }
        }
      }
}

namespace {

// The largest error of the function's tables for inputs up to `range`, as a part of the largest
// result; over all numbers of the precision.
template <class T>
double worst_part(const net::activation& op, double range) {
  constexpr bool real = quantised::is_real<T>;
  double top = 0;
  for (int i = -1000; i <= 1000; ++i)
    if (const double y = op(range * i / 1000); std::isfinite(y)) top = std::max(top, std::fabs(y));
  const double in = real ? 1 : range / 32767, out = real ? 1 : top / 32767;
  const auto q = real ? quant::real_activation(op, range, top)
                      : quant::interpolate_activation(op, in, out);
  net::tensor<T> x{{1, 256, 256}};
  for (std::size_t i = 0; i < x.values.size(); ++i)
    x.values[i] = std::bit_cast<T>(static_cast<std::uint16_t>(i));
  const std::array inputs{static_cast<const net::tensor<T>*>(&x)};
  const auto y = q.evaluate(std::span<const net::tensor<T>* const>(inputs));
  double worst = 0;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    const double at = quantised::value_of(x.values[i]) * in, exact = op(at);
    if (!(std::fabs(at) <= range) || std::isnan(exact)) continue;
    worst = std::max(worst, std::fabs(quantised::value_of(y.values[i]) * out - exact));
  }
  return worst / top;
}

}  // namespace

TEST_CASE("tables of 16 bits are within the documented part of the largest result") {
  using enum net::function;
  struct row {
    net::activation op;
    double in_int16, in_fp16;
  };
  for (const auto& [op, in_int16, in_fp16] :  // docs/quantisation.md
       {row{{sigmoid}, 2e-4, 1.2e-3}, {{net::function::tanh}, 2e-4, 1.2e-3},
        {{elu}, 2e-4, 1.2e-3}, {{swish}, 2e-4, 1.2e-3}, {{mish}, 2e-4, 1.2e-3},
        {{gelu}, 2e-4, 1.2e-3}, {{softplus}, 2e-4, 1.2e-3}, {{softsign}, 1e-3, 1.2e-3},
        {{net::function::erf}, 2e-4, 1.2e-3}, {{power, 1, 0, 2}, 2e-4, 1.2e-3},
        {{power, 1, 0, 0.5F}, 2e-3, 1.2e-3}})
    for (const double range : {1.0, 8.0, 60.0}) {
      CAPTURE(static_cast<int>(op.function));
      CAPTURE(range);
      CHECK(worst_part<std::int16_t>(op, range) < in_int16);
      CHECK(worst_part<net::half>(op, range) < in_fp16);
    }
  for (const double range : {1.0, 8.0}) {
    CHECK(worst_part<std::int16_t>({exponential}, range) < 3e-4);
    CHECK(worst_part<net::half>({exponential}, range) < 1.2e-3);
  }
}

TEST_CASE("in fp16 a function goes on in a straight line beyond its range") {
  const auto q = quant::real_activation({net::function::elu}, 4, 4);
  const auto at = [&](double x) {
    const net::fp16_tensor in{{1, 1, 1}, {{static_cast<std::uint16_t>(quant::half_bits(x, "x"))}}};
    const std::array inputs{&in};
    const auto y = q.evaluate(std::span<const net::fp16_tensor* const>(inputs));
    return quantised::value_of(y.values[0]);
  };
  CHECK(at(64) == 64);
  CHECK(at(-6) < -0.98);
  CHECK(at(-6) > -1.05);
}

TEST_CASE("tables of 16 bits do not bend off beyond the calibrated range") {
  using enum net::function;
  struct row {
    net::activation op;
    double range, error;  // as a part of the largest result within the range
  };
  for (const auto& [op, range, error] :
       {row{{sigmoid}, 1, 2e-3}, {{net::function::tanh}, 1, 2e-3}, {{exponential}, 1, 4e-3},
        {{power, 1, 0, 3}, 3, 4e-3}, {{sine}, 1, 2e-3}}) {
    CAPTURE(std::string(net::name_of(op.function)));
    double top = 0;
    for (int i = -100; i <= 100; ++i) top = std::max(top, std::fabs(op(range * i / 100)));
    const auto real = quant::real_activation(op, range, top, {4, 4});
    const double in = 4 * range / 32767, out = 4 * top / 32767;
    const auto whole = quant::interpolate_activation(op, in, out, {4, 4});
    for (int i = -125; i <= 125; ++i) {
      const double x = range * i / 100;
      const net::fp16_tensor half{{1, 1, 1}, {{static_cast<std::uint16_t>(
          quant::half_bits(x, "x"))}}};
      const net::tensor<std::int16_t> number{{1, 1, 1}, {quant::round16(x / in)}};
      const std::array halves{&half};
      const std::array numbers{&number};
      const double y = quantised::value_of(
          real.evaluate(std::span<const net::fp16_tensor* const>(halves)).values[0]);
      const double z = out * whole.evaluate(std::span<const net::tensor<std::int16_t>* const>(
          numbers)).values[0];
      CHECK(std::fabs(y - op(quantised::value_of(half.values[0]))) < error * top);
      CHECK(std::fabs(z - op(number.values[0] * in)) < error * top);
    }
  }
}

TEST_CASE("what the tables of 16 bits cannot hold is refused with its error") {
  const auto refusal = [](hw::precision p) {
    try {
      if (p == hw::precision::fp16) quant::real_activation({net::function::floor}, 3, 3);
      else quant::interpolate_activation({net::function::floor}, 3.0 / 32767, 3.0 / 32767);
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  for (const auto p : {hw::precision::int16, hw::precision::fp16})
    CHECK(refusal(p).find(text("its function is too crooked for the tables of ", hw::name_of(p))) !=
          std::string::npos);
}

// Between two inputs the tangent goes from one end of its range to the other.
TEST_CASE("a function that int8 cannot follow is refused with its error") {
  using enum net::function;
  const auto table = [](const net::activation& op, double reach, double top) {
    return quant::quantise_activation(op, {reach / 127, top / 127});
  };
  for (const double reach : {3.0, 10.0, 100.0})
    for (const double top : {300.0, 5000.0}) {
      CAPTURE(reach);
      CHECK_THROWS_WITH_AS(table({tangent}, reach, top),
                           doctest::Contains("too crooked for a table of int8: at a pole, within"),
                           quant::table_misfit);
    }
  CHECK_NOTHROW(table({tangent}, 1.2, 2.6));
  // Steps are of one height, and a pole at 0 is no matter for inputs of one sign.
  for (const auto f : {sign, net::function::floor, net::function::ceil, net::function::round,
                       threshold, thresholded_relu, net::function::tanh, sigmoid})
    for (const double reach : {1.0, 4.0, 300.0}) {
      CAPTURE(std::string(net::name_of(f)));
      const bool bounded = f == sign || f == threshold || f == net::function::tanh || f == sigmoid;
      CHECK_NOTHROW(table({f, 0.5F}, reach, bounded ? 1.0 : reach));
      CHECK_NOTHROW(table({f, 0.5F}, reach, bounded ? 0.9 : 0.9 * reach));
    }
  CHECK_NOTHROW(table({power, 1, 0, -1}, 10, 2));
  CHECK_THROWS_AS(table({power, 1, 0, -1}, 10, 1000), quant::table_misfit);
  CHECK_NOTHROW(table({logarithm}, 10, 5));
}

TEST_CASE("a table of fp16 needs the range that it is read in") {
  net::graph g;
  mark(g, g.add("f", net::activation{}, {g.add("in", net::input{{2, 1, 1}})}));
  try {
    quant::quantise(g, {}, {.precision = hw::precision::fp16});
    FAIL("no error");
  } catch (const error& e) {
    CHECK(std::string(e.what()).find("layer 'in': no scale of its values is known") !=
          std::string::npos);
  }
  CHECK_NOTHROW(quant::quantise(g, {.entries = {{"in", 0.1}, {"f", 0.01}}},
                                {.precision = hw::precision::fp16}));
}

TEST_CASE_FIXTURE(fixture, "an activation has the scale of its own values") {
  const auto q = after(net::activation{net::function::sigmoid});
  REQUIRE(q.size() == 3);
  CHECK(q[2].scale < 1.0 / 127);
  CHECK(q[2].scale > 0.5 / 127);
  CHECK(q[1].scale > 1.0 / 127);
}
