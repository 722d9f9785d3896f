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
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/arg_max.hpp>
#include <nvdlac/host/axes.hpp>
#include <nvdlac/host/normalisation.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/import/caffe/elementwise.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/layout.hpp>
#include <nvdlac/import/caffe/parameters.hpp>
#include <nvdlac/import/caffe/weights.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/net/bilinear.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/move.hpp>

namespace nvdlac::import::caffe_format {

NVDLAC_IMPL blob layout_layers::deconvolution(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("convolution_param");
  require_axis_1(p, in[0]);
  net::deconvolution op{.kernels = small(p, "num_output", 0), .window = convolution_window(p),
                        .groups = small(p, "group", 1)};
  const net::shape x = net_.shape(in[0].node);
  const net::shape y = op.infer(std::span(&x, 1));
  load(l, [&] {
    const bool biased = p.flag("bias_term", true);
    const auto& blobs = weights_.of(l.name, biased ? 2 : 1);
    const auto& w = op.window;
    op.weights = net::by_kernel(
        weights::values(blobs[0], {x.c, op.kernels / op.groups, w.kernel_h, w.kernel_w},
                        "weights"),
        op, x);
    if (biased) op.bias = weights::values(blobs[1], {op.kernels}, "bias");
  });
  return {add(l, std::move(op), in), {1, y.c, y.h, y.w}};
}

NVDLAC_IMPL std::vector<blob> layout_layers::slice(const layer& l, std::span<const blob> in) {
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
    auto steps = onnx_format::all_steps(in[0].shape, ceiling());
    onnx_format::slice(steps, axis, first, end, 1);
    out.push_back(moved(l, in[0], onnx_format::from_steps(steps, ceiling()),
                        parts == 1 ? l.name : text(l.name, '/', l.tops[i])));
    first = end;
  }
  return out;
}

NVDLAC_IMPL blob layout_layers::crop(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("crop_param");
  const dims &from = in[0].shape, &like = in[1].shape;
  if (from.size() != like.size()) throw error("its inputs have different numbers of dimensions");
  const auto axis = static_cast<std::size_t>(canonical(p.integer("axis", 2), in[0]));
  const auto offsets = p.values<std::uint32_t>("offset");
  if (offsets.size() > 1 && offsets.size() != from.size() - axis)
    throw error(text("it has ", count_of(offsets.size(), "value"), " of offset for ",
                     from.size() - axis,
                     " axes"));
  auto steps = onnx_format::all_steps(from, ceiling());
  for (std::size_t i = axis; i < from.size(); ++i) {
    const std::int64_t offset =
        offsets.empty() ? 0 : offsets.size() == 1 ? offsets[0] : offsets[i - axis];
    if (offset + like[i] > from[i])
      throw error(text("it crops ", like[i], " elements from ", offset, " on out of ", from[i]));
    onnx_format::slice(steps, static_cast<std::int64_t>(i), offset, offset + like[i], 1);
  }
  return moved(l, in[0], onnx_format::from_steps(steps, ceiling()), l.name);
}

NVDLAC_IMPL blob layout_layers::permute(const layer& l, std::span<const blob> in) {
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
  return moved(l, in[0], onnx_format::transpose(in[0].shape, order, ceiling()), l.name);
}

NVDLAC_IMPL blob layout_layers::shuffle_channel(const layer& l, std::span<const blob> in) {
  const auto groups = l.fields.child("shuffle_channel_param").integer("group", 1);
  const dims& d = in[0].shape;
  if (d.size() != 4 || groups < 1 || d[1] % groups != 0)
    throw error(text("it shuffles ", to_text(d), " in ", groups, " groups"));
  auto m = onnx_format::transpose({1, groups, d[1] / groups, d[2], d[3]}, {0, 2, 1, 3, 4},
                                  ceiling());
  m.shape = d;
  return moved(l, in[0], m, l.name);
}

NVDLAC_IMPL blob layout_layers::upsample(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("upsample_param");
  const auto scale = either(p, "scale", "scale_h", "scale_w", 2);
  if (in[0].shape.size() != 4 || scale.h < 1 || scale.w < 1)
    throw error(text("it repeats ", to_text(in[0].shape), ' ', scale.h, " x ", scale.w,
                     " times"));
  auto to = in[0].shape;
  to[2] = net::product({to[2], scale.h});
  to[3] = net::product({to[3], scale.w});
  onnx_format::require_movable(to, ceiling());
  auto steps = onnx_format::all_steps(in[0].shape, ceiling());
  for (const auto& [axis, times] : {std::pair{2, scale.h}, {3, scale.w}}) {
    dims repeated;
    for (const auto s : steps[static_cast<std::size_t>(axis)])
      repeated.insert(repeated.end(), static_cast<std::size_t>(times), s);
    steps[static_cast<std::size_t>(axis)] = std::move(repeated);
  }
  return moved(l, in[0], onnx_format::from_steps(steps, ceiling()), l.name);
}

NVDLAC_IMPL blob layout_layers::tile(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("tile_param");
  const auto axis = static_cast<std::size_t>(canonical(p.integer("axis", 1), in[0]));
  if (axis == 0) throw error("it repeats the pictures of a batch");
  dims repeats(in[0].shape.size(), 1);
  repeats[axis] = p.integer("tiles", 1);
  if (repeats[axis] < 1) throw error(text("tiles is ", repeats[axis]));
  return moved(l, in[0], onnx_format::tile(in[0].shape, repeats, ceiling()), l.name);
}

NVDLAC_IMPL blob layout_layers::interp(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("interp_param");
  if (p.integer("pad_beg", 0) != 0 || p.integer("pad_end", 0) != 0)
    throw error(problem{.reason = "it crops its input", .remedy = "pad_beg and pad_end 0 are"});
  const net::shape x = cube(in[0].shape);
  const auto zoom = p.integer("zoom_factor", 1), shrink = p.integer("shrink_factor", 1);
  if (zoom < 1 || shrink != 1)
    throw error(problem{.reason = text("it zooms by ", zoom, " and shrinks by ", shrink),
                        .remedy = "zooming by whole numbers is supported"});
  const bool sized = p.has("height") || p.has("width");
  if (sized && p.has("zoom_factor")) throw error("it gives both a size and zoom_factor");
  if (p.has("height") != p.has("width")) throw error("its size lacks one of height and width");
  const auto h = sized ? p.integer("height") : (x.h - 1) * zoom + 1;
  const auto w = sized ? p.integer("width") : (x.w - 1) * zoom + 1;
  if (x.h == 1 && x.w == 1) {  // all that there is between
    const net::shape out = net::checked_shape(x.c, h, w);
    return moved(l, in[0], onnx_format::expand({1, x.c, 1, 1}, {1, x.c, out.h, out.w}, ceiling()),
                 l.name);
  }
  const auto up = net::bilinear(x, h, w, net::alignment::corners);
  return {add(l, up.filter, in), {1, up.out.c, up.out.h, up.out.w}};
}

NVDLAC_IMPL blob layout_layers::concat(const layer& l, std::span<const blob> in) {
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
  if (std::ranges::all_of(in, [&](const blob& b) { return constant_of(b) != nullptr; }))
    return {net_.add(l.name, joined(in, cube(out), axis), {}, l.line), out};
  if (axis == 1) return {add(l, net::concat{}, in), out};
  return {add(l, net::stack(shapes, axis == 3), in), out};
}

NVDLAC_IMPL const net::constant* layout_layers::constant_of(const blob& b) const {
  return std::get_if<net::constant>(&net_.graph()[b.node].op);
}

NVDLAC_IMPL net::constant layout_layers::joined(std::span<const blob> in, net::shape to,
                                                std::size_t axis) const {
  net::float_tensor all{to};
  std::int32_t first = 0;  // along the axis
  for (const auto& b : in) {
    const auto& part = constant_of(b)->value;
    const auto [c, h, w] = part.shape;
    for (std::int32_t i = 0; i < c; ++i)
      for (std::int32_t y = 0; y < h; ++y)
        for (std::int32_t x = 0; x < w; ++x)
          all.at(axis == 1 ? first + i : i, axis == 2 ? first + y : y, axis == 3 ? first + x : x) =
              part.at(i, y, x);
    first += axis == 1 ? c : axis == 2 ? h : w;
  }
  return {std::move(all)};
}

NVDLAC_IMPL blob layout_layers::reduction(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("reduction_param");
  const auto operation = p.enumerator("operation", "SUM");
  const auto axis = canonical(p.integer("axis", 0), in[0]);
  if (axis == 0)
    throw error(problem{.reason = "it reduces from axis 0 on, over all pictures",
                        .remedy = "axes from 1 on are supported"});
  const net::shape x = cube(in[0].shape);
  const dims out(in[0].shape.begin(), in[0].shape.begin() + axis);
  float factor = p.number("coeff", 1);
  auto from = in[0].node;
  if (operation == "ASUM")
    from = net_.add(l.name + "/magnitude", net::prelu{{-1.0F}}, {from}, l.line);
  if (operation == "SUMSQ")
    from = net_.add(l.name + "/square", net::multiply{}, {from, from}, l.line);
  if (operation == "MEAN") {
    if (axis == 2 && factor == 1.0F)
      return {net_.add(l.name, net::pool{.kind = net::pool_kind::average, .global = true},
                       {from}, l.line), out};
    for (auto i = static_cast<std::size_t>(axis); i < in[0].shape.size(); ++i)
      factor /= static_cast<float>(in[0].shape[i]);
  }
  const auto channels = axis == 1 ? 1 : x.c;
  const net::window window{.kernel_h = axis == 3 ? 1 : x.h, .kernel_w = x.w};
  const auto taps = static_cast<std::size_t>(x.c) * static_cast<std::size_t>(window.kernel_h) *
                    static_cast<std::size_t>(window.kernel_w);
  return {net_.add(l.name, net::convolution{.kernels = channels, .window = window,
                                            .groups = channels,
                                            .weights = std::vector<float>(taps, factor)},
                   {from}, l.line), out};
}

NVDLAC_IMPL blob layout_layers::moved(const layer& l, const blob& in,
                                      const onnx_format::movement& m, const std::string& name) {
  const net::shape from = cube(in.shape), to = cube(m.shape);
  return {net_.add(name, net::move{.target = to, .boxes = net::find_boxes(*m.from, to, from)},
                   {in.node}, l.line),
          m.shape};
}

NVDLAC_IMPL blob host_layers::softmax(const layer& l, std::span<const blob> in) {
  const auto axis = canonical(l.fields.child("softmax_param").integer("axis", 1), in[0]);
  if (axis == 1) return {add(l, net::softmax{}, in), in[0].shape};
  return {on_host(l, host::softmax{axis_of(axis)}, in), in[0].shape};
}

NVDLAC_IMPL blob host_layers::arg_max(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("argmax_param");
  if (p.flag("out_max_val", false) || p.integer("top_k", 1) != 1)
    throw error(problem{.reason = "it gives values besides their places, or more than one place",
                        .remedy = "out_max_val: false and top_k: 1 are supported"});
  host::arg_max op{.axes = host::over_all, .last = true};
  dims out(in[0].shape.size(), 1);
  if (p.has("axis")) {
    const auto axis = canonical(p.integer("axis"), in[0]);
    op.axes = axis_of(axis);
    out = in[0].shape;
    out[static_cast<std::size_t>(axis)] = 1;
  }
  return {on_host(l, op, in), std::move(out)};
}

NVDLAC_IMPL blob host_layers::lrn(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("lrn_param");
  const auto size = small(p, "local_size", 5);
  const float alpha = p.number("alpha", 1), beta = p.number("beta", 0.75F), k = p.number("k", 1);
  if (p.enumerator("norm_region", "ACROSS_CHANNELS") == "ACROSS_CHANNELS")
    return {add(l, net::lrn{.local_size = size, .alpha = alpha, .beta = beta, .k = k}, in),
            in[0].shape};
  if (k != 1.0F)
    throw error(problem{.reason = text("its k is ", k, ", which Caffe ignores within a channel"),
                        .remedy = "leave it out"});
  const host::lrn_within_channel op{.local_size = size, .alpha = alpha, .beta = beta};
  return {on_host(l, op, in), in[0].shape};
}

NVDLAC_IMPL blob host_layers::normalize(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("norm_param");
  const host::lp_normalise op{
      .axes = p.flag("across_spatial", true) ? host::over_all : host::over_channels,
      .epsilon = p.number("eps", 1e-10F)};
  net::scale factors;
  load(l, [&] {
    const bool shared = p.flag("channel_shared", true);
    const std::int64_t needed = shared ? 1 : net_.shape(in[0].node).c;
    factors.factor = weights::values(weights_.of(l.name, 1)[0], {needed}, "factors");
  });
  const bool sound = std::exchange(weights_sound_, true);
  const auto n = net_.add(l.name + "/norm", host::on_host(op), {in[0].node}, l.line);
  return {net_.add(l.name, std::move(factors), {n}, l.line, sound), in[0].shape};
}

NVDLAC_IMPL blob host_layers::mvn(const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("mvn_param");
  const host::mean_variance op{
      .axes = p.flag("across_channels", false) ? host::over_all : host::over_planes,
      .epsilon = p.number("eps", 1e-9F),
      .epsilon_behind_root = true,
      .divide = p.flag("normalize_variance", true)};
  return {on_host(l, op, in), in[0].shape};
}

NVDLAC_IMPL host::axes host_layers::axis_of(std::int64_t axis) {
  if (axis == 0)
    throw error(problem{.reason = "it goes along axis 0, the batch",
                        .remedy = "axes from 1 on are supported"});
  host::axes one{};
  one[static_cast<std::size_t>(axis - 1)] = true;
  return one;
}

}  // namespace nvdlac::import::caffe_format
