// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/lut.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void lut_access::configure(std::string_view where, std::uint32_t word) {
  const auto entry = address.extract(word);
  const bool lo = table.extract(word) != 0;
  require(entry <= last(lo), where, "the table ", lo ? "LO" : "LE", " has no entry ", entry);
  entry_ = entry;
  lo_ = lo;
  writes_ = direction.extract(word) != 0;
}

}  // namespace nvdlac::sim
