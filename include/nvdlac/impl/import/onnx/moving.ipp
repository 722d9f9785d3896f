// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/net/find_boxes.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL const dims& shape_of(const value& v) {
  if (const auto* c = std::get_if<computed>(&v)) return c->shape;
  if (const auto* a = std::get_if<std::shared_ptr<const array>>(&v)) return (*a)->shape;
  throw error("an input that it needs is missing");
}

NVDLAC_IMPL computed filled(const context& c, const computed& x, const movement& m,
                            double padding) {
  const net::shape in = cube_of(x.shape), out = cube_of(m.shape);
  const auto n = c.net.add(c.n.name(),
                           net::move{.target = out, .boxes = net::find_boxes(*m.from, out, in),
                                     .fill = static_cast<float>(padding)},
                           {c.net.as_cube(x, in)});
  return {n, m.shape};
}

NVDLAC_IMPL value move_input(const context& c, const movement& m, double padding) {
  if (c.is_constant(0)) {
    const auto& a = std::get<std::shared_ptr<const array>>(c.in[0]);
    return std::make_shared<const array>(apply(*a, m, padding));
  }
  const computed& x = c.tensor(0);
  if (count(m.shape) == 0) throw error("nothing is left of its input");
  if (m.from && padding != 0) return filled(c, x, m, padding);
  return moved(x, m, c.n.name(), c.net.net().shape(x.node));
}

NVDLAC_IMPL std::vector<value> on_transpose(const context& c) {
  c.require_inputs(1, 1);
  const auto perm = c.n.integers("perm");
  return {move_input(c, transpose(shape_of(c.in[0]), perm.value_or(dims{}), c.ceiling))};
}

NVDLAC_IMPL dims target_of_reshape(const context& c) {
  if (c.n.opset() >= 5) return c.integers(1, "dimensions");
  const auto given = c.n.integers("shape");
  if (!given) throw error("its shape is missing");
  return *given;
}

NVDLAC_IMPL std::vector<value> on_reshape(const context& c) {
  const std::size_t inputs = c.n.opset() < 5 ? 1 : 2;
  c.require_inputs(inputs, inputs);
  const bool allow_zero = c.n.flag("allowzero", false);
  dims target = target_of_reshape(c);
  const dims& shape = shape_of(c.in[0]);
  // A shape that was written for a fixed batch.
  if (!c.is_constant(0) && c.batch > 1 && !target.empty() && target[0] == c.batch) target[0] = 1;
  return {move_input(c, {reshape(shape, target, allow_zero)})};
}

NVDLAC_IMPL std::vector<value> on_flatten(const context& c) {
  c.require_inputs(1, 1);
  const dims& shape = shape_of(c.in[0]);
  const auto given = c.n.integer("axis", 1);
  const auto axis =
      given == static_cast<std::int64_t>(shape.size()) ? given : checked_axis(given, shape.size());
  const auto middle = shape.begin() + axis;
  return {move_input(c, {{count(dims(shape.begin(), middle)), count(dims(middle, shape.end()))}})};
}

NVDLAC_IMPL std::optional<dims> attribute_or_input(const context& c, const char* name,
                                                   std::size_t input) {
  auto attribute = c.n.integers(name);
  if (attribute && c.given(input))
    throw error(text("it gives ", name, " as an attribute and as input ", input));
  if (c.given(input)) return c.integers(input, name);
  return attribute;
}

NVDLAC_IMPL std::optional<dims> axes_of(const context& c, std::size_t input) {
  return attribute_or_input(c, "axes", input);
}

NVDLAC_IMPL std::vector<value> on_squeeze(const context& c) {
  c.require_inputs(1, 2);
  return {move_input(c, {squeeze(shape_of(c.in[0]), axes_of(c, 1))})};
}

NVDLAC_IMPL std::vector<value> on_unsqueeze(const context& c) {
  c.require_inputs(1, 2);
  const auto axes = axes_of(c, 1);
  if (!axes) throw error("its axes are missing");
  return {move_input(c, {unsqueeze(shape_of(c.in[0]), *axes)})};
}

NVDLAC_IMPL std::vector<value> on_slice(const context& c) {
  c.require_inputs(1, 5);
  const dims& shape = shape_of(c.in[0]);
  const auto starts = attribute_or_input(c, "starts", 1);
  const auto ends = attribute_or_input(c, "ends", 2);
  const auto axes = axes_of(c, 3);
  const auto strides = c.given(4) ? c.integers(4, "steps") : dims(starts ? starts->size() : 0, 1);
  if (!starts || !ends || starts->size() != ends->size() ||
      (axes && axes->size() != starts->size()) || strides.size() != starts->size())
    throw error("its starts, ends, axes and steps are not of one length");
  auto steps = all_steps(shape, c.ceiling);
  for (std::size_t i = 0; i < starts->size(); ++i)
    slice(steps, axes ? (*axes)[i] : static_cast<std::int64_t>(i), (*starts)[i], (*ends)[i],
          strides[i]);
  return {move_input(c, from_steps(steps, c.ceiling))};
}

NVDLAC_IMPL std::vector<value> on_split(const context& c) {
  c.require_inputs(1, 2);
  const dims& shape = shape_of(c.in[0]);
  const auto axis = checked_axis(c.n.integer("axis", 0), shape.size());
  const std::int64_t size = shape[static_cast<std::size_t>(axis)];
  const auto parts = static_cast<std::int64_t>(c.n.outputs().size());
  if (const auto given = c.n.integer("num_outputs", parts); given != parts)
    throw error(text("it has ", count_of(parts, "output"), ", but num_outputs is ", given));
  auto sizes = attribute_or_input(c, "split", 1);
  if (!sizes) {
    const std::int64_t each = (size + parts - 1) / parts;
    sizes = dims(static_cast<std::size_t>(parts), each);
    sizes->back() = size - each * (parts - 1);
  }
  std::int64_t sum = 0;
  for (const auto s : *sizes) {
    if (s < 1 || s > size) throw error(text("it splits ", size, " into ", to_text(*sizes)));
    sum += s;
  }
  if (sum != size || std::cmp_not_equal(sizes->size(), parts))
    throw error(text("it splits ", size, " into ", to_text(*sizes)));
  std::vector<value> out;
  std::int64_t start = 0;
  for (const auto s : *sizes) {
    auto steps = all_steps(shape, c.ceiling);
    slice(steps, axis, start, start + s, 1);
    out.push_back(move_input(c, from_steps(steps, c.ceiling)));
    start += s;
  }
  return out;
}

NVDLAC_IMPL std::vector<value> on_pad(const context& c) {
  c.require_inputs(1, 4);
  const auto mode = c.n.string("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap")
    throw error(problem{.reason = "mode '" + mode + "' is not understood",
                        .remedy = "constant, edge, reflect and wrap are"});
  double padding = static_cast<double>(c.n.number("value", 0));
  if (c.given(2)) {
    if (c.n.has("value")) throw error("it gives its value as an attribute and as input 2");
    const array& v = c.constant(2, "padding values");
    if (v.size() != 1) throw error("its padding value is no single number");
    padding = v.number(0);
  }
  auto pads = attribute_or_input(c, name_of_pads(c), 1);
  if (!pads) throw error("its pads are missing");
  const dims& shape = shape_of(c.in[0]);
  if (c.given(3)) {  // of some axes
    const dims& axes = c.integers(3, "axes");
    if (pads->size() != 2 * axes.size())
      throw error(text("it has ", pads->size(), " pads for ",
                       count_of(axes.size(), "axis", "axes")));
    dims all(2 * shape.size(), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const auto at = static_cast<std::size_t>(checked_axis(axes[i], shape.size()));
      all[at] = (*pads)[i];
      all[at + shape.size()] = (*pads)[i + axes.size()];
    }
    pads = std::move(all);
  }
  if (std::all_of(pads->begin(), pads->end(), [](auto p) { return p == 0; }) &&
      pads->size() == 2 * shape.size())
    return {move_input(c, {shape})};
  const bool lowest = mode == "constant" && padding == -std::numeric_limits<double>::infinity();
  auto moved = move_input(c, pad(shape, *pads, mode, c.ceiling),
                          mode == "constant" && !lowest ? padding : 0);
  if (auto* x = std::get_if<computed>(&moved)) x->around_lowest = lowest;
  else if (lowest) throw error("it pads a constant with minus infinity");
  return {moved};
}

NVDLAC_IMPL std::vector<value> on_expand(const context& c) {
  c.require_inputs(2, 2);
  const dims& shape = shape_of(c.in[0]);
  dims target = c.integers(1, "dimensions");
  if (!c.is_constant(0) && c.batch > 1 && target.size() == shape.size() && target[0] == c.batch)
    target[0] = 1;
  if (broadcast(shape, target) == shape) return {c.in[0]};
  return {move_input(c, expand(shape, target, c.ceiling))};
}

NVDLAC_IMPL std::vector<value> on_tile(const context& c) {
  c.require_inputs(2, 2);
  return {move_input(c, tile(shape_of(c.in[0]), c.integers(1, "repeats"), c.ceiling))};
}

NVDLAC_IMPL dims shape_in_file(const context& c) {
  dims shape = shape_of(c.in[0]);
  if (c.batch > 1 && !c.is_constant(0) && !shape.empty() && shape[0] == 1) shape[0] = c.batch;
  return shape;
}

NVDLAC_IMPL std::vector<value> on_shape(const context& c) {
  c.require_inputs(1, 1);
  const dims shape = shape_in_file(c);
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto clip = [&](std::int64_t i) {
    return std::clamp(i < 0 ? i + rank : i, std::int64_t{0}, rank);
  };
  const auto start = clip(c.n.integer("start", 0)), end = clip(c.n.integer("end", rank));
  const dims part(shape.begin() + start, shape.begin() + std::max(start, end));
  return c.one(array::of_integers({static_cast<std::int64_t>(part.size())}, part));
}

NVDLAC_IMPL std::vector<value> on_size(const context& c) {
  c.require_inputs(1, 1);
  return c.one(array::of_integers({}, {count(shape_in_file(c))}));
}

NVDLAC_IMPL std::vector<value> on_constant(const context& c) {
  c.require_inputs(0, 0);
  const auto& n = c.n;
  std::vector<array> found;
  if (const auto v = n.tensor("value")) found.push_back(*v);
  if (n.has("value_float")) found.push_back(array::of_reals({}, {n.number("value_float", 0)}));
  if (n.has("value_int")) found.push_back(array::of_integers({}, {n.integer("value_int", 0)}));
  if (auto v = n.numbers("value_floats"))
    found.push_back(array::of_reals({static_cast<std::int64_t>(v->size())}, *v));
  if (auto v = n.integers("value_ints"))
    found.push_back(array::of_integers({static_cast<std::int64_t>(v->size())}, *v));
  if (found.size() != 1)
    throw error(text("it gives ", count_of(found.size(), "value"), " that are understood"));
  (void)count(found[0].shape, c.ceiling);
  return c.one(std::move(found[0]));
}

NVDLAC_IMPL std::vector<value> on_constant_of_shape(const context& c) {
  c.require_inputs(1, 1);
  const dims& shape = c.integers(0, "dimensions");
  const auto given = c.n.tensor("value");
  const array v = given ? *given : array::of_reals({1}, {0.0F});
  if (v.size() != 1) throw error("its value is no single number");
  const auto n = static_cast<std::size_t>(count(shape, c.ceiling));
  if (v.real) return c.one(array::of_reals(shape, std::vector<float>(n, v.reals[0])));
  return c.one(array::of_integers(shape, dims(n, v.integers[0])));
}

NVDLAC_IMPL std::vector<value> on_range(const context& c) {
  c.require_inputs(3, 3);
  (void)c.n.integer("stash_type", 1);  // in which half precision is computed: here always in float
  const array &first = c.constant(0, "bounds"), &limit = c.constant(1, "bounds"),
              &delta = c.constant(2, "bounds");
  for (const array* a : {&first, &limit, &delta})
    if (a->size() != 1 || a->real != first.real)
      throw error("its bounds are no single numbers of one type");
  const double n = std::ceil((limit.number(0) - first.number(0)) / delta.number(0));
  if (!(n <= static_cast<double>(net::max_elements)))
    throw error("its range has no sensible length");
  (void)count({static_cast<std::int64_t>(std::max(n, 0.0))}, c.ceiling);
  array out{.real = first.real};
  for (std::int64_t i = 0; static_cast<double>(i) < n; ++i) {
    if (out.real) out.reals.push_back(first.reals[0] + static_cast<float>(i) * delta.reals[0]);
    else out.integers.push_back(first.integers[0] + i * delta.integers[0]);
  }
  out.shape = {static_cast<std::int64_t>(out.size())};
  return c.one(std::move(out));
}

}  // namespace nvdlac::import::onnx_format
