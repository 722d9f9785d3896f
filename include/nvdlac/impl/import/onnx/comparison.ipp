// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/comparison.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/import/onnx/activation.hpp>
#include <nvdlac/import/onnx/applied_function.hpp>
#include <nvdlac/import/onnx/arithmetic.hpp>
#include <nvdlac/import/onnx/comparison.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/net/elementwise.hpp>
#include <nvdlac/net/normalisation.hpp>
#include <nvdlac/net/pool.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL std::optional<host::relation> relation_of(std::string_view type) {
  using enum host::relation;
  static constexpr std::pair<std::string_view, host::relation> all[] = {
      {"Equal", equal}, {"Greater", greater}, {"GreaterOrEqual", greater_or_equal},
      {"Less", less},   {"LessOrEqual", less_or_equal}};
  for (const auto& [name, relation] : all)
    if (name == type) return relation;
  return std::nullopt;
}

NVDLAC_IMPL std::optional<found_peaks> peaks_of(const net::graph& g, std::string_view type,
                                                const std::vector<assembly::id>& in) {
  for (const std::size_t i : {0U, 1U}) {
    const auto other = in[1 - i];
    const auto* pool = std::get_if<net::pool>(&g[in[i]].op);
    const bool reaches = type == "Equal" || type == (i == 0 ? "LessOrEqual" : "GreaterOrEqual");
    if (reaches && pool != nullptr && pool->kind == net::pool_kind::maximum && !pool->global &&
        !pool->ceil && g.inputs(in[i])[0] == other && g[in[i]].shape == g[other].shape)
      return found_peaks{{.window = pool->window}, other};
  }
  return std::nullopt;
}

namespace detail {

// A tensor brought to a shape, in the cube of which its elements are repeated.
NVDLAC_IMPL assembly::id repeated(const context& c, const std::string& name, const computed& x,
                                  const dims& shape) {
  return c.net.as_cube(
      moved(x, expand(x.shape, shape, c.ceiling), name, c.net.net().shape(x.node)),
      cube_of(shape));
}

}  // namespace detail

NVDLAC_IMPL std::vector<value> on_comparison(const context& c) {
  c.require_inputs(2, 2);
  std::vector<value> in{c.in[0], aligned(c, shape_of(c.in[0]), c.in[1])};
  const dims shape = broadcast(shape_of(in[0]), shape_of(in[1]));
  for (auto& v : in)  // the host compares tensors of one shape
    if (auto* x = std::get_if<computed>(&v); x != nullptr && count(x->shape) != count(shape))
      v = computed{detail::repeated(c, c.n.name() + "/repeat", *x, shape), shape, nullptr, {},
                   nullptr, x->whole};
  return {combine(c, c.n.name(), c.n.type(), in[0], in[1])};
}

NVDLAC_IMPL std::vector<value> on_truths(const context& c) {
  c.require_inputs(2, 2);
  if (c.all_constant()) return on_binary(c);
  return {combine(c, c.n.name(), c.n.type() == "And" ? "Mul" : "Max", c.in[0], c.in[1])};
}

NVDLAC_IMPL std::vector<value> on_not(const context& c) {
  if (c.all_constant()) return on_unary(c);
  c.require_inputs(1, 1);
  return {apply_function(c, c.n.name(), net::scale{.factor = {-1.0F}, .bias = {1.0F}},
                         alone(c, c.tensor(0)))};
}

namespace detail {

// A value in the cube of this shape.
NVDLAC_IMPL assembly::id in_cube_of(const context& c, const std::string& name, const value& v,
                                    const dims& shape) {
  if (const auto* x = std::get_if<computed>(&v)) {
    if (x->shape == shape) return c.net.as_cube(*x, cube_of(shape));
    return repeated(c, name + "/repeat", *x, shape);
  }
  const array& a = *std::get<std::shared_ptr<const array>>(v);
  array all = apply(a.real ? a : fold_cast(a, 1), expand(a.shape, shape, c.ceiling));
  return c.net.add(name, net::constant{{cube_of(shape), std::move(all.reals)}}, {});
}

}  // namespace detail

NVDLAC_IMPL value chosen_by(const context& c, const computed& condition, const value& a,
                            const value& b) {
  constexpr std::int64_t truth = 9;  // BOOL, as TensorProto numbers it
  if (!condition.whole || condition.whole->type != truth)
    throw error("its condition is of another type than BOOL");
  const dims shape = broadcast(condition.shape, broadcast(shape_of(a), shape_of(b)));
  const auto number = [](const value& v) -> std::optional<float> {
    const auto* k = std::get_if<std::shared_ptr<const array>>(&v);
    if (k == nullptr || (*k)->size() != 1) return std::nullopt;
    constexpr double most = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp((*k)->number(0), -most, most));
  };
  const auto x = number(a), y = number(b);
  const auto& name = c.n.name();
  const auto in = [&](const char* what, const value& v) {
    return detail::in_cube_of(c, name + what, v, shape);
  };
  if (x && y) {  // a line through both
    const computed seen{in("", condition), shape};
    return apply_function(c, name, net::scale{.factor = {*x - *y}, .bias = {*y}}, seen);
  }
  std::vector<assembly::id> inputs;
  if (!x) inputs.push_back(in("/first", a));
  if (!y) inputs.push_back(in("/second", b));
  inputs.push_back(in("/condition", condition));
  const host::where op{.number = x ? *x : y.value_or(0.0F), .of_number = x.has_value()};
  return computed{c.net.add(name, host::on_host(op), std::move(inputs)), shape};
}

}  // namespace nvdlac::import::onnx_format
