// SPDX-License-Identifier: Apache-2.0
#pragma once
// The transposed convolution, and interpolations as such.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// A transposed convolution: every element of the input adds its kernel, `stride` apart, to an
// output from whose sides the padding is cut.
// y[k][i * stride + r * dilation - pad] += weights[k][c][r] * x[group(k) * C/groups + c][i]
struct deconvolution {
  static constexpr arity inputs{1, 1};

  std::int32_t kernels = 1;
  net::window window{};
  std::int32_t more_h = 0, more_w = 0;  // lines and columns added below and right
  std::int32_t groups = 1;
  std::vector<float> weights{};  // [kernels][C / groups][kernel_h][kernel_w]
  std::vector<float> bias{};     // [kernels], or empty: no bias
  bool relu = false;             // a fused activation
  static constexpr void fields(auto&& field) {
    field("kernels", &deconvolution::kernels);
    field("window", &deconvolution::window);
    field("more_h", &deconvolution::more_h);
    field("more_w", &deconvolution::more_w);
    field("groups", &deconvolution::groups);
    field("weights", &deconvolution::weights);
    field("bias", &deconvolution::bias);
    field("relu", &deconvolution::relu);
  }

  constexpr fitting fit(std::span<const shape> in) const {
    const shape x = in[0];
    if (kernels < 1 || groups < 1) return rule::less_than_one_kernel_or_group;
    if (x.c % groups != 0 || kernels % groups != 0)
      return {rule::groups_do_not_divide_channels_and_kernels, {groups, x.c, kernels}};
    for (const auto& s : {vertical(window), horizontal(window)}) {
      if (s.kernel < 1 || s.stride < 1 || s.dilation < 1)
        return rule::window_with_a_number_below_1;
      if (s.before < 0 || s.after < 0) return rule::window_with_a_negative_padding;
      if (std::max({s.kernel, s.stride, s.dilation, s.before, s.after}) > 65535)
        return rule::window_with_a_number_above_65535;
    }
    if (more_h < 0 || more_w < 0) return rule::window_with_a_negative_padding;
    const auto size = [](const sliding& s, std::int32_t n, std::int32_t more) {
      return (n - 1) * s.stride + s.extent() - s.before - s.after + more;
    };
    const fitting out = fit_shape(kernels, size(vertical(window), x.h, more_h),
                                  size(horizontal(window), x.w, more_w));
    if (out.ok() && weight_count(x) > max_elements) return rule::more_than_268435456_weights;
    return out;
  }
  constexpr shape infer(std::span<const shape> in) const { return fit(in).value(); }
  constexpr std::int64_t weight_count(shape in) const {
    return product({kernels, in.c / groups, window.kernel_h, window.kernel_w});
  }
  void check(std::span<const shape> in, diagnostics& found, const std::string& layer) const {
    check_values(weights, weight_count(in[0]), "weights", found, layer);
    if (!bias.empty()) check_values(bias, kernels, "bias", found, layer);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    const float_tensor& x = *in[0];
    const shape out = infer(std::array{x.shape});
    require_values(weights, weight_count(x.shape), "weights");
    if (!bias.empty()) require_values(bias, kernels, "bias");
    std::vector<double> sums(out.size(), 0.0);
    const std::int32_t channels = x.shape.c / groups, each = kernels / groups;
    const auto& w = window;
    const auto taps =
        static_cast<std::size_t>(w.kernel_h) * static_cast<std::size_t>(w.kernel_w);
    for (std::int32_t k = 0; k < kernels; ++k)
      for (std::int32_t c = 0; c < channels; ++c) {
        const float* kernel = weights.data() + (static_cast<std::size_t>(k) *
                                                    static_cast<std::size_t>(channels) +
                                                static_cast<std::size_t>(c)) * taps;
        for (std::int32_t iy = 0; iy < x.shape.h; ++iy)
          for (std::int32_t ix = 0; ix < x.shape.w; ++ix) {
            const auto value = static_cast<double>(x.at(k / each * channels + c, iy, ix));
            for (std::int32_t r = 0; r < w.kernel_h; ++r) {
              const std::int32_t y = iy * w.stride_h + r * w.dilation_h - w.pad_top;
              if (y < 0 || y >= out.h) continue;
              for (std::int32_t s = 0; s < w.kernel_w; ++s) {
                const std::int32_t column = ix * w.stride_w + s * w.dilation_w - w.pad_left;
                if (column >= 0 && column < out.w)
                  sums[out.at(k, y, column)] +=
                      value * static_cast<double>(kernel[r * w.kernel_w + s]);
              }
            }
          }
      }
    float_tensor y{out};
    const std::size_t area = out.size() / static_cast<std::size_t>(kernels);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double sum = sums[i] + (bias.empty() ? 0.0 : static_cast<double>(bias[i / area]));
      y.values[i] = static_cast<float>(relu ? std::max(sum, 0.0) : sum);
    }
    return y;
  }
};
static_assert(operation<deconvolution>);

// Weights [C][kernels / groups][height][width], as files hold them, in the order of `d`.
inline std::vector<float> by_kernel(const std::vector<float>& w, const deconvolution& d,
                                    shape in) {
  const auto taps = static_cast<std::size_t>(d.window.kernel_h) *
                    static_cast<std::size_t>(d.window.kernel_w);
  const auto channels = static_cast<std::size_t>(in.c / d.groups),
             each = static_cast<std::size_t>(d.kernels / d.groups);
  std::vector<float> result;
  result.reserve(w.size());
  for (std::size_t k = 0; k < static_cast<std::size_t>(d.kernels); ++k)
    for (std::size_t c = 0; c < channels; ++c) {
      const auto from = w.begin() + static_cast<std::ptrdiff_t>(
                                        ((k / each * channels + c) * each + k % each) * taps);
      result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(taps));
    }
  return result;
}

// A transposed convolution as ordinary ones: the outputs that lie a stride apart see the same taps
// of the kernel, at each step one element of the input further.

// One dimension of a phase, whose outputs are first, first + stride, ... `taps` of the kernel, the
// last one first, are those of a convolution; its results from `skip` on are the outputs.
struct phase_side {
  std::int32_t first = 0, count = 1;
  std::int32_t taps = 0, last_tap = 0, tap_step = 1;  // taps 0: nothing adds to these outputs
  std::int32_t dilation = 1, before = 0, after = 0, skip = 0;
};

constexpr std::vector<phase_side> phase_sides(const sliding& s, std::int32_t in,
                                              std::int32_t out) {
  const auto narrow = [](std::int64_t n) { return static_cast<std::int32_t>(n); };
  const std::int64_t common = std::gcd(s.stride, s.dilation);
  std::vector<phase_side> sides;
  for (std::int64_t first = 0; first < std::min<std::int64_t>(s.stride, out); ++first) {
    phase_side p{.first = narrow(first), .count = narrow((out - first + s.stride - 1) / s.stride),
                 .tap_step = narrow(s.stride / common), .dilation = narrow(s.dilation / common)};
    // Tap r adds input q + (first + before - r * dilation) / stride to output number q.
    std::int64_t nearest = 0, farthest = 0;
    for (std::int64_t r = 0; r < s.kernel; ++r) {
      const std::int64_t distance = first + s.before - r * s.dilation;
      if (distance % s.stride != 0) continue;
      if (p.taps++ == 0) farthest = distance / s.stride;
      nearest = distance / s.stride;
      p.last_tap = narrow(r);
    }
    p.before = narrow(std::max<std::int64_t>(-nearest, 0));
    p.skip = narrow(std::max<std::int64_t>(nearest, 0));
    p.after = narrow(std::max<std::int64_t>(p.count - 1 + farthest - (in - 1), 0));
    sides.push_back(p);
  }
  return sides;
}

// One of the convolutions and the outputs that it gives.
struct deconvolution_phase {
  phase_side rows{}, columns{};

  // Nothing but the bias is in these outputs.
  constexpr bool empty() const { return rows.taps == 0 || columns.taps == 0; }
  constexpr net::window window(shape in) const {
    if (empty())  // one tap of weight 0
      return {.pad_bottom = std::max<std::int32_t>(rows.count - in.h, 0),
              .pad_right = std::max<std::int32_t>(columns.count - in.w, 0)};
    return {.kernel_h = rows.taps, .kernel_w = columns.taps, .pad_top = rows.before,
            .pad_left = columns.before, .pad_bottom = rows.after, .pad_right = columns.after,
            .dilation_h = rows.dilation, .dilation_w = columns.dilation};
  }
  constexpr box results(const deconvolution& d, std::int32_t input) const {
    const bool skips = input >= 0 && !empty();
    return {.input = input, .to = {0, rows.first, columns.first},
            .from = {0, skips ? rows.skip : 0, skips ? columns.skip : 0},
            .loops = {{{d.kernels, {1, 0, 0}, {1, 0, 0}},
                       {rows.count, {0, d.window.stride_h, 0}, {0, 1, 0}},
                       {columns.count, {0, 0, d.window.stride_w}, {0, 0, 1}}}}};
  }
};

constexpr std::vector<deconvolution_phase> phases_of(const deconvolution& d, shape in) {
  const shape out = d.infer(std::array{in});
  std::vector<deconvolution_phase> phases;
  for (const auto& rows : phase_sides(vertical(d.window), in.h, out.h))
    for (const auto& columns : phase_sides(horizontal(d.window), in.w, out.w))
      phases.push_back({rows, columns});
  return phases;
}

// The convolution of a phase, with its part of the weights.
inline convolution convolution_of(const deconvolution& d, const deconvolution_phase& p, shape in) {
  convolution c{.kernels = d.kernels, .window = p.window(in), .groups = d.groups, .bias = d.bias,
                .relu = d.relu};
  const auto planes = static_cast<std::int64_t>(d.kernels) * (in.c / d.groups);
  c.weights.assign(static_cast<std::size_t>(planes * c.window.kernel_h * c.window.kernel_w), 0.0F);
  if (p.empty()) return c;
  std::size_t at = 0;
  for (std::int64_t plane = 0; plane < planes; ++plane)
    for (std::int32_t r = 0; r < p.rows.taps; ++r)
      for (std::int32_t s = 0; s < p.columns.taps; ++s) {
        const std::int64_t row = p.rows.last_tap - r * p.rows.tap_step;
        const std::int64_t column = p.columns.last_tap - s * p.columns.tap_step;
        c.weights[at++] = d.weights[static_cast<std::size_t>(
            (plane * d.window.kernel_h + row) * d.window.kernel_w + column)];
      }
  return c;
}

// Bilinear interpolation by whole factors as a transposed convolution of each channel.

// Which points of input and output coincide: the corners of their first pixels, their first
// pixels' centres, or the centres of the first and of the last pixels.
enum class alignment : std::uint8_t { half_pixel, first_pixel, corners };

// `filter` over the input whose outermost lines and columns are repeated `border` times.
struct interpolation {
  std::int32_t border_h = 0, border_w = 0;
  deconvolution filter{};
  shape out{};
};

// Whether a transposed convolution makes `out` elements of `in`.
constexpr bool is_whole_factor(std::int64_t in, std::int64_t out, alignment how) {
  const std::int64_t less = how == alignment::corners ? 1 : 0, from = in - less, to = out - less;
  return in == out || (from >= 1 && to >= from && to % from == 0 && to / from <= 64);
}

namespace detail {

struct interpolated_side {
  std::int32_t factor = 1, border = 0, kernel = 1, before = 0, after = 0;
  std::vector<float> weights{1.0F};
};

inline interpolated_side interpolate(std::int64_t in, std::int64_t out, alignment how) {
  interpolated_side side;
  if (in == out) return side;
  const bool corners = how == alignment::corners;
  if (!is_whole_factor(in, out, how))
    throw error(problem{.reason = text("it interpolates ", in, " elements to ", out),
                        .remedy = "factors that are whole numbers up to 64 are supported"});
  const auto f = static_cast<std::int32_t>(corners ? (out - 1) / (in - 1) : out / in);
  const double shift = how == alignment::half_pixel ? 0.5 / f - 0.5 : 0;
  // Output o takes 1 - |o / f + shift - i| of input i.
  side.weights.clear();
  std::int32_t first = 0;
  for (std::int32_t r = -2 * f; r < 2 * f; ++r) {
    const double share = 1 - std::fabs(static_cast<double>(r) / f + shift);
    if (share < 1e-9) continue;
    if (side.weights.empty()) first = r;
    side.weights.push_back(static_cast<float>(share));
  }
  side.factor = f;
  side.kernel = static_cast<std::int32_t>(side.weights.size());
  side.border = corners ? 0 : 1;
  side.before = side.border * f - first;
  side.after = static_cast<std::int32_t>((in + 2 * side.border - 1) * f + side.kernel -
                                         side.before - out);
  return side;
}

}  // namespace detail

inline interpolation bilinear(shape in, std::int64_t height, std::int64_t width, alignment how) {
  const auto v = detail::interpolate(in.h, height, how);
  const auto h = detail::interpolate(in.w, width, how);
  interpolation result{.border_h = v.border, .border_w = h.border,
                       .out = checked_shape(in.c, height, width)};
  auto& d = result.filter;
  d.kernels = d.groups = in.c;
  d.window = {.kernel_h = v.kernel, .kernel_w = h.kernel, .stride_h = v.factor,
              .stride_w = h.factor, .pad_top = v.before, .pad_left = h.before,
              .pad_bottom = v.after, .pad_right = h.after};
  for (std::int32_t k = 0; k < in.c; ++k)
    for (const float y : v.weights)
      for (const float x : h.weights) d.weights.push_back(y * x);
  return result;
}

}  // namespace nvdlac::net
