// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/host.hpp>
#include <nvdlac/import/onnx/layers.hpp>
#include <nvdlac/import/onnx/matrix.hpp>
#include <nvdlac/import/onnx/qlinear.hpp>
#include <nvdlac/import/onnx/quantised.hpp>
#include <nvdlac/import/onnx/reduction.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL value real_input(const context& c, std::size_t i, std::int64_t axis) {
  if (c.is_constant(i))
    return std::make_shared<const array>(
        dequantised(c.constant(i, "values"), read_grid(c, i + 1, i + 2), {.axis = axis}));
  return off_grid(c, c.tensor(i), one_grid(c, i + 1, i + 2));
}

NVDLAC_IMPL std::vector<value> to_grid(const context& c, std::vector<value> out,
                                       std::size_t scale) {
  return {on_grid(c, std::get<computed>(out.at(0)), one_grid(c, scale, scale + 1))};
}

NVDLAC_IMPL value array_of_zeros(std::size_t n) {
  return std::make_shared<const array>(
      array::of_reals({static_cast<std::int64_t>(n)}, std::vector<float>(n, 0.0F)));
}

NVDLAC_IMPL value real_bias(const context& c, std::size_t bias, std::size_t channels, float x_scale,
                            const std::vector<float>& weight_scales) {
  if (!c.given(bias)) return array_of_zeros(channels);
  constant_grid g{weight_scales, std::vector<std::int64_t>(weight_scales.size(), 0), {}};
  for (float& s : g.scales) s *= x_scale;
  return std::make_shared<const array>(
      dequantised(c.constant(bias, "bias values"), g, {.axis = -1}));
}

NVDLAC_IMPL std::vector<value> on_qlinear_mat_mul(const context& c) {
  c.require_inputs(8, 8);
  const std::vector<value> real = {real_input(c, 0), real_input(c, 3, -1)};
  return to_grid(c, on_mat_mul({c.n, real, c.net, c.batch, c.ceiling}), 6);
}

NVDLAC_IMPL std::vector<value> on_qgemm(const context& c) {
  c.require_inputs(6, 9);
  const bool turned = c.n.flag("transB", false);
  const auto& scales = c.reals(4, "scales");
  auto bias = real_bias(c, 6, 1, one_grid(c, 1, 2).scale, scales);
  const std::vector<value> real = {real_input(c, 0), real_input(c, 3, turned ? 0 : 1),
                                   std::move(bias)};
  auto out = on_gemm({c.n, real, c.net, c.batch, c.ceiling});
  return c.given(7) ? to_grid(c, std::move(out), 7) : out;
}

NVDLAC_IMPL std::vector<value> on_qlinear_binary(const context& c) {
  c.require_inputs(7, 8);
  const std::string type = c.n.type().find("Mul") == std::string::npos ? "Add" : "Mul";
  return to_grid(c, {combine(c, c.n.name(), type, real_input(c, 0), real_input(c, 3))}, 6);
}

NVDLAC_IMPL std::vector<value> real_global_average(const context& c) {
  require_rank_4(c.tensor(0).shape);
  return global_pool(c, net::pool_kind::average, {2, 3});
}

NVDLAC_IMPL std::vector<value> real_sigmoid(const context& c) {
  const net::activation op{.function = net::function::sigmoid};
  return {apply_function(c, c.n.name(), op, c.tensor(0))};
}

NVDLAC_IMPL std::vector<value> real_mean(const context& c) {
  return reduce_by(c, reducers().at("ReduceMean"));
}

NVDLAC_IMPL std::vector<value> real_softmax(const context& c) {
  const auto opset = c.n.integer("opset", 0);
  if (opset < 1) throw error("the opset of its Softmax is missing");
  return softmax_of(c, opset);
}

NVDLAC_IMPL std::vector<value> on_qlinear_where(const context& c) {
  c.require_inputs(8, 9);
  value y = chosen(c, c.in[0], real_input(c, 1), real_input(c, 4));
  if (!std::holds_alternative<computed>(y)) throw error("nothing that it chooses is computed");
  return to_grid(c, {std::move(y)}, 7);
}

NVDLAC_IMPL std::vector<value> on_qlinear_concat(const context& c) {
  c.require_inputs(5, 4096);
  if (c.inputs() % 3 != 2) throw error(text("it has ", count_of(c.inputs(), "input")));
  std::vector<value> real;
  for (std::size_t i = 2; i < c.inputs(); i += 3) real.push_back(real_input(c, i));
  return to_grid(c, on_concat({c.n, real, c.net, c.batch, c.ceiling}), 0);
}

NVDLAC_IMPL value without_zero(const context& c, std::size_t i, std::size_t zero) {
  if (c.is_constant(i)) {
    array z = array::of_integers({}, {0});
    if (c.given(zero)) z = c.constant(zero, "zero points");
    if (z.real) throw error("its zero points are no integers");
    const constant_grid g{std::vector<float>(z.size(), 1.0F), z.integers, {}};
    const bool of_columns = c.n.type() == "MatMulInteger" && i == 1;
    return std::make_shared<const array>(
        dequantised(c.constant(i, "values"), g, {.axis = of_columns ? -1 : 0}));
  }
  computed x = c.tensor(i);
  x.integers = nullptr;  // the integers of an input, or a tensor of DynamicQuantizeLinear
  if (!c.given(zero)) return x;
  const array& z = c.constant(zero, "zero points");
  if (z.real || z.size() != 1) throw error("its zero point is no single integer");
  if (z.integers[0] == 0) return x;
  x.node = c.net.add(c.n.name() + "/zero",
                     net::scale{.factor = {1.0F}, .bias = {-static_cast<float>(z.integers[0])}},
                     {x.node});
  return x;
}

NVDLAC_IMPL std::vector<value> on_conv_integer(const context& c) {
  c.require_inputs(2, 4);
  const auto& w = c.constant(1, "weights").shape;
  const auto channels = static_cast<std::size_t>(w.empty() ? 0 : w[0]);
  const std::vector<value> real = {without_zero(c, 0, 2), without_zero(c, 1, 3),
                                   array_of_zeros(channels)};
  return on_conv({c.n, real, c.net, c.batch, c.ceiling});
}

NVDLAC_IMPL std::vector<value> on_mat_mul_integer(const context& c) {
  c.require_inputs(2, 4);
  const std::vector<value> real = {without_zero(c, 0, 2), without_zero(c, 1, 3)};
  return on_mat_mul({c.n, real, c.net, c.batch, c.ceiling});
}

}  // namespace nvdlac::import::onnx_format
