// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/embedding.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

NVDLAC_IMPL net::shape embedding::infer(std::span<const net::shape> in) const {
  if (width < 1 || table.empty() || table.size() % static_cast<std::size_t>(width) != 0)
    throw error(text("its table of ", table.size(), " numbers has rows of ", width));
  if (in[0].size() * static_cast<std::size_t>(width) != target.size())
    throw error(text(in[0].size(), " rows of ", width, " numbers are not ", target));
  return target;
}

// The largest number of the table, whatever the places are.
NVDLAC_IMPL double embedding::bound(std::span<const double>) const {
  double most = 0;
  for (const float x : table) most = std::max(most, std::fabs(double{x}));
  return most > 0 ? most : 1;
}

NVDLAC_IMPL net::float_tensor embedding::evaluate(
    std::span<const net::float_tensor* const> in) const {
  net::float_tensor y{infer(net::shapes_of(in))};
  auto to = y.values.begin();
  for (const float told : in[0]->values) {
    auto place = std::isfinite(told) ? std::llround(std::clamp(told, -1e9F, 1e9F)) : rows();
    if (place < 0) place += rows();
    if (place < 0 || place >= rows())
      throw error(text("it takes row ", told, " of a table of ", rows()));
    const auto from = table.begin() + place * width;
    to = std::copy(from, from + width, to);
  }
  return y;
}

}  // namespace nvdlac::host
