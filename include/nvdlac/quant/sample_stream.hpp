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

}  // namespace nvdlac::quant
