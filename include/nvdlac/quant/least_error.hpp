// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::quant {

class square_matrix {
 public:
  explicit square_matrix(std::size_t n) : n_(n), values_(n * n) {}

  std::size_t size() const { return n_; }
  double* row(std::size_t i) { return values_.data() + i * n_; }
  const double* row(std::size_t i) const { return values_.data() + i * n_; }
  double mean_of_diagonal() const;
  // The matrix with more on its diagonal, as a part of the diagonal's mean.
  square_matrix damped(double part) const;

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
  explicit error_of_sums(square_matrix products);

  std::size_t size() const { return products_.size(); }
  // Whether H is positive definite; the functions below need that.
  bool is_definite() const { return definite_; }

  // x with H x = b.
  std::vector<double> solve(std::span<const double> b) const;
  double error(std::span<const double> best, std::span<const std::int8_t> q) const;
  // Integers from -127 to 127 for the real weights `best`: one after the other is rounded to what
  // makes up best for those before it, then single ones are changed while that helps; or `q`,
  // changed in the same way, where that is better. Those that are `kept` at 0 stay so.
  void round(std::span<const double> best, const std::vector<bool>& kept,
             std::span<std::int8_t> q) const;

 private:
  std::vector<double> differences(std::span<const double> best,
                                  std::span<const std::int8_t> q) const;
  std::vector<std::int8_t> one_by_one(std::span<const double> best,
                                      const std::vector<bool>& kept) const;
  void descend(std::span<const double> best, const std::vector<bool>& kept,
               std::span<std::int8_t> q) const;

  square_matrix products_, lower_;
  std::vector<std::size_t> order_;  // of the rows of L
  bool definite_ = true;
};

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/least_error.ipp>
#endif
