// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/footprint.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void footprint::add(std::uint64_t address, std::uint64_t size) {
  if (size == 0) return;
  if (!ranges_.empty() && address >= ranges_.back().begin && address <= ranges_.back().end)
    ranges_.back().end = std::max(ranges_.back().end, address + size);
  else
    ranges_.push_back({address, address + size});
}

NVDLAC_IMPL void footprint::close() {
  if (ranges_.empty()) return;
  std::ranges::sort(ranges_);
  std::size_t last = 0;
  for (std::size_t i = 1; i < ranges_.size(); ++i) {
    if (ranges_[i].begin <= ranges_[last].end)
      ranges_[last].end = std::max(ranges_[last].end, ranges_[i].end);
    else
      ranges_[++last] = ranges_[i];
  }
  ranges_.resize(last + 1);
}

NVDLAC_IMPL std::optional<footprint::range> footprint::common_with(const footprint& other) const {
  auto a = ranges_.begin(), b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    if (a->begin < b->end && b->begin < a->end)
      return range{std::max(a->begin, b->begin), std::min(a->end, b->end)};
    if (a->end <= b->end) ++a;  // it meets nothing more of the other
    else ++b;
  }
  return std::nullopt;
}

}  // namespace nvdlac::sim
