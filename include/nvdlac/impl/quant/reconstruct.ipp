// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/quant/input_rows.hpp>
#include <nvdlac/quant/least_error.hpp>
#include <nvdlac/quant/multipliers.hpp>
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
    if (error < least) {
      least = error;
      chosen = r;
      best = std::move(tried);
    }
  }
  std::vector<std::int8_t> rounded(nearest.begin(), nearest.end());
  trials_[damping].round(best, kept, rounded);
  if (!(error_from(rounded, t, means, mean, seen) <
        worth * error_from(nearest, t, means, mean, seen)))
    return std::nullopt;
  if (chosen) best = moved(exact, rows_, products_, t.sums, fits_[*chosen]);
  return best;
}

NVDLAC_IMPL quantised::convolution filter_chooser::operator()(const filters_at_hand& f) const {
  const auto groups = static_cast<std::size_t>(f.op.groups);
  const auto kernels = static_cast<std::size_t>(f.op.kernels), of_group = kernels / groups;
  const std::size_t taps = f.op.weights.size() / kernels;
  const auto at = positions(taps, f.out);
  auto chosen = f.op;
  const auto weights = chosen.weights.changeable();
  const auto bias = chosen.bias.changeable();
  const std::size_t within = groups > 1 ? 1 : threads_;
  for_all(groups, groups > 1 ? threads_ : 1, [&](std::size_t g) {
    const group_of_filters filters(
        input_rows::gather(f.op, g, f.read, f.in, f.out, at, within), within);
    if (!filters.is_definite()) return;
    for_all(of_group, within, [&](std::size_t i) {
      const std::size_t k = g * of_group + i;
      choose(f, k, filters, at, weights.subspan(k * taps, taps), bias[k]);
    });
  });
  return chosen;
}

NVDLAC_IMPL void filter_chooser::choose(const filters_at_hand& f, std::size_t k,
                                        const group_of_filters& filters,
                                        const chosen_positions& at, std::span<std::int8_t> q,
                                        std::int16_t& bias) {
  double mean = 0;
  const auto target = target_of(f, k, at, mean);
  std::vector<double> w(q.size());
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = double{f.exact.weights[k * w.size() + i]};
  std::vector<std::int8_t> chosen(q.begin(), q.end());
  filters.choose(w, target, chosen);
  const double b = std::ldexp(mean - filters.mean_sum(chosen), -f.op.bias_shift);
  if (!(std::fabs(b) <= 32767)) return;
  std::ranges::copy(chosen, q.begin());
  bias = round16(b);
}

NVDLAC_IMPL group_of_filters::target filter_chooser::target_of(const filters_at_hand& f,
                                                               std::size_t k,
                                                               const chosen_positions& at,
                                                               double& mean) {
  group_of_filters::target t{.sums = std::vector<double>(at.count)};
  for (std::size_t row = 0; row < at.count; ++row) {
    t.sums[row] = f.wanted(k, at[row], at.area);
    mean += t.sums[row];
  }
  mean /= static_cast<double>(at.count);
  for (double& x : t.sums) x -= mean;
  if (f.added != nullptr || !f.op.slope.empty()) return t;
  const double unit = f.scale * (f.gain.empty() ? 1 : f.gain[k]) / f.exact.step[k];
  const auto low = f.op.low != quantised::no_low ? std::max<int>(f.op.low, -128)
                   : f.op.relu                   ? 0
                                                 : -128;
  t.low = low * unit - mean;
  t.high = std::min<int>(f.op.high, 127) * unit - mean;
  return t;
}

NVDLAC_IMPL chosen_positions filter_chooser::positions(std::size_t taps, net::shape out) const {
  constexpr std::size_t least = 16384, for_each_tap = 32, most_values = std::size_t{1} << 26;
  chosen_positions at{.area = net::shape{1, out.h, out.w}.size()};
  at.all = at.area * samples_;
  at.count = std::min({at.all, std::max(least, for_each_tap * taps), most_values / taps});
  return at;
}

}  // namespace nvdlac::quant::detail
