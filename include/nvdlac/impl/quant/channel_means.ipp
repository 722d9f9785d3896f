// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/channel_means.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL void channel_means::observe(const net::float_tensor& t) {
  sums_.resize(static_cast<std::size_t>(t.shape.c), 0);
  const std::size_t area = t.values.size() / sums_.size();
  std::size_t c = 0;
  for (; c + 8 <= sums_.size(); c += 8) add_channels<8>(t.values.data(), c, area);
  for (; c < sums_.size(); ++c) add_channels<1>(t.values.data(), c, area);
  count_ += area;
}

NVDLAC_IMPL std::vector<double> channel_means::values() const {
  auto result = sums_;
  for (double& x : result) x /= static_cast<double>(count_);
  return result;
}

}  // namespace nvdlac::quant
