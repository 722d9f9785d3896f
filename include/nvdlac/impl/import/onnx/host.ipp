// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/arg_max.hpp>
#include <nvdlac/host/axes.hpp>
#include <nvdlac/host/normalisation.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/import/onnx/activation.hpp>
#include <nvdlac/import/onnx/arrangement.hpp>
#include <nvdlac/import/onnx/host.hpp>
#include <nvdlac/import/onnx/reduction.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL host::axes axes_of_cube(const dims& shape, const dims& some) {
  const bool batched = shape.size() > 1 && !(shape.size() <= 3 && shape[0] != 1);
  host::axes result{};
  for (const auto given : some) {
    require_cube(shape);
    const auto axis = checked_axis(given, shape.size()) - (batched ? 1 : 0);
    if (axis >= 0) result[static_cast<std::size_t>(axis)] = true;
  }
  return result;
}

NVDLAC_IMPL cube_with_axes cube_along(const dims& shape, const dims& some) {
  if (shape.size() <= 3 || (shape.size() == 4 && shape[0] == 1))
    return {cube_of(shape), axes_of_cube(shape, some)};
  struct side {
    std::int64_t size = 1;
    bool along = false;
  };
  std::vector<side> sides;
  for (const auto n : shape) sides.push_back({n});
  for (const auto a : some)
    sides[static_cast<std::size_t>(checked_axis(a, shape.size()))].along = true;
  std::erase_if(sides, [](const side& s) { return s.size == 1; });
  while (sides.size() > 3) {
    auto least = sides.end();
    for (auto s = sides.begin(); s + 1 != sides.end(); ++s)
      if (s->along == s[1].along &&
          (least == sides.end() || s->size * s[1].size < least->size * least[1].size))
        least = s;
    if (least == sides.end())
      throw error(problem{.reason = text("it works along the axes ", to_text(some), " of ",
                                         to_text(shape), ", between which others stand"),
                          .remedy = "axes that follow each other are supported"});
    least->size = net::product({least->size, least[1].size});
    sides.erase(least + 1);
  }
  sides.resize(3);
  return {net::checked_shape(sides[0].size, sides[1].size, sides[2].size),
          {sides[0].along, sides[1].along, sides[2].along}};
}

NVDLAC_IMPL dims as_one_picture(dims shape) {
  if (shape.size() > 2) shape[1] = net::product({shape[1], std::exchange(shape[0], 1)});
  return shape;
}

NVDLAC_IMPL dims axes_from(std::int64_t first, std::size_t rank) {
  dims result;
  for (auto a = checked_axis(first, rank); std::cmp_less(a, rank); ++a) result.push_back(a);
  return result;
}

NVDLAC_IMPL std::vector<float> repeated(const std::vector<float>& values, std::int64_t times) {
  std::vector<float> all;
  for (std::int64_t i = 0; i < times; ++i) all.insert(all.end(), values.begin(), values.end());
  return all;
}

NVDLAC_IMPL std::optional<rows_of_channels> last_axis_as_channels(const context& c,
                                                                  const computed& x,
                                                                  const dims& axes) {
  if (!x.from || axes.size() != 1 || x.shape.empty() ||
      checked_axis(axes[0], x.shape.size()) + 1 != static_cast<std::int64_t>(x.shape.size()))
    return std::nullopt;
  return as_rows_of_channels(x, count(x.shape) / x.shape.back(), x.shape.back(),
                             c.net.net().shape(x.node));
}

NVDLAC_IMPL std::optional<host::axes> axes_where_it_stands(const context& c, const computed& x,
                                                           const dims& axes, bool in_order) {
  const net::shape cube = c.net.net().shape(x.node);
  if (!x.from || axes.empty() || !is_whole(x, cube)) return std::nullopt;
  std::int64_t run = 1, inner = 1;  // elements along the axes, and within one of these
  const auto first = checked_axis(axes[0], x.shape.size());
  const auto end = first + static_cast<std::int64_t>(axes.size());
  for (auto a = first; a < end; ++a)
    if (checked_axis(axes[static_cast<std::size_t>(a - first)], x.shape.size()) != a)
      return std::nullopt;  // others stand between them
  for (auto a = first; std::cmp_less(a, x.shape.size()); ++a)
    (a < end ? run : inner) *= x.shape[static_cast<std::size_t>(a)];
  if (run == 1) return std::nullopt;
  const auto element = [&](std::int64_t i) { return (*x.from)[static_cast<std::size_t>(i)]; };
  const auto place = [&](std::int64_t i) {
    return net::position::of(static_cast<std::size_t>(element(i)), cube);
  };
  host::axes along{};
  for (std::int64_t k = 1; k < run; ++k) {
    const auto a = place(0), b = place(k * inner);
    along = {along[0] || a.c != b.c, along[1] || a.y != b.y, along[2] || a.x != b.x};
  }
  const auto all = net::product({along[0] ? cube.c : 1, along[1] ? cube.h : 1,
                                 along[2] ? cube.w : 1});
  if (all != run) return std::nullopt;
  for (std::int64_t i = 0; i < count(x.shape); ++i) {
    const auto k = i / inner % run;  // along the axes
    if (in_order && k > 0 && element(i) < element(i - inner)) return std::nullopt;
    const auto a = place(i - k * inner), b = place(i);
    if ((!along[0] && a.c != b.c) || (!along[1] && a.y != b.y) || (!along[2] && a.x != b.x))
      return std::nullopt;
  }
  return along;
}

NVDLAC_IMPL std::vector<value> softmax_of(const context& c, std::int64_t opset) {
  c.require_inputs(1, 1);
  const computed& x = c.tensor(0);
  const bool flat = opset < 13;  // until then all axes from `axis` on are one
  const auto axis = checked_axis(c.n.integer("axis", flat ? 1 : -1), x.shape.size());
  const auto at = x.shape.begin() + axis;
  const bool first = std::all_of(x.shape.begin(), at, [](auto n) { return n == 1; });
  const auto axes_of_file = flat ? axes_from(axis, x.shape.size()) : dims{axis};
  const bool of_all = first && std::all_of(at + static_cast<std::ptrdiff_t>(axes_of_file.size()),
                                           x.shape.end(), [](auto n) { return n == 1; });
  const auto along = axes_where_it_stands(c, x, axes_of_file, false);
  if (along && !of_all)  // which NVDLA's runtime does
    return {apply_function(c, c.n.name(), host::on_host(host::softmax{*along}), x)};
  if (!first) {
    const auto [cube, axes] = cube_along(x.shape, axes_of_file);
    return on_host(c, host::softmax{axes}, cube, x.shape);
  }
  const bool plane = axis == 1 && x.shape.size() == 4 && !flat;
  const auto cube = plane  ? cube_of(x.shape)
                    : flat ? net::checked_shape(count(x.shape), 1, 1)
                           : net::checked_shape(*at, count(dims(at + 1, x.shape.end())), 1);
  return {computed{c.net.add(c.n.name(), net::softmax{}, {c.net.as_cube(x, cube)}), x.shape}};
}

NVDLAC_IMPL std::vector<value> on_log(const context& c) {
  const auto* x = c.in.size() == 1 ? std::get_if<computed>(&c.in[0]) : nullptr;
  const auto& g = c.net.net().graph();
  if (x == nullptr || x->from || !std::holds_alternative<net::softmax>(g[x->node].op))
    return on_function(c);
  const auto n = c.net.add(c.n.name(), host::on_host(host::log_softmax{}), {g.inputs(x->node)[0]});
  return {computed{n, x->shape}};
}

NVDLAC_IMPL std::vector<value> on_arg_max(const context& c) {
  c.require_inputs(1, 1);
  const dims& shape = c.tensor(0).shape;
  const auto axis = checked_axis(c.n.integer("axis", 0), shape.size());
  const auto [cube, axes] = cube_along(shape, {axis});
  const host::arg_max op{.axes = axes, .last = c.n.flag("select_last_index", false)};
  dims out = shape;
  if (c.n.flag("keepdims", true)) out[static_cast<std::size_t>(axis)] = 1;
  else out.erase(out.begin() + axis);
  auto from = c.net.as_cube(c.tensor(0), cube);
  if (c.n.type() == "ArgMin")
    from = c.net.add(c.n.name() + "/negative", net::scale{.factor = {-1.0F}}, {from});
  return {computed{c.net.add(c.n.name(), host::on_host(op), {from}), std::move(out)}};
}

NVDLAC_IMPL std::vector<value> on_lp_normalization(const context& c) {
  c.require_inputs(1, 1);
  const host::lp_normalise op{.p = as_int32(c.n.integer("p", 2), "p")};
  return {on_host_along(c, c.n.name(), op, {c.n.integer("axis", -1)})};
}

NVDLAC_IMPL std::vector<value> on_instance_normalization(const context& c) {
  c.require_inputs(3, 3);
  const dims& shape = c.tensor(0).shape;
  const auto [cube, axes] = cube_along(as_one_picture(shape), axes_from(2, shape.size()));
  return on_host(c, host::mean_variance{.axes = axes,
                                        .epsilon = c.n.number("epsilon", 1e-5F),
                                        .gamma = repeated(c.reals(1, "scales"), shape[0]),
                                        .beta = repeated(c.reals(2, "biases"), shape[0]),
                                        .per_channel = true}, cube, shape);
}

NVDLAC_IMPL std::vector<value> on_group_normalization(const context& c) {
  c.require_inputs(3, 3);
  (void)c.n.integer("stash_type", 1);  // the precision of training
  const computed& x = c.tensor(0);
  const net::shape cube = cube_of(as_one_picture(x.shape));
  const auto pictures = x.shape.size() > 2 ? static_cast<std::int32_t>(x.shape[0]) : 1;
  const auto channels = cube.c / pictures;
  const auto groups = c.n.integer("num_groups", 0);
  if (groups < 1 || channels % groups != 0)
    throw error(text("its ", groups, " groups do not divide ", channels, " channels"));
  const auto size = channels / static_cast<std::int32_t>(groups);
  const auto of_channels = [&](std::size_t i, const char* what) {
    const auto& given = c.reals(i, what);
    const std::int32_t run = c.n.opset() < 21 ? size : 1;
    if (std::cmp_not_equal(given.size(), channels / run))
      throw error(text("it has ", given.size(), ' ', what, " instead of ", channels / run));
    std::vector<float> values;
    for (const float v : given) values.insert(values.end(), static_cast<std::size_t>(run), v);
    return repeated(values, pictures);
  };
  const dims planes{1, pictures * groups, std::int64_t{size} * cube.h, cube.w};
  const host::mean_variance op{.epsilon = c.n.number("epsilon", 1e-5F)};
  const computed normal{c.net.add(c.n.name() + "/groups", host::on_host(op),
                                  {c.net.as_cube(x, cube_of(planes))}), planes};
  const net::scale affine{.factor = of_channels(1, "scales"), .bias = of_channels(2, "biases")};
  return {computed{c.net.add(c.n.name(), affine, {c.net.as_cube(normal, cube)}), x.shape}};
}

NVDLAC_IMPL std::vector<value> mean_and_deviation(const context& c, const dims& axes,
                                                  float epsilon) {
  const computed& x = c.tensor(0);
  const auto& name = c.n.name();
  const reduced_axes sides(x.shape, axes, true);
  const float share = 1 / static_cast<float>(sides.run());
  const computed mean = summed(c, name + "/mean", x, sides, share);
  const auto off =
      std::get<computed>(tensor_with_tensor(c, name + "/off", "Sub", x, mean).at(0));
  const computed square{c.net.add(name + "/square", net::multiply{}, {off.node, off.node}),
                        off.shape, off.from, off.moved_by};
  const computed variance = summed(c, name + "/variance", square, sides, share);
  const net::activation inverse{.function = net::function::power, .beta = epsilon, .gamma = -0.5F};
  return {mean, apply_function(c, name + "/deviation", inverse, variance)};
}

NVDLAC_IMPL std::vector<value> on_layer_normalization(const context& c) {
  c.require_inputs(2, 3);
  (void)c.n.integer("stash_type", 1);  // the precision of training
  const dims& shape = c.tensor(0).shape;
  const dims axes = axes_from(c.n.integer("axis", -1), shape.size());
  const auto [cube, along] = cube_along(shape, axes);
  host::mean_variance op{.axes = along,
                         .epsilon = c.n.number("epsilon", 1e-5F),
                         .gamma = c.reals(1, "scales")};
  if (c.given(2)) op.beta = c.reals(2, "biases");
  const computed& x = c.tensor(0);
  const auto tokens = last_axis_as_channels(c, x, axes);
  if (tokens) {
    op.axes = host::over_channels;
    for (auto* values : {&op.gamma, &op.beta}) {
      const auto given = *values;
      for (std::size_t i = 0; i < std::min(given.size(), tokens->channel.size()); ++i)
        (*values)[static_cast<std::size_t>(tokens->channel[i])] = given[i];
    }
  }
  auto out = tokens ? std::vector<value>{apply_function(c, c.n.name(), host::on_host(op), x)}
                    : on_host(c, op, cube, shape);
  if (c.n.outputs().size() > 1) {
    const auto more = mean_and_deviation(c, axes, op.epsilon);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

NVDLAC_IMPL std::vector<value> on_rms_normalization(const context& c) {
  c.require_inputs(2, 2);
  (void)c.n.integer("stash_type", 1);  // the precision of training
  const computed& x = c.tensor(0);
  const dims axes = axes_from(c.n.integer("axis", -1), x.shape.size());
  const auto n = static_cast<float>(
      count(dims(x.shape.end() - static_cast<std::ptrdiff_t>(axes.size()), x.shape.end())));
  const host::lp_normalise op{.epsilon = n * c.n.number("epsilon", 1e-5F)};
  const computed normal = on_host_along(c, c.n.name() + "/norm", op, axes);
  (void)c.reals(1, "scales");
  array scale = c.constant(1, "scales");
  for (float& s : scale.reals) s *= std::sqrt(n);
  return {combine(c, c.n.name(), "Mul", normal,
                  std::make_shared<const array>(std::move(scale)))};
}

NVDLAC_IMPL std::vector<value> on_mean_variance_normalization(const context& c) {
  c.require_inputs(1, 1);
  const dims& shape = c.tensor(0).shape;
  const dims axes = c.n.integers("axes").value_or(dims{0, 2, 3});
  const auto [cube, along] = cube_along(shape, axes);
  return on_host(c, host::mean_variance{.axes = along, .epsilon = 1e-9F,
                                        .epsilon_behind_root = true}, cube, shape);
}

}  // namespace nvdlac::import::onnx_format
