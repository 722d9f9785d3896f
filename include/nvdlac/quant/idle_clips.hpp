// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <variant>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/preprocessing.hpp>

namespace nvdlac::quant {

// Clippings of an input within whose bounds all pixels lie, or within one of the 255 steps of an
// 8-bit range beyond them, become identities: quantised models saturate their inputs, which would
// keep the first convolution from reading the pixels.
template <class Graph>
void drop_idle_clips(Graph& g, const net::preprocessing& how) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const std::size_t channels = std::max(how.mean.size(), how.scale.size());
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = how.mean.at(how.mean.size() == 1 ? 0 : std::min(c, how.mean.size() - 1));
    const double scale =
        how.scale.at(how.scale.size() == 1 ? 0 : std::min(c, how.scale.size() - 1));
    const double ends[] = {-mean * scale, (255 - mean) * scale};
    low = std::min({low, ends[0], ends[1]});
    high = std::max({high, ends[0], ends[1]});
  }
  for (typename Graph::id n = 0; n < g.size(); ++n) {
    if (!std::holds_alternative<net::input>(g[n].op)) continue;
    for (const auto r : g.consumers(n)) {
      const auto* clip = std::get_if<net::clip>(&g[r].op);
      if (clip == nullptr) continue;
      const double range = double{clip->high} - double{clip->low};
      const double step = std::isfinite(range) ? 1.001 * range / 255 : 0;
      if (low >= double{clip->low} - step && high <= double{clip->high} + step)
        g[r].op = net::identity{};
    }
  }
}

}  // namespace nvdlac::quant
