// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/least_lanes.hpp>
#include <nvdlac/import/onnx/activation.hpp>
#include <nvdlac/import/onnx/arrangement.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/import/onnx/reduction.hpp>
#include <nvdlac/import/onnx/reduction_in_place.hpp>
#include <nvdlac/pass/pool_levels.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL reduced_axes::reduced_axes(const dims& shape, dims axes, bool keep) {
  for (auto& a : axes) a = checked_axis(a, shape.size());
  const auto is_reduced = [&](std::size_t i) {
    return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end();
  };
  for (const bool reduced : {false, true})
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (is_reduced(i) != reduced) continue;
      order.push_back(static_cast<std::int64_t>(i));
      if (reduced) last.push_back(shape[i]);
      else stay *= shape[i];
    }
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!is_reduced(i) || keep) result.push_back(is_reduced(i) ? 1 : shape[i]);
  if (last.empty()) throw error("it reduces no axes");
}

NVDLAC_IMPL net::shape reduced_cube(const reduced_axes& axes) {
  return net::checked_shape(axes.stay, axes.last[0],
                            count(dims(axes.last.begin() + 1, axes.last.end())));
}

NVDLAC_IMPL std::vector<std::int32_t> results_of_channels(const context& c, const computed& x,
                                                          const reduced_axes& axes) {
  const net::shape cube = c.net.net().shape(x.node);
  if (!is_whole(x, cube)) return {};
  const computed sorted = axes.sort(c, x);
  const auto run = static_cast<std::size_t>(axes.run());
  const auto area = static_cast<std::int32_t>(net::shape{1, cube.h, cube.w}.size());
  std::vector<std::int32_t> results(static_cast<std::size_t>(cube.c), -1);
  for (std::size_t i = 0; i < cube.size(); ++i) {
    const auto element = sorted.from ? (*sorted.from)[i] : static_cast<std::int32_t>(i);
    auto& of = results[static_cast<std::size_t>(element / area)];
    const auto result = static_cast<std::int32_t>(i / run);
    if (of >= 0 && of != result) return {};
    of = result;
  }
  return results;
}

NVDLAC_IMPL element_map channels_of_results(const context& c, const computed& x,
                                            const reduced_axes& axes) {
  const auto results = results_of_channels(c, x, axes);
  if (!std::cmp_equal(results.size(), axes.stay)) return {};
  element_map channels(results.size());
  for (std::size_t k = 0; k < results.size(); ++k)
    channels[static_cast<std::size_t>(results[k])] = static_cast<std::int32_t>(k);
  return channels;
}

namespace detail {

// The cube of which a node is the means over all lines or over all columns; or the node itself.
NVDLAC_IMPL assembly::id whole_of_means(const net::graph& g, assembly::id n) {
  const auto* means = std::get_if<net::convolution>(&g[n].op);
  if (means == nullptr || g.inputs(n).size() != 1) return n;
  const auto source = g.inputs(n)[0];
  const net::shape in = g[source].shape;
  const bool of_lines = means->window == net::window{.kernel_h = in.h};
  if ((!of_lines && means->window != net::window{.kernel_w = in.w}) || means->relu ||
      means->groups != in.c || means->kernels != in.c || !means->bias.empty())
    return n;
  const float share = 1.0F / static_cast<float>(of_lines ? in.h : in.w);
  const bool alike = std::ranges::all_of(means->weights, [&](float w) { return w == share; });
  return alike ? source : n;
}

}  // namespace detail

NVDLAC_IMPL assembly::id pooled_places(const context& c, const std::string& layer,
                                       net::pool_kind kind, assembly::id cube) {
  const auto of =
      kind == net::pool_kind::average ? detail::whole_of_means(c.net.net().graph(), cube) : cube;
  return c.net.add(layer, net::pool{.kind = kind, .global = true}, {of});
}

NVDLAC_IMPL computed pooled(const context& c, const std::string& layer, net::pool_kind kind,
                            const computed& x, const reduced_axes& axes) {
  if (auto channels = channels_of_results(c, x, axes); !channels.empty())
    return arranged(c, pooled_places(c, layer, kind, x.node), axes.result,
                    std::move(channels), layer);
  const auto n = c.net.add(layer, net::pool{.kind = kind, .global = true},
                           {c.net.as_cube(axes.sort(c, x), reduced_cube(axes))});
  return {n, axes.result};
}

NVDLAC_IMPL computed summed(const context& c, const std::string& layer, const computed& x,
                            const reduced_axes& axes, float factor) {
  const net::shape cube = reduced_cube(axes);
  const auto n = c.net.add(
      layer,
      net::convolution{.kernels = cube.c, .window = {.kernel_h = cube.h, .kernel_w = cube.w},
                       .groups = cube.c, .weights = std::vector<float>(cube.size(), factor)},
      {c.net.as_cube(axes.sort(c, x), cube)});
  return {n, axes.result};
}

NVDLAC_IMPL computed summed_in_levels(const context& c, const std::string& layer,
                                      const computed& x, const reduced_axes& axes) {
  // Kernels of fewer weights come faster than PDP begins.
  constexpr std::size_t least_weights = 16384;
  const net::shape cube = reduced_cube(axes);
  if (std::max(cube.h, cube.w) <= pass::whole_mean ||
      cube.size() * hw::least_lanes < least_weights)
    return summed(c, layer, x, axes);
  const auto levels = pass::pool_in_levels(net::pool_kind::average, cube).levels;
  const net::window last = levels.back().window;
  auto n = c.net.as_cube(axes.sort(c, x), cube);
  float elements = 1;  // of the windows of the means
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    n = c.net.add(text(layer, "/level_", i + 1), levels[i], {n});
    elements *= static_cast<float>(levels[i].window.kernel_h * levels[i].window.kernel_w);
  }
  const auto weights = cube.c * last.kernel_h * last.kernel_w;
  n = c.net.add(layer,
                net::convolution{.kernels = cube.c, .window = last, .groups = cube.c,
                                 .weights = std::vector<float>(static_cast<std::size_t>(weights),
                                                               elements)},
                {n});
  return {n, axes.result};
}

NVDLAC_IMPL std::vector<value> global_pool(const context& c, net::pool_kind kind,
                                           const dims& axes) {
  const computed& x = c.tensor(0);
  return {pooled(c, c.n.name(), kind, x, reduced_axes(x.shape, axes, true))};
}

NVDLAC_IMPL std::vector<value> on_global_pool(const context& c) {
  c.require_inputs(1, 1);
  const dims& shape = c.tensor(0).shape;
  if (shape.size() < 3 || shape[0] != 1)
    throw error(problem{.reason = text("its input has the shape ", to_text(shape)),
                        .remedy = "pictures [1, channels, height, width] are supported"});
  return global_pool(
      c, c.n.type() == "GlobalMaxPool" ? net::pool_kind::maximum : net::pool_kind::average,
      ascending(static_cast<std::int64_t>(shape.size()) - 2, 1, 2));
}

NVDLAC_IMPL double reducer::prepared(double v) const {
  switch (before) {
    case preparing::magnitude: return std::fabs(v);
    case preparing::square: return v * v;
    case preparing::exponential: return std::exp(v);
    case preparing::nothing: break;
  }
  return v;
}

NVDLAC_IMPL double reducer::combined(double a, double b) const {
  switch (how) {
    case combining::maximum: return std::max(a, b);
    case combining::minimum: return std::min(a, b);
    case combining::product: return a * b;
    case combining::sum:
    case combining::mean: break;
  }
  return a + b;
}

NVDLAC_IMPL double reducer::finished(double v, std::size_t run) const {
  if (how == combining::mean) v /= static_cast<double>(run);
  return after == finishing::root        ? std::sqrt(v)
         : after == finishing::logarithm ? std::log(v)
                                               : v;
}

NVDLAC_IMPL const std::map<std::string_view, reducer>& reducers() {
  using enum combining;
  using prepare = preparing;
  using finish = finishing;
  static const std::map<std::string_view, reducer> all = {
      {"ReduceL1", {sum, prepare::magnitude}},
      {"ReduceL2", {sum, prepare::square, finish::root}},
      {"ReduceLogSum", {sum, prepare::nothing, finish::logarithm}},
      {"ReduceLogSumExp", {sum, prepare::exponential, finish::logarithm}},
      {"ReduceMax", {maximum}},
      {"ReduceMean", {mean}},
      {"ReduceMin", {minimum}},
      {"ReduceProd", {product}},
      {"ReduceSum", {sum}},
      {"ReduceSumSquare", {sum, prepare::square}}};
  return all;
}

NVDLAC_IMPL computed product_along(const context& c, const computed& x, const reduced_axes& axes) {
  const std::int64_t run = axes.run();
  if (run > 64)
    throw error(problem{.reason = text("it multiplies ", run, " elements"),
                        .remedy = "products of up to 64 elements are supported"});
  const auto& name = c.n.name();
  std::vector<computed> factors;  // [stay, 1]
  computed rest = axes.sort(c, x);
  rest.shape = {axes.stay, run};
  const auto part = [&](std::int64_t first, std::int64_t n) {
    auto steps = all_steps(rest.shape, c.ceiling);
    slice(steps, 1, first, first + n, 1);
    const computed y = moved(rest, from_steps(steps, c.ceiling), name,
                             c.net.net().shape(rest.node));
    return c.net.as_cube(y, net::checked_shape(axes.stay, n, 1));
  };
  for (std::int64_t n = run; n > 1; n /= 2) {
    const std::int64_t half = n / 2;
    if (n % 2 != 0) factors.push_back({part(n - 1, 1), {axes.stay, 1}});
    rest = {c.net.add(text(name, "/product", n), net::multiply{},
                      {part(0, half), part(half, half)}),
            {axes.stay, half}};
  }
  computed all = {part(0, 1), axes.result};
  for (std::size_t i = 0; i < factors.size(); ++i)
    all.node = c.net.add(text(name, "/rest", i), net::multiply{}, {all.node, factors[i].node});
  return all;
}

NVDLAC_IMPL computed reduced(const context& c, computed x, const reducer& r,
                             const reduced_axes& axes) {
  const auto& name = c.n.name();
  const auto prepare = [&](auto op, const char* what, std::size_t times = 1) {
    x.node = c.net.add(name + what, std::move(op), std::vector(times, x.node));
  };
  if (r.before != preparing::nothing) x = alone(c, x);
  if (r.before == preparing::exponential && has_zeros(x)) x = {c.net.as_cube(x), x.shape};
  if (r.before == preparing::magnitude) prepare(net::prelu{{-1.0F}}, "/magnitude");
  if (r.before == preparing::square) prepare(net::multiply{}, "/square", 2);
  if (r.before == preparing::exponential)
    prepare(net::activation{.function = net::function::exponential}, "/exponential");
  const auto combined = [&]() -> computed {
    if (auto y = reduced_over_channels(c, r.how, x, axes)) return *std::move(y);
    if (auto y = reduced_along_side(c, r.how, x, axes)) return *std::move(y);
    if (auto y = reduced_over_places(c, r.how, x, axes)) return *std::move(y);
    if (auto y = reduced_over_blocks(c, r.how, x, axes)) return *std::move(y);
    switch (r.how) {
      case combining::maximum: return pooled(c, name, net::pool_kind::maximum, x, axes);
      case combining::mean: return pooled(c, name, net::pool_kind::average, x, axes);
      case combining::minimum: return pooled(c, name, net::pool_kind::minimum, x, axes);
      case combining::product: return product_along(c, x, axes);
      case combining::sum: break;
    }
    return summed_in_levels(c, name, x, axes);
  };
  const computed y = combined();
  using enum net::function;
  if (r.after == finishing::root)
    return apply_function(c, name + "/root", net::activation{.function = power, .gamma = 0.5F}, y);
  if (r.after == finishing::logarithm)
    return apply_function(c, name + "/logarithm", net::activation{.function = logarithm}, y);
  return y;
}

NVDLAC_IMPL array reduced(const array& x, const reducer& r, const reduced_axes& axes,
                          const element_ceiling& most) {
  const array sorted = apply(x, transpose(x.shape, axes.order, most));
  const auto run = static_cast<std::size_t>(axes.run());
  if (run == 0 || sorted.size() == 0) throw error("it reduces no elements");
  array result{.shape = axes.result, .real = sorted.real};
  for (std::size_t i = 0; i < sorted.size(); i += run) {
    double v = r.prepared(sorted.number(i));
    for (std::size_t k = 1; k < run; ++k) v = r.combined(v, r.prepared(sorted.number(i + k)));
    v = r.finished(v, run);
    if (result.real) result.reals.push_back(static_cast<float>(v));
    else result.integers.push_back(to_integer(v));
  }
  return result;
}

NVDLAC_IMPL std::vector<value> reduce_by(const context& c, const reducer& r) {
  c.require_inputs(1, 2);
  const bool keep = c.n.flag("keepdims", true);
  const bool nothing = c.n.flag("noop_with_empty_axes", false);
  const dims& shape = shape_of(c.in[0]);
  dims axes = axes_of(c, 1).value_or(dims{});
  if (axes.empty() && nothing) return {c.in[0]};
  if (axes.empty()) axes = ascending(static_cast<std::int64_t>(shape.size()), 1);
  const reduced_axes sides(shape, axes, keep);
  if (c.is_constant(0)) return c.one(reduced(c.constant(0, "values"), r, sides, c.ceiling));
  return {reduced(c, c.tensor(0), r, sides)};
}

NVDLAC_IMPL std::vector<value> on_reduce(const context& c) {
  return reduce_by(c, reducers().at(c.n.type()));
}

}  // namespace nvdlac::import::onnx_format
