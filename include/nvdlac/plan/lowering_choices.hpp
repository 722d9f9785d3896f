// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include <nvdlac/base/constexpr_vector.hpp>
#include <nvdlac/base/label.hpp>

namespace nvdlac::plan {

// How lowering cuts a convolution into passes, as far as it is given; 0, or no value: as it finds.
struct passes {
  label layer{};
  std::int32_t rows = 0, columns = 0;          // of the results of a pass, at most
  std::int32_t kernels = 0;                    // of a pass, at most
  std::int32_t data_banks = 0, weight_banks = 0;  // of the CBUF
  std::optional<bool> image{};                 // whether CDMA reads a feature cube as an image

  constexpr bool operator==(const passes&) const = default;
};

// Choices that lowering is given about the layers that it makes.
struct lowering_choices {
  // Bytes of the weights of a pass at most, so that some of a layer's may stand in the secondary
  // memory; 0: of all.
  std::uint64_t pass_weights = 0;
  std::vector<plan::passes> passes{};
  // Poolings that read the result of their convolution from memory, and convolutions that are apart
  // from those with which they would be one.
  std::vector<label> unfused{};
  // The maps of all cubes are transposed: what the network has as lines are columns.
  bool transposed = false;
  // Kernels of one line that step over lines have all lines in the CBUF, where convolutions that
  // read those may share them.
  bool all_lines = false;
  // Convolutions of few channels that have neighbouring lines as channels, so that the MACs take
  // fewer steps.
  std::vector<label> folded{};

  constexpr bool operator==(const lowering_choices&) const = default;
};

}  // namespace nvdlac::plan
