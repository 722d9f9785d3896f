// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/tflite/layers.hpp>
#include <nvdlac/import/tflite/layout.hpp>
#include <nvdlac/import/translation/moving.hpp>
#include <nvdlac/import/translation/selection.hpp>

namespace nvdlac::import::tflite_format {

NVDLAC_IMPL void on_concat(const conversion& c) {
  c.require_inputs(1, 4096);
  const auto a = c.activation(1);
  const auto n = c.inputs();
  if (a == 0 && c.all_constant())
    return c.give_constant(translation::fold_concat(c, 0, n, c.integer(0)));
  c.give_activated(translation::concat(c, 0, n, c.integer(0), c.before(a)), a);
}

NVDLAC_IMPL void give_reshaped(const conversion& c, const dims& shape) {
  if (shape.size() != c.out().shape.size())
    throw error(text("its output ", onnx_format::to_text(c.out().shape), " is not ",
                     onnx_format::to_text(shape)));
  translation::give_reshaped(c, shape);
}

NVDLAC_IMPL void on_reshape(const conversion& c) {
  c.require_inputs(1, 2);
  const auto reshaped = [&](const dims& to) {
    for (const auto d : to)
      if (d == 0 || d < -1) throw error(text("its shape has the dimension ", d));
    return onnx_format::reshape(c.shape(0), to, true);
  };
  const dims given = c.numbers(0).value_or(dims{});
  const dims shape = reshaped(c.given(1) ? c.integers(1, "dimensions")
                              : given.empty() ? c.out().shape : given);
  if (!given.empty() && reshaped(given) != shape)
    throw error(text("it reshapes to ", onnx_format::to_text(shape), ", but its options say ",
                     onnx_format::to_text(given)));
  if (shape.size() != c.out().shape.size())
    throw error(text("it reshapes to ", onnx_format::to_text(shape), ", but its output is ",
                     onnx_format::to_text(c.out().shape)));
  give_reshaped(c, shape);
}

NVDLAC_IMPL void on_squeeze(const conversion& c) {
  c.require_inputs(1, 1);
  const auto axes = c.numbers(0);
  const bool all = !axes || axes->empty();
  give_reshaped(c, onnx_format::squeeze(c.shape(0), all ? std::nullopt : axes));
}

NVDLAC_IMPL void on_expand_dims(const conversion& c) {
  c.require_inputs(2, 2);
  give_reshaped(c, onnx_format::unsqueeze(c.shape(0), c.integers(1, "axes")));
}

NVDLAC_IMPL void on_transpose(const conversion& c) {
  c.require_inputs(2, 2);
  translation::give_transposed(c, c.integers(1, "axes"));
}

NVDLAC_IMPL void on_pad(const conversion& c) {
  c.require_inputs(2, 3);
  std::optional<array> filling;
  if (c.given(2)) filling = c.reals(2, "values of the padding");
  c.give(translation::pad(c, c.integers(1, "pads"), "constant", filling));
}

NVDLAC_IMPL void on_mirror_pad(const conversion& c) {
  c.require_inputs(2, 2);
  c.give(translation::mirror_pad(c, c.integers(1, "pads"), c.flag(0)));
}

NVDLAC_IMPL void on_strided_slice(const conversion& c) {
  c.require_inputs(4, 4);
  const dims begin = c.integers(1, "begins"), end = c.integers(2, "ends"),
             step = c.integers(3, "steps");
  if (c.integer(2) != 0 || c.integer(3) != 0) throw error("it has an ellipsis or a new axis");
  if (c.flag(5)) throw error("its ends are offsets");
  translation::give_strided_slice(
      c, begin, end, step, {.begin = c.integer(0), .end = c.integer(1), .shrunk = c.integer(4)});
}

NVDLAC_IMPL void on_slice(const conversion& c) {
  c.require_inputs(3, 3);
  translation::give_part(c, c.integers(1, "begins"), c.integers(2, "sizes"));
}

NVDLAC_IMPL void on_split(const conversion& c) {
  c.require_inputs(2, 2);
  const auto parts = static_cast<std::int64_t>(c.outputs());
  const auto& shape = c.shape(1);
  const auto axis = onnx_format::checked_axis(single(c.integers(0, "axis"), "axis"), shape.size());
  const auto size = shape[static_cast<std::size_t>(axis)];
  if (c.integer(0) != parts || size % parts != 0)
    throw error(text("it splits ", size, " into ", count_of(c.integer(0), "part"), ", but has ",
                     count_of(parts, "output")));
  translation::give_split(c, 1, axis, dims(c.outputs(), size / parts));
}

NVDLAC_IMPL void on_split_v(const conversion& c) {
  c.require_inputs(3, 3);
  const dims sizes = c.integers(1, "sizes");
  c.require_count(0, c.outputs(), "parts");
  translation::give_split(c,
                          onnx_format::checked_axis(single(c.integers(2, "axis"), "axis"),
                                                    c.shape(0).size()),
                          sizes);
}

NVDLAC_IMPL void resize(const conversion& c, bool linear, int align_corners, int half_pixel) {
  c.require_inputs(2, 2);
  require_picture(c, 0);
  const dims size = c.integers(1, "sizes");
  c.give(translation::resize(c, linear, size, c.flag(align_corners), c.flag(half_pixel)));
}

NVDLAC_IMPL void on_resize_bilinear(const conversion& c) {
  if (c.integer(0) != 0 || c.integer(1) != 0) throw error("its options give the size, too");
  resize(c, true, 2, 3);
}

NVDLAC_IMPL void by_blocks(const conversion& c, bool to_space) {
  c.require_inputs(1, 1);
  require_picture(c, 0);
  c.give(translation::by_blocks(c, to_space, c.integer(0)));
}

NVDLAC_IMPL void reduce(const conversion& c, const char* type) {
  c.require_inputs(2, 2);
  const bool keep = c.flag(0);
  translation::give_reduced(c, type, c.integers(1, "axes"), keep);
}

NVDLAC_IMPL void arg_max(const conversion& c, bool of_opposites) {
  c.require_inputs(2, 2);
  c.require_type(0, c.out());
  translation::give_place_of_largest(c, single(c.integers(1, "axis"), "axis"), of_opposites);
}

NVDLAC_IMPL void on_gather(const conversion& c) {
  c.require_inputs(2, 2);
  if (c.integer(1) != 0)
    throw error(problem{.reason = text("it gathers apart for ",
                                       count_of(c.integer(1), "dimension")),
                        .remedy = "batch_dims 0 is supported"});
  translation::give_gathered(c, c.integer(0), c.constant(1, "indices", false));
}

NVDLAC_IMPL void on_unpack(const conversion& c) {
  c.require_inputs(1, 1);
  c.require_count(0, c.outputs(), "parts");
  translation::give_unpacked(c, c.integer(1));
}

NVDLAC_IMPL void on_pack(const conversion& c) {
  c.require_inputs(1, 1024);
  c.require_count(0, c.inputs(), "values");
  translation::give_packed(c, c.integer(1));
}

NVDLAC_IMPL void on_shape(const conversion& c) {
  c.require_inputs(1, 1);
  c.require_type(0, c.out());
  translation::give_shape(c);
}

NVDLAC_IMPL void on_rank(const conversion& c) {
  c.require_inputs(1, 1);
  translation::give_rank(c);
}

NVDLAC_IMPL void on_fill(const conversion& c) {
  c.require_inputs(2, 2);
  translation::give_filled(c, c.integers(0, "dimensions"), c.constant(1, "value"));
}

NVDLAC_IMPL void on_densify(const conversion& c) {
  c.require_inputs(1, 1);
  c.give_constant(c.constant(0, "values"));
}

}  // namespace nvdlac::import::tflite_format
