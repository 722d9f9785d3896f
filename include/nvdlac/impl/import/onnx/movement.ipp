// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/movement.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL std::int64_t checked_axis(std::int64_t axis, std::size_t rank) {
  const auto r = static_cast<std::int64_t>(rank);
  if (axis < -r || axis >= r)
    throw error(text("axis ", axis, " of a tensor with ", count_of(rank, "dimension")));
  return axis < 0 ? axis + r : axis;
}

NVDLAC_IMPL dims strides_of(const dims& shape) {
  dims strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = net::product({strides[i], shape[i]});
  return strides;
}

NVDLAC_IMPL void require_movable(const dims& shape, const element_ceiling& most) {
  auto moved = count(shape, most);
  for (const auto n : shape) moved = std::max(moved, n);
  require_within(&budget::moved, static_cast<std::uint64_t>(moved), most.moved);
}

NVDLAC_IMPL element_map separable(const std::vector<dims>& steps,
                                  const element_ceiling& most) {
  dims shape;
  for (const auto& s : steps) shape.push_back(static_cast<std::int64_t>(s.size()));
  require_movable(shape, most);
  if (count(shape) == 0) return {};
  element_map from{0};
  // Grows one dimension after the other.
  for (const auto& s : steps) {
    element_map next;
    next.reserve(from.size() * s.size());
    for (const auto base : from)
      for (const auto step : s)
        next.push_back(base < 0 || step < 0 ? -1 : base + static_cast<std::int32_t>(step));
    from = std::move(next);
  }
  return from;
}

NVDLAC_IMPL dims ascending(std::int64_t n, std::int64_t stride, std::int64_t first) {
  dims steps(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < steps.size(); ++i)
    steps[i] = (first + static_cast<std::int64_t>(i)) * stride;
  return steps;
}

NVDLAC_IMPL std::vector<dims> all_steps(const dims& shape, const element_ceiling& most) {
  (void)count(shape, most);
  const dims strides = strides_of(shape);
  std::vector<dims> steps;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    require_movable({shape[i]}, most);
    steps.push_back(ascending(shape[i], strides[i]));
  }
  return steps;
}

NVDLAC_IMPL movement from_steps(const std::vector<dims>& steps,
                                const element_ceiling& most) {
  dims shape;
  for (const auto& s : steps) shape.push_back(static_cast<std::int64_t>(s.size()));
  return {std::move(shape), separable(steps, most)};
}

NVDLAC_IMPL movement transpose(const dims& shape, dims perm, const element_ceiling& most) {
  if (perm.empty())
    for (std::size_t i = shape.size(); i-- > 0;) perm.push_back(static_cast<std::int64_t>(i));
  dims sorted = perm;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != ascending(static_cast<std::int64_t>(shape.size()), 1))
    throw error(
        text("perm ", to_text(perm), " is no permutation of ",
             count_of(shape.size(), "dimension")));
  const auto steps = all_steps(shape, most);
  std::vector<dims> moved;
  for (const auto p : perm) moved.push_back(steps[static_cast<std::size_t>(p)]);
  return from_steps(moved, most);
}

NVDLAC_IMPL void slice(std::vector<dims>& steps, std::int64_t axis, std::int64_t start,
                       std::int64_t end, std::int64_t step) {
  auto& s = steps[static_cast<std::size_t>(checked_axis(axis, steps.size()))];
  const auto n = static_cast<std::int64_t>(s.size());
  if (step == 0) throw error("it slices with a step of 0");
  const std::int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? n : n - 1;
  const auto clip = [&](std::int64_t i) { return std::clamp(i < 0 ? i + n : i, lowest, highest); };
  start = clip(start);
  // -1 as an end in a backwards slice means the last element; far below it, the beginning.
  end = clip(end);
  step = std::clamp(step, -n - 1, n + 1);
  dims kept;
  for (auto i = start; step > 0 ? i < end : i > end; i += step)
    kept.push_back(s[static_cast<std::size_t>(i)]);
  s = std::move(kept);
}

NVDLAC_IMPL movement gather(const dims& shape, std::int64_t axis, const array& indices,
                            const element_ceiling& most) {
  if (indices.real) throw error("its indices are not integers");
  const auto at = static_cast<std::size_t>(checked_axis(axis, shape.size()));
  auto steps = all_steps(shape, most);
  dims picked;
  for (auto i : indices.integers) {
    if (i < -shape[at] || i >= shape[at])
      throw error(text("index ", i, " of ", shape[at], " elements"));
    picked.push_back(steps[at][static_cast<std::size_t>(i < 0 ? i + shape[at] : i)]);
  }
  steps[at] = std::move(picked);
  movement m = from_steps(steps, most);
  m.shape.erase(m.shape.begin() + static_cast<std::ptrdiff_t>(at));
  m.shape.insert(m.shape.begin() + static_cast<std::ptrdiff_t>(at), indices.shape.begin(),
                 indices.shape.end());
  return m;
}

NVDLAC_IMPL movement pad(const dims& shape, const dims& pads, const std::string& mode,
                         const element_ceiling& most) {
  if (pads.size() != 2 * shape.size())
    throw error(text("it has ", pads.size(), " pads for ", count_of(shape.size(), "dimension")));
  dims padded = shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto before = pads[i], after = pads[i + shape.size()];
    if (std::max(std::abs(before), std::abs(after)) > net::max_elements ||
        shape[i] + std::min<std::int64_t>(before, 0) + std::min<std::int64_t>(after, 0) < 1)
      throw error(text("its pads ", to_text(pads), " do not fit ", to_text(shape)));
    padded[i] += before + after;
  }
  require_movable(padded, most);
  const auto all = all_steps(shape, most);
  std::vector<dims> steps(all.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t n = shape[i];
    if (mode == "reflect" && std::max(pads[i], pads[i + shape.size()]) >= n)
      throw error(text("its pads ", to_text(pads), " reflect more than there is"));
    for (std::int64_t at = -pads[i]; at < n + pads[i + shape.size()]; ++at) {
      std::int64_t from = at;
      if (mode == "edge") from = std::clamp<std::int64_t>(at, 0, n - 1);
      else if (mode == "wrap") from = (at % n + n) % n;
      else if (mode == "reflect") from = at < 0 ? -at : at >= n ? 2 * (n - 1) - at : at;
      steps[i].push_back(from < 0 || from >= n ? -1 : all[i][static_cast<std::size_t>(from)]);
    }
  }
  return from_steps(steps, most);
}

NVDLAC_IMPL dims broadcast(const dims& a, const dims& b) {
  dims out(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1,
                       y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      throw error(text("the shapes ", to_text(a), " and ", to_text(b), " do not fit"));
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

NVDLAC_IMPL movement expand(dims shape, const dims& target, const element_ceiling& most) {
  const dims out = broadcast(shape, target);
  require_movable(out, most);
  shape.insert(shape.begin(), out.size() - shape.size(), 1);
  auto steps = all_steps(shape, most);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (shape[i] == 1) steps[i].assign(static_cast<std::size_t>(out[i]), 0);
  return from_steps(steps, most);
}

NVDLAC_IMPL movement tile(const dims& shape, const dims& repeats,
                          const element_ceiling& most) {
  if (repeats.size() != shape.size()) throw error("its repeats are not one for each dimension");
  dims out = shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (repeats[i] < 0) throw error("it repeats less than 0 times");
    out[i] = net::product({shape[i], repeats[i]});
  }
  require_movable(out, most);
  auto steps = all_steps(shape, most);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const dims once = steps[i];
    steps[i].clear();
    for (std::int64_t n = 0; n < repeats[i]; ++n)
      steps[i].insert(steps[i].end(), once.begin(), once.end());
  }
  return from_steps(steps, most);
}

NVDLAC_IMPL dims reshape(const dims& shape, const dims& target, bool allow_zero) {
  dims out = target;
  std::int64_t known = 1;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 0 && !allow_zero) {
      if (i >= shape.size()) throw error("its shape copies a dimension that is not there");
      out[i] = shape[i];
    }
    if (out[i] < -1) throw error(text("its shape has the dimension ", out[i]));
    if (out[i] == -1) {
      if (open) throw error("its shape has more than one -1");
      open = i;
    } else {
      known = net::product({known, out[i]});
    }
  }
  const std::int64_t total = count(shape);
  if (open) {
    if (known == 0 || total % known != 0)
      throw error(text("it reshapes ", to_text(shape), " to ", to_text(target)));
    out[*open] = total / known;
  } else if (known != total) {
    throw error(text("it reshapes ", to_text(shape), " to ", to_text(target)));
  }
  return out;
}

NVDLAC_IMPL dims squeeze(const dims& shape, const std::optional<dims>& axes) {
  std::vector<bool> gone(shape.size(), false);
  if (!axes)
    for (std::size_t i = 0; i < shape.size(); ++i) gone[i] = shape[i] == 1;
  else
    for (const auto a : *axes) {
      const auto i = static_cast<std::size_t>(checked_axis(a, shape.size()));
      if (shape[i] != 1) throw error(text("it squeezes dimension ", i, ", which is ", shape[i]));
      gone[i] = true;
    }
  dims out;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!gone[i]) out.push_back(shape[i]);
  return out;
}

NVDLAC_IMPL dims unsqueeze(const dims& shape, const dims& axes) {
  const std::size_t rank = shape.size() + axes.size();
  std::vector<bool> fresh(rank, false);
  for (const auto a : axes) {
    const auto i = static_cast<std::size_t>(checked_axis(a, rank));
    if (fresh[i]) throw error("it inserts an axis twice");
    fresh[i] = true;
  }
  dims out;
  for (std::size_t i = 0, next = 0; i < rank; ++i) out.push_back(fresh[i] ? 1 : shape[next++]);
  return out;
}

NVDLAC_IMPL array apply(const array& a, const movement& m, double padding) {
  array out = a;
  out.shape = m.shape;
  if (!m.from) return out;
  const auto move = [&](auto& to, const auto& from) {
    using element = typename std::decay_t<decltype(to)>::value_type;
    to.resize(m.from->size());
    for (std::size_t i = 0; i < to.size(); ++i) {
      const auto source = (*m.from)[i];
      to[i] = source < 0 ? static_cast<element>(padding) : from[static_cast<std::size_t>(source)];
    }
  };
  if (a.real) move(out.reals, a.reals);
  else move(out.integers, a.integers);
  return out;
}

}  // namespace nvdlac::import::onnx_format
