// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/quant/multipliers.hpp>

namespace nvdlac::quant {

class square_matrix {
 public:
  explicit square_matrix(std::size_t n) : n_(n), values_(n * n) {}

  std::size_t size() const { return n_; }
  double* row(std::size_t i) { return values_.data() + i * n_; }
  const double* row(std::size_t i) const { return values_.data() + i * n_; }
  double mean_of_diagonal() const {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) sum += row(i)[i];
    return n_ == 0 ? 0 : sum / static_cast<double>(n_);
  }
  // The matrix with more on its diagonal, as a part of the diagonal's mean.
  square_matrix damped(double part) const {
    auto result = *this;
    const double more = part * mean_of_diagonal();
    for (std::size_t i = 0; i < n_; ++i) result.row(i)[i] += more;
    return result;
  }

 private:
  std::size_t n_;
  std::vector<double> values_;
};

namespace detail {

// In eight parts, so that no addition waits for the one before; always in the same order.
template <class A, class B>
double dot(const A* a, const B* b, std::size_t n) {
  std::array<double, 8> parts{};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (std::size_t k = 0; k < 8; ++k)
      parts[k] += static_cast<double>(a[i + k]) * static_cast<double>(b[i + k]);
  for (std::size_t k = 0; i < n; ++i, ++k)
    parts[k] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return ((parts[0] + parts[4]) + (parts[2] + parts[6])) +
         ((parts[1] + parts[5]) + (parts[3] + parts[7]));
}

}  // namespace detail

// The error of the sums of filters with weights q in place of w: (q - w)' H (q - w), where H
// holds the products of the inputs. All filters that read the same inputs share it. By
// Cholesky's H = L L' it is a sum of squares, the last of which the last weight decides alone,
// the one before that one and the last weight, and so on: what rounding one weight costs, those
// before it can take back.
class error_of_sums {
 public:
  explicit error_of_sums(square_matrix products)
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

  std::size_t size() const { return products_.size(); }
  // Whether H is positive definite; the functions below need that.
  bool is_definite() const { return definite_; }

  // x with H x = b.
  std::vector<double> solve(std::span<const double> b) const {
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
  double error(std::span<const double> best, std::span<const std::int8_t> q) const {
    const auto off = differences(best, q);
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i)
      sum += off[i] * detail::dot(products_.row(i), off.data(), size());
    return sum;
  }
  // Integers from -127 to 127 for the real weights `best`: one after the other is rounded to what
  // makes up best for those before it, then single ones are changed while that helps; or `q`,
  // changed in the same way, where that is better. Those that are `kept` at 0 stay so.
  void round(std::span<const double> best, const std::vector<bool>& kept,
             std::span<std::int8_t> q) const {
    auto compensated = one_by_one(best, kept);
    descend(best, kept, compensated);
    descend(best, kept, q);
    if (error(best, compensated) < error(best, q)) std::ranges::copy(compensated, q.begin());
  }

 private:
  std::vector<double> differences(std::span<const double> best,
                                  std::span<const std::int8_t> q) const {
    std::vector<double> off(size());
    for (std::size_t i = 0; i < size(); ++i) off[i] = q[i] - best[i];
    return off;
  }
  std::vector<std::int8_t> one_by_one(std::span<const double> best,
                                      const std::vector<bool>& kept) const {
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
  void descend(std::span<const double> best, const std::vector<bool>& kept,
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

  square_matrix products_, lower_;
  std::vector<std::size_t> order_;  // of the rows of L
  bool definite_ = true;
};

}  // namespace nvdlac::quant
