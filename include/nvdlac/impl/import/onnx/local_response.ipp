// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/local_response.hpp>
#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/normalisation.hpp>

namespace nvdlac::import::onnx_format {

namespace detail {

// Kernels of 1x1 that average `size` channels of so many, between which and the windows' first one
// `before` zeros stand.
NVDLAC_IMPL std::vector<float> band_of_channels(std::int64_t channels, std::int64_t outputs,
                                                std::int64_t size, std::int64_t before) {
  std::vector<float> weights(static_cast<std::size_t>(channels * outputs), 0.0F);
  for (std::int64_t o = 0; o < outputs; ++o)
    for (std::int64_t i = std::max<std::int64_t>(o - before, 0);
         i < std::min(channels, o - before + size); ++i)
      weights[static_cast<std::size_t>(o * channels + i)] = 1 / static_cast<float>(size);
  return weights;
}

// How many channels of zeros stand before those of a cube in x, [1, 1, channels, height, width], in
// which nothing else is moved.
NVDLAC_IMPL std::optional<std::int64_t> zeros_before(const computed& x, const net::shape& cube) {
  if (x.shape[3] != cube.h || x.shape[4] != cube.w) return std::nullopt;
  if (!x.from) return x.shape[2] == cube.c ? std::optional<std::int64_t>(0) : std::nullopt;
  const auto& from = *x.from;
  const auto first = std::ranges::find_if(from, [](auto e) { return e >= 0; }) - from.begin();
  const auto all = static_cast<std::ptrdiff_t>(cube.size());
  const auto plane = std::int64_t{cube.h} * cube.w;
  if (first % plane != 0 || first + all > static_cast<std::ptrdiff_t>(from.size()))
    return std::nullopt;
  for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(from.size()); ++i) {
    const bool inside = i >= first && i < first + all;
    if (inside ? from[static_cast<std::size_t>(i)] != i - first
               : from[static_cast<std::size_t>(i)] >= 0)
      return std::nullopt;
  }
  return first / plane;
}

// One value for all channels.
NVDLAC_IMPL std::optional<double> common(const std::vector<float>& values, double none) {
  if (values.empty()) return none;
  for (const float v : values)
    if (v != values[0]) return std::nullopt;
  return static_cast<double>(values[0]);
}

}  // namespace detail

NVDLAC_IMPL std::optional<computed> averaged_channels(const context& c) {
  const computed& x = c.tensor(0);
  const auto kernel = c.n.integers("kernel_shape").value_or(dims{});
  const auto is_all = [&](const char* attribute, std::int64_t wanted) {
    const auto given = c.n.integers(attribute).value_or(dims{});
    return std::ranges::all_of(given, [&](auto v) { return v == wanted; });
  };
  const bool along_channels = x.shape.size() == 5 && x.shape[0] == 1 && x.shape[1] == 1 &&
                              kernel.size() == 3 && kernel[0] >= 1 && kernel[1] == 1 &&
                              kernel[2] == 1 && kernel[0] <= x.shape[2];
  if (!along_channels || !is_all("strides", 1) || !is_all("dilations", 1) || !is_all("pads", 0) ||
      c.n.string("auto_pad", "NOTSET") != "NOTSET" || x.around_lowest)
    return std::nullopt;
  const net::shape cube = c.net.net().shape(x.node);
  const auto before = detail::zeros_before(x, cube);
  if (!before) return std::nullopt;
  (void)c.n.flag("ceil_mode", false);
  (void)c.n.flag("count_include_pad", false);
  const std::int64_t outputs = x.shape[2] - kernel[0] + 1;
  require_within(&budget::weights, static_cast<std::uint64_t>(net::product({outputs, cube.c})),
                 c.net.net().limits());
  const auto n = c.net.add(
      c.n.name(),
      net::convolution{.kernels = as_int32(outputs, "its number of channels"),
                       .weights = detail::band_of_channels(cube.c, outputs, kernel[0], *before)},
      {x.node});
  return computed{n, {1, 1, outputs, x.shape[3], x.shape[4]}};
}

NVDLAC_IMPL std::optional<computed> local_response(const context& c) {
  const auto* x = std::get_if<computed>(&c.in[0]);
  const auto* y = std::get_if<computed>(&c.in[1]);
  if (x == nullptr || y == nullptr || x->from || y->from || x->shape != y->shape)
    return std::nullopt;
  const auto& g = c.net.net().graph();
  const auto* power = std::get_if<net::activation>(&g[y->node].op);
  if (power == nullptr || power->function != net::function::power || !(power->gamma > 0))
    return std::nullopt;
  double alpha{power->alpha}, k{power->beta};
  auto n = g.inputs(y->node)[0];
  while (const auto* s = std::get_if<net::scale>(&g[n].op)) {
    const auto factor = detail::common(s->factor, 1), bias = detail::common(s->bias, 0);
    if (!factor || !bias || s->relu) return std::nullopt;
    k += alpha * *bias;
    alpha *= *factor;
    n = g.inputs(n)[0];
  }
  const auto* average = std::get_if<net::convolution>(&g[n].op);
  const net::shape cube = c.net.net().shape(x->node);
  if (average == nullptr || average->kernels != cube.c || average->groups != 1 || average->relu ||
      average->window != net::window{} || !average->bias.empty() || average->weights.empty() ||
      g.inputs(n).size() != 1)
    return std::nullopt;
  const auto squares = g.inputs(n)[0];
  if (!std::holds_alternative<net::multiply>(g[squares].op) ||
      std::ranges::any_of(g.inputs(squares), [&](auto i) { return i != x->node; }))
    return std::nullopt;
  for (const std::int32_t size : {3, 5, 7, 9})
    if (average->weights == detail::band_of_channels(cube.c, cube.c, size, size / 2)) {
      const net::lrn op{.local_size = size, .alpha = static_cast<float>(alpha),
                        .beta = power->gamma, .k = static_cast<float>(k)};
      return computed{c.net.add(c.n.name(), op, {x->node}), x->shape};
    }
  return std::nullopt;
}

}  // namespace nvdlac::import::onnx_format
