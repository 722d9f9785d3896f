// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/host/embedding.hpp>
#include <nvdlac/host/expectation.hpp>
#include <nvdlac/host/gather.hpp>
#include <nvdlac/host/non_max_suppression.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/host/top_k.hpp>
#include <nvdlac/import/onnx/host.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/import/onnx/selection.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/move.hpp>

namespace nvdlac::import::onnx_format {

namespace detail {

// A single constant number; `otherwise` where it is left out.
inline double number_of(const context& c, std::size_t i, const char* what, double otherwise) {
  if (!c.given(i)) return otherwise;
  const array& a = c.constant(i, what);
  if (a.size() != 1) throw error(text("its ", what, " is no single number"));
  return a.number(0);
}

// A cube for a tensor of any shape that the host gives: only the order of its elements counts.
inline net::shape cube_of_host(const dims& d) {
  if (d.size() <= 3 || (d.size() == 4 && d[0] == 1)) return cube_of(d);
  return net::checked_shape(1, count(dims(d.begin(), d.end() - 1)), d.back());
}

inline assembly::id as_host_cube(const context& c, const computed& x) {
  return c.net.as_cube(x, cube_of_host(x.shape));
}

inline std::int64_t product_of(dims::const_iterator first, dims::const_iterator last) {
  return count(dims(first, last));
}

// Whether a place below 0 is none.
inline bool may_be_absent(const computed& places) {
  return places.whole && places.whole->absent;
}

inline void require_whole(const computed& places) {
  if (!places.whole)
    throw error("its indices are no whole numbers that the network computes");
}

// Elements of the data at places that are constant, as GatherND tells them.
inline movement gather_nd(const dims& shape, const array& places, std::size_t batch,
                          const element_ceiling& most) {
  const auto axes = static_cast<std::size_t>(places.shape.back());
  const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(batch);
  const std::int64_t outer = product_of(shape.begin(), begin),
                     block = product_of(begin + static_cast<std::ptrdiff_t>(axes), shape.end()),
                     all = count(shape) / outer;
  const std::size_t each = places.size() / axes / static_cast<std::size_t>(outer);
  dims out(places.shape.begin(), places.shape.end() - 1);
  out.insert(out.end(), begin + static_cast<std::ptrdiff_t>(axes), shape.end());
  require_movable(out, most);
  element_map from;
  for (std::size_t p = 0; p < places.size() / axes; ++p) {
    std::int64_t at = 0;
    for (std::size_t a = 0; a < axes; ++a) {
      const auto size = shape[batch + a];
      const auto i = places.integers[p * axes + a];
      if (i < -size || i >= size) throw error(text("it takes element ", i, " of ", size));
      at = at * size + (i < 0 ? i + size : i);
    }
    const auto first = static_cast<std::int64_t>(p / each) * all + at * block;
    for (std::int64_t i = 0; i < block; ++i) from.push_back(static_cast<std::int32_t>(first + i));
  }
  return {std::move(out), std::move(from)};
}

inline std::size_t checked_batch(const context& c, const dims& shape, const dims& places) {
  const auto batch = c.n.integer("batch_dims", 0);
  const auto rank = static_cast<std::int64_t>(std::min(shape.size(), places.size()));
  if (batch < 0 || batch >= rank || places.back() < 1 ||
      batch + places.back() > static_cast<std::int64_t>(shape.size()) ||
      !std::equal(shape.begin(), shape.begin() + batch, places.begin()))
    throw error(text("its indices ", to_text(places), " do not fit ", to_text(shape), " from axis ",
                     batch, " on"));
  return static_cast<std::size_t>(batch);
}

// Rows of a constant at places that are computed, or given by the user.
inline std::vector<value> rows_of_table(const context& c) {
  const array& table = c.constant(0, "table");
  const computed& places = c.tensor(1);
  if (!table.real || table.shape.empty() ||
      checked_axis(c.n.integer("axis", 0), table.shape.size()) != 0)
    throw error(problem{.reason = "it takes elements of a constant at computed places",
                        .remedy = "rows of real numbers (axis 0) are supported"});
  dims shape = places.shape;
  shape.insert(shape.end(), table.shape.begin() + 1, table.shape.end());
  require_movable(shape, c.ceiling);
  host::embedding op;
  op.table = table.reals;
  op.width = as_int32(count(table.shape) / table.shape[0], "a row");
  op.target = cube_of_host(shape);
  return {computed{c.net.add(c.n.name(), host::on_host(op), {as_host_cube(c, places)}),
                   std::move(shape)}};
}

}  // namespace detail

NVDLAC_IMPL std::vector<value> on_non_max_suppression(const context& c) {
  c.require_inputs(2, 5);
  const computed &boxes = c.tensor(0), &scores = c.tensor(1);
  const dims &b = boxes.shape, &s = scores.shape;
  if (b.size() != 3 || b[0] != 1 || b[2] != 4 || s.size() != 3 || s[0] != 1 || s[2] != b[1])
    throw error(problem{.reason = text("its boxes are ", to_text(b), " and its scores ",
                                       to_text(s)),
                        .remedy = "[1, boxes, 4] and [1, classes, boxes] are supported"});
  const double most = detail::number_of(c, 2, "number of boxes", 0);
  if (most < 1)
    throw error(problem{.reason = "it selects no boxes",
                        .remedy = "give max_output_boxes_per_class, from which the number of rows "
                                  "follows"});
  const auto by_centre = c.n.integer("center_point_box", 0);
  if (by_centre != 0 && by_centre != 1)
    throw error(text("center_point_box is ", by_centre));
  const auto lowest = static_cast<double>(std::numeric_limits<float>::lowest());
  const host::non_max_suppression op{
      .most = static_cast<std::int32_t>(std::min(most, static_cast<double>(b[1]))),
      .by_centre = by_centre == 1,
      .least_score = static_cast<float>(detail::number_of(c, 4, "score threshold", lowest)),
      .most_overlap = static_cast<float>(detail::number_of(c, 3, "IoU threshold", 0))};
  const auto n = c.net.add(c.n.name(), host::on_host(op),
                           {detail::as_host_cube(c, boxes), detail::as_host_cube(c, scores)});
  return {computed{n, {c.net.net().shape(n).h, 3}}};
}

NVDLAC_IMPL std::vector<value> on_top_k(const context& c) {
  const bool attribute = c.n.opset() < 10;
  c.require_inputs(attribute ? 1 : 2, attribute ? 1 : 2);
  const computed& x = c.tensor(0);
  const auto axis = checked_axis(c.n.integer("axis", -1), x.shape.size());
  (void)c.n.flag("sorted", true);  // the best first, which no order forbids
  const auto k = attribute ? c.n.integer("k", 0)
                           : static_cast<std::int64_t>(detail::number_of(c, 1, "k", 0));
  const auto [seen, axes] = cube_along(x.shape, {axis});
  host::best_of_axis how;
  how.axes = axes;
  how.count = as_int32(k, "k");
  how.least = !c.n.flag("largest", true);
  dims shape = x.shape;
  shape[static_cast<std::size_t>(axis)] = k;
  const auto cube = c.net.as_cube(x, seen);
  const auto part = [&]<class Op>(const std::string& name, Op op) {
    static_cast<host::best_of_axis&>(op) = how;
    return value{computed{c.net.add(name, host::on_host(op), {cube}), shape}};
  };
  return {part(c.n.name(), host::top_k{}), part(c.n.name() + "/places", host::places_of_top_k{})};
}

NVDLAC_IMPL std::vector<value> on_gather(const context& c) {
  c.require_inputs(2, 2);
  const auto axis = c.n.integer("axis", 0);
  if (c.is_constant(0) && !c.is_constant(1) && c.tensor(1).whole) return detail::rows_of_table(c);
  if (c.is_constant(1) || c.is_constant(0))
    return {move_input(c, gather(shape_of(c.in[0]), axis, c.constant(1, "indices"), c.ceiling))};
  const computed &x = c.tensor(0), &places = c.tensor(1);
  detail::require_whole(places);
  const auto at = x.shape.begin() + checked_axis(axis, x.shape.size());
  dims shape(x.shape.begin(), at);
  shape.insert(shape.end(), places.shape.begin(), places.shape.end());
  shape.insert(shape.end(), at + 1, x.shape.end());
  host::gather op;
  op.absent = detail::may_be_absent(places);
  op.sizes = {as_int32(*at, "an axis")};
  op.outer = as_int32(detail::product_of(x.shape.begin(), at), "a dimension");
  op.block = as_int32(detail::product_of(at + 1, x.shape.end()), "a dimension");
  op.target = detail::cube_of_host(shape);
  return {computed{c.net.add(c.n.name(), host::on_host(op),
                             {detail::as_host_cube(c, x), detail::as_host_cube(c, places)}),
                   std::move(shape)}};
}

NVDLAC_IMPL std::vector<value> on_gather_nd(const context& c) {
  c.require_inputs(2, 2);
  const dims &shape = shape_of(c.in[0]), &indices = shape_of(c.in[1]);
  const auto batch = detail::checked_batch(c, shape, indices);
  if (c.is_constant(1) || c.is_constant(0)) {
    const array& places = c.constant(1, "indices");
    if (places.real) throw error("its indices are no integers");
    return {move_input(c, detail::gather_nd(shape, places, batch, c.ceiling))};
  }
  const computed &x = c.tensor(0), &places = c.tensor(1);
  detail::require_whole(places);
  const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(batch),
             end = begin + indices.back();
  dims out(indices.begin(), indices.end() - 1);
  out.insert(out.end(), end, shape.end());
  host::gather op;
  op.absent = detail::may_be_absent(places);
  op.sizes.clear();
  for (auto i = begin; i != end; ++i) op.sizes.push_back(as_int32(*i, "an axis"));
  op.outer = as_int32(detail::product_of(shape.begin(), begin), "a dimension");
  op.block = as_int32(detail::product_of(end, shape.end()), "a dimension");
  op.own_places = batch > 0;
  op.target = detail::cube_of_host(out);
  return {computed{c.net.add(c.n.name(), host::on_host(op),
                             {detail::as_host_cube(c, x), detail::as_host_cube(c, places)}),
                   std::move(out)}};
}

NVDLAC_IMPL std::vector<value> on_gather_elements(const context& c) {
  c.require_inputs(2, 2);
  const computed &x = c.tensor(0), &places = c.tensor(1);
  detail::require_whole(places);
  const auto axis = checked_axis(c.n.integer("axis", 0), x.shape.size());
  dims same = places.shape;
  if (same.size() == x.shape.size())
    same[static_cast<std::size_t>(axis)] = x.shape[static_cast<std::size_t>(axis)];
  if (same != x.shape)
    throw error(text("its indices ", to_text(places.shape), " have other dimensions than ",
                     to_text(x.shape), " beside axis ", axis));
  const auto at = x.shape.begin() + axis;
  host::gather_elements op;
  op.absent = detail::may_be_absent(places);
  op.outer = as_int32(detail::product_of(x.shape.begin(), at), "a dimension");
  op.size = as_int32(*at, "an axis");
  op.inner = as_int32(detail::product_of(at + 1, x.shape.end()), "a dimension");
  return {computed{c.net.add(c.n.name(), host::on_host(op),
                             {detail::as_host_cube(c, x), detail::as_host_cube(c, places)}),
                   places.shape}};
}

NVDLAC_IMPL std::vector<value> on_scatter_nd(const context& c) {
  c.require_inputs(3, 3);
  if (const auto how = c.n.string("reduction", "none"); how != "none")
    throw error(text("reduction '", how, "' is not supported"));
  const computed &x = c.tensor(0), &updates = c.tensor(2);
  const array& places = c.constant(1, "indices");
  if (places.real || places.shape.empty()) throw error("its indices are no integers");
  (void)detail::checked_batch(c, x.shape, places.shape);
  const auto to = detail::gather_nd(x.shape, places, 0, c.ceiling);
  if (to.shape != updates.shape)
    throw error(text("its updates ", to_text(updates.shape), " are not ", to_text(to.shape)));
  element_map kept(static_cast<std::size_t>(count(x.shape))), written(kept.size(), -1);
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = static_cast<std::int32_t>(i);
  for (std::size_t i = 0; i < to.from->size(); ++i) {
    const auto at = static_cast<std::size_t>((*to.from)[i]);
    kept[at] = -1;
    written[at] = static_cast<std::int32_t>(i);
  }
  const net::shape cube = cube_of(x.shape), of_updates = detail::cube_of_host(updates.shape);
  net::move op{.target = cube};
  const auto add = [&](const element_map& from, net::shape source, std::int32_t input) {
    for (auto box : net::find_boxes(from, cube, source)) {
      if (box.input == net::box::filled) continue;
      box.input = input;
      op.boxes.push_back(box);
    }
  };
  add(written, of_updates, 1);
  const bool whole = op.boxes.size() > 0 && std::ranges::find(written, -1) == written.end();
  if (whole) {
    for (auto& box : op.boxes) box.input = 0;
    return {computed{c.net.add(c.n.name(), std::move(op), {detail::as_host_cube(c, updates)}),
                     x.shape}};
  }
  add(kept, cube, 0);
  return {computed{c.net.add(c.n.name(), std::move(op),
                             {c.net.as_cube(x), detail::as_host_cube(c, updates)}), x.shape}};
}

NVDLAC_IMPL std::optional<assembly::id> expectation_of(const context& c, assembly::id softmax,
                                                       const std::vector<float>& values,
                                                       host::axes axis) {
  const auto& g = c.net.net().graph();
  const net::shape cube = g[softmax].shape;
  const auto* op = std::get_if<net::on_host>(&g[softmax].op);
  // Over the channels of several places it is the host's, too.
  const bool of_network = std::holds_alternative<net::softmax>(g[softmax].op) &&
                          axis == host::over_channels && cube.h * cube.w > 1;
  const bool of_host = op != nullptr && op->call.layer == type_name<host::softmax>() &&
                       host::operator_of<host::softmax>(op->call.parameters).axes == axis;
  if (!(of_network || of_host) ||
      values.size() * host::reduced(cube, axis).size() != cube.size())
    return std::nullopt;
  return c.net.add(c.n.name(), host::on_host(host::expectation{.axes = axis, .values = values}),
                   {g.inputs(softmax)[0]});
}

}  // namespace nvdlac::import::onnx_format
