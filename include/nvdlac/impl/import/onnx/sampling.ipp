// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/matrix.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/sampling.hpp>
#include <nvdlac/net/input.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL factor_matrix::factor_matrix(std::int64_t rows, std::int64_t columns)
    : outputs(rows), inputs(columns) {
  if (net::product({rows, columns}) > most)
    throw error(problem{.reason = text("it makes ", rows, " sums of ", columns, " elements each"),
                        .remedy = text("up to ", most, " factors are supported")});
  values.assign(static_cast<std::size_t>(rows * columns), 0.0F);
}

NVDLAC_IMPL factor_matrix both(factor_matrix& outer, factor_matrix& inner) {
  factor_matrix all(outer.outputs * inner.outputs, outer.inputs * inner.inputs);
  for (std::int64_t o = 0; o < outer.outputs; ++o)
    for (std::int64_t i = 0; i < outer.inputs; ++i)
      for (std::int64_t p = 0; p < inner.outputs; ++p)
        for (std::int64_t j = 0; j < inner.inputs; ++j)
          all.at(o * inner.outputs + p, i * inner.inputs + j) = outer.at(o, i) * inner.at(p, j);
  return all;
}

NVDLAC_IMPL value sampled(const context& c, const computed& x, factor_matrix m, dims shape) {
  computed y = times_matrices(
      c, c.n.name(), x,
      {.outputs = m.outputs, .inputs = m.inputs, .values = std::move(m.values)});
  y.shape = std::move(shape);
  return y;
}

namespace detail {

// Cubic interpolation's weights of what is at most 1 away, and of what is 1 to 2 away.
inline double cubic_near(double t, double a) { return ((a + 2) * t - (a + 3)) * t * t + 1; }
inline double cubic_far(double t, double a) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; }

}  // namespace detail

NVDLAC_IMPL cubic_weights::cubic_weights(double part, double a) {
  using detail::cubic_far, detail::cubic_near;
  const double all[] = {cubic_far(1 + part, a), cubic_near(part, a), cubic_near(1 - part, a),
                        cubic_far(2 - part, a)};
  std::copy(std::begin(all), std::end(all), w);
}

NVDLAC_IMPL double interpolator::weight(double distance) const {
  if (!cubic) return std::max(1 - distance, 0.0);
  return distance <= 1 ? detail::cubic_near(distance, a)
                       : distance < 2 ? detail::cubic_far(distance, a) : 0;
}

NVDLAC_IMPL interpolator::taps interpolator::around(std::int64_t in, double place,
                                                    double scale) const {
  const double reach = (cubic ? 2 : 1) / scale;
  taps all{.first = static_cast<std::int64_t>(std::floor(place - reach)) + 1};
  auto last = static_cast<std::int64_t>(std::ceil(place + reach)) - 1;
  if (exclude_outside) {
    all.first = std::max<std::int64_t>(all.first, 0);
    last = std::min(last, in - 1);
  }
  double sum = 0;
  for (auto i = all.first; i <= last; ++i) {
    all.weights.push_back(weight(std::fabs(static_cast<double>(i) - place) * scale));
    sum += all.weights.back();
  }
  if (sum == 0) throw error("it interpolates nothing but what lies outside of its input");
  for (auto& w : all.weights) w /= sum;
  return all;
}

NVDLAC_IMPL factor_matrix interpolator::smoothed(std::int64_t in, std::span<const double> places,
                                                 double scale) const {
  factor_matrix m(static_cast<std::int64_t>(places.size()), in);
  for (std::int64_t o = 0; o < m.outputs; ++o) {
    const auto all = around(in, places[static_cast<std::size_t>(o)], scale);
    auto at = all.first;
    for (const auto w : all.weights)
      m.at(o, std::clamp<std::int64_t>(at++, 0, in - 1)) += static_cast<float>(w);
  }
  return m;
}

NVDLAC_IMPL factor_matrix interpolator::matrix(std::int64_t in, std::span<const double> places,
                                               double scale) const {
  if (antialias && scale < 1) return smoothed(in, places, scale);
  factor_matrix m(static_cast<std::int64_t>(places.size()), in);
  for (std::int64_t o = 0; o < m.outputs; ++o) {
    const double place = places[static_cast<std::size_t>(o)], low = std::floor(place);
    const double part = place - low;
    const cubic_weights all(part, a);
    double weights[] = {all.w[0], all.w[1], all.w[2], all.w[3]};
    if (!cubic) {
      weights[0] = weights[3] = 0;
      weights[1] = 1 - part;
      weights[2] = part;
    }
    double sum = 0;
    for (std::int64_t t = 0; t < 4; ++t) {
      const auto at = static_cast<std::int64_t>(low) - 1 + t;
      if (exclude_outside && (at < 0 || at >= in)) weights[t] = 0;
      sum += weights[t];
    }
    if (sum == 0) throw error("it interpolates nothing but what lies outside of its input");
    for (std::int64_t t = 0; t < 4; ++t)
      m.at(o, std::clamp<std::int64_t>(static_cast<std::int64_t>(low) - 1 + t, 0, in - 1)) +=
          static_cast<float>(weights[t] / sum);
  }
  return m;
}

NVDLAC_IMPL grid_sampler::grid_sampler(const node& n, std::int64_t height, std::int64_t width)
    : size_{height, width} {
  mode_ = n.string("mode", n.opset() < 20 ? "bilinear" : "linear");
  if (mode_ == "bilinear") mode_ = "linear";
  if (mode_ == "bicubic") mode_ = "cubic";
  outside_ = n.string("padding_mode", "zeros");
  aligned_ = n.flag("align_corners", false);
  if (mode_ != "linear" && mode_ != "cubic" && mode_ != "nearest")
    throw error("mode '" + mode_ + "' is not understood");
  if (outside_ != "zeros" && outside_ != "border" && outside_ != "reflection")
    throw error("padding_mode '" + outside_ + "' is not understood");
}

NVDLAC_IMPL void grid_sampler::weigh(factor_matrix& m, std::int64_t output, double x,
                                     double y) const {
  double at[] = {in_elements(y, 0), in_elements(x, 1)};
  if (mode_ == "nearest")
    for (double& p : at) p = std::nearbyint(p);
  if (outside(at[0], 0) || outside(at[1], 1))
    for (int i = 0; i < 2; ++i) at[i] = brought_in(at[i], i);
  if (mode_ == "nearest") {
    add(m, output, at[0], at[1], 1);
    return;
  }
  const double low[] = {std::floor(at[0]), std::floor(at[1])};
  const cubic_weights v(at[0] - low[0], -0.75), h(at[1] - low[1], -0.75);
  const auto weight = [&](const cubic_weights& w, double part, int t) {
    return mode_ == "cubic" ? w.w[t] : t == 1 ? 1 - part : t == 2 ? part : 0;
  };
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      add(m, output, low[0] - 1 + i, low[1] - 1 + j,
          weight(v, at[0] - low[0], i) * weight(h, at[1] - low[1], j));
}

NVDLAC_IMPL double grid_sampler::brought_in(double p, int axis) const {
  if (outside_ == "border") return std::clamp(p, 0.0, count(axis) - 1);
  return outside_ == "reflection" ? reflected(p, axis) : p;
}

NVDLAC_IMPL double grid_sampler::reflected(double p, int axis) const {
  const double low = first(axis), high = last(axis), range = high - low;
  if (!outside(p, axis)) return p;
  if (range <= 0) return low;
  const double beyond = p < low ? low - p : p - high, times = std::floor(beyond / range),
               rest = beyond - times * range;
  const bool back = std::fmod(times, 2) == 0;
  return (p < low) == back ? low + rest : high - rest;
}

NVDLAC_IMPL void grid_sampler::add(factor_matrix& m, std::int64_t output, double y, double x,
                                   double weight) const {
  if (weight == 0) return;
  double at[] = {y, x};
  for (int i = 0; i < 2; ++i) {
    if (at[i] >= 0 && at[i] < count(i)) continue;
    if (outside_ == "zeros") return;
    at[i] = outside_ == "border" ? at[i] : std::trunc(reflected(at[i], i));
    at[i] = std::clamp(at[i], 0.0, count(i) - 1);
  }
  m.at(output, static_cast<std::int64_t>(at[0]) * size_[1] + static_cast<std::int64_t>(at[1])) +=
      static_cast<float>(weight);
}

NVDLAC_IMPL std::vector<value> on_grid_sample(const context& c) {
  c.require_inputs(2, 2);
  const computed& x = c.tensor(0);
  const array& places = c.constant(1, "places");
  const dims& g = places.shape;
  if (x.shape.size() != 4 || x.shape[0] != 1 || g.size() != 4 || g[0] != 1 || g[3] != 2 ||
      !places.real)
    throw error(text("it samples ", to_text(x.shape), " at ", to_text(g)));
  const grid_sampler from(c.n, x.shape[2], x.shape[3]);
  factor_matrix m(g[1] * g[2], x.shape[2] * x.shape[3]);
  for (std::int64_t o = 0; o < m.outputs; ++o) {
    const auto i = static_cast<std::size_t>(2 * o);
    const double at[] = {places.number(i), places.number(i + 1)};
    if (!(std::fabs(at[0]) < 1e6 && std::fabs(at[1]) < 1e6))
      throw error(text("it samples at ", at[0], ", ", at[1]));
    from.weigh(m, o, at[0], at[1]);
  }
  return {sampled(c, x, std::move(m), {1, x.shape[1], g[1], g[2]})};
}

NVDLAC_IMPL std::vector<value> on_dft(const context& c) {
  c.require_inputs(1, 3);
  const computed& x = c.tensor(0);
  const bool inverse = c.n.flag("inverse", false), one_side = c.n.flag("onesided", false);
  const auto number = [&](std::size_t i, const char* what) {
    const array& a = c.constant(i, what);
    if (a.real || a.size() != 1) throw error(text("its ", what, " is no single integer"));
    return a.integers[0];
  };
  const std::size_t rank = x.shape.size();
  const auto given = c.n.opset() < 20 ? c.n.integer("axis", 1)
                     : c.given(2)     ? number(2, "axis")
                                      : -2;
  const auto axis = static_cast<std::size_t>(checked_axis(given, rank));
  if (rank < 2 || axis + 1 == rank || x.shape.back() > 2)
    throw error(text("it transforms axis ", axis, " of ", to_text(x.shape)));
  if (inverse && one_side) throw error("it is inverse and onesided");
  const std::int64_t parts = x.shape.back(), in = x.shape[axis],
                     length = c.given(1) ? number(1, "dft_length") : in;
  if (length < 1) throw error(text("its dft_length is ", length));
  const std::int64_t out = one_side ? length / 2 + 1 : length;
  if (one_side && parts == 2) throw error("it is onesided, but its input is complex");
  factor_matrix m(out * 2, in * parts);
  for (std::int64_t k = 0; k < out; ++k)
    for (std::int64_t n = 0; n < std::min(in, length); ++n) {
      const double turn = static_cast<double>(k * n % length) / static_cast<double>(length),
                   angle = 2 * std::numbers::pi * (inverse ? turn : -turn),
                   share = inverse ? 1 / static_cast<double>(length) : 1;
      const auto real = static_cast<float>(share * std::cos(angle)),
                 imaginary = static_cast<float>(share * std::sin(angle));
      m.at(2 * k, parts * n) = real;
      m.at(2 * k + 1, parts * n) = imaginary;
      if (parts == 1) continue;
      m.at(2 * k, 2 * n + 1) = -imaginary;
      m.at(2 * k + 1, 2 * n + 1) = real;
    }
  // The axis goes beside the real and imaginary parts, and back.
  dims order = ascending(static_cast<std::int64_t>(rank), 1), back = order;
  std::rotate(order.begin() + static_cast<std::ptrdiff_t>(axis),
              order.begin() + static_cast<std::ptrdiff_t>(axis) + 1, order.end() - 1);
  std::rotate(back.begin() + static_cast<std::ptrdiff_t>(axis), back.end() - 2, back.end() - 1);
  const auto& net = c.net.net();
  const computed aside = moved(x, transpose(x.shape, order, c.ceiling), c.n.name(),
                               net.shape(x.node));
  dims shape = aside.shape;
  shape[rank - 2] = out;
  shape[rank - 1] = 2;
  const auto y = std::get<computed>(sampled(c, aside, std::move(m), std::move(shape)));
  return {moved(y, transpose(y.shape, back, c.ceiling), c.n.name(), net.shape(y.node))};
}

NVDLAC_IMPL std::vector<value> on_cum_sum(const context& c) {
  c.require_inputs(2, 2);
  const computed& x = c.tensor(0);
  const array& given = c.constant(1, "axis");
  if (given.real || given.size() != 1) throw error("its axis is no single integer");
  const bool exclusive = c.n.flag("exclusive", false), reverse = c.n.flag("reverse", false);
  const std::size_t rank = x.shape.size();
  const auto axis = checked_axis(given.integers[0], rank);
  const std::int64_t size = x.shape[static_cast<std::size_t>(axis)];
  factor_matrix m(size, size);
  for (std::int64_t o = 0; o < size; ++o)
    for (std::int64_t i = 0; i < size; ++i)
      if ((reverse ? i > o : i < o) || (!exclusive && i == o)) m.at(o, i) = 1;
  // The axis goes behind the others, and back.
  dims order = ascending(static_cast<std::int64_t>(rank), 1), back = order;
  std::rotate(order.begin() + axis, order.begin() + axis + 1, order.end());
  std::rotate(back.begin() + axis, back.end() - 1, back.end());
  const auto& net = c.net.net();
  const computed behind = moved(x, transpose(x.shape, order, c.ceiling), c.n.name(),
                                net.shape(x.node));
  const auto y = std::get<computed>(sampled(c, behind, std::move(m), behind.shape));
  return {moved(y, transpose(y.shape, back, c.ceiling), c.n.name(), net.shape(y.node))};
}

NVDLAC_IMPL neighbours::neighbours(const factor_matrix& m) {
  for (std::int64_t o = 0; o < m.outputs; ++o) {
    std::size_t n = 0;
    for (std::int64_t i = 0; i < m.inputs; ++i) {
      const float w = m.values[static_cast<std::size_t>(o * m.inputs + i)];
      if (w == 0) continue;
      if (n == at.size()) grow(o, m);
      set(n++, o, i, w);
    }
    // The next one, as other outputs have it: few pieces of a regular pattern.
    for (; n < at.size(); ++n)
      set(n, o, n == 0 ? 0 : std::min(at[n - 1][static_cast<std::size_t>(o)] + 1, m.inputs - 1),
          0);
  }
}

NVDLAC_IMPL movement neighbours::gather(const dims& shape, std::size_t axis,
                                        std::size_t neighbour,
                                        const element_ceiling& most) const {
  const auto& places = at[neighbour];
  return onnx_format::gather(
      shape, static_cast<std::int64_t>(axis),
      array::of_integers({static_cast<std::int64_t>(places.size())}, places), most);
}

NVDLAC_IMPL void neighbours::set(std::size_t n, std::int64_t output, std::int64_t input, float w) {
  at[n][static_cast<std::size_t>(output)] = input;
  weight[n][static_cast<std::size_t>(output)] = w;
}

NVDLAC_IMPL void neighbours::grow(std::int64_t output, const factor_matrix& m) {
  const std::size_t n = at.size(), outputs = static_cast<std::size_t>(m.outputs);
  at.emplace_back(outputs, 0);
  weight.emplace_back(outputs, 0.0F);
  for (std::int64_t o = 0; n > 0 && o < output; ++o)
    set(n, o, std::min(at[n - 1][static_cast<std::size_t>(o)] + 1, m.inputs - 1), 0);
}

NVDLAC_IMPL net::float_tensor factors_of(const std::vector<float>& weight, std::size_t axis,
                                         net::shape out) {
  net::float_tensor factors{out};
  for (std::size_t i = 0; i < factors.values.size(); ++i) {
    const auto place = net::position::of(i, out);
    factors.values[i] = weight[static_cast<std::size_t>(axis == 2 ? place.y : place.x)];
  }
  return factors;
}

NVDLAC_IMPL computed interpolated_along(const context& c, const computed& x, std::size_t axis,
                                        const factor_matrix& m, const std::string& result) {
  const neighbours from(m);
  auto shape = x.shape;
  shape[axis] = m.outputs;
  const net::shape out = cube_of(shape);
  const auto pick = [&](const std::string& name, std::size_t neighbour) {
    c.net.take_constant(out.size());
    return c.net.as_cube(moved(x, from.gather(x.shape, axis, neighbour, c.ceiling), name,
                               c.net.net().shape(x.node)));
  };
  const auto add = [&](const std::string& name, auto op, const std::vector<assembly::id>& in) {
    return c.net.add(name, std::move(op), in);
  };
  const std::string base = c.n.name() + (axis == 2 ? "/height" : "/width");
  return {summed_neighbours(from, axis, out, base, result, pick, add), std::move(shape)};
}

NVDLAC_IMPL bool is_separable(const dims& d, const dims& out, bool of_many) {
  constexpr std::int64_t most_factors = std::int64_t{1} << 17;
  return d.size() == 4 && d[0] == 1 && out[0] == 1 && d[1] == out[1] &&
         (!of_many ||
          net::product({out[3], d[3], d[2] == out[2] ? 1 : out[2] * d[2]}) > most_factors);
}

}  // namespace nvdlac::import::onnx_format
