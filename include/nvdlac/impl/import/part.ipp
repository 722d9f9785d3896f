// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/part.hpp>

namespace nvdlac::import {

NVDLAC_IMPL std::string shape_option(const std::string& input,
                                     const std::vector<std::int64_t>& shape, std::int64_t guess) {
  std::string s = "--shape " + input + "=";
  for (std::size_t i = 0; i < shape.size(); ++i)
    s += (i == 0 ? "" : ",") + std::to_string(shape[i] > 0 ? shape[i] : i == 0 ? 1 : guess);
  return s;
}

}  // namespace nvdlac::import
