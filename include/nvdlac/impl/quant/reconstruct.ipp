// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/input_rows.hpp>
#include <nvdlac/quant/least_error.hpp>
#include <nvdlac/quant/reconstruct.hpp>

namespace nvdlac::quant::detail {

NVDLAC_IMPL group_of_filters::group_of_filters(input_rows rows, std::size_t threads)
    : rows_(std::move(rows)), train_(rows_.first(rows_.rows() * 2 / 3)), means_(rows_.means()),
      products_(rows_.products(threads)), rounding_(products_.damped(ridges[damping])) {
  if (rows_.taps() > most_fitted || train_.rows() == 0) return;
  train_products_ = train_.products(threads);
  for (const double r : ridges) {
    trials_.emplace_back(train_products_.damped(r));
    fits_.emplace_back(products_.damped(r));
  }
}

NVDLAC_IMPL bool group_of_filters::is_definite() const {
  const auto definite = [](const error_of_sums& e) { return e.is_definite(); };
  return rounding_.is_definite() && std::ranges::all_of(trials_, definite) &&
         std::ranges::all_of(fits_, definite);
}

NVDLAC_IMPL void group_of_filters::choose(std::span<const double> exact, const target& t,
                                          std::span<std::int8_t> q) const {
  std::vector<bool> kept(exact.size());
  for (std::size_t i = 0; i < exact.size(); ++i) kept[i] = exact[i] == 0;
  const auto best = fitted(exact, t, kept, q);
  if (!best) return;
  std::vector<std::int8_t> chosen(q.begin(), q.end());
  rounding_.round(*best, kept, chosen);
  if (squared_error(chosen, t) < squared_error(q, t)) std::ranges::copy(chosen, q.begin());
}

NVDLAC_IMPL std::vector<double> group_of_filters::moved(std::span<const double> exact,
                                                        const input_rows& rows,
                                                        const square_matrix& products,
                                                        std::span<const double> sums,
                                                        const error_of_sums& fit) {
  auto b = rows.products_with(sums);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] -= dot(products.row(i), exact.data(), b.size());
  auto result = fit.solve(b);
  for (std::size_t i = 0; i < b.size(); ++i) result[i] += exact[i];
  return result;
}

NVDLAC_IMPL std::optional<std::vector<double>> group_of_filters::fitted(
    std::span<const double> exact, const target& t, const std::vector<bool>& kept,
    std::span<const std::int8_t> nearest) const {
  std::vector<double> best(exact.begin(), exact.end());
  if (trials_.empty()) {
    if (rows() < least_rows * exact.size()) return std::nullopt;
    return best;
  }
  const std::size_t seen = train_.rows();
  double mean = 0;
  for (std::size_t i = 0; i < seen; ++i) mean += t.sums[i];
  mean /= static_cast<double>(seen);
  auto sums = std::vector<double>(t.sums.begin(),
                                  t.sums.begin() + static_cast<std::ptrdiff_t>(seen));
  for (double& s : sums) s -= mean;
  const auto means = train_.means();
  double least = worth * error_from(exact, t, means, mean, seen);
  std::optional<std::size_t> chosen;
  for (std::size_t r = 0; r < trials_.size(); ++r) {
    auto tried = moved(exact, train_, train_products_, sums, trials_[r]);
    const double error = error_from(tried, t, means, mean, seen);
    if (error < least) least = error, chosen = r, best = std::move(tried);
  }
  std::vector<std::int8_t> rounded(nearest.begin(), nearest.end());
  trials_[damping].round(best, kept, rounded);
  if (!(error_from(rounded, t, means, mean, seen) <
        worth * error_from(nearest, t, means, mean, seen)))
    return std::nullopt;
  if (chosen) best = moved(exact, rows_, products_, t.sums, fits_[*chosen]);
  return best;
}

}  // namespace nvdlac::quant::detail
