// SPDX-License-Identifier: Apache-2.0
#include "traced_input.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include <nvdlac/runtime/user_inputs.hpp>

namespace nvdlac::cli {

std::vector<quantised::feed> traced_input(const preparation& from, const runtime::any_session& m) {
  if (from.calibration()) {  // every picture of a batch is the first one
    auto set = from.calibration()->first();
    if (const auto states = from.carried()) set = states->completed(std::move(set));
    for (const auto one = set.values; set.values.size() < m.inputs().size();)
      set.values.insert(set.values.end(), one.begin(), one.end());
    return runtime::feeds_of(set, m.inputs());
  }
  std::minstd_rand noise;
  std::vector<quantised::feed> feeds;
  for (const auto& b : m.inputs()) {
    std::vector<std::uint8_t> bytes(b.shape.size());
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(noise() >> 8);
    if (b.picture) {
      feeds.emplace_back(std::move(bytes));
      continue;
    }
    // From -1 to 1 times 128 steps.
    net::float_tensor t{b.shape};
    std::ranges::transform(bytes, t.values.begin(), [&](std::uint8_t byte) {
      return static_cast<float>(static_cast<std::int8_t>(byte) * b.scale);
    });
    feeds.push_back(runtime::feed_of(t, b));
  }
  return feeds;
}

}  // namespace nvdlac::cli
