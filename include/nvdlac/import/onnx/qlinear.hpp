// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators of integers that carry their scales, computed as the operators of real numbers.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/import/onnx/quantised.hpp>

namespace nvdlac::import::onnx_format {

// Input i, whose scale and zero point are the inputs behind it, in real numbers.
value real_input(const context& c, std::size_t i, std::int64_t axis = 0);
std::vector<value> to_grid(const context& c, std::vector<value> out, std::size_t scale);

value array_of_zeros(std::size_t n);

// The sums of integers that are added to those of x with weights that have scales.
value real_bias(const context& c, std::size_t bias, std::size_t channels, float x_scale,
                const std::vector<float>& weight_scales);

// The convolution of real numbers; that of com.microsoft may have channels last.
template <handler Convolution>
std::vector<value> on_qlinear_conv(const context& c) {
  c.require_inputs(8, 9);
  const auto& w = c.constant(3, "weights").shape;
  const auto channels = static_cast<std::size_t>(w.empty() ? 0 : w[0]);
  const std::vector<value> real = {
      real_input(c, 0), real_input(c, 3),
      real_bias(c, 8, channels, one_grid(c, 1, 2).scale, c.reals(4, "scales"))};
  return to_grid(c, Convolution({c.n, real, c.net, c.batch, c.ceiling}), 6);
}

std::vector<value> on_qlinear_mat_mul(const context& c);

// com.microsoft: A, B and a bias of sums; the output is real where it has no scale.
std::vector<value> on_qgemm(const context& c);

// com.microsoft: QLinearAdd, QLinearMul.
std::vector<value> on_qlinear_binary(const context& c);

// com.microsoft: an operator of one tensor; input, its scale and zero point, those of the output.
template <handler Real>
std::vector<value> on_qlinear_unary(const context& c) {
  c.require_inputs(4, 5);
  const std::vector<value> real = {real_input(c, 0)};
  return to_grid(c, Real({c.n, real, c.net, c.batch, c.ceiling}), 3);
}
std::vector<value> real_global_average(const context& c);
std::vector<value> real_sigmoid(const context& c);
std::vector<value> real_mean(const context& c);
// It names the opset of the Softmax that it was.
std::vector<value> real_softmax(const context& c);

// com.microsoft: a condition, two tensors and the grid of the output.
std::vector<value> on_qlinear_where(const context& c);

// com.microsoft: scale and zero point of the output, then three inputs for each part.
std::vector<value> on_qlinear_concat(const context& c);

// Integers less a zero point, as real numbers in steps of 1.
value without_zero(const context& c, std::size_t i, std::size_t zero);
std::vector<value> on_conv_integer(const context& c);
std::vector<value> on_mat_mul_integer(const context& c);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/qlinear.ipp>
#endif
