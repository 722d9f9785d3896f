// SPDX-License-Identifier: Apache-2.0
#pragma once
// Models that are quantised already. Their integers become the real numbers that they stand for,
// their scales a table: see docs/quantisation.md.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/net/input.hpp>

namespace nvdlac::import::onnx_format {

// The integers of a data_type of TensorProto.
grid integers_of_type(std::int64_t type);

// Scales and zero points of constants: one for all elements, one for each index of an axis, or one
// for each block of indices.
struct constant_grid {
  std::vector<float> scales;
  std::vector<std::int64_t> zeros;
  std::optional<std::int64_t> type;  // of the zero points, if there are any
  dims shape{};                      // of the scales
};

constant_grid read_grid(const context& c, std::size_t scale, std::size_t zero);

// The grid of a computed tensor, which is one for all its elements.
grid one_grid(const context& c, std::size_t scale, std::size_t zero, std::int64_t type = 2);

// Along which axis the scales of a constant differ, and for how many indices each holds.
struct scale_axis {
  std::int64_t axis = 1;
  std::int64_t block = 0;  // 0: an index, and all elements that have it share a scale
};

// For element i of a constant, the index of its scale.
class scale_places {
 public:
  scale_places(const dims& shape, const constant_grid& g, const scale_axis& along);

  std::size_t of(std::size_t i) const;

 private:
  bool alone_, in_blocks_;
  std::size_t run_ = 1, size_ = 1, block_ = 1;
};

array dequantised(const array& a, const constant_grid& g, const scale_axis& along);

// Between which numbers the values of a tensor lie, as far as its operators tell.
struct value_range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  value_range with(double x) const { return {std::min(low, x), std::max(high, x)}; }
};
value_range range_of(const net::graph& g, assembly::id n);

// How bytes become the values of an input with this grid: they are its integers, those of a signed
// type less 128.
std::optional<net::preprocessing> bytes_of(const grid& g);

// A tensor that the file turns into integers: its scale is noted. Integers saturate, which
// exporters use in place of a ReLU or of a clipping: the network clips to their ends, unless its
// values stay within them, or within the one step beyond them that rounding takes back.
computed on_grid(const context& c, computed x, const grid& g);

// An output of integers whose scale depends on the picture means nothing without that scale.
void require_scaled(const computed& x);

// Marks an output. It takes the name of the layer, and the layer in front of its clipping another.
void give_output(assembly& net, assembly::id n, net::file_tensor form);

// The real numbers behind integers that have this grid.
computed off_grid(const context& c, computed x, const grid& g);

// The attributes that QuantizeLinear and DequantizeLinear share.
scale_axis scale_axis_of(const context& c);
// The type in which real numbers are computed or given: any is as good here.
void check_real_type(const context& c, const char* attribute);

std::vector<value> on_quantize_linear(const context& c);

std::vector<value> on_dequantize_linear(const context& c);

// QONNX's Quant, which quantises to some bits and gives the real numbers of the steps.
std::vector<value> on_quant(const context& c);
// QONNX's Trunc, which leaves lower bits out: FLOOR, CEIL and ROUND of computed tensors.
std::vector<value> on_trunc(const context& c);
// QONNX's BipolarQuant of a constant: its sign times a scale.
std::vector<value> on_bipolar_quant(const context& c);

// Scales that depend on the picture: the tensor stays real, in steps of 1 around 0, and what is
// computed of it is to be multiplied by the scale, which is 1.
std::vector<value> on_dynamic_quantize_linear(const context& c);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/quantised.ipp>
#endif
