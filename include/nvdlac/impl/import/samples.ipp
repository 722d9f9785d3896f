// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/import/packing.hpp>
#include <nvdlac/import/samples.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/graph.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import {

namespace detail {

// A convolution of one line of a single channel that reads blocks of its samples as channels.
struct convolution_of_blocks {
  std::int32_t step = 1;    // samples of a block
  std::int32_t before = 0;  // zeros before the first weight, so that padding is whole blocks
  net::window window{};     // over blocks
};

// The form of a window over so many samples that gives as many results; nothing if there is none.
NVDLAC_IMPL std::optional<convolution_of_blocks> of_blocks(const net::window& w,
                                                           std::int32_t samples,
                                                           std::int32_t results) {
  const std::int32_t step = w.stride_w;
  if (w.kernel_h != 1 || w.pad_top != 0 || w.pad_bottom != 0 || w.dilation_w != 1 || step < 2 ||
      w.kernel_w < 2 || samples % step != 0)
    return std::nullopt;
  const std::int32_t padding = (w.pad_left + step - 1) / step;
  convolution_of_blocks found{.step = step, .before = padding * step - w.pad_left};
  found.window = {.kernel_w = (w.kernel_w + found.before + step - 1) / step, .pad_left = padding};
  found.window.pad_right = results - 1 + found.window.kernel_w - samples / step - padding;
  if (found.window.pad_right < 0) return std::nullopt;  // it would read on
  return found;
}

// Whether CDMA reads the samples as an image of one line, whose neighbouring taps are in one step
// of the MACs already.
NVDLAC_IMPL bool is_read_as_image(const net::window& w, std::int32_t samples) {
  const auto& most = hw::any_map.convolution;
  return w.stride_w <= most.stride && w.kernel_w <= most.kernel &&
         samples <= hw::any_map.cube_side;
}

// The weights of kernels over blocks: [kernels][step][blocks] of [kernels][samples].
NVDLAC_IMPL std::vector<float> weights_of_blocks(const net::convolution& op, std::int32_t samples,
                                                 const convolution_of_blocks& form) {
  const std::int32_t blocks = form.window.kernel_w;
  std::vector<float> weights(
      static_cast<std::size_t>(op.kernels) * static_cast<std::size_t>(form.step * blocks), 0.0F);
  for (std::int32_t k = 0; k < op.kernels; ++k)
    for (std::int32_t i = 0; i < samples; ++i) {
      const std::int32_t at = i + form.before;
      weights[static_cast<std::size_t>((k * form.step + at % form.step) * blocks +
                                       at / form.step)] =
          op.weights[static_cast<std::size_t>(k * samples + i)];
    }
  return weights;
}

// The way from an input to the only convolution that reads it, by what changes each element for
// itself: the convolution comes last. Empty: there is none, or others read on the way.
NVDLAC_IMPL std::vector<net::graph::id> way_to_convolution(const net::graph& g,
                                                           const std::vector<bool>& needed,
                                                           net::graph::id input) {
  std::vector<net::graph::id> way;
  for (auto n = input; !g[n].output;) {
    std::optional<net::graph::id> reader;
    for (const auto r : g.consumers(n)) {
      if (!needed[r]) continue;
      if (reader) return {};
      reader = r;
    }
    if (!reader) return {};
    way.push_back(*reader);
    if (std::holds_alternative<net::convolution>(g[*reader].op))
      return g.inputs(*reader)[0] == n ? way : std::vector<net::graph::id>();
    if (!is_alike_anywhere(g[*reader].op)) return {};
    n = *reader;
  }
  return {};
}

}  // namespace detail

NVDLAC_IMPL void pack_samples(net::graph& g, const std::vector<bool>& needed,
                              const std::vector<bool>& fixed) {
  for (net::graph::id n = 0; n < g.size(); ++n) {
    const net::shape cube = g[n].shape;
    if (!std::holds_alternative<net::input>(g[n].op) || !needed[n] || fixed[n] || cube.c != 1 ||
        (cube.h != 1 && cube.w != 1))
      continue;
    const auto way = detail::way_to_convolution(g, needed, n);
    if (way.empty()) continue;
    auto& op = std::get<net::convolution>(g[way.back()].op);
    const bool upright = cube.w == 1;
    const net::shape out = g[way.back()].shape;
    const auto window = upright ? net::transposed(op.window) : op.window;
    const std::int32_t samples = upright ? cube.h : cube.w;
    const auto form = detail::of_blocks(window, samples, upright ? out.h : out.w);
    if (!form || detail::is_read_as_image(window, samples)) continue;

    auto file = g[n].in_file.empty() ? net::in_own_order(g[n].name, cube) : g[n].in_file.front();
    std::vector<std::int32_t> places(cube.size());
    std::iota(places.begin(), places.end(), 0);
    if (!file.walk.empty()) places = file.from_cube<std::int32_t>(places);
    const std::int32_t blocks = samples / form->step;
    for (auto& p : places) p = p % form->step * blocks + p / form->step;
    const net::shape packed = upright ? net::shape{form->step, blocks, 1}
                                      : net::shape{form->step, 1, blocks};
    auto walk = net::find_walk(places, packed);
    if (!walk) continue;
    file.walk = std::move(*walk);

    op.weights = detail::weights_of_blocks(op, window.kernel_w, *form);
    op.window = upright ? net::transposed(form->window) : form->window;
    g[n].op = net::input{packed};
    g[n].shape = packed;
    for (const auto between : way)
      if (between != way.back()) g[between].shape = packed;
    g[n].in_file = {std::move(file)};
  }
}

}  // namespace nvdlac::import
