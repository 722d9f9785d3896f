// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include <nvdlac/label.hpp>

namespace nvdlac::host {

// Tensors that one call takes at most: a hardware layer has room for so many.
inline constexpr std::size_t most_inputs = 4;

// Numbers under the name that the layer knows them by. Floats and integers of 32 bits are kept as
// they are.
struct parameter {
  label name{};
  std::vector<double> values{};

  constexpr bool operator==(const parameter&) const = default;
};
using parameters = std::vector<parameter>;

// One use of a layer that the host computes: the name it is registered by and its parameters. This
// is what a loadable keeps of it.
struct call {
  label layer{};
  host::parameters parameters{};

  constexpr bool operator==(const call&) const = default;
};

}  // namespace nvdlac::host
