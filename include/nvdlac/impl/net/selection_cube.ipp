// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/any_map.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/selection_cube.hpp>

namespace nvdlac::net {

namespace detail {

NVDLAC_IMPL step_finder::axis step_finder::axis_of(const step& s) {
  bool channels = false, lines = false, columns = false;
  for (const auto& p : s.at) {
    if (!p) continue;
    channels = channels || p->c != 0;
    lines = lines || p->y != 0;
    columns = columns || p->x != 0;
  }
  if (channels) return axis::channels;
  if (lines && columns) return axis::places;
  return lines ? axis::lines : columns ? axis::columns : axis::none;
}

NVDLAC_IMPL std::optional<step_finder::step> step_finder::step_of(std::size_t count) const {
  const std::size_t row = anchor_ / count, at_anchor = anchor_ % count;
  const position anchor = place_of(left_[anchor_]);
  step s;
  bool channels = false, places = false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto element = left_[row * count + i];
    if (element < 0) {
      s.at.emplace_back();
      continue;
    }
    const position p = place_of(element) + anchor * -1;
    channels = channels || p.c != 0;
    places = places || p.y != 0 || p.x != 0;
    if (channels && places) return std::nullopt;
    s.at.emplace_back(p);
  }
  // From the anchor's row on, as others may be filled.
  const std::size_t rows = left_.size() / count;
  for (std::size_t k = 1; k < rows; ++k) {
    const std::size_t other = (row + k) % rows * count;
    const auto first = left_[other + at_anchor];
    for (std::size_t i = 0; i < count; ++i) {
      const auto element = left_[other + i];
      if ((element < 0) != (first < 0 || !s.at[i])) return std::nullopt;
      if (element >= 0 && place_of(element) != place_of(first) + *s.at[i]) return std::nullopt;
    }
  }
  s.along = axis_of(s);
  return s;
}

// The factors of n from 2 on.
NVDLAC_IMPL std::vector<std::size_t> factors_of(std::size_t n) {
  std::vector<std::size_t> small, large{n};
  for (std::size_t f = 2; f <= n / f; ++f) {
    if (n % f != 0) continue;
    small.push_back(f);
    if (f != n / f) large.push_back(n / f);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

NVDLAC_IMPL std::optional<step_finder::step> step_finder::take_step() {
  const auto side = sides_.empty() ? 1 : static_cast<std::size_t>(sides_.back());
  auto counts = factors_of(left_.size());
  // Factors of the innermost side come first.
  std::ranges::stable_partition(counts, [&](auto n) { return side % n == 0; });
  std::optional<step> best;
  std::size_t count = 0;
  for (const auto n : counts) {
    auto s = step_of(n);
    if (!s || (best && s->along == axis::places)) continue;
    best = std::move(s);
    count = n;
    if (best->along != axis::places) break;
  }
  if (!best) return std::nullopt;
  std::vector<std::int32_t> outer;
  for (std::size_t i = anchor_ % count; i < left_.size(); i += count) outer.push_back(left_[i]);
  anchor_ /= count;
  left_ = std::move(outer);
  best->side = sides_.size();
  if (side % count != 0) {
    sides_.clear();  // it goes across sides
  } else if (sides_.back() /= static_cast<std::int32_t>(count); sides_.back() == 1) {
    sides_.pop_back();
  }
  return best;
}

NVDLAC_IMPL void step_finder::settle_axes() {
  const auto taken = [&](axis a) {
    return std::ranges::any_of(steps_, [&](const step& s) { return s.along == a; });
  };
  const auto unused = [&] {
    return !taken(axis::channels) ? axis::channels
           : taken(axis::places)  ? axis::places
           : !taken(axis::lines)  ? axis::lines
                                  : axis::columns;
  };
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].along != axis::none) continue;
    for (std::size_t k = 0; k < steps_.size() && steps_[i].along == axis::none; ++k)
      if (steps_[k].side == steps_[i].side) steps_[i].along = steps_[k].along;
    if (steps_[i].along == axis::none) steps_[i].along = unused();
  }
}

NVDLAC_IMPL std::int64_t step_finder::lay(std::initializer_list<axis> along, std::int64_t stride) {
  const std::int64_t first = stride;
  std::vector<step*> some;  // the outermost first
  for (auto s = steps_.rbegin(); s != steps_.rend(); ++s)
    if (std::ranges::find(along, s->along) != along.end()) some.push_back(&*s);
  // In the order of the source, where repetitions stay inside what they repeat.
  for (std::size_t i = 0; i < some.size(); ++i)
    if (some[i]->apart == unknown_step && i > 0) some[i]->apart = some[i - 1]->apart;
  if (along.size() == 1)
    std::ranges::stable_sort(some, [](const step* a, const step* b) {
      return a->apart > b->apart;
    });
  for (auto s = some.rbegin(); s != some.rend(); ++s) {
    (*s)->stride = static_cast<std::int32_t>(stride);
    stride = product({stride, static_cast<std::int64_t>((*s)->at.size())});
  }
  return stride / first;
}

NVDLAC_IMPL std::optional<selection_cube> step_finder::find(std::span<const std::int32_t> from) {
  const auto anchor = std::ranges::find_if(left_, [](auto element) { return element >= 0; });
  if (anchor == left_.end()) return std::nullopt;
  anchor_ = static_cast<std::size_t>(anchor - left_.begin());
  std::erase(sides_, 1);
  while (left_.size() > 1) {
    auto s = take_step();
    if (!s) return std::nullopt;
    s->apart = unknown_step;
    for (std::size_t i = 1; i < s->at.size(); ++i)
      if (const auto &a = s->at[i - 1], &b = s->at[i]; a && b && *a != *b) {
        const std::int64_t sum = (b->c - a->c) + (b->y - a->y) + (b->x - a->x);
        s->apart = std::min(s->apart, std::abs(sum));
      }
    steps_.push_back(*std::move(s));
  }
  settle_axes();
  using enum axis;
  const bool together =
      std::ranges::any_of(steps_, [](const step& s) { return s.along == places; });
  const auto w = together ? lay({lines, columns, places}, 1) : lay({columns}, 1);
  const auto h = together ? 1 : lay({lines}, w);
  const auto c = lay({channels}, w * h);
  if (std::max({c, h, w}) > hw::any_map.cube_side || !fit_shape(c, h, w).ok() ||
      std::cmp_not_equal(product({c, h, w}), from.size()))
    return std::nullopt;
  selection_cube result{.shape = fit_shape(c, h, w).value()};
  result.place = {0};
  for (auto s = steps_.rbegin(); s != steps_.rend(); ++s) {
    std::vector<std::int32_t> next;
    next.reserve(result.place.size() * s->at.size());
    for (const auto base : result.place)
      for (std::int32_t i = 0; std::cmp_less(i, s->at.size()); ++i)
        next.push_back(base + i * s->stride);
    result.place = std::move(next);
  }
  result.from.assign(from.size(), -1);
  for (std::size_t i = 0; i < from.size(); ++i)
    result.from[static_cast<std::size_t>(result.place[i])] = from[i];
  return result;
}

}  // namespace detail

NVDLAC_IMPL std::optional<selection_cube> find_selection_cube(std::span<const std::int32_t> from,
                                                              std::span<const std::int32_t> sides,
                                                              shape source) {
  return detail::step_finder(from, sides, source).find(from);
}

}  // namespace nvdlac::net
