// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integer weights and biases by what they do to a layer's sums on calibration samples.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/input_rows.hpp>
#include <nvdlac/quant/least_error.hpp>
#include <nvdlac/quant/rule.hpp>
#include <nvdlac/quant/side_by_side.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quant {

namespace detail {

// The filters of one group of a layer: what they read, and for each what its sums should be.
class group_of_filters {
 public:
  // How far real weights may leave the exact ones: the less, the larger. Those are tried.
  static constexpr double ridges[]{10, 1, 0.1, 0.01};
  // Samples are divided, and real weights leave the exact ones, only where the layer has so few.
  static constexpr std::size_t most_fitted = 1024;

  group_of_filters(input_rows rows, std::size_t threads);

  bool is_definite() const;
  std::size_t rows() const { return rows_.rows(); }

  // The sums that a filter should have: at each row, counted from their mean. What is beyond
  // the limits saturates.
  struct target {
    std::vector<double> sums{};
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
  };

  // The integers of a filter whose exact weights are these; `q` are those that are nearest to them,
  // which stay where others that two thirds of the samples choose are no better for the last third.
  void choose(std::span<const double> exact, const target& t, std::span<std::int8_t> q) const;
  // The mean of the sums of these weights.
  double mean_sum(std::span<const std::int8_t> q) const {
    return dot(q.data(), means_.data(), q.size());
  }
  // The squared error of their sums, without that of their mean and of what saturates.
  template <class Weights>
  double squared_error(const Weights& weights, const target& t) const {
    return error_from(weights, t, means_, 0, 0);
  }

 private:
  static constexpr std::size_t damping = 2;  // of the ridges, for rounding
  // How much better other weights must be for samples that have not been seen.
  static constexpr double worth = 0.98;
  // Where the samples are too many numbers to be divided: positions for each weight, of which fewer
  // tell nothing of others.
  static constexpr std::size_t least_rows = 2;

  template <class Weights>
  double error_from(const Weights& weights, const target& t, std::span<const double> means,
                    double mean, std::size_t begin) const {
    const auto sums = rows_.sums(weights, means, begin, rows());
    double error = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double off = std::clamp(sums[i] + mean, t.low, t.high) -
                         std::clamp(t.sums[begin + i], t.low, t.high);
      error += off * off;
    }
    return error;
  }
  static std::vector<double> moved(std::span<const double> exact, const input_rows& rows,
                                   const square_matrix& products, std::span<const double> sums,
                                   const error_of_sums& fit);
  // Real weights that make up for the errors of what is read, where that holds as well for the last
  // third of the samples when the others have chosen them; the exact ones elsewhere. Nothing where
  // even those, rounded by what the others show, are no better for that third than `nearest`.
  std::optional<std::vector<double>> fitted(std::span<const double> exact, const target& t,
                                            const std::vector<bool>& kept,
                                            std::span<const std::int8_t> nearest) const;

  input_rows rows_, train_;
  std::vector<double> means_;
  square_matrix products_, train_products_{0};
  error_of_sums rounding_;
  std::vector<error_of_sums> trials_{}, fits_{};
};

// Chooses the weights and the bias of each kernel of a layer.
class filter_chooser {
 public:
  static constexpr std::size_t most_taps = 4608;  // of a kernel, whose products fill 170 MB

  filter_chooser(std::size_t samples, std::size_t threads)
      : samples_(samples), threads_(threads) {}

  // Whether it can choose such filters.
  static bool takes(const quantised::convolution& op, const exact_filters& exact) {
    return op.weights.size() == exact.weights.size() &&
           op.weights.size() <= most_taps * static_cast<std::size_t>(op.kernels);
  }

  quantised::convolution operator()(const filters_at_hand& f) const;

 private:
  // The bias stays as it is where it is beyond 16 bits.
  static void choose(const filters_at_hand& f, std::size_t k, const group_of_filters& filters,
                     const chosen_positions& at, std::span<std::int8_t> q, std::int16_t& bias);
  // The sums that kernel k should have, from their mean on.
  static group_of_filters::target target_of(const filters_at_hand& f, std::size_t k,
                                            const chosen_positions& at, double& mean);
  // At least 32 for each weight of a filter, if the samples have them and memory does.
  chosen_positions positions(std::size_t taps, net::shape out) const;

  std::size_t samples_, threads_;
};

}  // namespace detail

// Samples whose float tensors fill about a GiB at once.
template <class Graph>
std::size_t most_samples(const Graph& g) {
  std::size_t largest = 1;
  for (typename Graph::id n = 0; n < g.size(); ++n) largest = std::max(largest, g[n].shape.size());
  return std::max<std::size_t>(8, (std::size_t{1} << 28) / (3 * largest));
}

// Chooses the weights and biases of the int8 layers of `integers` anew, which `quantise` made of
// `real` and whose exact filters are given: layer by layer, so that the sums of each are nearest to
// those of the float network when it reads what the integer layers before it give. Shifts,
// multipliers and scales stay. Layers with more than 4608 weights a filter, transformed ones in
// Winograd's mode, and weights of 0, stay as they are. `given` are the feeds of the integer network
// for `samples`. progress(done, all) is called after every layer. The result does not depend on
// `threads`.
template <class Graph, class Progress>
void reconstruct(const Graph& real, quantised::graph& integers, const known_filters& exact,
                 const std::vector<std::vector<net::float_tensor>>& samples,
                 const std::vector<std::vector<quantised::feed>>& given, std::size_t threads,
                 Progress progress) {
  if (samples.empty()) return;
  detail::side_by_side<Graph>(real, integers, exact, threads, detail::filter_chooser::takes)
      .run(samples, given, detail::filter_chooser(samples.size(), threads), progress);
}

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/reconstruct.ipp>
#endif
