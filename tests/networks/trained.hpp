// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

#include <nvdlac/import/model.hpp>
#include <nvdlac/net/verify.hpp>

namespace networks {

// A model with its trained weights; those of a prototxt are beside it.
inline nvdlac::import::network trained(const std::filesystem::path& model) {
  nvdlac::import::weight_source weights{};
  if (model.extension() == ".prototxt")
    weights = std::filesystem::path(model).replace_extension(".caffemodel");
  auto network = nvdlac::import::any_network(model, weights);
  nvdlac::net::infer_shapes(network.graph);
  return network;
}

}  // namespace networks
