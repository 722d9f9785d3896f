// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/bilinear.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

namespace detail {

NVDLAC_IMPL interpolated_side interpolate(std::int64_t in, std::int64_t out, alignment how) {
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

NVDLAC_IMPL interpolation bilinear(shape in, std::int64_t height, std::int64_t width,
                                   alignment how) {
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
