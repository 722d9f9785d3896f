// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that move elements, give shapes or make constants.
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/movement.hpp>

namespace nvdlac::import::onnx_format {

const dims& shape_of(const value& v);

// Padding by another number than 0, which no layer behind it takes into its window.
computed filled(const context& c, const computed& x, const movement& m, double padding);

// Applies a movement to input 0, whatever it is.
value move_input(const context& c, const movement& m, double padding = 0);

std::vector<value> on_transpose(const context& c);

// The dimensions that Reshape gives, which were an attribute until opset 4.
dims target_of_reshape(const context& c);
std::vector<value> on_reshape(const context& c);

std::vector<value> on_flatten(const context& c);

// A value that was an attribute until it became an input.
std::optional<dims> attribute_or_input(const context& c, const char* name, std::size_t input);
std::optional<dims> axes_of(const context& c, std::size_t input);

std::vector<value> on_squeeze(const context& c);
std::vector<value> on_unsqueeze(const context& c);

std::vector<value> on_slice(const context& c);

std::vector<value> on_split(const context& c);

// The attribute of Pad with what stands before and behind each axis.
inline const char* name_of_pads(const context& c) { return c.n.opset() < 2 ? "paddings" : "pads"; }
std::vector<value> on_pad(const context& c);

std::vector<value> on_expand(const context& c);
std::vector<value> on_tile(const context& c);

// The shape that the file gives a tensor: of all pictures of the batch.
dims shape_in_file(const context& c);

std::vector<value> on_shape(const context& c);
std::vector<value> on_size(const context& c);

std::vector<value> on_constant(const context& c);
std::vector<value> on_constant_of_shape(const context& c);
std::vector<value> on_range(const context& c);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/moving.ipp>
#endif
