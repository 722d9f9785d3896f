// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/least_lanes.hpp>
#include <nvdlac/import/onnx/arrangement.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/import/onnx/reduction.hpp>
#include <nvdlac/import/onnx/reduction_in_place.hpp>
#include <nvdlac/pass/join_slices.hpp>
#include <nvdlac/pass/pool_levels.hpp>

namespace nvdlac::import::onnx_format {

namespace detail {

// Extrema of channels at each place, in halves: each step computes those of the first half and of
// the last, which overlap where the number is odd. The last half comes from a convolution that
// selects channels, so that SDP compares behind it, and the first one where it stands.
class channel_halves {
 public:
  channel_halves(const context& c, net::extremum_kind kind, assembly::id all)
      : c_(c), kind_(kind), all_(all), rest_(all), channels_(c.net.net().shape(all).c) {}

  // A cube of a single channel, or of so many that line y * folds + c is line y of channel c.
  assembly::id run() {
    while (channels_ > 1) halve();
    return rest_;
  }
  std::int32_t folds() const { return folds_; }

 private:
  // Channels of which every configuration has whole atoms: parts of a cube from one on are no
  // copies.
  static constexpr std::int32_t whole_atoms = 32;
  // Up to so many channels, lines become channels as well: atoms would be mostly empty otherwise.
  static constexpr std::int32_t most_folded = 16;

  void halve() {
    const std::int32_t half = (channels_ + 1) / 2, last = channels_ - half;
    const net::shape s = c_.net.net().shape(rest_);
    const std::int32_t lines = channels_ > most_folded || folds_ > 1 ? 1
                               : s.h % 4 == 0                        ? 4
                               : s.h % 2 == 0                        ? 2
                                                                     : 1;
    const auto name = [&](const char* part) { return text(c_.n.name(), part, half); };
    const auto first_half = lines == 1 ? taken(name("/first"), 0, half)
                                       : selected(name("/first"), 0, half, lines);
    const auto last_half = lines == 1 && last * folds_ % whole_atoms == 0
                               ? taken(name("/last"), last, half)
                               : selected(name("/last"), last, half, lines);
    rest_ = c_.net.add(half == 1 ? c_.n.name() : name("/of"), net::extremum{.kind = kind_},
                       {first_half, last_half});
    c_.net.net().share_scale(rest_, all_);
    folds_ *= lines;
    channels_ = half;
  }
  // Channels as they stand, of all lines that are folded.
  assembly::id taken(const std::string& layer, std::int32_t first, std::int32_t channels) const {
    const net::shape s = c_.net.net().shape(rest_);
    const net::box b{.from = {first * folds_, 0, 0},
                     .loops = {{{channels * folds_, {1, 0, 0}, {1, 0, 0}},
                                {s.h, {0, 1, 0}, {0, 1, 0}},
                                {s.w, {0, 0, 1}, {0, 0, 1}}}}};
    return c_.net.add(layer, net::move{.target = {channels * folds_, s.h, s.w}, .boxes = {b}},
                      {rest_});
  }
  // Channels by kernels of a single 1, and so many lines of each beside each other as channels.
  assembly::id selected(const std::string& layer, std::int32_t first, std::int32_t channels,
                        std::int32_t lines) const {
    const std::int32_t from = c_.net.net().shape(rest_).c, to = channels * folds_ * lines;
    net::convolution select{.kernels = to,
                            .window = {.kernel_h = lines, .stride_h = lines},
                            .weights = std::vector<float>(
                                static_cast<std::size_t>(to * from * lines), 0.0F)};
    for (std::int32_t k = 0; k < to; ++k) {
      const std::int32_t channel = first * folds_ + k / lines, line = k % lines;
      select.weights[static_cast<std::size_t>((k * from + channel) * lines + line)] = 1;
    }
    const auto made = c_.net.add(layer, std::move(select), {rest_});
    c_.net.net().share_scale(made, all_);
    return made;
  }

  const context& c_;
  net::extremum_kind kind_;
  assembly::id all_, rest_;
  std::int32_t channels_, folds_ = 1;
};

// The map of a matrix of one feature, by the places of its rows among lines of which so many stand
// beside each other as channels.
NVDLAC_IMPL element_map map_of_folds(const rows_of_channels& rows, net::shape whole,
                                     std::int32_t folds) {
  element_map map;
  map.reserve(rows.place.size());
  for (const auto place : rows.place) {
    const std::int32_t y = place / whole.w, x = place % whole.w;
    map.push_back((y % folds * (whole.h / folds) + y / folds) * whole.w + x);
  }
  return map;
}

}  // namespace detail

NVDLAC_IMPL std::optional<computed> reduced_over_channels(const context& c, combining how,
                                                          const computed& x,
                                                          const reduced_axes& axes) {
  auto& net = c.net.net();
  const net::shape cube = net.shape(x.node);
  const auto rows = as_rows_of_channels(axes.sort(c, x), axes.stay, axes.run(), cube);
  if (!rows || cube.c == 1 || how == combining::product) return std::nullopt;
  const auto& name = c.n.name();
  if (how == combining::maximum || how == combining::minimum) {
    using enum net::extremum_kind;
    detail::channel_halves halves(c, how == combining::maximum ? maximum : minimum, x.node);
    const auto one = halves.run();
    return arranged(c, one, axes.result, detail::map_of_folds(*rows, cube, halves.folds()), name);
  }
  const float factor = how == combining::mean ? 1.0F / static_cast<float>(cube.c) : 1.0F;
  const auto one = net.add(name,
                           net::convolution{.kernels = 1,
                                            .weights = std::vector<float>(
                                                static_cast<std::size_t>(cube.c), factor)},
                           {x.node});
  return arranged(c, one, axes.result, rows->map_of(1), name);
}

NVDLAC_IMPL std::optional<computed> reduced_along_side(const context& c, combining how,
                                                       const computed& x,
                                                       const reduced_axes& axes) {
  const net::shape cube = c.net.net().shape(x.node);
  const auto axis = axes.order.back();
  if (x.from || x.shape != dims{1, cube.c, cube.h, cube.w} || axes.last.size() != 1 ||
      (axis != 2 && axis != 3) || how == combining::product)
    return std::nullopt;
  const auto& name = c.n.name();
  const net::shape side = axis == 2 ? net::shape{cube.c, cube.h, 1} : net::shape{cube.c, 1, cube.w};
  if (how == combining::mean && side == cube) return std::nullopt;  // a mean of whole channels
  if (how == combining::sum || how == combining::mean) {
    const float factor = how == combining::mean ? 1.0F / static_cast<float>(axes.run()) : 1.0F;
    net::convolution sums{.kernels = cube.c,
                          .window = {.kernel_h = side.h, .kernel_w = side.w},
                          .groups = cube.c,
                          .weights = std::vector<float>(side.size(), factor)};
    return computed{c.net.add(name, std::move(sums), {x.node}), axes.result};
  }
  const auto kind = how == combining::maximum ? net::pool_kind::maximum : net::pool_kind::minimum;
  const auto levels = pass::pool_in_levels(kind, side).levels;
  auto n = x.node;
  for (std::size_t i = 0; i < levels.size(); ++i)
    n = c.net.add(i + 1 == levels.size() ? name : text(name, "/level_", i + 1), levels[i], {n});
  return computed{n, axes.result};
}

NVDLAC_IMPL std::optional<computed> reduced_over_places(const context& c, combining how,
                                                        const computed& x,
                                                        const reduced_axes& axes) {
  const auto results = results_of_channels(c, x, axes);
  const net::shape cube = c.net.net().shape(x.node);
  const auto stay = static_cast<std::size_t>(axes.stay);
  if (results.size() <= stay || (cube.h == 1 && cube.w == 1) || how == combining::product)
    return std::nullopt;
  const auto& name = c.n.name();
  const auto of_places = [&](net::pool_kind kind) {
    const auto n = pooled_places(c, name + "/places", kind, x.node);
    c.net.net().share_scale(n, x.node);
    return n;
  };
  if (how == combining::maximum || how == combining::minimum) {
    const auto kind = how == combining::maximum ? net::pool_kind::maximum : net::pool_kind::minimum;
    // The channels of each result behind each other.
    element_map channels;
    for (std::int32_t k = 0; k < cube.c; ++k) channels.push_back(k);
    std::ranges::stable_sort(channels, {},
                             [&](auto k) { return results[static_cast<std::size_t>(k)]; });
    const dims sides{axes.stay, cube.c / axes.stay};
    const auto rest = arranged(c, of_places(kind), sides, std::move(channels), name);
    auto y = reduced(c, rest, {how}, reduced_axes(sides, {1}, false));
    y.shape = axes.result;
    return y;
  }
  const auto times = static_cast<float>(results.size() / stay);
  net::convolution means{.kernels = static_cast<std::int32_t>(stay),
                         .weights = std::vector<float>(stay * results.size(), 0.0F)};
  for (std::size_t k = 0; k < results.size(); ++k)
    means.weights[static_cast<std::size_t>(results[k]) * results.size() + k] = 1 / times;
  if (how == combining::mean)
    return computed{c.net.add(name, std::move(means), {of_places(net::pool_kind::average)}),
                    axes.result};
  // A pooling keeps its input's scale, which a sum would multiply.
  if (stay > static_cast<std::size_t>(hw::least_lanes)) return std::nullopt;
  const auto n = c.net.add(name + "/channels", std::move(means), {x.node});
  c.net.net().share_scale(n, x.node);
  const dims sides{axes.stay, cube.h, cube.w};
  auto y = summed(c, name, {n, sides}, reduced_axes(sides, {1, 2}, false), times);
  y.shape = axes.result;
  return y;
}

namespace detail {

// The blocks of channels: what a concat joins, if it joins just these, or else parts of the maps.
NVDLAC_IMPL std::vector<assembly::id> blocks_of_channels(const context& c, assembly::id whole,
                                                         net::shape block) {
  auto& net = c.net.net();
  const auto joined = net.graph().inputs(whole);
  if (std::holds_alternative<net::concat>(net.graph()[whole].op) &&
      std::ranges::all_of(joined, [&](auto n) { return net.shape(n) == block; }))
    return {joined.begin(), joined.end()};
  std::vector<assembly::id> parts;
  if (block.h == 1 && block.w == 1) return parts;  // kernels take the elements of a vector
  for (std::int32_t first = 0; first < net.shape(whole).c; first += block.c) {
    parts.push_back(net.add(text(c.n.name(), "/block", first / block.c),
                            pass::slice_of_channels(net.shape(whole), first, block.c), {whole}));
    net.share_scale(parts.back(), whole);
  }
  return parts;
}

}  // namespace detail

NVDLAC_IMPL std::optional<computed> reduced_over_blocks(const context& c, combining how,
                                                        const computed& x,
                                                        const reduced_axes& axes) {
  constexpr std::int64_t most_blocks = 16;
  auto& net = c.net.net();
  const net::shape cube = net.shape(x.node);
  const std::int64_t run = axes.run();
  if (run < 2 || run > most_blocks || cube.c % run != 0 ||
      std::cmp_not_equal(axes.stay * run, cube.size()))
    return std::nullopt;
  const auto sorted = axes.sort(c, x);
  if (!sorted.from) return std::nullopt;
  for (std::int64_t i = 0; i < axes.stay * run; ++i)
    if ((*sorted.from)[static_cast<std::size_t>(i)] != i % run * axes.stay + i / run)
      return std::nullopt;
  const net::shape block{cube.c / static_cast<std::int32_t>(run), cube.h, cube.w};
  const auto parts = detail::blocks_of_channels(c, x.node, block);
  if (parts.empty()) return std::nullopt;
  const float factor = how == combining::mean ? 1.0F / static_cast<float>(run) : 1.0F;
  auto all = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto& name = c.n.name();
    const auto layer = i + 1 == parts.size() ? name : text(name, "/of", i + 1);
    const std::vector both{all, parts[i]};
    if (how == combining::sum || how == combining::mean) {
      all = net.add(layer, net::add{.coefficients = {i == 1 ? factor : 1.0F, factor}}, both);
      continue;
    }
    if (how == combining::product) {
      all = net.add(layer, net::multiply{}, both);
      continue;
    }
    using enum net::extremum_kind;
    const auto kind = how == combining::maximum ? maximum : minimum;
    all = net.add(layer, net::extremum{.kind = kind}, both);
    net.share_scale(all, x.node);
  }
  return computed{all, axes.result};
}

}  // namespace nvdlac::import::onnx_format
