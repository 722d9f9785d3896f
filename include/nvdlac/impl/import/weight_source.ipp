// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import {

NVDLAC_IMPL std::vector<std::uint32_t> random_weights::of(const std::string& layer,
                                                          std::uint32_t number) const {
  std::vector<std::uint32_t> result{seed, number};
  for (const char c : layer) result.push_back(static_cast<unsigned char>(c));
  return result;
}

}  // namespace nvdlac::import
