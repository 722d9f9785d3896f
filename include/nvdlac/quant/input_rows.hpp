// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inputs of a layer's filters on calibration samples.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/least_error.hpp>
#include <nvdlac/quantised/convolution.hpp>

namespace nvdlac::quant {

// Positions of a layer's output over all samples, evenly chosen, in the order of the samples.
struct chosen_positions {
  std::size_t count = 0, all = 0;  // so many of these
  std::size_t area = 1;            // that each sample has

  struct sample_position {
    std::size_t sample, position;
  };
  sample_position operator[](std::size_t i) const;
};

// The integers that a group of filters reads, a row for each position, a column for each weight.
class input_rows {
 public:
  input_rows(std::size_t taps, std::size_t rows)
      : taps_(taps), rows_(rows), stride_((rows + block - 1) / block * block),
        values_(taps * stride_), sums_(taps) {}

  std::size_t taps() const { return taps_; }
  std::size_t rows() const { return rows_; }
  double mean(std::size_t tap) const { return sums_[tap] / static_cast<double>(rows_); }

  // The rows of filters of `group`, of tensors of shape `in` that give tensors of shape `out`.
  static input_rows gather(const quantised::convolution& op, std::size_t group,
                           const std::vector<net::any_tensor>& samples, net::shape in,
                           net::shape out, const chosen_positions& at, std::size_t threads);
  // The first rows alone.
  input_rows first(std::size_t rows) const;

  // The sums of the products of each two columns, counted from their means.
  square_matrix products(std::size_t threads) const;
  // The sums of the products of each column with values for the rows, whose mean is 0.
  std::vector<double> products_with(std::span<const double> values) const;
  // The sums of a filter's products with rows [begin, end), the means of the columns taken off.
  template <class Weights>
  std::vector<double> sums(const Weights& weights, std::span<const double> means,
                           std::size_t begin, std::size_t end) const {
    const std::size_t start = begin / block * block;  // columns go on with 0 to the end of a block
    std::vector<double> result((end - start + block - 1) / block * block);
    double mean = 0;
    for (std::size_t i = 0; i < taps_; ++i) {
      const auto w = static_cast<double>(weights[i]);
      if (w == 0) continue;
      mean += w * means[i];
      for (std::size_t row = 0; row < result.size(); row += block) {
        const auto* const from = column(i) + start + row;
        double* const to = result.data() + row;
        for (std::size_t k = 0; k < block; ++k) to[k] += w * from[k];
      }
    }
    for (double& sum : result) sum -= mean;
    result.resize(end - start);
    result.erase(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(begin - start));
    return result;
  }
  std::vector<double> means() const;
  // The means of the columns over rows [begin, end).
  std::vector<double> means(std::size_t begin, std::size_t end) const;

 private:
  // The compiler makes vectors of a fixed number of products.
  static constexpr std::size_t block = 64;

  // In Winograd's mode a position takes its part of the tile that it stands in: each transformed
  // number with the sign that it has in the position's sum, or 0.
  static input_rows gather_tiles(const quantised::convolution& op,
                                 const std::vector<net::any_tensor>& samples, net::shape in,
                                 net::shape out, const chosen_positions& at, std::size_t threads);

  std::int16_t* column(std::size_t tap) { return values_.data() + tap * stride_; }
  const std::int16_t* column(std::size_t tap) const { return values_.data() + tap * stride_; }
  void count();
  std::int64_t product(const std::int16_t* a, const std::int16_t* b) const;

  std::size_t taps_, rows_, stride_;
  std::vector<std::int16_t> values_;  // by column; 0 behind its rows
  std::vector<double> sums_;          // of each column; exact
};

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/input_rows.ipp>
#endif
