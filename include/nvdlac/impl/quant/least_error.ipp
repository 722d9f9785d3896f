// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/least_error.hpp>
#include <nvdlac/quant/multipliers.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL double square_matrix::mean_of_diagonal() const {
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i) sum += row(i)[i];
  return n_ == 0 ? 0 : sum / static_cast<double>(n_);
}

NVDLAC_IMPL square_matrix square_matrix::damped(double part) const {
  auto result = *this;
  const double more = part * mean_of_diagonal();
  for (std::size_t i = 0; i < n_; ++i) result.row(i)[i] += more;
  return result;
}

NVDLAC_IMPL error_of_sums::error_of_sums(square_matrix products)
    : products_(std::move(products)), lower_(products_.size()), order_(products_.size()) {
  const std::size_t n = size();
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  // The weights that count most are rounded first, while most others can make up for it.
  std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return products_.row(i)[i]; });
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = lower_.row(i);
    for (std::size_t j = 0; j <= i; ++j) {
      const double rest =
          products_.row(order_[i])[order_[j]] - detail::dot(row, lower_.row(j), j);
      row[j] = i == j ? std::sqrt(std::max(rest, 0.0)) : rest / lower_.row(j)[j];
    }
    definite_ = definite_ && row[i] > 0 && std::isfinite(row[i]);
    if (!definite_) return;
  }
}

NVDLAC_IMPL std::vector<double> error_of_sums::solve(std::span<const double> b) const {
  const std::size_t n = size();
  std::vector<double> y(n), x(n);
  for (std::size_t i = 0; i < n; ++i)
    y[i] = (b[order_[i]] - detail::dot(lower_.row(i), y.data(), i)) / lower_.row(i)[i];
  for (std::size_t i = n; i-- > 0;) {
    const double* const row = lower_.row(i);
    y[i] /= row[i];
    for (std::size_t j = 0; j < i; ++j) y[j] -= row[j] * y[i];
    x[order_[i]] = y[i];
  }
  return x;
}

NVDLAC_IMPL double error_of_sums::error(std::span<const double> best,
                                        std::span<const std::int8_t> q) const {
  const auto off = differences(best, q);
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i)
    sum += off[i] * detail::dot(products_.row(i), off.data(), size());
  return sum;
}

NVDLAC_IMPL void error_of_sums::round(std::span<const double> best, const std::vector<bool>& kept,
                                      std::span<std::int8_t> q) const {
  auto compensated = one_by_one(best, kept);
  descend(best, kept, compensated);
  descend(best, kept, q);
  if (error(best, compensated) < error(best, q)) std::ranges::copy(compensated, q.begin());
}

NVDLAC_IMPL std::vector<double> error_of_sums::differences(std::span<const double> best,
                                                           std::span<const std::int8_t> q) const {
  std::vector<double> off(size());
  for (std::size_t i = 0; i < size(); ++i) off[i] = q[i] - best[i];
  return off;
}

NVDLAC_IMPL std::vector<std::int8_t> error_of_sums::one_by_one(
    std::span<const double> best, const std::vector<bool>& kept) const {
  const std::size_t n = size();
  std::vector<std::int8_t> q(n);
  std::vector<double> moved(n);  // what the errors of the weights before add to each square
  for (std::size_t i = n; i-- > 0;) {
    const double* const row = lower_.row(i);
    const double w = best[order_[i]];
    if (!kept[order_[i]]) q[order_[i]] = round8(w - moved[i] / row[i]);
    const double off = q[order_[i]] - w;
    for (std::size_t j = 0; j < i; ++j) moved[j] += row[j] * off;
  }
  return q;
}

NVDLAC_IMPL void error_of_sums::descend(std::span<const double> best, const std::vector<bool>& kept,
                                        std::span<std::int8_t> q) const {
  constexpr int most_rounds = 8;
  const std::size_t n = size();
  const auto off = differences(best, q);
  std::vector<double> slope(n);
  for (std::size_t i = 0; i < n; ++i) slope[i] = detail::dot(products_.row(i), off.data(), n);
  bool changed = true;
  for (int round = 0; changed && round < most_rounds; ++round) {
    changed = false;
    for (std::size_t i = 0; i < n; ++i) {
      if (kept[i]) continue;
      const double* const row = products_.row(i);
      const auto to = round8(q[i] - slope[i] / row[i]);
      const double by = to - q[i];
      if (by == 0 || !(by * (by * row[i] + 2 * slope[i]) < -1e-9 * row[i])) continue;
      q[i] = to;
      for (std::size_t j = 0; j < n; ++j) slope[j] += by * row[j];
      changed = true;
    }
  }
}

}  // namespace nvdlac::quant
