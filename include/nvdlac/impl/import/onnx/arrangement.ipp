// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/arrangement.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/movement.hpp>

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

NVDLAC_IMPL std::vector<float> values_in_cube(const computed& x, const std::vector<float>& values,
                                              net::shape cube) {
  if (values.size() == 1) return std::vector<float>(cube.size(), values[0]);
  if (!x.from) return values;
  std::vector<float> sorted(cube.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    sorted[static_cast<std::size_t>((*x.from)[i])] = values[i];
  return sorted;
}

NVDLAC_IMPL assembly::id as_operand(const context& c, const std::string& layer, const computed& of,
                                    const computed& home, net::shape cube) {
  const net::shape source = c.net.net().shape(of.node);
  const computed wide = of.shape == home.shape
                            ? of
                            : moved(of, expand(of.shape, home.shape, c.ceiling),
                                    layer + "/repeat", source);
  // The element of `of` for each of the cube.
  element_map from(cube.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto to = home.from ? static_cast<std::size_t>((*home.from)[i]) : i;
    from[to] = wide.from ? (*wide.from)[i] : static_cast<std::int32_t>(i);
  }
  const auto by = of.moved_by.empty() ? layer + "/repeat" : of.moved_by;
  const auto cube_on = [&](element_map map, net::shape s) {
    return c.net.as_cube(arranged(c, of.node, {}, std::move(map), by), s);
  };
  const auto area = detail::area_of(cube);
  const auto first_of_channel = [&](std::size_t i) { return i / area * area; };
  if (source.size() < cube.size() && area > 1) {
    bool same_in_channel = true, same_over_channels = true;
    for (std::size_t i = 0; i < from.size(); ++i) {
      same_in_channel = same_in_channel && from[i] == from[first_of_channel(i)];
      same_over_channels = same_over_channels && from[i] == from[i % area];
    }
    if (same_in_channel) {
      element_map each;
      for (std::size_t i = 0; i < from.size(); i += area) each.push_back(from[i]);
      return cube_on(std::move(each), {cube.c, 1, 1});
    }
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
