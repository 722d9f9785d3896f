// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::sim {

// The bytes of one memory that something touches.
class footprint {
 public:
  struct range {
    std::uint64_t begin = 0, end = 0;  // bytes
    friend auto operator<=>(const range&, const range&) = default;
  };

  void add(std::uint64_t address, std::uint64_t size);
  // Brings the ranges into order and joins them where they meet.
  void close();
  // In order, of one that is closed.
  const std::vector<range>& ranges() const { return ranges_; }
  // The first range that both have; both are closed.
  bool operator==(const footprint&) const = default;
  std::optional<range> common_with(const footprint&) const;

 private:
  std::vector<range> ranges_;
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/footprint.ipp>
#endif
