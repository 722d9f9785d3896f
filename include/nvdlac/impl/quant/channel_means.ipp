// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
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

NVDLAC_IMPL void channel_reach::observe(const net::float_tensor& t) {
  channels_.resize(static_cast<std::size_t>(t.shape.c));
  const std::size_t area = t.values.size() / channels_.size();
  for (std::size_t i = 0; i < t.values.size(); ++i) {
    auto& c = channels_[i / area];
    const double x = std::fabs(double{t.values[i]});
    c.largest = std::max(c.largest, x);
    c.squares += x * x;
  }
  count_ += area;
}

template <class Known>
std::vector<double> channel_reach::reaches(double range, const Known& known) const {
  const double room = count_ < enough ? 2 : 1;
  double top = range;
  for (const auto& c : channels_) top = std::max(top, c.largest);
  if (top == 0 || count_ < least) return {};
  bool some_differ = false;
  std::vector<double> result;
  for (const auto& c : channels_) {
    result.push_back(c.largest > 0 && known(c) ? std::min(room * c.largest, top) : top);
    some_differ = some_differ || result.back() * differ < top;
  }
  return some_differ ? result : std::vector<double>{};
}

NVDLAC_IMPL std::vector<double> channel_reach::values(double range) const {
  // A value alone among zeros is sqrt(count_) times as large as the root mean square of all.
  const double most = std::min(spread, 0.99 * std::sqrt(static_cast<double>(count_)));
  return reaches(range, [&](const channel& c) {
    return c.largest <= most * std::sqrt(c.squares / static_cast<double>(count_));
  });
}

NVDLAC_IMPL std::vector<double> channel_reach::of_computed(double range) const {
  return reaches(range, [](const channel&) { return true; });
}

}  // namespace nvdlac::quant
