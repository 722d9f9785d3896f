// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that only move elements, alike for constants and for what the network computes.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::onnx_format {

// For each element of a result, in row-major order, the element of the source; -1 for padding.
using element_map = std::vector<std::int32_t>;

struct movement {
  dims shape;
  std::optional<element_map> from{};  // empty: all elements stay in their order
};

std::int64_t checked_axis(std::int64_t axis, std::size_t rank);

dims strides_of(const dims& shape);

// Checks the size of what moves before it is listed for each axis and then for each element.
void require_movable(const dims& shape, const element_ceiling& most);

// The map whose element (i, j, ..) comes from steps[0][i] + steps[1][j] + ..; a negative step is
// padding. The result has as many dimensions as there are lists of steps.
element_map separable(const std::vector<dims>& steps, const element_ceiling& most);

dims ascending(std::int64_t n, std::int64_t stride, std::int64_t first = 0);
std::vector<dims> all_steps(const dims& shape, const element_ceiling& most);
movement from_steps(const std::vector<dims>& steps, const element_ceiling& most);

movement transpose(const dims& shape, dims perm, const element_ceiling& most);

// One axis of ONNX's Slice.
void slice(std::vector<dims>& steps, std::int64_t axis, std::int64_t start, std::int64_t end,
           std::int64_t step);

movement gather(const dims& shape, std::int64_t axis, const array& indices,
                const element_ceiling& most);

// Elements before and behind those of each dimension (less, if negative). Around them: `constant`
// fills, `edge` repeats the outermost, `reflect` counts backwards from them, `wrap` begins again.
movement pad(const dims& shape, const dims& pads, const std::string& mode,
             const element_ceiling& most);

// The shape of both after numpy's broadcasting.
dims broadcast(const dims& a, const dims& b);

movement expand(dims shape, const dims& target, const element_ceiling& most);

movement tile(const dims& shape, const dims& repeats, const element_ceiling& most);

// ONNX's Reshape: 0 copies a dimension (unless allow_zero), -1 takes the rest.
dims reshape(const dims& shape, const dims& target, bool allow_zero);

dims squeeze(const dims& shape, const std::optional<dims>& axes);

dims unsqueeze(const dims& shape, const dims& axes);

array apply(const array& a, const movement& m, double padding = 0);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/movement.ipp>
#endif
