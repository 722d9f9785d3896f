// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/cube_builder.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/value.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL assembly::id cube_builder::open_state(const std::string& name, net::shape cube,
                                            const dims& shape) {
  const auto n = net_.add(name, net::input{cube}, {});
  net_.mark_input(n, in_file(name, shape));
  return n;
}

NVDLAC_IMPL std::optional<net::window> find_steps(const element_map& from, net::shape to,
                                                  net::shape source) {
  const auto step = [](std::int32_t size, std::int32_t n) { return (size + n - 1) / n; };
  const net::window w{.stride_h = step(source.h, to.h), .stride_w = step(source.w, to.w)};
  if (to.c != source.c || w.stride_w == 1 || std::max(w.stride_h, w.stride_w) > 8 ||
      step(source.h, w.stride_h) != to.h || step(source.w, w.stride_w) != to.w)
    return std::nullopt;
  for (std::int32_t c = 0; c < to.c; ++c)
    for (std::int32_t y = 0; y < to.h; ++y)
      for (std::int32_t x = 0; x < to.w; ++x)
        if (std::cmp_not_equal(from[to.at(c, y, x)],
                               source.at(c, y * w.stride_h, x * w.stride_w)))
          return std::nullopt;
  return w;
}

NVDLAC_IMPL void cube_builder::allow_constants(const element_ceiling& m) {
  left_ = m;
  taken_ = 0;
}

NVDLAC_IMPL void cube_builder::take_constant(std::uint64_t elements) {
  if (taken_ + elements > left_.elements)
    throw error(problem{
        .reason = text("its constants have ", taken_ + elements, " elements: ", left_.elements,
                       " are left for a model of this size"),
        .remedy = text("if that is meant, raise it: --limit ", left_.limit, '=',
                       taken_ + elements)});
  taken_ += elements;
}

NVDLAC_IMPL const computed& cube_builder::tensor_of(const std::shared_ptr<const array>& a) {
  if (const auto found = folded_.find(a); found != folded_.end()) return found->second;
  computed x{0, a->shape};
  std::vector<float> values = a->reals;
  if (!a->real) {
    if (a->size() == 0) throw error("it computes of no elements");
    const auto [least, most] = std::ranges::minmax(a->integers);
    constexpr std::int64_t exact = std::int64_t{1} << std::numeric_limits<float>::digits;
    if (least < -exact || most > exact)
      throw error(text("its constant integers from ", least, " to ", most,
                       " are not all numbers of float"));
    x.whole = whole_numbers{a->stored == 0 ? 7 : a->stored, least, most};
    values = fold_cast(*a, 1).reals;
  }
  const auto run = a->shape.empty() ? 1 : a->shape.back();
  const auto cube = net::checked_shape(1, run == 0 ? 0 : count(a->shape) / run, run);
  x.node = net_.add("constant", net::constant{{cube, std::move(values)}}, {}, 0, false);
  return folded_.emplace(a, std::move(x)).first->second;
}

NVDLAC_IMPL assembly::id cube_builder::as_cube(const computed& x, net::shape cube) {
  if (!x.from) return reshaped(x.node, cube);
  if (x.from->size() != cube.size()) throw error("its input has another number of elements");
  return selected(x, *x.from, cube);
}

NVDLAC_IMPL assembly::id cube_builder::part(const computed& x, const cube_places& at) {
  const auto [known, is_new] = parts_.try_emplace({x.node, at});
  if (!is_new) return known->second;
  const net::shape cube = net_.shape(x.node);
  const auto size = [&](std::size_t axis) { return static_cast<std::int32_t>(at[axis].size()); };
  element_map from;
  for (const auto c : at[0])
    for (const auto row : at[1])
      for (const auto i : at[2]) from.push_back(static_cast<std::int32_t>(cube.at(c, row, i)));
  return known->second = selected(x, from, {size(0), size(1), size(2)});
}

NVDLAC_IMPL zeros cube_builder::zeros_around(const computed& x, net::shape cube) const {
  if (!x.from) return {};
  if (x.from->size() != cube.size()) throw error("its input has another number of elements");
  zeros b{cube.h, cube.w, cube.h, cube.w};
  for (std::int32_t c = 0; c < cube.c; ++c)
    for (std::int32_t row = 0; row < cube.h; ++row)
      for (std::int32_t i = 0; i < cube.w; ++i)
        if ((*x.from)[cube.at(c, row, i)] >= 0)
          b = {std::min(b.top, row), std::min(b.left, i), std::min(b.bottom, cube.h - row - 1),
               std::min(b.right, cube.w - i - 1)};
  if (b.top == cube.h) throw error("its input holds nothing but padding");
  return b;
}

NVDLAC_IMPL padded cube_builder::as_padded(const computed& x, net::shape cube) {
  if (!x.from) return {reshaped(x.node, cube)};
  const zeros b = zeros_around(x, cube);
  const net::shape inner{cube.c, cube.h - b.top - b.bottom, cube.w - b.left - b.right};
  element_map from;
  from.reserve(inner.size());
  for (std::int32_t c = 0; c < cube.c; ++c)
    for (std::int32_t row = b.top; row < b.top + inner.h; ++row)
      for (std::int32_t i = b.left; i < b.left + inner.w; ++i)
        from.push_back((*x.from)[cube.at(c, row, i)]);
  return {selected(x, from, inner), b};
}

// The elements of n in another order: those that another reader had made, if it is the same.
template <class Op>
assembly::id cube_builder::moved(const std::string& layer, Op op, assembly::id n) {
  const auto& g = net_.graph();
  for (const auto reader : g.consumers(n))
    if (const auto* made = std::get_if<Op>(&g[reader].op)) {
      bool alike = true;
      visit_fields(*made, [&](const auto& field, const auto& member) {
        alike = alike && member == op.*field.member;
      });
      if (alike) return reader;
    }
  return net_.add(layer, std::move(op), {n});
}

NVDLAC_IMPL assembly::id cube_builder::reshaped(assembly::id n, net::shape cube) {
  if (net_.shape(n) == cube) return n;
  if (cube.h == 1 && cube.w == 1) return moved(net_.name(n) + "/flatten", net::flatten{}, n);
  return moved(net_.name(n) + "/reshape", net::reshape{cube}, n);
}

NVDLAC_IMPL assembly::id cube_builder::selected(const computed& x, const element_map& from,
                                          net::shape to) {
  const net::shape source = net_.shape(x.node);
  bool dense = from.size() == source.size();
  for (std::size_t i = 0; dense && i < from.size(); ++i) dense = std::cmp_equal(from[i], i);
  if (dense) return reshaped(x.node, to);
  if (const auto window = find_steps(from, to, source))
    return moved(x.moved_by, net::pool{.kind = net::pool_kind::maximum, .window = *window},
                 x.node);
  return moved(x.moved_by, net::move{.target = to, .boxes = net::find_boxes(from, to, source)},
               x.node);
}

}  // namespace nvdlac::import::onnx_format
