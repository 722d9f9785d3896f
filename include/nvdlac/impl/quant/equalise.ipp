// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/equalise.hpp>

namespace nvdlac::quant::detail {

NVDLAC_IMPL std::size_t united_sets::find(std::size_t i) {
  while (above_[i] != i) i = above_[i] = above_[above_[i]];
  return i;
}

NVDLAC_IMPL void united_sets::unite(std::size_t a, std::size_t b) {
  a = find(a);
  b = find(b);
  above_[std::max(a, b)] = std::min(a, b);
}

}  // namespace nvdlac::quant::detail
