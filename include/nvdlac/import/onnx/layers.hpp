// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that become layers of the network.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/import/onnx/window.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/stack.hpp>

namespace nvdlac::import::onnx_format {

inline void require_rank_4(const dims& d) {
  if (d.size() != 4)
    throw error(problem{.reason = text("its input has the shape ", to_text(d)),
                        .remedy = "pictures [1, channels, height, width] are supported"});
}

// Of the weights of a convolution, transposed or not.
inline const dims& filter_shape(const context& c) {
  const dims& w = c.constant(1, "weights").shape;
  if (w.size() != 4)
    throw error(text("its weights have the shape ", to_text(w), ", not four dimensions"));
  return w;
}

inline std::vector<value> on_conv(const context& c) {
  c.require_inputs(2, 3);
  const computed& x = c.tensor(0);
  require_rank_4(x.shape);
  const net::shape seen = cube_of(x.shape);
  const dims& w = filter_shape(c);
  net::convolution op{.kernels = as_int32(w[0], "its number of kernels"),
                      .window = window_of(c.n, {w[2], w[3]}, seen),
                      .groups = as_int32(c.n.integer("group", 1), "group")};
  (void)op.infer(std::span(&seen, 1));
  if (w[1] != seen.c / op.groups)
    throw error(text("its weights ", to_text(w), " do not fit ", seen.c, " channels in ", op.groups,
                     " groups"));
  op.weights = c.reals(1, "weights");
  if (c.given(2)) op.bias = c.reals(2, "bias values");
  const padded source = c.net.as_padded(x, seen);
  widen(op.window, source);
  return c.cube(c.net.add(c.n.name(), std::move(op), {source.node}));
}

// y = x * weights + bias for weights [outputs][inputs] in the order in which the file sees x.
inline std::vector<value> fully_connected(const context& c, const computed& x,
                                          std::vector<float> weights, std::vector<float> bias,
                                          std::int64_t outputs, dims shape) {
  const net::shape cube = c.net.net().shape(x.node);
  if (x.from) {  // the movement of the input goes into the weights
    if (net::product({outputs, static_cast<std::int64_t>(cube.size())}) > net::max_elements)
      throw error("it has too many weights");
    std::vector<float> sorted(static_cast<std::size_t>(outputs) * cube.size(), 0.0F);
    const std::size_t n = x.from->size();
    for (std::size_t k = 0; k < static_cast<std::size_t>(outputs); ++k)
      for (std::size_t i = 0; i < n; ++i)
        if ((*x.from)[i] >= 0)
          sorted[k * cube.size() + static_cast<std::size_t>((*x.from)[i])] += weights[k * n + i];
    weights = std::move(sorted);
  }
  const auto n =
      c.net.add(c.n.name(),
                net::fully_connected{.outputs = as_int32(outputs, "its number of outputs"),
                                     .weights = std::move(weights),
                                     .bias = std::move(bias)},
                {x.node});
  return {computed{n, std::move(shape)}};
}

// [inputs][outputs] -> [outputs][inputs]
inline std::vector<float> turned(const std::vector<float>& w, std::int64_t inputs,
                                 std::int64_t outputs) {
  const auto n = static_cast<std::size_t>(inputs), m = static_cast<std::size_t>(outputs);
  std::vector<float> result(w.size());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < m; ++k) result[k * n + i] = w[i * m + k];
  return result;
}

inline std::vector<value> on_gemm(const context& c) {
  c.require_inputs(2, 3);
  const bool turn_a = c.n.flag("transA", false), turn_b = c.n.flag("transB", false);
  const float alpha = c.n.number("alpha", 1), beta = c.n.number("beta", 1);
  if (c.n.opset() < 7) (void)c.n.flag("broadcast", false);
  const computed& x = c.tensor(0);
  const array& b = c.constant(1, "weights");
  if (x.shape.size() != 2 || x.shape[turn_a ? 1 : 0] != 1)
    throw error(text("its first input has the shape ", to_text(x.shape), ", not [1, features]"));
  if (b.shape.size() != 2) throw error(text("its weights have the shape ", to_text(b.shape)));
  const std::int64_t inputs = x.shape[turn_a ? 0 : 1];
  const std::int64_t outputs = b.shape[turn_b ? 0 : 1];
  if (b.shape[turn_b ? 1 : 0] != inputs)
    throw error(text("its weights ", to_text(b.shape), " do not fit ", inputs, " inputs"));
  const auto& stored = c.reals(1, "weights");
  auto weights = turn_b ? stored : turned(stored, inputs, outputs);
  for (auto& v : weights) v *= alpha;
  std::vector<float> bias;
  if (c.given(2)) {
    const array& k = c.constant(2, "bias values");
    (void)c.reals(2, "bias values");
    if (broadcast(k.shape, {1, outputs}) != dims{1, outputs})
      throw error(text("its bias ", to_text(k.shape), " does not fit ", outputs, " outputs"));
    bias = apply(k, expand(k.shape, {1, outputs})).reals;
    for (auto& v : bias) v *= beta;
  }
  return fully_connected(c, x, std::move(weights), std::move(bias), outputs, {1, outputs});
}

inline std::vector<value> on_mat_mul(const context& c) {
  c.require_inputs(2, 2);
  if (c.is_constant(0))
    throw error(
        problem{.reason = "its first input is constant", .remedy = "constant weights go second"});
  const computed& x = c.tensor(0);
  const array& b = c.constant(1, "weights");
  if (b.shape.size() != 2)
    throw error(text("its weights have the shape ", to_text(b.shape), ", not two dimensions"));
  const std::int64_t inputs = b.shape[0], outputs = b.shape[1];
  if (x.shape.empty() || x.shape.back() != inputs)
    throw error(text("its weights ", to_text(b.shape), " do not fit the input ", to_text(x.shape)));
  if (count(x.shape) != inputs)
    throw error(problem{.reason = text("its input ", to_text(x.shape), " has more than one row"),
                        .remedy = "a single row of features is supported"});
  dims shape = x.shape;
  shape.back() = outputs;
  return fully_connected(c, x, turned(c.reals(1, "weights"), inputs, outputs), {}, outputs,
                         std::move(shape));
}

inline std::vector<value> on_pool(const context& c) {
  c.require_inputs(1, 1);
  const bool maximum = c.n.type() == "MaxPool";
  const computed& x = c.tensor(0);
  require_rank_4(x.shape);
  const net::shape seen = cube_of(x.shape);
  net::pool op{.kind = maximum ? net::pool_kind::maximum : net::pool_kind::average,
               .window = window_of(c.n, {}, seen), .ceil = c.n.flag("ceil_mode", false)};
  if (!maximum) op.count_include_pad = c.n.flag("count_include_pad", false);
  else if (c.n.integer("storage_order", 0) != 0) throw error("storage_order 1 is not supported");
  if (c.n.outputs().size() > 1 && !c.n.outputs()[1].empty())
    throw error("its second output, the places of the maxima, is not supported");
  const padded source = maximum ? padded{c.net.as_cube(x, seen)} : c.net.as_padded(x, seen);
  if (source.any()) {  // zeros of the input count, while padding of the window may not
    const auto& w = op.window;
    if (!op.count_include_pad && (w.pad_top | w.pad_left | w.pad_bottom | w.pad_right) != 0)
      throw error("its input is padded and counts, while its own padding does not");
    op.count_include_pad = true;
    widen(op.window, source);
  }
  return c.cube(c.net.add(c.n.name(), op, {source.node}));
}

inline std::vector<value> global_pool(const context& c, net::pool_kind kind, dims axes, bool keep) {
  const computed& x = c.tensor(0);
  for (auto& a : axes) a = checked_axis(a, x.shape.size());
  const auto reduced = [&](std::size_t i) {
    return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(i)) != axes.end();
  };
  // The axes that are reduced go last: the rest are the channels of the cube.
  dims order, shape, last;
  std::int64_t channels = 1;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    if (!reduced(i)) {
      order.push_back(static_cast<std::int64_t>(i));
      channels *= x.shape[i];
    }
    if (!reduced(i) || keep) shape.push_back(reduced(i) ? 1 : x.shape[i]);
  }
  for (std::size_t i = 0; i < x.shape.size(); ++i)
    if (reduced(i)) {
      order.push_back(static_cast<std::int64_t>(i));
      last.push_back(x.shape[i]);
    }
  if (last.empty()) throw error("it reduces no axes");
  const computed sorted =
      moved(x, transpose(x.shape, order), c.n.name(), c.net.net().shape(x.node));
  const net::shape cube =
      net::checked_shape(channels, last[0], count(dims(last.begin() + 1, last.end())));
  const auto n =
      c.net.add(c.n.name(), net::pool{.kind = kind, .global = true}, {c.net.as_cube(sorted, cube)});
  return {computed{n, shape}};
}
inline std::vector<value> on_global_pool(const context& c) {
  c.require_inputs(1, 1);
  require_rank_4(c.tensor(0).shape);
  return global_pool(
      c, c.n.type() == "GlobalMaxPool" ? net::pool_kind::maximum : net::pool_kind::average, {2, 3},
      true);
}
inline std::vector<value> on_reduce(const context& c) {
  c.require_inputs(1, 2);
  const bool keep = c.n.flag("keepdims", true);
  const bool nothing = c.n.flag("noop_with_empty_axes", false);
  auto axes = axes_of(c, 1);
  if (nothing && (!axes || axes->empty())) return {c.in[0]};
  const dims& shape = shape_of(c.in[0]);
  if (!axes || axes->empty()) axes = ascending(static_cast<std::int64_t>(shape.size()), 1);
  if (!c.is_constant(0)) {
    const bool sum = c.n.type() == "ReduceSum";
    if (c.n.type() != "ReduceMean" && c.n.type() != "ReduceMax" && !sum)
      throw error(c.n.type() + " of a computed tensor is not supported");
    auto out = global_pool(
        c, c.n.type() == "ReduceMax" ? net::pool_kind::maximum : net::pool_kind::average, *axes,
        keep);
    if (!sum) return out;
    const computed mean = std::get<computed>(out[0]);  // as often as there are elements
    const auto times = static_cast<float>(count(shape)) / static_cast<float>(count(mean.shape));
    return {computed{c.net.add(c.n.name(), net::scale{.factor = {times}}, {mean.node}),
                     mean.shape}};
  }
  // A constant: the reduced axes go last, and each run of elements becomes one.
  for (auto& a : *axes) a = checked_axis(a, shape.size());
  dims order, out;
  std::size_t run = 1;
  const auto reduced = [&](std::size_t i) {
    return std::find(axes->begin(), axes->end(), static_cast<std::int64_t>(i)) != axes->end();
  };
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!reduced(i)) order.push_back(static_cast<std::int64_t>(i));
    if (!reduced(i) || keep) out.push_back(reduced(i) ? 1 : shape[i]);
  }
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (reduced(i)) {
      order.push_back(static_cast<std::int64_t>(i));
      run *= static_cast<std::size_t>(shape[i]);
    }
  const array sorted = apply(c.constant(0, "values"), transpose(shape, order));
  if (run == 0 || sorted.size() == 0) throw error("it reduces no elements");
  array result{.shape = out, .real = sorted.real};
  for (std::size_t i = 0; i < sorted.size(); i += run) {
    double v = sorted.number(i);
    for (std::size_t k = 1; k < run; ++k) {
      const double next = sorted.number(i + k);
      if (c.n.type() == "ReduceMax") v = std::max(v, next);
      else if (c.n.type() == "ReduceMin") v = std::min(v, next);
      else if (c.n.type() == "ReduceProd") v *= next;
      else v += next;
    }
    if (c.n.type() == "ReduceMean") v /= static_cast<double>(run);
    if (result.real) result.reals.push_back(static_cast<float>(v));
    else result.integers.push_back(to_integer(v));
  }
  return c.one(std::move(result));
}

inline std::vector<value> on_batch_normalization(const context& c) {
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
  const auto n = c.net.add(c.n.name(), std::move(op), {c.net.as_cube(x)});
  return {computed{n, x.shape}};
}

inline std::vector<value> on_lrn(const context& c) {
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

// A tensor seen as [axis, all behind it]; what is before the axis must be one.
inline net::shape from_axis(const dims& shape, std::size_t axis, const char* what) {
  for (std::size_t i = 0; i < axis; ++i)
    if (shape[i] != 1)
      throw error(problem{.reason = text("it ", what, " along axis ", axis, " of ", to_text(shape)),
                          .remedy = "only channels, axis 1, are supported"});
  if (axis == 1 && shape.size() == 4) return cube_of(shape);
  return net::checked_shape(
      shape[axis], count(dims(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end())),
      1);
}

inline std::vector<value> on_softmax(const context& c) {
  c.require_inputs(1, 1);
  const computed& x = c.tensor(0);
  const bool flat = c.n.opset() < 13;  // until then all axes from `axis` on are one
  const auto axis =
      static_cast<std::size_t>(checked_axis(c.n.integer("axis", flat ? 1 : -1), x.shape.size()));
  net::shape cube = from_axis(x.shape, axis, "applies softmax");
  if (flat) cube = net::checked_shape(count(x.shape), 1, 1);
  return {computed{c.net.add(c.n.name(), net::softmax{}, {c.net.as_cube(x, cube)}), x.shape}};
}

inline std::vector<value> on_concat(const context& c) {
  c.require_inputs(1, 4096);
  const dims& first = shape_of(c.in[0]);
  const auto given = c.n.integer("axis", 1);
  const auto axis = static_cast<std::size_t>(checked_axis(given, first.size()));
  if (c.all_constant()) {
    std::vector<array> parts;
    for (std::size_t i = 0; i < c.inputs(); ++i) parts.push_back(c.constant(i, "values"));
    return c.one(fold_concat(parts, given));
  }
  if (axis == 0 && first.size() > 1 && first[0] == 1 && c.batch > 1)
    throw error("it concatenates pictures to a batch");
  // Along the channels of a cube if the axis is the first with more than one element; else along
  // the lines or columns.
  const auto at_axis = first.begin() + static_cast<std::ptrdiff_t>(axis);
  const bool channels = std::all_of(first.begin(), at_axis, [](auto n) { return n == 1; });
  std::vector<assembly::id> parts;
  std::vector<net::shape> cubes;
  dims shape = first;
  shape[axis] = 0;
  for (std::size_t i = 0; i < c.inputs(); ++i) {
    const dims& s = shape_of(c.in[i]);
    dims other = s;
    if (s.size() == first.size()) other[axis] = first[axis];
    if (other != first)
      throw error(text("its inputs ", to_text(first), " and ", to_text(s), " do not fit"));
    shape[axis] += s[axis];
    cubes.push_back(channels ? from_axis(s, axis, "concatenates") : cube_of(s));
    if (c.is_constant(i))
      parts.push_back(c.net.add(text(c.n.name(), "/constant", i),
                                net::constant{{cubes.back(), c.reals(i, "values")}}, {}));
    else
      parts.push_back(c.net.as_cube(c.tensor(i), cubes.back()));
  }
  if (channels) return {computed{c.net.add(c.n.name(), net::concat{}, parts), shape}};
  // [c, h, w], or [1, c, ..], whose last axis may be left out.
  const bool whole_cube = first.size() == 3 && first[0] != 1;
  const bool columns = axis == (whole_cube ? 2 : 3);
  return {computed{c.net.add(c.n.name(), net::stack(cubes, columns), parts), shape}};
}

inline std::vector<value> on_identity(const context& c) {
  c.require_inputs(1, 1);
  if (c.is_constant(0)) return {c.in[0]};
  const computed& x = c.tensor(0);
  return {computed{c.net.add(c.n.name(), net::identity{}, {x.node}), x.shape, x.from, x.moved_by}};
}
inline std::vector<value> on_dropout(const context& c) {
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

}  // namespace nvdlac::import::onnx_format
