// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL const std::vector<float>& own_node::reals(std::size_t input, const char* what) const {
  constants_.insert(input);
  return c_.reals(input, what);
}

NVDLAC_IMPL const dims& own_node::integers(std::size_t input, const char* what) const {
  constants_.insert(input);
  return c_.integers(input, what);
}

NVDLAC_IMPL std::vector<std::size_t> own_node::tensors() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < c_.inputs(); ++i)
    if (!constants_.contains(i)) all.push_back(i);
  return all;
}

}  // namespace nvdlac::import::onnx_format
