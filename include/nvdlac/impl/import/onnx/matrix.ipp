// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/matrix_product.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/import/onnx/arithmetic.hpp>
#include <nvdlac/import/onnx/arrangement.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/host.hpp>
#include <nvdlac/import/onnx/matrix.hpp>
#include <nvdlac/import/onnx/selection.hpp>
#include <nvdlac/import/onnx/moving.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL computed narrowed(const context& c, const computed& x) {
  if (!x.from) return x;
  const net::shape cube = c.net.net().shape(x.node);
  const auto place = [&](std::int32_t element) {
    return net::position::of(static_cast<std::size_t>(element), cube);
  };
  net::position low{cube.c, cube.h, cube.w}, high{-1, -1, -1};
  for (const std::int32_t e : *x.from) {
    if (e < 0) continue;  // a zero
    const auto p = place(e);
    low = {std::min(low.c, p.c), std::min(low.y, p.y), std::min(low.x, p.x)};
    high = {std::max(high.c, p.c), std::max(high.y, p.y), std::max(high.x, p.x)};
  }
  if (high.c < 0) return x;
  const net::shape block{high.c - low.c + 1, high.y - low.y + 1, high.x - low.x + 1};
  if (2 * block.size() > cube.size()) return x;

  element_map inside, from = *x.from;
  inside.reserve(block.size());
  for (std::size_t i = 0; i < block.size(); ++i) {
    const auto p = net::position::of(i, block) + low;
    inside.push_back(static_cast<std::int32_t>(cube.at(p.c, p.y, p.x)));
  }
  for (std::int32_t& e : from) {
    if (e < 0) continue;
    const auto p = place(e) + low * -1;
    e = static_cast<std::int32_t>(block.at(p.c, p.y, p.x));
  }
  computed y = x;
  y.node = c.net.as_cube(
      {x.node, {}, std::make_shared<const element_map>(std::move(inside)), x.moved_by}, block);
  y.from = std::make_shared<const element_map>(std::move(from));
  return y;
}

NVDLAC_IMPL computed fully_connected(const context& c, const std::string& layer,
                                     const computed& whole, std::vector<float> weights,
                                     std::vector<float> bias, std::int64_t outputs) {
  const computed x = narrowed(c, whole);
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
  const auto n = c.net.add(
      layer,
      net::fully_connected{.outputs = as_int32(outputs, "its number of outputs"),
                           .weights = std::move(weights), .bias = std::move(bias)},
      {x.node});
  return {n, {1, outputs}};
}

NVDLAC_IMPL computed times_matrix(const context& c, const std::string& layer, const computed& x,
                                  const rows_of_blocks& tokens, weight_matrices w) {
  const std::size_t inputs = tokens.element.size();
  std::vector<float> weights(w.values.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i / inputs * inputs + static_cast<std::size_t>(tokens.element[i % inputs])] =
        w.values[i];
  const net::shape cube = c.net.net().shape(x.node);
  const auto step = [](std::int32_t size, std::int32_t all) { return size == all ? 1 : size; };
  const auto n = c.net.add(layer,
                           net::convolution{.kernels = as_int32(w.outputs, "its number of outputs"),
                                            .window = {.kernel_h = tokens.lines,
                                                       .kernel_w = tokens.columns,
                                                       .stride_h = step(tokens.lines, cube.h),
                                                       .stride_w = step(tokens.columns, cube.w)},
                                            .weights = std::move(weights),
                                            .bias = std::move(w.bias)},
                           {x.node});
  const auto rows = static_cast<std::int64_t>(tokens.blocks.place.size());
  return arranged(c, n, {rows, w.outputs}, tokens.blocks.map_of(w.outputs), layer);
}

NVDLAC_IMPL computed times_matrices(const context& c, const std::string& layer, const computed& x,
                                    weight_matrices w) {
  const std::int64_t rows = count(x.shape) / (w.matrices * w.inputs);
  if (w.matrices == 1 && rows == 1)
    return fully_connected(c, layer, x, std::move(w.values), std::move(w.bias), w.outputs);
  auto& net = c.net.net();
  // The host puts elements of an input, and of what it computes, where they are read.
  const auto& from = net.graph()[x.node].op;
  const bool by_host =
      std::holds_alternative<net::input>(from) || std::holds_alternative<net::on_host>(from);
  if (w.matrices == 1)
    if (const auto tokens = as_rows_of_blocks(x, rows, w.inputs, net.shape(x.node));
        tokens && (tokens->is_of_places() || !by_host))
      return times_matrix(c, layer, x, *tokens, std::move(w));
  const auto turned = [&](const computed& t, std::int64_t height, std::int64_t width) {
    computed seen = t;
    seen.shape = {w.matrices, height, width};
    return moved(seen, transpose(seen.shape, {0, 2, 1}, c.ceiling), layer, net.shape(t.node));
  };
  const net::shape cube = net::checked_shape(w.matrices * w.inputs, rows, 1);
  const auto n = c.net.add(
      layer,
      net::convolution{
          .kernels = as_int32(net::product({w.matrices, w.outputs}), "its number of outputs"),
          .groups = as_int32(w.matrices, "its number of matrices"),
          .weights = std::move(w.values), .bias = std::move(w.bias)},
      {c.net.as_cube(turned(x, rows, w.inputs), cube)});
  return turned({n, {}}, w.outputs, rows);
}

NVDLAC_IMPL value gemm(const context& c, const std::string& layer) {
  c.require_inputs(2, 3);
  const bool turn_a = c.n.flag("transA", false), turn_b = c.n.flag("transB", false);
  const float alpha = c.n.number("alpha", 1), beta = c.n.number("beta", 1);
  if (c.n.opset() < 7) (void)c.n.flag("broadcast", false);
  computed x = c.tensor(0);
  if (x.shape.size() != 2)
    throw error(text("its first input has the shape ", to_text(x.shape), ", not two dimensions"));
  if (turn_a)
    x = moved(x, transpose(x.shape, {1, 0}, c.ceiling), c.n.name(), c.net.net().shape(x.node));
  if (!c.is_constant(1))
    throw error(problem{.reason = "its weights are not constant: it is a product of two computed "
                                  "tensors",
                        .remedy = "the host multiplies those of MatMul: use that, and Add"});
  (void)c.reals(1, "weights");
  array b = c.constant(1, "weights");
  if (b.shape.size() != 2) throw error(text("its weights have the shape ", to_text(b.shape)));
  if (!turn_b) b = apply(b, transpose(b.shape, {1, 0}, c.ceiling));
  const std::int64_t rows = x.shape[0], inputs = x.shape[1], outputs = b.shape[0];
  if (b.shape[1] != inputs)
    throw error(text("its weights ", to_text(c.constant(1, "weights").shape), " do not fit ",
                     count_of(inputs, "input")));
  for (auto& v : b.reals) v *= alpha;
  weight_matrices w{.outputs = outputs, .inputs = inputs, .values = std::move(b.reals)};

  const dims shape{rows, outputs};
  std::optional<value> addend;  // what is not the same for all rows
  if (c.given(2)) {
    const dims& given = shape_of(c.in[2]);
    if (broadcast(given, shape) != shape)
      throw error(text("its bias ", to_text(given), " does not fit the result ", to_text(shape)));
    if (!c.is_constant(2)) {
      const auto scale = std::make_shared<const array>(array::of_reals({}, {beta}));
      addend = beta == 1.0F ? c.in[2] : combine(c, layer + "/beta", "Mul", c.in[2], scale);
    } else {
      (void)c.reals(2, "bias values");
      array bias = c.constant(2, "bias values");
      for (auto& v : bias.reals) v *= beta;
      if (given.size() < 2 || given[0] == 1)
        w.bias = apply(bias, expand(given, {1, outputs}, c.ceiling)).reals;
      else addend = std::make_shared<const array>(std::move(bias));
    }
  }
  const auto product = layer + (addend ? "/product" : "");
  computed y = times_matrices(c, product, x, std::move(w));
  y.shape = shape;
  if (!addend) return y;
  return combine(c, layer, "Add", y, *addend);
}

NVDLAC_IMPL std::vector<value> product_of_tensors(const context& c) {
  computed a = c.tensor(0), b = c.tensor(1);
  const bool vector_a = a.shape.size() == 1, vector_b = b.shape.size() == 1;
  if (vector_a) as_matrix(a.shape, true);
  if (vector_b) as_matrix(b.shape, false);
  if (a.shape.size() < 2 || b.shape.size() < 2) throw error("it multiplies a single number");
  const std::int64_t rows = a.shape.end()[-2], run = a.shape.back(), columns = b.shape.back();
  if (b.shape.end()[-2] != run)
    throw error(text("its inputs ", to_text(shape_of(c.in[0])), " and ", to_text(shape_of(c.in[1])),
                     " do not fit"));
  const dims many = broadcast({a.shape.begin(), a.shape.end() - 2},
                              {b.shape.begin(), b.shape.end() - 2});
  const auto operand = [&](computed t, std::int64_t height, std::int64_t width) {
    dims wanted = many;
    wanted.insert(wanted.end(), {height, width});
    if (t.shape != wanted)
      t = moved(t, expand(t.shape, wanted, c.ceiling), c.n.name() + "/repeat",
                c.net.net().shape(t.node));
    return c.net.as_cube(t, net::checked_shape(count(many), height, width));
  };
  const auto n = c.net.add(c.n.name(), host::on_host(host::matrix_product{}),
                           {operand(a, rows, run), operand(b, run, columns)});
  dims shape = many;
  if (!vector_a) shape.push_back(rows);
  if (!vector_b) shape.push_back(columns);
  return {computed{n, std::move(shape)}};
}

NVDLAC_IMPL std::vector<value> on_mat_mul(const context& c) {
  c.require_inputs(2, 2);
  if (!c.is_constant(0) && !c.is_constant(1)) return product_of_tensors(c);
  const bool weights_first = c.is_constant(0);
  const std::size_t at = weights_first ? 0 : 1;
  computed x = c.tensor(1 - at);
  (void)c.reals(at, "weights");
  array w = c.constant(at, "weights");
  const bool vector_x = x.shape.size() == 1, vector_w = w.shape.size() == 1;
  if (vector_x) as_matrix(x.shape, !weights_first);
  if (vector_w) as_matrix(w.shape, weights_first);
  if (x.shape.size() < 2 || w.shape.size() < 2) throw error("it multiplies a single number");
  const auto swapped = [&](const dims& shape) {
    dims order = ascending(static_cast<std::int64_t>(shape.size()), 1);
    std::swap(order[order.size() - 2], order.back());
    return transpose(shape, order, c.ceiling);
  };
  // weights * x is the turned product of turned x and turned weights: weights as [outputs][inputs].
  if (weights_first)
    x = moved(x, swapped(x.shape), c.n.name(), c.net.net().shape(x.node));
  else w = apply(w, swapped(w.shape));
  const std::int64_t inputs = w.shape.back(), outputs = w.shape[w.shape.size() - 2];
  if (x.shape.back() != inputs)
    throw error(text("its weights ", to_text(c.constant(at, "weights").shape),
                     " do not fit the input ", to_text(shape_of(c.in[1 - at]))));
  dims leading(x.shape.begin(), x.shape.end() - 2), many(w.shape.begin(), w.shape.end() - 2);
  if (broadcast(leading, many) != leading && count(many) != 1)
    throw error(problem{.reason = text("it multiplies its input ", to_text(x.shape),
                                       " by several matrices"),
                        .remedy = "as many matrices as weights are supported"});
  if (count(many) != 1) {  // one for each of the input's
    many = leading;
    many.insert(many.end(), {outputs, inputs});
    w = apply(w, expand(w.shape, many, c.ceiling));
  }
  const bool alone = count(w.shape) == outputs * inputs;
  dims shape = x.shape;
  shape.back() = outputs;
  const auto weighed = [&]() -> std::optional<assembly::id> {
    if (outputs != 1 || !alone || weights_first || x.from) return std::nullopt;
    const auto last = cube_along(x.shape, {-1});
    if (c.net.net().shape(x.node) != last.cube) return std::nullopt;
    return expectation_of(c, x.node, w.reals, last.axes);
  };
  const auto mean = weighed();
  computed y = mean ? computed{*mean, shape}
                    : times_matrices(c, c.n.name(), x,
                                     {.matrices = alone ? 1 : count(leading), .outputs = outputs,
                                      .inputs = inputs, .values = std::move(w.reals)});
  y.shape = shape;
  if (weights_first)
    y = moved(y, swapped(shape), c.n.name(), c.net.net().shape(y.node));
  if (weights_first ? vector_w : vector_x) y.shape.erase(y.shape.end() - 2);
  if (weights_first ? vector_x : vector_w) y.shape.pop_back();
  return {y};
}

}  // namespace nvdlac::import::onnx_format
