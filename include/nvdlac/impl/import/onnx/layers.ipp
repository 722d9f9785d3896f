// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/axes.hpp>
#include <nvdlac/import/onnx/arithmetic.hpp>
#include <nvdlac/import/onnx/arrangement.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/cube_builder.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/layers.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/import/onnx/selection.hpp>
#include <nvdlac/import/onnx/value.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/normalisation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL dims pair_of(const dims& d, const char* name, std::size_t dimensions,
                         std::int64_t column) {
  if (d.size() != dimensions)
    throw error(problem{.reason = text(name, " ", to_text(d), " is not of ",
                                       count_of(dimensions, "dimension")),
                        .remedy = "windows over height and width or over a length are supported"});
  return dimensions == 1 ? dims{d[0], column} : d;
}

NVDLAC_IMPL net::window widened(net::window w, const zeros& around) {
  w.pad_top += around.top;
  w.pad_left += around.left;
  w.pad_bottom += around.bottom;
  w.pad_right += around.right;
  return w;
}

NVDLAC_IMPL void require_picture(const dims& d) {
  if ((d.size() != 4 && d.size() != 3) || d[0] != 1)
    throw error(problem{.reason = text("its input has the shape ", to_text(d)),
                        .remedy = "pictures [1, channels, height, width] or [1, channels, length] "
                                  "are supported"});
}

NVDLAC_IMPL void require_rank_4(const dims& d) {
  if (d.size() != 4)
    throw error(problem{.reason = text("its input has the shape ", to_text(d)),
                        .remedy = "pictures [1, channels, height, width] are supported"});
}

NVDLAC_IMPL dims filter_shape(const context& c) {
  dims w = c.constant(1, "weights").shape;
  const std::size_t wanted = c.tensor(0).shape.size();
  if (w.size() != wanted)
    throw error(text("its weights have the shape ", to_text(w), ", not ",
                     count_of(wanted, "dimension")));
  w.resize(4, 1);
  return w;
}

NVDLAC_IMPL std::vector<value> as_picture(const context& c, assembly::id node, std::size_t rank) {
  const net::shape s = c.net.net().shape(node);
  dims d{1, s.c, s.h, s.w};
  d.resize(rank);
  return {computed{node, std::move(d)}};
}

NVDLAC_IMPL std::vector<value> convolved(const context& c, const std::string& layer) {
  const computed& x = c.tensor(0);
  require_picture(x.shape);
  const net::shape seen = cube_of(x.shape);
  const dims w = filter_shape(c);
  net::convolution op{.kernels = as_int32(w[0], "its number of kernels"),
                      .window = window_of(c.n, {w[2], w[3]}, seen, x.shape.size() - 2),
                      .groups = as_int32(c.n.integer("group", 1), "group")};
  (void)op.infer(std::span(&seen, 1));
  if (w[1] != seen.c / op.groups)
    throw error(text("its weights ", to_text(c.constant(1, "weights").shape), " do not fit ",
                     seen.c, " channels in ", op.groups, " groups"));
  op.weights = c.reals(1, "weights");
  if (c.given(2)) op.bias = c.reals(2, "bias values");
  if (op.kernels == 1 && op.window == net::window{} && op.bias.empty() && !x.from &&
      c.net.net().shape(x.node) == seen)
    if (const auto mean = expectation_of(c, x.node, op.weights, host::over_channels))
      return as_picture(c, *mean, x.shape.size());
  const padded source = c.net.as_padded(x, seen);
  op.window = widened(op.window, source.zeros);
  return as_picture(c, c.net.add(layer, std::move(op), {source.node}), x.shape.size());
}

NVDLAC_IMPL std::vector<value> on_conv(const context& c) {
  c.require_inputs(2, 3);
  return convolved(c, c.n.name());
}

namespace detail {

// Features that are a picture with lines and columns are normalised where they stand: each element
// has a factor and a bias of its own. Nothing of other tensors.
NVDLAC_IMPL std::optional<std::vector<value>> normalised_in_picture(const context& c,
                                                                    const computed& x,
                                                                    const net::batch_norm& op) {
  const net::shape cube = c.net.net().shape(x.node);
  const auto n = static_cast<std::size_t>(count(x.shape));
  diagnostics wrong;
  op.check(std::array{net::shape{static_cast<std::int32_t>(n), 1, 1}}, wrong, c.n.name());
  if (x.shape.size() != 2 || (cube.h == 1 && cube.w == 1) || !is_whole(x, cube) || !wrong.empty())
    return std::nullopt;
  affine all;
  for (std::size_t i = 0; i < n; ++i) {
    const auto [factor, bias] = op.on_channel(i);
    all.factor.push_back(static_cast<float>(factor));
    all.bias.push_back(static_cast<float>(bias));
  }
  if (by_channel(all.factor, x, cube) && by_channel(all.bias, x, cube))
    return add_affine(c, c.n.name(), x, all);
  const auto product = add_affine(c, c.n.name() + "/factor", x,
                                  {all.factor, std::vector<float>(n, 0.0F)});
  return add_affine(c, c.n.name(), std::get<computed>(product.at(0)),
                    {std::vector<float>(n, 1.0F), all.bias});
}

}  // namespace detail

NVDLAC_IMPL std::vector<value> on_batch_normalization(const context& c) {
  c.require_inputs(5, 5);
  const float epsilon = c.n.number("epsilon", 1e-5F);
  (void)c.n.number("momentum", 0.9F);  // matters in training only, as is_test did until opset 6
  if (c.n.opset() < 7) (void)c.n.flag("is_test", false);
  if (c.n.opset() < 9 && !c.n.flag("spatial", true)) throw error("spatial: 0 is not supported");
  if (c.n.flag("training_mode", false)) throw error("training_mode is not supported");
  for (std::size_t i = 1; i < c.n.outputs().size(); ++i)
    if (!c.n.outputs()[i].empty()) throw error("its outputs for training are not supported");
  const computed& x = c.tensor(0);
  if (x.shape.size() < 2 || x.shape[0] != 1)
    throw error(text("its input has the shape ", to_text(x.shape)));
  net::batch_norm op{.mean = c.reals(3, "means"),
                     .variance = c.reals(4, "variances"),
                     .gamma = c.reals(1, "scales"),
                     .beta = c.reals(2, "biases"),
                     .epsilon = epsilon};
  if (auto normal = detail::normalised_in_picture(c, x, op)) return *std::move(normal);
  const auto n = c.net.add(c.n.name(), std::move(op), {c.net.as_cube(x)});
  return {computed{n, x.shape}};
}

NVDLAC_IMPL std::vector<value> on_lrn(const context& c) {
  c.require_inputs(1, 1);
  const computed& x = c.tensor(0);
  require_rank_4(x.shape);
  if (!c.n.has("size")) throw error("its size is missing");
  const net::lrn op{.local_size = as_int32(c.n.integer("size", 0), "size"),
                    .alpha = c.n.number("alpha", 1e-4F),
                    .beta = c.n.number("beta", 0.75F),
                    .k = c.n.number("bias", 1)};
  return {computed{c.net.add(c.n.name(), op, {c.net.as_cube(x)}), x.shape}};
}

NVDLAC_IMPL net::shape from_axis(const dims& shape, std::size_t axis, const char* what) {
  for (std::size_t i = 0; i < axis; ++i)
    if (shape[i] != 1)
      throw error(problem{.reason = text("it ", what, " along axis ", axis, " of ", to_text(shape)),
                          .remedy = "only channels, axis 1, are supported"});
  if (axis == 1 && shape.size() == 4) return cube_of(shape);
  return net::checked_shape(
      shape[axis], count(dims(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end())),
      1);
}

NVDLAC_IMPL net::shape cube_around(const dims& shape, std::size_t axis) {
  if (shape[0] != 1 || axis < 2)
    throw error(text("it concatenates along axis ", axis, " of ", to_text(shape)));
  const auto at = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  return net::checked_shape(shape[1], count(dims(shape.begin() + 2, at)),
                            count(dims(at, shape.end())));
}

NVDLAC_IMPL std::optional<rows_of_channels> tokens_of(const context& c, const value& v) {
  const auto* x = std::get_if<computed>(&v);
  if (x == nullptr || !x->from || x->shape.empty() || x->shape.back() == 0) return std::nullopt;
  return as_rows_of_channels(*x, count(x->shape) / x->shape.back(), x->shape.back(),
                             c.net.net().shape(x->node));
}

NVDLAC_IMPL std::optional<computed> concat_of_tokens(const context& c, const dims& shape,
                                                     std::size_t axis) {
  const std::int64_t width = shape.back();
  const auto before = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const bool behind_each_other = axis + 1 < shape.size() &&
                                 count(dims(shape.begin(), before)) == 1 &&
                                 count(dims(before + 1, shape.end())) == width;
  if (!behind_each_other ||
      std::ranges::none_of(c.in, [&](const value& v) { return tokens_of(c, v).has_value(); }))
    return std::nullopt;
  const net::shape cube = net::checked_shape(width, shape[axis], 1);
  net::move op{.target = cube};
  std::vector<assembly::id> parts;
  std::int32_t first = 0;
  for (std::size_t i = 0; i < c.inputs(); ++i) {
    const std::int64_t rows = shape_of(c.in[i])[axis];
    const net::shape part = net::checked_shape(width, rows, 1);
    const auto turn = transpose({rows, width}, {1, 0}, c.ceiling);
    if (c.is_constant(i)) {
      array values = c.constant(i, "values");
      (void)c.reals(i, "values");
      values.shape = {rows, width};
      parts.push_back(c.net.add(text(c.n.name(), "/constant", i),
                                net::constant{{part, apply(values, turn).reals}}, {}));
    } else {
      parts.push_back(c.tensor(i).node);
    }
    const net::shape source = c.net.net().shape(parts.back());
    element_map from = *turn.from;
    if (c.is_constant(i)) std::iota(from.begin(), from.end(), 0);
    else if (const auto& seen = c.tensor(i).from)
      for (auto& e : from) e = (*seen)[static_cast<std::size_t>(e)];
    for (net::box b : net::find_boxes(from, part, source)) {
      if (b.input != net::box::filled) b.input = static_cast<std::int32_t>(i);
      b.to.y += first;
      op.boxes.push_back(b);
    }
    first += part.h;
  }
  const auto n = c.net.add(c.n.name(), std::move(op), parts);
  return arranged(c, n, shape, *transpose({width, shape[axis]}, {1, 0}, c.ceiling).from,
                  c.n.name());
}

NVDLAC_IMPL std::optional<std::vector<assembly::id>> parts_as_they_stand(const context& c,
                                                                         std::size_t axis) {
  std::vector<assembly::id> parts;
  bool stand_so = true;  // in the cubes that a concat along the axis would have
  for (std::size_t i = 0; i < c.inputs(); ++i) {
    if (c.is_constant(i) || c.tensor(i).from) return std::nullopt;
    parts.push_back(c.tensor(i).node);
    const net::shape cube = c.net.net().shape(parts.back());
    const net::shape first = c.net.net().shape(parts.front());
    const bool is_view = cube.h == 1 && cube.w == 1 && c.tensor(i).shape.size() > 3;
    if (cube.h != first.h || cube.w != first.w || is_view) return std::nullopt;
    stand_so = stand_so && cube == from_axis(c.tensor(i).shape, axis, "concatenates");
  }
  return stand_so ? std::nullopt : std::optional(std::move(parts));
}

NVDLAC_IMPL std::vector<value> on_concat(const context& c) {
  c.require_all_inputs(1, 4096);
  const dims& first = shape_of(c.in[0]);
  const auto given = c.n.integer("axis", 1);
  const auto axis = static_cast<std::size_t>(checked_axis(given, first.size()));
  if (c.all_constant()) {
    std::vector<array> parts;
    for (std::size_t i = 0; i < c.inputs(); ++i) parts.push_back(c.constant(i, "values"));
    return c.one(fold_concat(parts, given, c.ceiling));
  }
  const auto is_empty = [](const value& v) {
    const auto* a = std::get_if<std::shared_ptr<const array>>(&v);
    return a != nullptr && (*a)->size() == 0;
  };
  if (std::ranges::any_of(c.in, is_empty)) {
    std::vector<value> others = c.in;
    std::erase_if(others, is_empty);
    return others.size() == 1 ? others : on_concat({c.n, others, c.net, c.batch, c.ceiling});
  }
  // Along the channels of a cube if the axis is the first with more than one element; else along
  // the lines or columns.
  const auto at_axis = first.begin() + static_cast<std::ptrdiff_t>(axis);
  const bool channels = std::all_of(first.begin(), at_axis, [](auto n) { return n == 1; });
  dims shape = first;
  shape[axis] = 0;
  for (std::size_t i = 0; i < c.inputs(); ++i) {
    const dims& s = shape_of(c.in[i]);
    dims other = s;
    if (s.size() == first.size()) other[axis] = first[axis];
    if (other != first)
      throw error(text("its inputs ", to_text(first), " and ", to_text(s), " do not fit"));
    shape[axis] += s[axis];
  }
  if (auto tokens = concat_of_tokens(c, shape, axis)) return {*std::move(tokens)};
  if (channels)
    if (auto parts = parts_as_they_stand(c, axis))
      return {computed{c.net.add(c.n.name(), net::concat{}, *parts), shape}};
  std::vector<assembly::id> parts;
  std::vector<net::shape> cubes;
  for (std::size_t i = 0; i < c.inputs(); ++i) {
    const dims& s = shape_of(c.in[i]);
    cubes.push_back(channels       ? from_axis(s, axis, "concatenates")
                    : s.size() > 4 ? cube_around(s, axis)
                                   : cube_of(s));
    if (c.is_constant(i))
      parts.push_back(c.net.add(text(c.n.name(), "/constant", i),
                                net::constant{{cubes.back(), c.reals(i, "values")}}, {}));
    else
      parts.push_back(c.net.as_cube(c.tensor(i), cubes.back()));
  }
  if (channels) return {computed{c.net.add(c.n.name(), net::concat{}, parts), shape}};
  // [c, h, w] or [c, h], or [1, c, ..], whose last axis may be left out.
  const bool whole_cube = first.size() <= 3 && first[0] != 1;
  const bool columns = first.size() > 4 || axis == (whole_cube ? 2 : 3);
  return {computed{c.net.add(c.n.name(), net::stack(cubes, columns), parts), shape}};
}

NVDLAC_IMPL std::vector<value> on_identity(const context& c) {
  c.require_inputs(1, 1);
  if (c.is_constant(0)) return {c.in[0]};
  const computed& x = c.tensor(0);
  return {computed{c.net.add(c.n.name(), net::identity{}, {x.node}), x.shape, x.from, x.moved_by}};
}

NVDLAC_IMPL std::vector<value> on_dropout(const context& c) {
  c.require_inputs(1, 3);
  (void)c.n.number("ratio", 0.5F);
  (void)c.n.integer("seed", 0);
  if (c.n.opset() < 7) (void)c.n.flag("is_test", false);
  if (c.given(2) && (c.constant(2, "training modes").size() != 1 ||
                     c.constant(2, "training modes").number(0) != 0))
    throw error("its training mode is set, which is not supported");
  const computed& x = c.tensor(0);
  return {computed{c.net.add(c.n.name(), net::identity{}, {x.node}), x.shape, x.from, x.moved_by}};
}

NVDLAC_IMPL cut_side cut_to(std::int64_t whole, std::int64_t out, bool more_before) {
  if (out < 1) throw error(text("its output_shape has the dimension ", out));
  if (whole < out) return {0, 0, out - whole};
  const std::int64_t cut = whole - out;
  const std::int64_t before = more_before ? cut - cut / 2 : cut / 2;
  return {before, cut - before, 0};
}

NVDLAC_IMPL dims pads_of_transposed(const context& c, const std::string& mode,
                                    std::size_t dimensions) {
  dims pads = c.n.integers("pads").value_or(dims(2 * dimensions, 0));
  if (pads.size() != 2 * dimensions)
    throw error(text("pads ", to_text(pads), " are not ", 2 * dimensions, " numbers"));
  if (dimensions == 1) pads = {pads[0], 0, pads[1], 0};
  if (mode != "NOTSET" && std::any_of(pads.begin(), pads.end(), [](auto p) { return p != 0; }))
    throw error("it gives both auto_pad and pads");
  if (std::any_of(pads.begin(), pads.end(), [](auto p) { return p < 0 || p > 65535; }))
    throw error(text("pads ", to_text(pads), " are not in 0 .. 65535"));
  return pads;
}

}  // namespace nvdlac::import::onnx_format
