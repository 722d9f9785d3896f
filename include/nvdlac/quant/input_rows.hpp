// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inputs of a layer's filters on calibration samples.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/arithmetic/winograd.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/least_error.hpp>
#include <nvdlac/quantised/convolution.hpp>
#include <nvdlac/quantised/winograd.hpp>

namespace nvdlac::quant {

// Positions of a layer's output over all samples, evenly chosen, in the order of the samples.
struct chosen_positions {
  std::size_t count = 0, all = 0;  // so many of these
  std::size_t area = 1;            // that each sample has

  struct place {
    std::size_t sample, position;
  };
  place operator[](std::size_t i) const {
    const std::size_t at = i * all / count;
    return {at / area, at % area};
  }
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
                           net::shape out, const chosen_positions& at, std::size_t threads) {
    if (op.winograd) return gather_tiles(op, samples, in, out, at, threads);
    const auto& w = op.window;
    const auto channels = static_cast<std::size_t>(in.c / op.groups);
    const auto area = static_cast<std::size_t>(w.kernel_h) * static_cast<std::size_t>(w.kernel_w);
    input_rows result(channels * area, at.count);
    for_all(channels, threads, [&](std::size_t c) {
      const auto plane = (group * channels + c) * net::shape{1, in.h, in.w}.size();
      for (std::size_t row = 0; row < at.count; ++row) {
        const auto [sample, position] = at[row];
        const auto* from = std::get<net::int8_tensor>(samples[sample]).values.data() + plane;
        const auto y = static_cast<std::int32_t>(position) / out.w * w.stride_h - w.pad_top;
        const auto x = static_cast<std::int32_t>(position) % out.w * w.stride_w - w.pad_left;
        auto* to = result.column(c * area) + row;
        for (std::int32_t i = 0; i < w.kernel_h; ++i)
          for (std::int32_t j = 0; j < w.kernel_w; ++j, to += result.stride_) {
            const auto line = y + i * w.dilation_h, column = x + j * w.dilation_w;
            const bool inside = line >= 0 && line < in.h && column >= 0 && column < in.w;
            *to = inside ? from[line * in.w + column] : static_cast<std::int8_t>(op.pad);
          }
      }
    });
    result.count();
    return result;
  }
  // The first rows alone.
  input_rows first(std::size_t rows) const {
    input_rows result(taps_, rows);
    for (std::size_t i = 0; i < taps_; ++i) std::copy_n(column(i), rows, result.column(i));
    result.count();
    return result;
  }

  // The sums of the products of each two columns, counted from their means.
  square_matrix products(std::size_t threads) const {
    square_matrix h(taps_);
    for_all(taps_, threads, [&](std::size_t i) {
      for (std::size_t j = 0; j <= i; ++j)
        h.row(i)[j] = static_cast<double>(product(column(i), column(j))) - sums_[i] * mean(j);
    });
    for (std::size_t i = 0; i < taps_; ++i)
      for (std::size_t j = 0; j < i; ++j) h.row(j)[i] = h.row(i)[j];
    return h;
  }
  // The same of each column with values for the rows, whose mean is 0.
  std::vector<double> products_with(std::span<const double> values) const {
    std::vector<double> result(taps_);
    for (std::size_t i = 0; i < taps_; ++i)
      result[i] = detail::dot(column(i), values.data(), rows_);
    return result;
  }
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
  std::vector<double> means() const {
    std::vector<double> result(taps_);
    for (std::size_t i = 0; i < taps_; ++i) result[i] = mean(i);
    return result;
  }

 private:
  // The compiler makes vectors of a fixed number of products.
  static constexpr std::size_t block = 64;

  // In Winograd's mode a position takes its part of the tile that it stands in: each transformed
  // number with the sign that it has in the position's sum, or 0.
  static input_rows gather_tiles(const quantised::convolution& op,
                                 const std::vector<net::any_tensor>& samples, net::shape in,
                                 net::shape out, const chosen_positions& at, std::size_t threads) {
    constexpr auto area = quantised::winograd_taps;
    std::array<std::array<std::int64_t, 4>, area> signs{};
    for (std::size_t i = 0; i < area; ++i) {
      arithmetic::tile one{};
      one[i] = 1;
      signs[i] = arithmetic::winograd_output(one);
    }
    const auto channels = static_cast<std::size_t>(in.c);
    input_rows result(channels * area, at.count);
    for_all(channels, threads, [&](std::size_t c) {
      for (std::size_t row = 0; row < at.count; ++row) {
        const auto [sample, position] = at[row];
        const auto y = static_cast<std::int32_t>(position) / out.w;
        const auto x = static_cast<std::int32_t>(position) % out.w;
        const auto tile = quantised::detail::input_tile(
            std::get<net::int8_tensor>(samples[sample]), static_cast<std::int32_t>(c),
            y / 2 * 2 - op.window.pad_top, x / 2 * 2 - op.window.pad_left,
            static_cast<std::int8_t>(op.pad));
        arithmetic::tile d{};
        std::ranges::copy(tile, d.begin());
        d = arithmetic::winograd_input<8>(d, op.input_truncate);
        const auto of = static_cast<std::size_t>(y % 2 * 2 + x % 2);
        auto* to = result.column(c * area) + row;
        for (std::size_t i = 0; i < area; ++i, to += result.stride_)
          *to = static_cast<std::int16_t>(signs[i][of] * d[i]);
      }
    });
    result.count();
    return result;
  }

  std::int16_t* column(std::size_t tap) { return values_.data() + tap * stride_; }
  const std::int16_t* column(std::size_t tap) const { return values_.data() + tap * stride_; }
  void count() {
    for (std::size_t i = 0; i < taps_; ++i) {
      std::int64_t sum = 0;
      for (std::size_t row = 0; row < rows_; ++row) sum += column(i)[row];
      sums_[i] = static_cast<double>(sum);
    }
  }
  std::int64_t product(const std::int16_t* a, const std::int16_t* b) const {
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < stride_; row += block) {
      std::int32_t part = 0;
      for (std::size_t i = row; i < row + block; ++i)
        part += std::int32_t{a[i]} * std::int32_t{b[i]};
      sum += part;
    }
    return sum;
  }

  std::size_t taps_, rows_, stride_;
  std::vector<std::int16_t> values_;  // by column; 0 behind its rows
  std::vector<double> sums_;          // of each column; exact
};

}  // namespace nvdlac::quant
