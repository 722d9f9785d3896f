// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/least_lanes.hpp>
#include <nvdlac/import/onnx/arrangement.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/net/box.hpp>

namespace nvdlac::import::onnx_format {

namespace detail {

NVDLAC_IMPL std::size_t area_of(net::shape cube) {
  return static_cast<std::size_t>(cube.h) * static_cast<std::size_t>(cube.w);
}

NVDLAC_IMPL bool is_permutation_of(const std::vector<std::int32_t>& of, std::size_t n) {
  if (of.size() != n) return false;
  std::vector<bool> seen(n, false);
  for (const auto i : of) {
    if (i < 0 || std::cmp_greater_equal(i, n) || seen[static_cast<std::size_t>(i)]) return false;
    seen[static_cast<std::size_t>(i)] = true;
  }
  return true;
}

// A cube of one channel, repeated over all of another: kernels of a single 1.
NVDLAC_IMPL assembly::id over_channels(const context& c, const std::string& layer,
                                       assembly::id one, std::int32_t channels) {
  return c.net.add(layer,
                   net::convolution{.kernels = channels,
                                    .weights = std::vector<float>(
                                        static_cast<std::size_t>(channels), 1.0F)},
                   {one});
}

// The element of the node of `of` for each of the cube that `home` is the whole of.
NVDLAC_IMPL element_map repeated_over(const context& c, const computed& of, const computed& home,
                                      net::shape cube) {
  const computed wide = of.shape == home.shape
                            ? of
                            : moved(of, expand(of.shape, home.shape, c.ceiling), {},
                                    c.net.net().shape(of.node));
  element_map from(cube.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto to = home.from ? static_cast<std::size_t>((*home.from)[i]) : i;
    from[to] = wide.from ? (*wide.from)[i] : static_cast<std::int32_t>(i);
  }
  return from;
}

NVDLAC_IMPL bool is_same_in_channels(const element_map& from, std::size_t area) {
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != from[i / area * area]) return false;
  return true;
}

}  // namespace detail

NVDLAC_IMPL element_map rows_of_channels::map_of(std::int64_t features) const {
  const auto area = static_cast<std::int32_t>(place.size());
  element_map map;
  map.reserve(place.size() * static_cast<std::size_t>(features));
  for (const auto p : place)
    for (std::int32_t f = 0; std::cmp_less(f, features); ++f) map.push_back(f * area + p);
  return map;
}

NVDLAC_IMPL std::optional<rows_of_channels> as_rows_of_channels(const computed& x,
                                                                std::int64_t rows,
                                                                std::int64_t features,
                                                                net::shape cube) {
  const auto area = detail::area_of(cube);
  if (!std::cmp_equal(features, cube.c) || !std::cmp_equal(rows, area) ||
      (x.from && x.from->size() != cube.size()))
    return std::nullopt;
  const auto at = [&](std::size_t i) {
    return x.from ? (*x.from)[i] : static_cast<std::int32_t>(i);
  };
  const auto width = static_cast<std::size_t>(features);
  rows_of_channels m;
  for (std::size_t f = 0; f < width; ++f) {
    if (at(f) < 0) return std::nullopt;
    m.channel.push_back(at(f) / static_cast<std::int32_t>(area));
  }
  for (std::size_t r = 0; r < area; ++r) {
    m.place.push_back(at(r * width) - m.channel[0] * static_cast<std::int32_t>(area));
    for (std::size_t f = 0; f < width; ++f)
      if (at(r * width + f) != m.channel[f] * static_cast<std::int32_t>(area) + m.place[r])
        return std::nullopt;
  }
  if (!detail::is_permutation_of(m.channel, width) || !detail::is_permutation_of(m.place, area))
    return std::nullopt;
  return m;
}

NVDLAC_IMPL std::optional<rows_of_blocks> as_rows_of_blocks(const computed& x,
                                                            std::int64_t rows,
                                                            std::int64_t features,
                                                            net::shape cube) {
  if (rows < 1 || features < cube.c || features % cube.c != 0 ||
      !std::cmp_equal(net::product({rows, features}), cube.size()) || !is_whole(x, cube))
    return std::nullopt;
  const auto at = [&](std::int64_t i) {
    const auto element = static_cast<std::size_t>(i);
    return net::position::of(x.from ? static_cast<std::size_t>((*x.from)[element]) : element, cube);
  };
  // The block of a row is where its first feature is, but for how far that stands in its block.
  net::position least = at(0), most = at(0);
  for (std::int64_t f = 1; f < features; ++f) {
    const auto p = at(f);
    least = {std::min(least.c, p.c), std::min(least.y, p.y), std::min(least.x, p.x)};
    most = {std::max(most.c, p.c), std::max(most.y, p.y), std::max(most.x, p.x)};
  }
  rows_of_blocks m{.lines = most.y - least.y + 1, .columns = most.x - least.x + 1};
  if (cube.h % m.lines != 0 || cube.w % m.columns != 0 ||
      net::product({cube.c, m.lines, m.columns}) != features)
    return std::nullopt;
  std::vector<net::position> offset;
  for (std::int64_t f = 0; f < features; ++f) {
    const auto p = at(f);
    offset.push_back({p.c, p.y - least.y, p.x - least.x});
    m.element.push_back((p.c * m.lines + offset.back().y) * m.columns + offset.back().x);
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto first = at(r * features);
    const std::int32_t y = first.y - offset[0].y, column = first.x - offset[0].x;
    if (y < 0 || column < 0 || y % m.lines != 0 || column % m.columns != 0) return std::nullopt;
    for (std::int64_t f = 0; f < features; ++f)
      if (at(r * features + f) != net::position{0, y, column} + offset[static_cast<std::size_t>(f)])
        return std::nullopt;
    m.blocks.place.push_back(y / m.lines * (cube.w / m.columns) + column / m.columns);
  }
  return m;
}

NVDLAC_IMPL computed arranged(const context& c, assembly::id node, dims shape, element_map map,
                              const std::string& by) {
  return moved({node, {}}, {std::move(shape), std::move(map)}, by, c.net.net().shape(node));
}

NVDLAC_IMPL bool has_zeros(const computed& x) {
  return x.from && std::ranges::any_of(*x.from, [](auto source) { return source < 0; });
}

NVDLAC_IMPL bool is_whole(const computed& x, net::shape cube) {
  if (!std::cmp_equal(count(x.shape), cube.size())) return false;
  return !x.from || detail::is_permutation_of(*x.from, cube.size());
}

namespace detail {

// The places of the elements of its cube that x has, and whether it has all that are there.
struct taken {
  cube_places at{};
  bool all = false;
};

// Nothing where x has all of its cube, or nothing of it.
NVDLAC_IMPL std::optional<taken> places_of(const computed& x, net::shape cube) {
  if (!x.from) return std::nullopt;
  std::vector<bool> has(cube.size(), false);
  for (const auto source : *x.from)
    if (source >= 0) has[static_cast<std::size_t>(source)] = true;
  const auto n = std::ranges::count(has, true);
  if (n == 0 || std::cmp_equal(n, cube.size())) return std::nullopt;
  std::array<std::set<std::int32_t>, 3> found;
  for (std::size_t i = 0; i < has.size(); ++i) {
    if (!has[i]) continue;
    const auto p = net::position::of(i, cube);
    found[0].insert(p.c);
    found[1].insert(p.y);
    found[2].insert(p.x);
  }
  taken t;
  for (std::size_t axis = 0; axis < 3; ++axis)
    t.at[axis] = {found[axis].begin(), found[axis].end()};
  t.all = std::cmp_equal(n, t.at[0].size() * t.at[1].size() * t.at[2].size());
  return t;
}

// Whether these are channels with all of their lines and columns that begin with an atom, of any
// configuration.
NVDLAC_IMPL bool begins_with_atom(const cube_places& at, net::shape cube) {
  return std::cmp_equal(at[1].size(), cube.h) && std::cmp_equal(at[2].size(), cube.w) &&
         at[0].front() % hw::least_lanes == 0 &&
         std::cmp_equal(at[0].back() - at[0].front() + 1, at[0].size());
}

// x on the cube of its elements at these places, and of no others.
NVDLAC_IMPL computed on_part(const context& c, const computed& x, const cube_places& at) {
  const net::shape cube = c.net.net().shape(x.node);
  const std::array sizes{cube.c, cube.h, cube.w};
  cube_places to;  // the place in the part for each of the cube
  for (std::size_t axis = 0; axis < 3; ++axis) {
    to[axis].resize(static_cast<std::size_t>(sizes[axis]));
    for (std::size_t i = 0; i < at[axis].size(); ++i)
      to[axis][static_cast<std::size_t>(at[axis][i])] = static_cast<std::int32_t>(i);
  }
  computed y = x;
  y.node = c.net.part(x, at);
  const net::shape part = c.net.net().shape(y.node);
  element_map from = *x.from;
  for (auto& source : from) {
    if (source < 0) continue;
    const auto p = net::position::of(static_cast<std::size_t>(source), cube);
    const auto place = [&](std::size_t axis, std::int32_t i) {
      return to[axis][static_cast<std::size_t>(i)];
    };
    source = static_cast<std::int32_t>(part.at(place(0, p.c), place(1, p.y), place(2, p.x)));
  }
  y.from = arranged(c, y.node, x.shape, std::move(from), x.moved_by).from;
  return y;
}

}  // namespace detail

NVDLAC_IMPL computed alone(const context& c, const computed& x) {
  const auto taken = detail::places_of(x, c.net.net().shape(x.node));
  if (!taken) return x;
  if (taken->all) return detail::on_part(c, x, taken->at);
  const bool is_cube = x.shape.size() < 4 || x.shape[0] == 1;
  computed y = x;
  y.node = c.net.as_cube(x, is_cube ? cube_of(x.shape)
                                    : net::checked_shape(1, count(x.shape) / x.shape.back(),
                                                         x.shape.back()));
  y.from = nullptr;
  return y;
}

NVDLAC_IMPL computed alone_where_free(const context& c, const computed& x) {
  const net::shape cube = c.net.net().shape(x.node);
  const auto taken = detail::places_of(x, cube);
  if (!taken || !taken->all) return x;
  const bool free = detail::begins_with_atom(taken->at, cube) || c.net.has_part(x.node, taken->at);
  return free ? detail::on_part(c, x, taken->at) : x;
}

NVDLAC_IMPL std::vector<float> values_in_cube(const computed& x, const std::vector<float>& values,
                                              net::shape cube) {
  if (values.size() == 1) return std::vector<float>(cube.size(), values[0]);
  if (!x.from) return values;
  std::vector<float> sorted(cube.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    sorted[static_cast<std::size_t>((*x.from)[i])] = values[i];
  return sorted;
}

NVDLAC_IMPL bool is_of_channels(const context& c, const computed& of, const computed& home,
                                net::shape cube) {
  const auto area = detail::area_of(cube);
  return area > 1 && c.net.net().shape(of.node).size() < cube.size() &&
         detail::is_same_in_channels(detail::repeated_over(c, of, home, cube), area);
}

NVDLAC_IMPL assembly::id as_operand(const context& c, const std::string& layer, const computed& of,
                                    const computed& home, net::shape cube) {
  const net::shape source = c.net.net().shape(of.node);
  element_map from = detail::repeated_over(c, of, home, cube);
  const auto by = of.moved_by.empty() ? layer + "/repeat" : of.moved_by;
  const auto cube_on = [&](element_map map, net::shape s) {
    return c.net.as_cube(arranged(c, of.node, {}, std::move(map), by), s);
  };
  const auto area = detail::area_of(cube);
  if (source.size() < cube.size() && area > 1) {
    if (detail::is_same_in_channels(from, area)) {
      element_map each;
      for (std::size_t i = 0; i < from.size(); i += area) each.push_back(from[i]);
      return cube_on(std::move(each), {cube.c, 1, 1});
    }
    bool same_over_channels = true;
    for (std::size_t i = 0; i < from.size(); ++i)
      same_over_channels = same_over_channels && from[i] == from[i % area];
    if (same_over_channels) {
      from.resize(area);
      const auto repeated = detail::over_channels(
          c, layer + "/repeat", cube_on(std::move(from), {1, cube.h, cube.w}), cube.c);
      c.net.net().share_scale(repeated, of.node);
      return repeated;
    }
  }
  return cube_on(std::move(from), cube);
}

}  // namespace nvdlac::import::onnx_format
