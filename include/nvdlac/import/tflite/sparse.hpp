// SPDX-License-Identifier: Apache-2.0
#pragma once
// Constants of which a file keeps the values that are not 0, and where they are.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/tflite/schema.hpp>

namespace nvdlac::import::tflite_format {

// One level of a sparse tensor: all of so many places, or those that `indices` lists from
// segments[i] up to segments[i + 1] for place i of the level before.
struct sparse_level {
  std::int32_t dimension = 0;  // of the dense tensor, or behind its last one a dimension of blocks
  bool dense = true;
  std::int64_t size = 0;
  std::vector<std::int64_t> segments{}, indices{};
};

// The levels of a tensor, from the outermost one, and which dimension each dimension of blocks
// divides.
struct sparse_form {
  std::vector<sparse_level> levels{};
  std::vector<std::int32_t> blocks{};

  // Throws what is wrong with the table.
  static sparse_form of(const sparsity_table& from, std::size_t rank);

  // The bytes of the dense tensor, whose elements have so many each; `most_weights` is
  // budget::weights.
  std::vector<std::uint8_t> dense(const onnx_format::dims& shape,
                                  std::span<const std::uint8_t> kept, std::size_t element,
                                  std::uint64_t most_weights) const;
};

}  // namespace nvdlac::import::tflite_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tflite/sparse.ipp>
#endif
