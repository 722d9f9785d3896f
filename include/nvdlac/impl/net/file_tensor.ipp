// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

NVDLAC_IMPL bool file_tensor::has_room_for_part() const {
  if (spread.size() != walk.size() || first < 0) return false;
  std::vector<std::pair<std::int64_t, std::int64_t>> inner_first;  // spread and count
  for (std::size_t i = 0; i < walk.size(); ++i)
    if (walk[i].count < 1 || spread[i] < 1) return false;
    else inner_first.emplace_back(spread[i], walk[i].count);
  std::ranges::sort(inner_first);
  std::int64_t last = 0;  // from `first`
  for (const auto& [apart, count] : inner_first) {
    if (count > 1 && apart <= last) return false;
    last += (count - 1) * apart;
    if (!std::cmp_less(first + last, size())) return false;
  }
  return true;
}

NVDLAC_IMPL std::optional<std::vector<steps>> find_walk(std::span<const std::int32_t> from,
                                                        const net::shape& cube) {
  std::vector<std::int32_t> in_file(from.size());
  std::iota(in_file.begin(), in_file.end(), 0);
  auto t = find_part({.shape = {cube.c, cube.h, cube.w}}, from, in_file, cube);
  if (!t) return std::nullopt;
  if (t->walk.size() <= 1) t->walk.clear();
  return std::move(t->walk);
}

NVDLAC_IMPL std::optional<file_tensor> find_part(const file_tensor& whole,
                                                 std::span<const std::int32_t> in_cube,
                                                 std::span<const std::int32_t> in_file,
                                                 const net::shape& cube) {
  const auto elements = in_cube.size();
  if (elements != cube.size() || elements != in_file.size() || elements == 0 || in_cube[0] != 0)
    return std::nullopt;
  file_tensor t{.name = whole.name, .shape = whole.shape, .place = whole.place,
                .first = in_file[0]};
  // The innermost steps go on as long as they can; what they cover is one step of the next ones.
  for (std::size_t unit = 1; unit < elements;) {
    const std::int64_t stride = in_cube[unit], apart = in_file[unit] - in_file[0];
    std::int64_t count = 1;
    for (std::size_t i = unit; i < elements; i += unit, ++count)
      if (in_cube[i] != count * stride || in_file[i] - in_file[0] != count * apart) break;
    if (stride < 1 || apart < 1 || count == 1 ||
        elements % (unit * static_cast<std::size_t>(count)) != 0)
      return std::nullopt;
    t.walk.insert(t.walk.begin(),
                  {static_cast<std::int32_t>(count), static_cast<std::int32_t>(stride)});
    t.spread.insert(t.spread.begin(), static_cast<std::int32_t>(apart));
    unit *= static_cast<std::size_t>(count);
  }
  if (t.walk.empty()) {
    t.walk = {{1, 1}};
    t.spread = {1};
  }
  if (!t.fits(cube)) return std::nullopt;
  bool same = true;
  std::size_t next = 0;
  t.visit(elements, [&](std::size_t i, std::size_t j) {
    same = same && std::cmp_equal(in_cube[next], i) && std::cmp_equal(in_file[next], j);
    ++next;
  });
  if (!same) return std::nullopt;
  return t;
}

}  // namespace nvdlac::net
