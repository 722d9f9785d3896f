// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the elements of a computed tensor stand in its cube. Layers that may have them anywhere
// keep them there, so that what one movement did the next one can undo.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/import/onnx/context.hpp>

namespace nvdlac::import::onnx_format {

// A matrix [rows][features] that is a cube: each feature a channel, each row a place among the
// lines and columns.
struct rows_of_channels {
  std::vector<std::int32_t> channel{};  // of each feature
  std::vector<std::int32_t> place{};    // of each row: line * width + column

  // The map of a matrix of the same rows, whose features are all channels of a cube in their order.
  element_map map_of(std::int64_t features) const;
};
// Nothing if the matrix, in row-major order the elements of x, is no such cube.
std::optional<rows_of_channels> as_rows_of_channels(const computed& x, std::int64_t rows,
                                                    std::int64_t features, net::shape cube);

// A matrix [rows][features] that is a cube in blocks of so many lines and columns side by side: a
// row is a block, its features are the elements of all channels there.
struct rows_of_blocks {
  std::int32_t lines = 1, columns = 1;
  std::vector<std::int32_t> element{};  // of each feature, of a block in dense c-h-w order
  rows_of_channels blocks{};            // as places of a cube, without channels

  bool is_of_places() const { return lines == 1 && columns == 1; }
};
// Nothing if the matrix is no such cube.
std::optional<rows_of_blocks> as_rows_of_blocks(const computed& x, std::int64_t rows,
                                                std::int64_t features, net::shape cube);

// The tensor of this shape whose elements are those of the node's cube on a map.
computed arranged(const context& c, assembly::id node, dims shape, element_map map,
                  const std::string& by);

// Whether some elements are zeros of a padding.
bool has_zeros(const computed& x);
// Whether each element of the cube is one of x, and none is there twice.
bool is_whole(const computed& x, net::shape cube);

// The tensor on a cube of no more elements than it has, so that what is computed of it is computed
// of no others: those that a slice leaves out may be large, or have no logarithm. Its order, its
// repetitions and its zeros stay on its map.
computed alone(const context& c, const computed& x);
// Does so where that takes no layer: what it has are channels that begin with an atom, or their
// cube is there. It is for layers that give nothing large or wrong for other elements either.
computed alone_where_free(const context& c, const computed& x);

// Values in the order of x, or a single one for all, in that of the cube that x is the whole of.
std::vector<float> values_in_cube(const computed& x, const std::vector<float>& values,
                                  net::shape cube);

// Whether `of`, repeated to the shape of `home`, has one value for each channel of the cube that
// `home` is the whole of.
bool is_of_channels(const context& c, const computed& of, const computed& home, net::shape cube);

// `of`, repeated to the shape of `home`, as an operand of layers whose other one is the cube that
// `home` is the whole of: that cube, or one value for each of its channels.
assembly::id as_operand(const context& c, const std::string& layer, const computed& of,
                        const computed& home, net::shape cube);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/arrangement.ipp>
#endif
