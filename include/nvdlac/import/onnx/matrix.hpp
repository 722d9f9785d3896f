// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of a computed tensor and constant weights.
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/import/onnx/arrangement.hpp>
#include <nvdlac/import/onnx/context.hpp>

namespace nvdlac::import::onnx_format {

// x over the smallest block of its cube that holds what it reads, where that is at most half of the
// cube: one token of many, for example.
computed narrowed(const context& c, const computed& x);

// y = x * weights + bias for one row x of features and weights [outputs][inputs] in the order in
// which the file sees x.
computed fully_connected(const context& c, const std::string& layer, const computed& whole,
                         std::vector<float> weights, std::vector<float> bias, std::int64_t outputs);

// Matrices with constant weights [matrices][outputs][inputs].
struct weight_matrices {
  std::int64_t matrices = 1, outputs, inputs;
  std::vector<float> values, bias{};  // the bias, if any, by output
};

// The product of a matrix of tokens, which are blocks of x's cube, and a single matrix of weights:
// a convolution that steps from block to block, of 1x1 where these are places.
computed times_matrix(const context& c, const std::string& layer, const computed& x,
                      const rows_of_blocks& tokens, weight_matrices w);

// [matrices][rows][inputs] -> [matrices][rows][outputs]: rows are places of a 1x1 convolution with
// a group for each matrix. A single row is a fully connected layer.
computed times_matrices(const context& c, const std::string& layer, const computed& x,
                        weight_matrices w);

// The last layer is called `layer`.
value gemm(const context& c, const std::string& layer);
inline std::vector<value> on_gemm(const context& c) { return {gemm(c, c.n.name())}; }

// A vector is a row if it comes first, a column if it comes second.
inline void as_matrix(dims& d, bool row) { d.insert(row ? d.begin() : d.end(), 1); }

// Multiplies on the host what no engine multiplies: weights of CONV are there before a picture is.
std::vector<value> product_of_tensors(const context& c);

std::vector<value> on_mat_mul(const context& c);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/matrix.ipp>
#endif
