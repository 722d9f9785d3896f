// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include <nvdlac/net/tensor.hpp>

namespace nvdlac::quant {

// Samples that are read or made one after the other, as often as they are needed.
struct sample_stream {
  using sample = std::vector<net::float_tensor>;

  std::size_t size = 0;
  // Calls its argument for every sample.
  std::function<void(const std::function<void(const sample&)>&)> each{};
};

// So many of the samples, evenly chosen; all where there are no more.
inline sample_stream spread_over(const sample_stream& samples, std::size_t count) {
  if (samples.size <= count) return samples;
  return {count, [samples, count](const auto& visit) {
            std::size_t seen = 0, taken = 0;
            samples.each([&](const sample_stream::sample& s) {
              if (taken < count && seen++ == taken * samples.size / count) {
                ++taken;
                visit(s);
              }
            });
          }};
}

// The samples of a vector, which must outlive the stream.
inline sample_stream stream_of(const std::vector<sample_stream::sample>& samples) {
  return {samples.size(), [&samples](const auto& visit) {
            for (const auto& s : samples) visit(s);
          }};
}

}  // namespace nvdlac::quant
