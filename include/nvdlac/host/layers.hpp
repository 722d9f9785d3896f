// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers that the host computes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// Which of channels, height and width a computation goes over, as flags.
using axes = std::array<bool, 3>;
inline constexpr axes over_channels{true, false, false}, over_planes{false, true, true},
    over_all{true, true, true};

// The shape with the axes of 1.
constexpr net::shape reduced(net::shape s, axes over) {
  return {over[0] ? 1 : s.c, over[1] ? 1 : s.h, over[2] ? 1 : s.w};
}

// visit(the elements' places in the dense order, ascending) for each line of elements along the
// axes; the lines in the dense order of the others.
template <class Visit>
void for_each_line(net::shape s, axes over, Visit visit) {
  const net::shape outer = reduced(s, over);
  const net::shape inner{over[0] ? s.c : 1, over[1] ? s.h : 1, over[2] ? s.w : 1};
  std::vector<std::size_t> line(inner.size());
  for (std::int32_t c = 0; c < outer.c; ++c)
    for (std::int32_t y = 0; y < outer.h; ++y)
      for (std::int32_t x = 0; x < outer.w; ++x) {
        for (std::int32_t k = 0; k < inner.c; ++k)
          for (std::int32_t j = 0; j < inner.h; ++j)
            for (std::int32_t i = 0; i < inner.w; ++i)
              line[inner.at(k, j, i)] = s.at(c + k, y + j, x + i);
        visit(line);
      }
}

// compute(the values of a line), which changes them in place, for each line along the axes.
template <class Compute>
net::float_tensor with_lines(net::float_tensor x, axes over, Compute compute) {
  std::vector<double> values;
  for_each_line(x.shape, over, [&](const std::vector<std::size_t>& line) {
    values.clear();
    for (const auto i : line) values.push_back(double{x.values[i]});
    compute(std::span(values));
    for (std::size_t k = 0; k < line.size(); ++k)
      x.values[line[k]] = static_cast<float>(values[k]);
  });
  return x;
}

// The place of the largest value over `axes`, counted in the dense order; of equal ones the first,
// or the last.
struct arg_max {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;
  bool last = false;
  static constexpr void fields(auto&& field) {
    field("axes", &arg_max::axes);
    field("last", &arg_max::last);
  }

  constexpr net::shape infer(std::span<const net::shape> in) const { return reduced(in[0], axes); }
  constexpr std::int64_t counts_to(std::span<const net::shape> in) const {
    return static_cast<std::int64_t>(in[0].size() / reduced(in[0], axes).size()) - 1;
  }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    const net::float_tensor& x = *in[0];
    net::float_tensor y{reduced(x.shape, axes)};
    std::size_t next = 0;
    for_each_line(x.shape, axes, [&](const std::vector<std::size_t>& line) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < line.size(); ++i) {
        const float a = x.values[line[i]], b = x.values[line[best]];
        if (a > b || (last && a == b)) best = i;
      }
      y.values[next++] = static_cast<float>(best);
    });
    return y;
  }
};
static_assert(net::operation<arg_max>);

// 1 at the largest value over `axes`, at the first of equal ones, and 0 elsewhere.
struct hard_max {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;
  static constexpr void fields(auto&& field) { field("axes", &hard_max::axes); }

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    return with_lines(*in[0], axes, [](std::span<double> x) {
      const auto best = std::ranges::max_element(x) - x.begin();
      std::ranges::fill(x, 0);
      x[static_cast<std::size_t>(best)] = 1;
    });
  }
};
static_assert(net::operation<hard_max>);

// exp(x) / sum of exp(x) over `axes`, such as the channels at each height and width.
struct softmax {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;
  static constexpr void fields(auto&& field) { field("axes", &softmax::axes); }

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    return with_lines(*in[0], axes, [](std::span<double> x) {
      std::ranges::copy(net::softmax_of(x.data(), x.size(), 1), x.begin());
    });
  }
};
static_assert(net::operation<softmax>);

// x - log(sum of exp(x) over `axes`).
struct log_softmax {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;
  static constexpr void fields(auto&& field) { field("axes", &log_softmax::axes); }

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    return with_lines(*in[0], axes, [](std::span<double> x) {
      const double top = std::ranges::max(x);  // taken off first
      double sum = 0;
      for (const double v : x) sum += std::exp(v - top);
      for (double& v : x) v = v - top - std::log(sum);
    });
  }
};
static_assert(net::operation<log_softmax>);

// x divided by its norm over `axes`: the sum of |x| (p = 1), or the root of epsilon plus the sum of
// x^2 (p = 2). Where the norm is 0, x stays.
struct lp_normalise {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_channels;
  std::int32_t p = 2;
  float epsilon = 0;
  static constexpr void fields(auto&& field) {
    field("axes", &lp_normalise::axes);
    field("p", &lp_normalise::p);
    field("epsilon", &lp_normalise::epsilon);
  }

  net::shape infer(std::span<const net::shape> in) const {
    if (p != 1 && p != 2)
      throw error(text("the norm of p = ", p, " is not supported, 1 and 2 are"));
    return in[0];
  }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    return with_lines(*in[0], axes, [this](std::span<double> x) {
      double sum = p == 2 ? double{epsilon} : 0;
      for (const double v : x) sum += p == 2 ? v * v : std::fabs(v);
      const double norm = p == 2 ? std::sqrt(sum) : sum;
      if (norm > 0)
        for (double& v : x) v /= norm;
    });
  }
};
static_assert(net::operation<lp_normalise>);

// Instance, layer and mean-variance normalisation: over `axes`, x minus its mean, divided by
// sqrt(variance + epsilon), or as Caffe's MVN by sqrt(variance) + epsilon; then gamma * x + beta.
struct mean_variance {
  static constexpr net::arity inputs{1, 1};

  host::axes axes = over_planes;
  float epsilon = 1e-5F;
  bool epsilon_behind_root = false;
  bool divide = true;  // false: x minus its mean
  // For each element along the axes or, if `per_channel`, for each channel; or empty: 1 and 0.
  std::vector<float> gamma{}, beta{};
  bool per_channel = false;
  static constexpr void fields(auto&& field) {
    field("axes", &mean_variance::axes);
    field("epsilon", &mean_variance::epsilon);
    field("epsilon_behind_root", &mean_variance::epsilon_behind_root);
    field("divide", &mean_variance::divide);
    field("gamma", &mean_variance::gamma);
    field("beta", &mean_variance::beta);
    field("per_channel", &mean_variance::per_channel);
  }

  net::shape infer(std::span<const net::shape> in) const {
    const auto along = in[0].size() / reduced(in[0], axes).size();
    const auto needed = per_channel ? static_cast<std::size_t>(in[0].c) : along;
    if (per_channel && axes[0]) throw error("it has factors of channels that it goes over");
    for (const auto* v : {&gamma, &beta})
      if (!v->empty() && v->size() != needed)
        throw error(text("it has ", v->size(), " factors or biases instead of ", needed));
    return in[0];
  }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    net::float_tensor y = *in[0];
    std::size_t number = 0;
    const std::size_t lines_of_channel = reduced({1, y.shape.h, y.shape.w}, axes).size();
    for_each_line(y.shape, axes, [&](const std::vector<std::size_t>& line) {
      const auto n = static_cast<double>(line.size());
      double mean = 0, variance = 0;
      for (const auto i : line) mean += double{y.values[i]} / n;
      for (const auto i : line) {
        const double d = double{y.values[i]} - mean;
        variance += d * d / n;
      }
      const double e{epsilon};
      const double deviation =
          !divide ? 1 : epsilon_behind_root ? std::sqrt(variance) + e : std::sqrt(variance + e);
      for (std::size_t k = 0; k < line.size(); ++k) {
        const std::size_t at = per_channel ? number / lines_of_channel : k;
        const double factor = gamma.empty() ? 1 : double{gamma[at]};
        const double bias = beta.empty() ? 0 : double{beta[at]};
        float& v = y.values[line[k]];
        v = static_cast<float>((double{v} - mean) / deviation * factor + bias);
      }
      ++number;
    });
    return y;
  }
};
static_assert(net::operation<mean_variance>);

// Local response normalisation within a channel:
// y = x / (1 + alpha / local_size^2 * sum over local_size x local_size elements around x of x^2)
// ^ beta; beyond the plane there are zeros.
struct lrn_within_channel {
  static constexpr net::arity inputs{1, 1};

  std::int32_t local_size = 5;
  float alpha = 1, beta = 0.75F;
  static constexpr void fields(auto&& field) {
    field("local_size", &lrn_within_channel::local_size);
    field("alpha", &lrn_within_channel::alpha);
    field("beta", &lrn_within_channel::beta);
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (local_size < 1 || local_size % 2 == 0)
      return {net::rule::local_size_is_not_a_positive_odd_number, {local_size}};
    return in[0];
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    const net::float_tensor& x = *in[0];
    net::float_tensor y{infer(net::shapes_of(in))};
    const double mean = double{alpha} / (1.0 * local_size * local_size);
    const auto [channels, height, width] = x.shape;
    const auto half = std::min(local_size / 2, std::max(height, width));
    for (std::int32_t c = 0; c < channels; ++c)
      for (std::int32_t row = 0; row < height; ++row)
        for (std::int32_t column = 0; column < width; ++column) {
          double sum = 0;
          for (auto r = std::max(row - half, 0); r <= std::min(row + half, height - 1); ++r)
            for (auto k = std::max(column - half, 0); k <= std::min(column + half, width - 1); ++k)
              sum += double{x.at(c, r, k)} * double{x.at(c, r, k)};
          y.at(c, row, column) = static_cast<float>(double{x.at(c, row, column)} /
                                                    std::pow(1 + mean * sum, double{beta}));
        }
    return y;
  }
};
static_assert(net::operation<lrn_within_channel>);

// The products of the matrices in the channels of two tensors: [c][rows][n] by [c][n][columns].
struct matrix_product {
  static constexpr net::arity inputs{2, 2};
  static constexpr std::string_view description = "a product of two computed tensors";

  static constexpr void fields(auto&&) {}

  net::shape infer(std::span<const net::shape> in) const {
    const auto &a = in[0], &b = in[1];
    if (a.c != b.c || a.w != b.h)
      throw error(text("its matrices ", a, " and ", b, " cannot be multiplied"));
    const net::shape out = net::checked_shape(a.c, a.h, b.w);
    require_within(&budget::operations,
                   std::uint64_t{out.size()} * static_cast<std::uint64_t>(a.w));
    return out;
  }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    const net::float_tensor &a = *in[0], &b = *in[1];
    net::float_tensor y{infer(net::shapes_of(in))};
    std::vector<double> row(static_cast<std::size_t>(y.shape.w));
    for (std::int32_t c = 0; c < y.shape.c; ++c)
      for (std::int32_t i = 0; i < y.shape.h; ++i) {
        row.assign(row.size(), 0);
        for (std::int32_t k = 0; k < a.shape.w; ++k)
          for (std::int32_t j = 0; j < y.shape.w; ++j)
            row[static_cast<std::size_t>(j)] += double{a.at(c, i, k)} * double{b.at(c, k, j)};
        for (std::int32_t j = 0; j < y.shape.w; ++j)
          y.at(c, i, j) = static_cast<float>(row[static_cast<std::size_t>(j)]);
      }
    return y;
  }
};
static_assert(net::operation<matrix_product>);

// Stochastic pooling as Caffe infers with it: the mean of each window in which every value weighs
// as much as itself, sum(x^2) / sum(x); 0 where sum(x) is not above 0. Windows are not padded; the
// number of their positions is rounded up if `ceil`.
struct stochastic_pool {
  static constexpr net::arity inputs{1, 1};

  net::window window{};
  bool ceil = true, global = false;
  static constexpr void fields(auto&& field) {
    field("window", &stochastic_pool::window);
    field("ceil", &stochastic_pool::ceil);
    field("global", &stochastic_pool::global);
  }

  constexpr net::shape infer(std::span<const net::shape> in) const {
    return net::pool{.window = window, .ceil = ceil, .global = global}.infer(in);
  }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    const net::float_tensor& x = *in[0];
    net::float_tensor y{infer(net::shapes_of(in))};
    const net::window w = net::pool{.window = window, .global = global}.window_on(x.shape);
    for (std::int32_t c = 0; c < y.shape.c; ++c)
      for (std::int32_t row = 0; row < y.shape.h; ++row)
        for (std::int32_t column = 0; column < y.shape.w; ++column) {
          double sum = 0, squares = 0;
          const auto top = row * w.stride_h, left = column * w.stride_w;
          for (auto r = top; r < std::min(top + w.kernel_h, x.shape.h); ++r)
            for (auto k = left; k < std::min(left + w.kernel_w, x.shape.w); ++k) {
              const double v{x.at(c, r, k)};
              sum += v;
              squares += v * v;
            }
          y.at(c, row, column) = sum > 0 ? static_cast<float>(squares / sum) : 0.0F;
        }
    return y;
  }
};
static_assert(net::operation<stochastic_pool>);

}  // namespace nvdlac::host
