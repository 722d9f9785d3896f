// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/arithmetic/winograd.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quant/input_rows.hpp>
#include <nvdlac/quant/least_error.hpp>
#include <nvdlac/quantised/convolution.hpp>
#include <nvdlac/quantised/winograd.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL chosen_positions::sample_position chosen_positions::operator[](std::size_t i) const {
  const std::size_t at = i * all / count;
  return {at / area, at % area};
}

NVDLAC_IMPL input_rows input_rows::gather(const quantised::convolution& op, std::size_t group,
                                          const std::vector<net::any_tensor>& samples,
                                          net::shape in, net::shape out, const chosen_positions& at,
                                          std::size_t threads) {
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

NVDLAC_IMPL input_rows input_rows::first(std::size_t rows) const {
  input_rows result(taps_, rows);
  for (std::size_t i = 0; i < taps_; ++i) std::copy_n(column(i), rows, result.column(i));
  result.count();
  return result;
}

NVDLAC_IMPL square_matrix input_rows::products(std::size_t threads) const {
  square_matrix h(taps_);
  for_all(taps_, threads, [&](std::size_t i) {
    for (std::size_t j = 0; j <= i; ++j)
      h.row(i)[j] = static_cast<double>(product(column(i), column(j))) - sums_[i] * mean(j);
  });
  for (std::size_t i = 0; i < taps_; ++i)
    for (std::size_t j = 0; j < i; ++j) h.row(j)[i] = h.row(i)[j];
  return h;
}

NVDLAC_IMPL std::vector<double> input_rows::products_with(std::span<const double> values) const {
  std::vector<double> result(taps_);
  for (std::size_t i = 0; i < taps_; ++i)
    result[i] = detail::dot(column(i), values.data(), rows_);
  return result;
}

NVDLAC_IMPL std::vector<double> input_rows::means() const {
  std::vector<double> result(taps_);
  for (std::size_t i = 0; i < taps_; ++i) result[i] = mean(i);
  return result;
}

NVDLAC_IMPL std::vector<double> input_rows::means(std::size_t begin, std::size_t end) const {
  std::vector<double> result(taps_);
  for (std::size_t i = 0; i < taps_; ++i) {
    std::int64_t sum = 0;
    for (std::size_t row = begin; row < end; ++row) sum += column(i)[row];
    result[i] = static_cast<double>(sum) / static_cast<double>(end - begin);
  }
  return result;
}

NVDLAC_IMPL input_rows input_rows::gather_tiles(const quantised::convolution& op,
                                                const std::vector<net::any_tensor>& samples,
                                                net::shape in, net::shape out,
                                                const chosen_positions& at, std::size_t threads) {
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

NVDLAC_IMPL void input_rows::count() {
  for (std::size_t i = 0; i < taps_; ++i) {
    std::int64_t sum = 0;
    for (std::size_t row = 0; row < rows_; ++row) sum += column(i)[row];
    sums_[i] = static_cast<double>(sum);
  }
}

NVDLAC_IMPL std::int64_t input_rows::product(const std::int16_t* a, const std::int16_t* b) const {
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < stride_; row += block) {
    std::int32_t part = 0;
    for (std::size_t i = row; i < row + block; ++i)
      part += std::int32_t{a[i]} * std::int32_t{b[i]};
    sum += part;
  }
  return sum;
}

}  // namespace nvdlac::quant
