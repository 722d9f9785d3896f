// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::import {

// In place of trained weights: noise that keeps the spread of the tensors. The same seed, layer and
// shape give the same noise everywhere.
struct random_weights {
  std::uint32_t seed = 1;

  // The seed of one of the layer's arrays.
  std::vector<std::uint32_t> of(const std::string& layer, std::uint32_t number) const;
};

// Weights that a prototxt, a Darknet cfg or other descriptions need besides: trained ones, or noise
// in place of them. Noise may also stand in place of the weights that other files hold; their
// scales do not count then.
using weight_source = std::variant<std::monostate, std::filesystem::path, random_weights>;

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/weight_source.ipp>
#endif
