// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/tensorflow/layout.hpp>
#include <nvdlac/import/translation/selection.hpp>

namespace nvdlac::import::tensorflow_format {

NVDLAC_IMPL void concat(const conversion& c, std::size_t first, std::size_t axis_at) {
  c.require_inputs(3, 4096);
  c.require_count("N", c.inputs() - 1);
  const auto axis = c.single(axis_at, "axis");
  const auto n = c.inputs() - 1;
  for (std::size_t i = first; i < first + n; ++i)
    if (c.type_of(i) != c.type_of(first)) throw error("its inputs are of different types");
  bool constant = true;
  for (std::size_t i = first; i < first + n; ++i) constant = constant && c.is_constant(i);
  if (constant) return c.give_constant(translation::fold_concat(c, first, n, axis));
  c.give(translation::concat(c, first, n, axis, c.name()));
}

NVDLAC_IMPL void on_reshape(const conversion& c) {
  c.require_inputs(2, 2);
  translation::give_reshaped(
      c, onnx_format::reshape(c.shape(0), c.integers(1, "dimensions"), true));
}

NVDLAC_IMPL void on_squeeze(const conversion& c) {
  c.require_inputs(1, 1);
  auto axes = c.n.integers("squeeze_dims");
  if (!axes) axes = c.n.integers("axis");
  const dims shape = c.shape(0);
  if (axes && axes->empty()) axes.reset();
  translation::give_reshaped(c, onnx_format::squeeze(shape, axes));
  if (const auto* cut = c.cut(0)) {
    blocks left;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      bool gone = !axes && shape[i] == 1;
      for (const auto a : axes.value_or(dims{}))
        gone = gone || std::cmp_equal(onnx_format::checked_axis(a, shape.size()), i);
      if (!gone) left.push_back((*cut)[i]);
      else if ((*cut)[i].size != 1) throw error("it squeezes what SpaceToBatchND cut");
    }
    c.set_cut(std::move(left));
  }
}

NVDLAC_IMPL void on_expand_dims(const conversion& c) {
  c.require_inputs(2, 2);
  const auto axis = c.single(1, "axis");
  const dims shape = c.shape(0);
  translation::give_reshaped(c, onnx_format::unsqueeze(shape, {axis}));
  if (const auto* cut = c.cut(0)) {
    blocks more = *cut;
    more.insert(more.begin() + onnx_format::checked_axis(axis, shape.size() + 1), block{});
    c.set_cut(std::move(more));
  }
}

NVDLAC_IMPL void on_transpose(const conversion& c) {
  c.require_inputs(2, 2);
  translation::give_transposed(c, c.integers(1, "axes"));
}

NVDLAC_IMPL blocks blocks_of(const conversion& c, const char* what) {
  c.require_inputs(3, 3);
  const dims sizes = c.integers(1, "block sizes"), edges = c.integers(2, what);
  const auto rank = c.shape(0).size();
  if (sizes.size() + 1 > rank || edges.size() != 2 * sizes.size())
    throw error(text("its block sizes are ", onnx_format::to_text(sizes), " and its ", what, ' ',
                     onnx_format::to_text(edges)));
  blocks all(rank);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    all[i + 1] = {.size = sizes[i], .before = edges[2 * i], .after = edges[2 * i + 1]};
    if (sizes[i] < 1 || sizes[i] > 65535 || edges[2 * i] < 0 || edges[2 * i + 1] < 0 ||
        edges[2 * i] > 65535 || edges[2 * i + 1] > 65535)
      throw error(text("its block sizes are ", onnx_format::to_text(sizes), " and its ", what, ' ',
                       onnx_format::to_text(edges)));
  }
  return all;
}

NVDLAC_IMPL void on_space_to_batch(const conversion& c) {
  if (c.is_constant(0)) throw error("its input is constant, where it should be computed");
  auto all = blocks_of(c, "paddings");
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((c.shape(0)[i] + all[i].before + all[i].after) % all[i].size != 0)
      throw error(text("its blocks of ", all[i].size, " do not divide ", c.shape(0)[i], " and ",
                       all[i].before + all[i].after, " elements"));
  c.pass();
  c.set_cut(std::move(all));
}

NVDLAC_IMPL void on_batch_to_space(const conversion& c) {
  const auto crops = blocks_of(c, "crops");
  const auto* cut = c.cut(0);
  if (cut == nullptr)
    throw error("it puts pictures of the batch together, which SpaceToBatchND did not cut");
  dims begin, end;
  const dims shape = c.shape(0);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto& b = (*cut)[i];
    if (b.before != 0 || b.after != 0)
      throw error("no convolution stands between SpaceToBatchND and it");
    if (b.size != crops[i].size)
      throw error(text("its blocks of ", crops[i].size, " are of ", b.size,
                       " in SpaceToBatchND"));
    begin.push_back(crops[i].before - b.cropped_before);
    end.push_back(shape[i] - (crops[i].after - b.cropped_after));
    if (begin[i] < 0 || end[i] > shape[i] || end[i] <= begin[i])
      throw error(text("it leaves out ", crops[i].before, " and ", crops[i].after,
                       " elements of axis ", i));
  }
  if (begin == dims(begin.size(), 0) && end == shape) return c.pass();
  translation::give_slice(c, begin, end, dims(begin.size(), 1));
}

NVDLAC_IMPL void on_pad(const conversion& c) {
  c.require_inputs(2, 3);
  const dims pads = c.integers(1, "pads");
  if (std::ranges::any_of(pads, [](auto p) { return p < 0; }))
    throw error(text("its pads are ", onnx_format::to_text(pads)));
  std::optional<array> filling;
  if (c.given(2)) filling = c.reals(2, "values of the padding");
  c.give(translation::pad(c, pads, "constant", filling));
}

NVDLAC_IMPL void on_mirror_pad(const conversion& c) {
  c.require_inputs(2, 2);
  const auto mode = c.n.string("mode", "");
  if (mode != "REFLECT" && mode != "SYMMETRIC") throw error("its mode is '" + mode + "'");
  c.give(translation::mirror_pad(c, c.integers(1, "pads"), mode == "SYMMETRIC"));
}

NVDLAC_IMPL void on_strided_slice(const conversion& c) {
  c.require_inputs(4, 4);
  translation::give_strided_slice(c, c.integers(1, "begins"), c.integers(2, "ends"),
                                  c.integers(3, "steps"),
                                  {.begin = c.n.integer("begin_mask", 0),
                                   .end = c.n.integer("end_mask", 0),
                                   .ellipsis = c.n.integer("ellipsis_mask", 0),
                                   .new_axis = c.n.integer("new_axis_mask", 0),
                                   .shrunk = c.n.integer("shrink_axis_mask", 0)});
}

NVDLAC_IMPL void on_slice(const conversion& c) {
  c.require_inputs(3, 3);
  translation::give_part(c, c.integers(1, "begins"), c.integers(2, "sizes"));
}

NVDLAC_IMPL void on_split(const conversion& c) {
  c.require_inputs(2, 2);
  const dims shape = c.shape(1);
  const auto axis = onnx_format::checked_axis(c.single(0, "axis"), shape.size());
  const auto size = shape[static_cast<std::size_t>(axis)], parts = c.n.integer("num_split", 1);
  if (std::cmp_not_equal(parts, c.outputs()) || size % parts != 0)
    throw error(text("it splits ", size, " into ", count_of(parts, "part")));
  if (parts == 1) return c.pass(1);
  translation::give_split(c, 1, axis, dims(c.outputs(), size / parts));
}

NVDLAC_IMPL void on_split_v(const conversion& c) {
  c.require_inputs(3, 3);
  const dims sizes = c.integers(1, "sizes");
  c.require_count("num_split", c.outputs());
  const auto axis = onnx_format::checked_axis(c.single(2, "axis"), c.shape(0).size());
  if (sizes.size() == 1 && c.outputs() == 1) return c.pass();
  translation::give_split(c, axis, sizes);
}

NVDLAC_IMPL void resize(const conversion& c, bool linear) {
  c.require_inputs(2, 2);
  require_picture(c, 0);
  c.give(translation::resize(c, linear, c.integers(1, "sizes"),
                             c.n.flag("align_corners", false),
                             c.n.flag("half_pixel_centers", false)));
}

NVDLAC_IMPL void by_blocks(const conversion& c, bool to_space) {
  c.require_inputs(1, 1);
  if (c.channels_first()) throw error("its data_format is NCHW, which is not supported");
  require_picture(c, 0);
  const auto block = c.n.integer("block_size", 0);
  if (block < 1 || block > 65535) throw error(text("its block_size is ", block));
  c.give(translation::by_blocks(c, to_space, block));
}

NVDLAC_IMPL void reduce(const conversion& c, const char* type) {
  c.require_inputs(2, 2);
  bool keep = c.n.flag("keep_dims", false);
  if (c.n.has("keepdims")) keep = c.n.flag("keepdims", keep);
  const dims axes = c.integers(1, "axes");
  if (axes.empty()) return c.pass();
  translation::give_reduced(c, type, axes, keep);
}

NVDLAC_IMPL void arg_max(const conversion& c, bool of_opposites) {
  c.require_inputs(2, 2);
  const auto type = c.n.type("output_type", dt_int64);
  if (type != dt_int64 && type != dt_int32) throw error("its output_type is " + type_name(type));
  c.set_type(type);
  translation::give_place_of_largest(c, c.single(1, "axis"), of_opposites);
}

NVDLAC_IMPL void on_gather(const conversion& c) {
  c.require_inputs(2, 3);
  if (const auto n = c.n.integer("batch_dims", 0); n != 0)
    throw error(text("its batch_dims are ", n));
  translation::give_gathered(c, c.given(2) ? c.single(2, "axis") : 0,
                             c.constant(1, "indices", false));
}

NVDLAC_IMPL void on_unpack(const conversion& c) {
  c.require_inputs(1, 1);
  c.require_count("num", c.outputs());
  translation::give_unpacked(c, c.n.integer("axis", 0));
}

NVDLAC_IMPL void on_pack(const conversion& c) {
  c.require_inputs(1, 1024);
  c.require_count("N", c.inputs());
  for (std::size_t i = 1; i < c.inputs(); ++i)
    if (c.type_of(i) != c.type_of(0) || c.shape(i) != c.shape(0))
      throw error("its inputs are of different types or shapes");
  translation::give_packed(c, c.n.integer("axis", 0));
}

NVDLAC_IMPL void tell(const conversion& c, std::int64_t type) {
  c.require_inputs(1, 1);
  if (type != dt_int32 && type != dt_int64) throw error("its out_type is " + type_name(type));
  c.set_type(type);
}

NVDLAC_IMPL void on_shape(const conversion& c) {
  tell(c, c.n.type("out_type", dt_int32));
  translation::give_shape(c);
}

NVDLAC_IMPL void on_size(const conversion& c) {
  tell(c, c.n.type("out_type", dt_int32));
  c.give_constant(array::of_integers({}, {onnx_format::count(c.shape(0))}));
}

NVDLAC_IMPL void on_rank(const conversion& c) {
  tell(c, dt_int32);
  translation::give_rank(c);
}

NVDLAC_IMPL void on_fill(const conversion& c) {
  c.require_inputs(2, 2);
  c.set_type(c.type_of(1));
  translation::give_filled(c, c.integers(0, "dimensions"), c.constant(1, "value"));
}

NVDLAC_IMPL void filled_like(const conversion& c, std::int64_t v) {
  c.require_inputs(1, 1);
  const bool real = is_real(c.type_of(0));
  translation::give_filled(c, c.shape(0),
                           real ? array::of_reals({}, {static_cast<float>(v)})
                                : array::of_integers({}, {v}));
}

NVDLAC_IMPL void on_range(const conversion& c) {
  c.require_inputs(3, 3);
  const array from = c.constant(0, "values"), to = c.constant(1, "values"),
              step = c.constant(2, "values");
  if (from.size() != 1 || to.size() != 1 || step.size() != 1 || from.real != to.real ||
      from.real != step.real)
    throw error("its ends and step are no single numbers of one type");
  const double by = step.number(0), n = std::ceil((to.number(0) - from.number(0)) / by);
  if (by == 0 || !(n < 1e9)) throw error(text("it counts in steps of ", by));
  const dims shape{static_cast<std::int64_t>(std::max(n, 0.0))};
  array a{.shape = shape, .real = from.real};
  const auto all = onnx_format::count(shape, c.ceiling());
  for (std::int64_t i = 0; i < all; ++i) {
    const double v = from.number(0) + static_cast<double>(i) * by;
    if (a.real) a.reals.push_back(static_cast<float>(v));
    else a.integers.push_back(static_cast<std::int64_t>(v));
  }
  c.give_constant(std::move(a));
}

}  // namespace nvdlac::import::tensorflow_format
