// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that no engine of NVDLA computes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/host/axes.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/import/onnx/activation.hpp>
#include <nvdlac/import/onnx/arrangement.hpp>

namespace nvdlac::import::onnx_format {

// The axes of its cube that some axes of a tensor are: see cube_of. Axes of the batch are none.
host::axes axes_of_cube(const dims& shape, const dims& some);
// A cube in which the host computes along some axes of a tensor, and which of its own these are. Of
// a tensor that is no cube by itself, neighbours that are both among the axes, or both not, are
// one.
struct cube_with_axes {
  net::shape cube;
  host::axes axes;
};
cube_with_axes cube_along(const dims& shape, const dims& some);
// All from one axis on.
dims axes_from(std::int64_t first, std::size_t rank);

// Pictures one behind the other, [n, channels, ..], as the channels of a single one.
dims as_one_picture(dims shape);
std::vector<float> repeated(const std::vector<float>& values, std::int64_t times);

template <net::operation Op>
std::vector<value> on_host(const context& c, const Op& op, net::shape cube, dims shape) {
  const auto n = c.net.add(c.n.name(), host::on_host(op), {c.net.as_cube(c.tensor(0), cube)});
  return {computed{n, std::move(shape)}};
}

// The channels of x's cube that the elements along the last axis are, if `axes` is that one alone.
std::optional<rows_of_channels> last_axis_as_channels(const context& c, const computed& x,
                                                      const dims& axes);

// The axes of x's own cube along which its elements along neighbouring axes lie, all of them: what
// works along these is computed where they stand. Where it takes the first of several alike they
// must lie `in_order`. Nothing where they are dense.
std::optional<host::axes> axes_where_it_stands(const context& c, const computed& x,
                                               const dims& axes, bool in_order);

// One that works along some axes and keeps the shape: along those of the cube where its elements
// stand in their order.
template <class Op>
computed on_host_along(const context& c, const std::string& layer, Op op, const dims& axes) {
  const computed& x = c.tensor(0);
  if (const auto where = axes_where_it_stands(c, x, axes, true)) {
    op.axes = *where;
    return apply_function(c, layer, host::on_host(op), x);
  }
  const auto [cube, along] = cube_along(x.shape, axes);
  op.axes = along;
  return {c.net.add(layer, host::on_host(op), {c.net.as_cube(x, cube)}), x.shape};
}

// Over the first axis that is not 1, NVDLA's runtime may do it; over others the host does.
std::vector<value> softmax_of(const context& c, std::int64_t opset);

inline std::vector<value> on_softmax(const context& c) { return softmax_of(c, c.n.opset()); }

// The logarithm of a softmax over channels is computed of what the softmax reads: of its small
// values too little is left.
std::vector<value> on_log(const context& c);

// Hardmax, LogSoftmax.
template <class Op>
std::vector<value> on_choice(const context& c) {
  c.require_inputs(1, 1);
  const dims& shape = c.tensor(0).shape;
  const bool flat = c.n.opset() < 13;  // as of softmax
  const auto axis = c.n.integer("axis", flat ? 1 : -1);
  return {on_host_along(c, c.n.name(), Op{}, flat ? axes_from(axis, shape.size()) : dims{axis})};
}

// ArgMax, and ArgMin as that of the negative values.
std::vector<value> on_arg_max(const context& c);

std::vector<value> on_lp_normalization(const context& c);

std::vector<value> on_instance_normalization(const context& c);

// On the host each group of channels is a plane; factors and biases follow, of channels or, until
// opset 20, of groups.
std::vector<value> on_group_normalization(const context& c);

// The mean over some axes, and the inverse of the deviation from it.
std::vector<value> mean_and_deviation(const context& c, const dims& axes, float epsilon);

std::vector<value> on_layer_normalization(const context& c);

// x / sqrt(mean of x^2 + epsilon): x over its norm, times the root of the number of elements.
std::vector<value> on_rms_normalization(const context& c);

std::vector<value> on_mean_variance_normalization(const context& c);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/host.ipp>
#endif
