// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/import/onnx/rearranging.hpp>
#include <nvdlac/import/onnx/sampling.hpp>
#include <nvdlac/net/bilinear.hpp>
#include <nvdlac/net/convolution.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL blocks blocks_of(const context& c) {
  c.require_inputs(1, 1);
  const dims& d = shape_of(c.in[0]);
  const auto size = c.n.integer("blocksize", 0);
  if (d.size() != 4 || d[0] != 1 || size < 1 || size > 65535)
    throw error(text("it rearranges ", to_text(d), " in blocks of ", size));
  return {d[1], d[2], d[3], size};
}

NVDLAC_IMPL std::vector<value> on_space_to_depth(const context& c) {
  const auto [depth, h, w, b] = blocks_of(c);
  if (h % b != 0 || w % b != 0)
    throw error(text("blocks of ", b, " do not divide ", h, " x ", w, " elements"));
  movement m = transpose({1, depth, h / b, b, w / b, b}, {0, 3, 5, 1, 2, 4}, c.ceiling);
  m.shape = {1, depth * b * b, h / b, w / b};
  return {move_input(c, m)};
}

NVDLAC_IMPL double coordinate(const resizing& how, std::int64_t i, std::int64_t in,
                              std::int64_t out, double scale) {
  const auto at = static_cast<double>(i), n = static_cast<double>(in), m = static_cast<double>(out);
  if (how.coordinates == "asymmetric") return at / scale;
  if (how.coordinates == "align_corners") return out == 1 ? 0 : at * (n - 1) / (m - 1);
  if (how.coordinates == "pytorch_half_pixel") return out == 1 ? 0 : (at + 0.5) / scale - 0.5;
  if (how.coordinates == "tf_half_pixel_for_nn") return (at + 0.5) / scale;
  if (how.coordinates == "half_pixel") return (at + 0.5) / scale - 0.5;
  if (how.coordinates == "half_pixel_symmetric")
    return n / 2 * (1 - m / (scale * n)) + (at + 0.5) / scale - 0.5;
  throw error(problem{.reason = "coordinate_transformation_mode '" + how.coordinates +
                                "' is not supported",
                      .remedy = "all but tf_crop_and_resize are"});
}

NVDLAC_IMPL std::int64_t nearest_to(const resizing& how, double x) {
  if (how.nearest == "round_prefer_floor") return static_cast<std::int64_t>(std::ceil(x - 0.5));
  if (how.nearest == "round_prefer_ceil") return static_cast<std::int64_t>(std::floor(x + 0.5));
  if (how.nearest == "floor") return static_cast<std::int64_t>(std::floor(x));
  if (how.nearest == "ceil") return static_cast<std::int64_t>(std::ceil(x));
  throw error("nearest_mode '" + how.nearest + "' is not understood");
}

NVDLAC_IMPL dims with_border(const dims& steps, std::int32_t times) {
  dims longer(static_cast<std::size_t>(times), steps.front());
  longer.insert(longer.end(), steps.begin(), steps.end());
  longer.insert(longer.end(), static_cast<std::size_t>(times), steps.back());
  return longer;
}

NVDLAC_IMPL std::optional<net::alignment> whole_factors(const resizing& how, const dims& d,
                                                        const dims& out,
                                                        const std::vector<double>& scales) {
  const auto& mode = how.coordinates;
  const bool centres =
      mode == "half_pixel" || mode == "half_pixel_symmetric" || mode == "pytorch_half_pixel";
  if (how.between.cubic || how.between.exclude_outside || d.size() != 4 || out[0] != d[0] ||
      out[1] != d[1] || (!centres && mode != "asymmetric" && mode != "align_corners"))
    return std::nullopt;
  const auto aligned = centres               ? net::alignment::half_pixel
                       : mode == "asymmetric" ? net::alignment::first_pixel
                                              : net::alignment::corners;
  for (std::size_t i = 2; i < 4; ++i)
    if (!net::is_whole_factor(d[i], out[i], aligned) ||
        (aligned != net::alignment::corners &&
         scales[i] * static_cast<double>(d[i]) != static_cast<double>(out[i])))
      return std::nullopt;
  return aligned;
}

NVDLAC_IMPL bool shrinks_evenly(const resizing& how, const dims& d, const dims& out,
                                const std::vector<double>& scales) {
  constexpr std::int64_t most = 8;  // strides of CONV, whose kernels reach up to four times as far
  if (!how.between.antialias || how.between.exclude_outside || d.size() != 4 || d[0] != 1 ||
      out[0] != 1 || out[1] != d[1] || out[2] > d[2] || out[3] > d[3] ||
      !how.coordinates.starts_with("half_pixel"))
    return false;
  for (std::size_t i = 2; i < 4; ++i)
    if (d[i] % out[i] != 0 || d[i] / out[i] > most ||
        scales[i] * static_cast<double>(d[i]) != static_cast<double>(out[i]))
      return false;
  return true;
}

NVDLAC_IMPL value shrunk(const context& c, const resizing& how, const dims& out,
                         const std::vector<double>& scales) {
  const computed& x = c.tensor(0);
  const dims& d = x.shape;
  interpolator::taps along[2];
  auto steps = all_steps(d, c.ceiling);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t factor = d[i + 2] / out[i + 2];
    if (factor == 1) along[i] = {0, {1}};
    else along[i] = how.between.around(d[i + 2], static_cast<double>(factor - 1) / 2,
                                       scales[i + 2]);
    steps[i + 2] = with_border(steps[i + 2], static_cast<std::int32_t>(-along[i].first));
  }
  const auto length = [&](std::size_t i) {
    return static_cast<std::int32_t>(along[i].weights.size());
  };
  const auto channels = cube_of(d).c;
  require_within(&budget::weights,
                 static_cast<std::uint64_t>(net::product({channels, length(0), length(1)})),
                 c.net.net().limits());
  net::convolution filter{.kernels = channels,
                          .window = {.kernel_h = length(0), .kernel_w = length(1),
                                     .stride_h = static_cast<std::int32_t>(d[2] / out[2]),
                                     .stride_w = static_cast<std::int32_t>(d[3] / out[3])},
                          .groups = channels};
  for (std::int32_t k = 0; k < channels; ++k)
    for (const double v : along[0].weights)
      for (const double h : along[1].weights) filter.weights.push_back(static_cast<float>(v * h));
  const computed framed =
      moved(x, from_steps(steps, c.ceiling), c.n.name() + "/border", c.net.net().shape(x.node));
  return c.cube(c.net.add(c.n.name(), std::move(filter), {c.net.as_cube(framed)}))[0];
}

NVDLAC_IMPL std::vector<value> interpolated(const context& c, const resizing& how, const dims& out,
                                            const std::vector<double>& scales) {
  const dims& d = shape_of(c.in[0]);
  if (c.is_constant(0)) throw error("it interpolates a constant");
  const computed& x = c.tensor(0);
  // A small one takes less as one product with a matrix.
  if (shrinks_evenly(how, d, out, scales) && is_separable(d, out, true))
    return {shrunk(c, how, out, scales)};
  if (const auto aligned = whole_factors(how, d, out, scales)) {
    const auto up = net::bilinear(cube_of(d), out[2], out[3], *aligned);
    auto steps = all_steps(d, c.ceiling);
    steps[2] = with_border(steps[2], up.border_h);
    steps[3] = with_border(steps[3], up.border_w);
    const computed framed =
        moved(x, from_steps(steps, c.ceiling), c.n.name() + "/border", c.net.net().shape(x.node));
    return c.cube(c.net.add(c.n.name(), up.filter, {c.net.as_cube(framed)}));
  }
  const auto factors = [&](std::size_t axis) {
    std::vector<double> places;
    for (std::int64_t i = 0; i < out[axis]; ++i)
      places.push_back(out[axis] == d[axis]
                           ? static_cast<double>(i)
                           : coordinate(how, i, d[axis], out[axis], scales[axis]));
    return how.between.matrix(d[axis], places, out[axis] == d[axis] ? 1 : scales[axis]);
  };
  const bool shrinks =
      !std::ranges::equal(d, out, [](auto before, auto after) { return before <= after; });
  if (is_separable(d, out, how.between.cubic || (how.between.antialias && shrinks))) {
    computed y = x;
    const auto& name = c.n.name();
    if (out[2] != d[2])
      y = interpolated_along(c, y, 2, factors(2), out[3] == d[3] ? name : name + "/height");
    if (out[3] != d[3]) y = interpolated_along(c, y, 3, factors(3), name);
    return {y};
  }
  // The dimensions from the first one on that changes, each with its factors.
  const auto first = static_cast<std::size_t>(
      std::mismatch(d.begin(), d.end(), out.begin()).first - d.begin());
  factor_matrix all;
  for (std::size_t axis = first; axis < d.size(); ++axis) {
    auto inner = factors(axis);
    all = both(all, inner);
  }
  return {sampled(c, x, std::move(all), out)};
}

NVDLAC_IMPL std::vector<value> resized(const context& c, const resizing& how, const dims& out,
                                       const std::vector<double>& scales) {
  const dims& d = shape_of(c.in[0]);
  (void)count(out, c.ceiling);
  for (const auto n : out) {
    if (n < 1) throw error(text("it resizes to ", to_text(out)));
    require_movable({n}, c.ceiling);
  }
  if (out == d) return {c.in[0]};
  const bool interpolates = how.mode == "linear" || how.mode == "cubic";
  bool repeats = true;  // a single element, which is all that there is between
  for (std::size_t axis = 0; axis < d.size(); ++axis)
    repeats = repeats && (d[axis] == 1 || d[axis] == out[axis]);
  if (interpolates && !repeats) return interpolated(c, how, out, scales);
  if (!interpolates && how.mode != "nearest")
    throw error(problem{.reason = "mode '" + how.mode + "' is not understood",
                        .remedy = "nearest, linear and cubic are"});
  require_movable(out, c.ceiling);
  const auto all = all_steps(d, c.ceiling);
  std::vector<dims> steps(all.size());
  for (std::size_t axis = 0; axis < d.size(); ++axis)
    for (std::int64_t i = 0; i < out[axis]; ++i) {
      const double x = coordinate(how, i, d[axis], out[axis], scales[axis]);
      const auto at = std::clamp<std::int64_t>(
          nearest_to(how, x), 0, d[axis] - 1);
      steps[axis].push_back(d[axis] == out[axis] ? all[axis][static_cast<std::size_t>(i)]
                                                 : all[axis][static_cast<std::size_t>(at)]);
    }
  return {move_input(c, from_steps(steps, c.ceiling))};
}

NVDLAC_IMPL std::vector<value> resize(const context& c, const resizing& how,
                                      const std::optional<std::vector<float>>& given_scales,
                                      std::optional<dims> given_sizes, const dims& axes) {
  const dims& d = shape_of(c.in[0]);
  std::vector<double> scales(d.size(), 1);
  dims out = d;
  const std::size_t given = given_scales ? given_scales->size() : given_sizes->size();
  if (given != axes.size())
    throw error(text("it resizes ", count_of(axes.size(), "axis", "axes"), " by ", given,
                     " numbers"));
  const auto checked = [&](std::size_t i) {
    return static_cast<std::size_t>(checked_axis(axes[i], d.size()));
  };
  if (given_sizes && c.batch > 1)
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (auto& n = (*given_sizes)[i]; checked(i) == 0 && n == c.batch) n = 1;
  std::optional<double> alike;  // the scale of all axes
  if (how.keeps_ratio != resizing::ratio::any) {
    if (!given_sizes) throw error("it keeps the ratio of its sides, which its scales tell");
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const double s = static_cast<double>((*given_sizes)[i]) / static_cast<double>(d[checked(i)]);
      const bool larger = how.keeps_ratio == resizing::ratio::not_smaller;
      alike = !alike ? s : larger ? std::max(*alike, s) : std::min(*alike, s);
    }
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = checked(i);
    const auto size = static_cast<double>(d[axis]);
    if (alike) {
      scales[axis] = *alike;
      const double n = std::floor(size * *alike + 0.5);
      if (!(n >= 1 && n <= static_cast<double>(net::max_elements)))
        throw error(text("it scales ", d[axis], " elements by ", *alike));
      out[axis] = static_cast<std::int64_t>(n);
    } else if (given_scales) {
      // The product in float, as engines count the elements: ten by 0.7 are seven.
      const float scaled = static_cast<float>(d[axis]) * (*given_scales)[i];
      scales[axis] = static_cast<double>((*given_scales)[i]);
      const double n = std::floor(scaled);
      if (!(n >= 1 && n <= static_cast<double>(net::max_elements)))
        throw error(text("it scales ", d[axis], " elements by ", scales[axis]));
      // Some engines count the rest of an element in the distance of the corners, others do not.
      if (how.coordinates == "align_corners" && n != static_cast<double>(scaled))
        throw error(problem{.reason = text("it aligns the corners of ", d[axis],
                                           " elements scaled by ", scales[axis]),
                            .remedy = "give the sizes of the output instead of its scales"});
      out[axis] = static_cast<std::int64_t>(n);
    } else {
      out[axis] = (*given_sizes)[i];
      scales[axis] = static_cast<double>(out[axis]) / size;
    }
  }
  return resized(c, how, out, scales);
}

NVDLAC_IMPL std::vector<value> on_resize(const context& c) {
  c.require_inputs(c.n.opset() < 11 ? 2 : 1, 4);
  resizing how{.mode = c.n.string("mode", "nearest"), .coordinates = "asymmetric",
               .nearest = "floor"};
  const auto rank = static_cast<std::int64_t>(shape_of(c.in[0]).size());
  dims axes = ascending(rank, 1);
  if (c.n.opset() < 11)
    return resize(c, how, c.reals(1, "scales"), std::nullopt, axes);
  how.coordinates = c.n.string("coordinate_transformation_mode", "half_pixel");
  how.nearest = c.n.string("nearest_mode", "round_prefer_floor");
  how.between = {.cubic = how.mode == "cubic",
                 .a = static_cast<double>(c.n.number("cubic_coeff_a", -0.75F)),
                 .exclude_outside = c.n.flag("exclude_outside", false)};
  (void)c.n.number("extrapolation_value", 0);  // of tf_crop_and_resize
  how.between.antialias = c.n.flag("antialias", false);
  if (how.between.antialias && how.mode == "nearest")
    throw error(problem{.reason = "it picks the nearest elements with antialias",
                        .remedy = "linear and cubic have it"});
  const auto policy = c.n.string("keep_aspect_ratio_policy", "stretch");
  if (policy == "not_larger") how.keeps_ratio = resizing::ratio::not_larger;
  else if (policy == "not_smaller") how.keeps_ratio = resizing::ratio::not_smaller;
  else if (policy != "stretch")
    throw error(problem{.reason = "keep_aspect_ratio_policy '" + policy + "' is not understood",
                        .remedy = "stretch, not_larger and not_smaller are"});
  if (auto given = c.n.integers("axes")) axes = *given;
  std::optional<std::vector<float>> scales;
  std::optional<dims> sizes;
  if (c.given(2) && c.constant(2, "scales").size() != 0) scales = c.reals(2, "scales");
  if (c.given(3)) sizes = c.integers(3, "sizes");
  if (scales.has_value() == sizes.has_value())
    throw error("it gives neither or both of scales and sizes");
  return resize(c, how, scales, sizes, axes);
}

NVDLAC_IMPL std::vector<value> on_upsample(const context& c) {
  c.require_inputs(1, 2);
  const resizing how{.mode = c.n.string("mode", "nearest"), .coordinates = "asymmetric",
                     .nearest = "floor"};
  auto scales = c.n.numbers("scales");
  if (c.n.opset() < 7)  // of pictures
    scales = {1, 1, c.n.number("height_scale"), c.n.number("width_scale")};
  if (scales && c.given(1)) throw error("it gives scales as an attribute and as input 1");
  if (c.given(1)) scales = c.reals(1, "scales");
  if (!scales) throw error("its scales are missing");
  return resize(c, how, scales, std::nullopt,
                ascending(static_cast<std::int64_t>(shape_of(c.in[0]).size()), 1));
}

}  // namespace nvdlac::import::onnx_format
