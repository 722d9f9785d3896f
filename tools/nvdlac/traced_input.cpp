// SPDX-License-Identifier: Apache-2.0
#include "traced_input.hpp"

#include <random>

namespace nvdlac::cli {

std::vector<net::integer::feed> traced_input(const preparation& from, const machine& m) {
  if (!from.calibration().empty()) return feeds_of(from.calibration().front(), m.inputs());
  std::minstd_rand noise;
  std::vector<net::integer::feed> feeds;
  for (const auto& b : m.inputs()) {
    std::vector<std::uint8_t> bytes(b.shape.size());
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(noise() >> 8);
    if (b.picture) feeds.emplace_back(std::move(bytes));
    else feeds.emplace_back(net::int8_tensor{b.shape, {bytes.begin(), bytes.end()}});
  }
  return feeds;
}

}  // namespace nvdlac::cli
