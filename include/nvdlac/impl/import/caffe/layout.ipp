// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/layout.hpp>
#include <nvdlac/import/caffe/parameters.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/sampling.hpp>
#include <nvdlac/net/bilinear.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::caffe_format {

namespace detail {

// Null unless it is known when the file is read, as prior boxes are.
inline const net::constant* constant_of(const context& c, const blob& b) {
  return std::get_if<net::constant>(&c.net.graph()[b.node].op);
}

inline net::constant joined(const context& c, std::span<const blob> in, net::shape to,
                            std::size_t axis) {
  net::float_tensor all{to};
  std::int32_t first = 0;  // along the axis
  for (const auto& b : in) {
    const auto& part = constant_of(c, b)->value;
    const auto [channels, h, w] = part.shape;
    for (std::int32_t i = 0; i < channels; ++i)
      for (std::int32_t y = 0; y < h; ++y)
        for (std::int32_t x = 0; x < w; ++x)
          all.at(axis == 1 ? first + i : i, axis == 2 ? first + y : y, axis == 3 ? first + x : x) =
              part.at(i, y, x);
    first += axis == 1 ? channels : axis == 2 ? h : w;
  }
  return {std::move(all)};
}

inline blob moved(context& c, const layer& l, const blob& in, const onnx_format::movement& m,
                  const std::string& name) {
  const net::shape from = cube(in.shape), to = cube(m.shape);
  return {c.net.add(name, net::move{.target = to, .boxes = net::find_boxes(*m.from, to, from)},
                    {in.node}, l.line),
          m.shape};
}

// Height (axis 2) or width (3) of a picture brought to a size, its corners kept.
NVDLAC_IMPL blob interpolated(context& c, const layer& l, const blob& x, std::size_t axis,
                              std::int64_t size, const std::string& result) {
  const auto in = x.shape[axis];
  std::vector<double> places;
  for (std::int64_t i = 0; i < size; ++i)
    places.push_back(size == 1 ? 0
                               : static_cast<double>(i) * static_cast<double>(in - 1) /
                                     static_cast<double>(size - 1));
  const onnx_format::neighbours from(onnx_format::interpolator{}.matrix(in, places));
  auto shape = x.shape;
  shape[axis] = size;
  const auto pick = [&](const std::string& name, std::size_t neighbour) {
    return moved(c, l, x, from.gather(x.shape, axis, neighbour, c.ceiling()), name).node;
  };
  const auto add = [&](const std::string& name, auto op, const std::vector<assembly::id>& inputs) {
    return c.net.add(name, std::move(op), inputs, l.line);
  };
  const auto base = l.name + (axis == 2 ? "/height" : "/width");
  return {onnx_format::summed_neighbours(from, axis, cube(shape), base, result, pick, add), shape};
}

}  // namespace detail

NVDLAC_IMPL std::vector<blob> on_slice(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("slice_param");
  if (p.has("axis") && p.has("slice_dim")) throw error("it gives both axis and slice_dim");
  const auto axis = canonical(p.has("slice_dim") ? p.integer("slice_dim") : p.integer("axis", 1),
                              in[0]);
  if (axis == 0) throw error("it takes the pictures of a batch apart");
  const auto size = in[0].shape[static_cast<std::size_t>(axis)];
  const auto parts = static_cast<std::int64_t>(l.tops.size());
  auto points = p.values<std::uint32_t>("slice_point");
  if (points.empty()) {
    if (size % parts != 0) throw error(text("it slices ", size, " into ", parts, " equal parts"));
    for (std::int64_t i = 1; i < parts; ++i)
      points.push_back(static_cast<std::uint32_t>(i * (size / parts)));
  }
  if (std::cmp_not_equal(points.size() + 1, parts))
    throw error(text("it has ", count_of(points.size(), "value"), " of slice_point for ", parts,
                     " tops"));
  std::vector<blob> out;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < l.tops.size(); ++i) {
    const std::int64_t end = i < points.size() ? points[i] : size;
    if (end <= first || end > size) throw error("its values of slice_point do not ascend");
    auto steps = onnx_format::all_steps(in[0].shape, c.ceiling());
    onnx_format::slice(steps, axis, first, end, 1);
    out.push_back(detail::moved(c, l, in[0], onnx_format::from_steps(steps, c.ceiling()),
                                parts == 1 ? l.name : text(l.name, '/', l.tops[i])));
    first = end;
  }
  return out;
}

NVDLAC_IMPL blob on_crop(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("crop_param");
  const dims &from = in[0].shape, &like = in[1].shape;
  if (from.size() != like.size()) throw error("its inputs have different numbers of dimensions");
  const auto axis = static_cast<std::size_t>(canonical(p.integer("axis", 2), in[0]));
  const auto offsets = p.values<std::uint32_t>("offset");
  if (offsets.size() > 1 && offsets.size() != from.size() - axis)
    throw error(text("it has ", count_of(offsets.size(), "value"), " of offset for ",
                     from.size() - axis, " axes"));
  auto steps = onnx_format::all_steps(from, c.ceiling());
  for (std::size_t i = axis; i < from.size(); ++i) {
    const std::int64_t offset =
        offsets.empty() ? 0 : offsets.size() == 1 ? offsets[0] : offsets[i - axis];
    if (offset + like[i] > from[i])
      throw error(text("it crops ", like[i], " elements from ", offset, " on out of ", from[i]));
    onnx_format::slice(steps, static_cast<std::int64_t>(i), offset, offset + like[i], 1);
  }
  return detail::moved(c, l, in[0], onnx_format::from_steps(steps, c.ceiling()), l.name);
}

NVDLAC_IMPL blob on_permute(context& c, const layer& l, std::span<const blob> in) {
  dims order;
  for (const auto o : l.fields.child("permute_param").values<std::uint32_t>("order"))
    order.push_back(o);
  for (std::size_t i = 0; i < in[0].shape.size(); ++i) {  // the axes that it does not name
    const auto axis = static_cast<std::int64_t>(i);
    if (std::find(order.begin(), order.end(), axis) == order.end()) order.push_back(axis);
  }
  if (order[0] != 0)
    throw error(problem{.reason = text("it moves the batch to another axis"),
                        .remedy = "the first dimension is the batch, which is 1"});
  return detail::moved(c, l, in[0], onnx_format::transpose(in[0].shape, order, c.ceiling()),
                       l.name);
}

NVDLAC_IMPL blob on_shuffle_channel(context& c, const layer& l, std::span<const blob> in) {
  const auto groups = l.fields.child("shuffle_channel_param").integer("group", 1);
  const dims& d = in[0].shape;
  if (d.size() != 4 || groups < 1 || d[1] % groups != 0)
    throw error(text("it shuffles ", to_text(d), " in ", groups, " groups"));
  auto m = onnx_format::transpose({1, groups, d[1] / groups, d[2], d[3]}, {0, 2, 1, 3, 4},
                                  c.ceiling());
  m.shape = d;
  return detail::moved(c, l, in[0], m, l.name);
}

NVDLAC_IMPL blob on_upsample(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("upsample_param");
  const auto scale = either(p, "scale", "scale_h", "scale_w", 2);
  if (in[0].shape.size() != 4 || scale.h < 1 || scale.w < 1)
    throw error(text("it repeats ", to_text(in[0].shape), ' ', scale.h, " x ", scale.w,
                     " times"));
  auto to = in[0].shape;
  to[2] = net::product({to[2], scale.h});
  to[3] = net::product({to[3], scale.w});
  onnx_format::require_movable(to, c.ceiling());
  auto steps = onnx_format::all_steps(in[0].shape, c.ceiling());
  for (const auto& [axis, times] : {std::pair{2, scale.h}, {3, scale.w}}) {
    dims repeated;
    for (const auto s : steps[static_cast<std::size_t>(axis)])
      repeated.insert(repeated.end(), static_cast<std::size_t>(times), s);
    steps[static_cast<std::size_t>(axis)] = std::move(repeated);
  }
  return detail::moved(c, l, in[0], onnx_format::from_steps(steps, c.ceiling()), l.name);
}

NVDLAC_IMPL blob on_tile(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("tile_param");
  const auto axis = static_cast<std::size_t>(canonical(p.integer("axis", 1), in[0]));
  if (axis == 0) throw error("it repeats the pictures of a batch");
  dims repeats(in[0].shape.size(), 1);
  repeats[axis] = p.integer("tiles", 1);
  if (repeats[axis] < 1) throw error(text("tiles is ", repeats[axis]));
  return detail::moved(c, l, in[0], onnx_format::tile(in[0].shape, repeats, c.ceiling()), l.name);
}

NVDLAC_IMPL blob on_interp(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("interp_param");
  if (p.integer("pad_beg", 0) != 0 || p.integer("pad_end", 0) != 0)
    throw error(problem{.reason = "it crops its input", .remedy = "pad_beg and pad_end 0 are"});
  const net::shape x = cube(in[0].shape);
  const auto zoom = p.integer("zoom_factor", 1), shrink = p.integer("shrink_factor", 1);
  if (zoom < 1 || shrink < 1)
    throw error(text("it zooms by ", zoom, " and shrinks by ", shrink));
  const bool sized = p.has("height") || p.has("width");
  if (sized && (p.has("zoom_factor") || p.has("shrink_factor")))
    throw error("it gives both a size and a factor");
  if (p.has("height") != p.has("width")) throw error("its size lacks one of height and width");
  const auto h = sized ? p.integer("height") : (x.h - 1) / shrink * zoom + 1;
  const auto w = sized ? p.integer("width") : (x.w - 1) / shrink * zoom + 1;
  if (x.h == 1 && x.w == 1) {  // all that there is between
    const net::shape out = net::checked_shape(x.c, h, w);
    const auto m = onnx_format::expand({1, x.c, 1, 1}, {1, x.c, out.h, out.w}, c.ceiling());
    return detail::moved(c, l, in[0], m, l.name);
  }
  constexpr auto corners = net::alignment::corners;
  if (net::is_whole_factor(x.h, h, corners) && net::is_whole_factor(x.w, w, corners)) {
    const auto up = net::bilinear(x, h, w, corners);
    return {c.add(l, up.filter, in), {1, up.out.c, up.out.h, up.out.w}};
  }
  (void)net::checked_shape(x.c, h, w);
  blob y = in[0];
  if (h != x.h) y = detail::interpolated(c, l, y, 2, h, w == x.w ? l.name : l.name + "/height");
  return w == x.w ? y : detail::interpolated(c, l, y, 3, w, l.name);
}

NVDLAC_IMPL blob on_concat(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("concat_param");
  if (p.has("axis") && p.has("concat_dim")) throw error("it gives both axis and concat_dim");
  const auto axis = static_cast<std::size_t>(
      canonical(p.has("concat_dim") ? p.integer("concat_dim") : p.integer("axis", 1), in[0]));
  if (axis == 0) throw error("it concatenates pictures to a batch");
  dims out = in[0].shape;
  std::vector<net::shape> shapes{cube(in[0].shape)};
  for (const auto& b : in.subspan(1)) {
    if (b.shape.size() != out.size())
      throw error("its inputs have different numbers of dimensions");
    out[axis] += b.shape[axis];
    shapes.push_back(cube(b.shape));
  }
  const auto is_constant = [&](const blob& b) { return detail::constant_of(c, b) != nullptr; };
  if (std::ranges::all_of(in, is_constant))
    return {c.net.add(l.name, detail::joined(c, in, cube(out), axis), {}, l.line), out};
  if (axis == 1) return {c.add(l, net::concat{}, in), out};
  return {c.add(l, net::stack(shapes, axis == 3), in), out};
}

}  // namespace nvdlac::import::caffe_format
