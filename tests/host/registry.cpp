// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <nvdlac/host/matrix_product.hpp>
#include <nvdlac/host/non_max_suppression.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/post_process.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/quantised/on_host.hpp>

using namespace nvdlac;

namespace {

// As a user writes one.
struct threefold {
  static constexpr net::arity inputs{1, 1};

  float bias = 0;
  static constexpr void fields(auto&& field) { field("bias", &threefold::bias); }

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    net::float_tensor y = *in[0];
    for (float& v : y.values) v = 3 * v + bias;
    return y;
  }
};

net::any_tensor computed(const auto& op, const net::any_tensor& x, double in, double out) {
  const net::any_tensor* const inputs[]{&x};
  const auto by = host::on_host(op);
  const quantised::on_host quantised{.call = by.call, .layer = by.layer};
  return quantised.evaluate(inputs, std::array{in}, net::precision_of(x), out);
}

}  // namespace

TEST_CASE("a user's own layer is known by its name") {
  host::registry all;
  all.add<threefold>();
  REQUIRE(all.find("threefold") != nullptr);
  CHECK(all.find("fourfold") == nullptr);
  CHECK_THROWS_WITH_AS(all.get("fourfold"), doctest::Contains("no layer 'fourfold'"), error);
  CHECK_THROWS_WITH_AS(all.add<threefold>(), doctest::Contains("'threefold' already"), error);
  CHECK_THROWS_AS(all.add(net::host_layer{.name = "empty"}), error);
  const net::float_tensor x{{2, 1, 1}, {1, -2}};
  const net::float_tensor* const in[]{&x};
  const auto c = host::call_of(threefold{.bias = 0.5F});
  CHECK(all.get(c.layer).evaluate(c.parameters, in).values == std::vector{3.5F, -5.5F});
}

TEST_CASE("an operator survives being written as a call") {
  const net::pool pool{.kind = net::pool_kind::average, .window = {.kernel_h = 3, .pad_left = 1},
                       .ceil = true};
  const auto read = host::operator_of<net::pool>(host::call_of(pool).parameters);
  CHECK(read.kind == pool.kind);
  CHECK(read.window == pool.window);
  CHECK(read.ceil);
  CHECK(!read.count_include_pad);

  const net::move move{.target = {1, 2, 1}, .boxes = {{.input = net::box::filled, .to = {0, 1, 0}},
                                                      {.input = 0, .from = {3, 0, 2}}},
                       .fill = 0.25F};
  const auto moved = host::operator_of<net::move>(host::call_of(move).parameters);
  CHECK(moved.target == move.target);
  CHECK(moved.boxes == move.boxes);
  CHECK(moved.fill == move.fill);

  const net::clip bounds{.high = 6};
  const auto clip = host::operator_of<net::clip>(host::call_of(bounds).parameters);
  CHECK(clip.low == -std::numeric_limits<float>::infinity());
  CHECK(clip.high == 6);
}

TEST_CASE("parameters that a layer cannot have are refused") {
  auto c = host::call_of(net::lrn{});
  c.parameters[0].values = {2.5};
  CHECK_THROWS_WITH_AS(host::operator_of<net::lrn>(c.parameters),
                       doctest::Contains("'local_size' has the value 2.5"), error);
  c.parameters[0].values = {};
  CHECK_THROWS_WITH_AS(host::operator_of<net::lrn>(c.parameters), doctest::Contains("too few"),
                       error);
  c.parameters[0].values = {3, 4};
  CHECK_THROWS_WITH_AS(host::operator_of<net::lrn>(c.parameters), doctest::Contains("too many"),
                       error);
  c.parameters[0] = {.name = "size", .values = {3}};
  CHECK_THROWS_AS(host::operator_of<net::lrn>(c.parameters), error);
}

TEST_CASE("a call takes numbers for what they mean and rounds to the nearest") {
  const net::scale c{.factor = {2.0F}, .bias = {0.5F}};
  const net::int8_tensor x{{3, 1, 1}, {-100, 1, 100}};
  // 2 * 0.5 * x + 0.5, in steps of 0.75
  const net::int8_tensor y{{3, 1, 1}, {-128, 2, 127}};
  CHECK((computed(c, x, 0.5, 0.75) == net::any_tensor(y)));
  const net::int16_tensor wide{{1, 1, 1}, {1000}};
  CHECK((computed(c, wide, 0.5, 0.25) == net::any_tensor(net::int16_tensor{{1, 1, 1}, {4002}})));
  const net::fp16_tensor real{{1, 1, 1}, {{0x3c00}}};  // 1
  CHECK((computed(c, real, 1, 1) == net::any_tensor(net::fp16_tensor{{1, 1, 1}, {{0x4100}}})));
  CHECK_THROWS_AS(computed(c, x, 0.5, 0), error);
}

TEST_CASE("what a call computes beside its elements is known before it does") {
  const auto operations = [](const auto& op, const std::vector<net::shape>& in) {
    return host::on_host(op).operations(in);
  };
  CHECK(operations(net::relu{}, {{3, 4, 5}}) == 0);
  // A sum of 7 products for each of 5 * 6 * 8 numbers.
  CHECK(operations(host::matrix_product{}, {{5, 6, 7}, {5, 7, 8}}) == 5 * 6 * 8 * 7);
  CHECK(operations(host::joined_matrix_products{}, {{5, 6, 7}, {5, 7, 8}}) == 5 * 6 * 8 * 7);
  // Each of 3 boxes with the 2 that are kept, in each of 4 classes; more than all are not kept.
  CHECK(operations(host::non_max_suppression{.most = 2}, {{12, 1, 1}, {12, 1, 1}}) == 3 * 2 * 4);
  CHECK(operations(host::non_max_suppression{.most = 9}, {{12, 1, 1}, {12, 1, 1}}) == 3 * 3 * 4);
  host::post_processed_boxes boxes;
  boxes.anchors.assign(12, 0.5F);
  boxes.classes = 2;
  boxes.most = 2;
  CHECK(operations(boxes, {{12, 1, 1}, {9, 1, 1}}) == 3 * 2);
  boxes.by_class = true;
  boxes.most_of_class = 1;
  CHECK(operations(boxes, {{12, 1, 1}, {9, 1, 1}}) == 3 * 1 * 2);
}

TEST_CASE("a value that is not a number is an error") {
  const net::activation c{.function = net::function::logarithm};
  const net::int8_tensor x{{1, 1, 1}, {-1}};
  CHECK_THROWS_WITH_AS(computed(c, x, 1, 1), doctest::Contains("'logarithm' gives a value"), error);
}
