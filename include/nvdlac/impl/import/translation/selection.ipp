// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/reduction.hpp>
#include <nvdlac/import/translation/moving.hpp>
#include <nvdlac/import/translation/selection.hpp>

namespace nvdlac::import::translation {

NVDLAC_IMPL void give_reduced(const conversion& c, const char* type, const dims& axes, bool keep) {
  const onnx_format::reduced_axes sides(c.shape(0), axes, keep);
  c.require_rank(sides.result.size());
  if (c.is_constant(0))
    return c.give_constant(onnx_format::reduced(c.constant(0, "values"),
                                                onnx_format::reducers().at(type), sides,
                                                c.ceiling()));
  const attribute dimensions{"keepdims", std::int64_t{keep}};
  const names inputs{c.plain(0)};
  if (std::string_view(type) != "ReduceSum")
    return c.give_plain(c.node(type, c.name(), inputs, {{"axes", axes}, dimensions}),
                        sides.result);
  c.give_plain(c.node(type, c.name(), {inputs[0], c.all().write_integers(axes, c.name())},
                      {dimensions}),
               sides.result);
}

NVDLAC_IMPL void give_place_of_largest(const conversion& c, std::int64_t axis, bool of_opposites) {
  dims shape = c.shape(0);
  axis = onnx_format::checked_axis(axis, shape.size());
  const auto order = c.common_order();
  auto x = c.in_order(0, order);
  if (of_opposites) x = c.node("Neg", c.name() + "/opposite", {x});
  x = c.node("ArgMax", c.name(), {x}, {{"axis", c.axis_in(order, shape.size(), axis)}});
  if (shape.size() == 4 && order == order::channels_second)
    x = c.node("Transpose", c.name(), {x}, {{"perm", to_channels_last()}});
  shape.erase(shape.begin() + axis);
  c.require_rank(shape.size());
  c.give_plain(c.reshaped(x, shape), shape);
}

NVDLAC_IMPL void give_moved(const conversion& c, const onnx_format::movement& m, const char* type,
                            const array& how, const std::vector<attribute>& attributes,
                            std::size_t i) {
  c.require_rank(m.shape.size(), i);
  if (c.is_constant(0))
    return c.give_constant(onnx_format::apply(c.constant(0, "values"), m), i);
  const auto& name = c.out(i).name;
  c.give_plain(c.node(type, name, {c.plain(0), c.all().write(how, name)}, attributes), m.shape, i);
}

NVDLAC_IMPL array list_of(const dims& d) {
  return array::of_integers({static_cast<std::int64_t>(d.size())}, d);
}

NVDLAC_IMPL void give_gathered(const conversion& c, std::int64_t axis, const array& which) {
  axis = onnx_format::checked_axis(axis, c.shape(0).size());
  give_moved(c, onnx_format::gather(c.shape(0), axis, which, c.ceiling()), "Gather", which,
             {{"axis", axis}});
}

NVDLAC_IMPL void give_unpacked(const conversion& c, std::int64_t axis) {
  const dims shape = c.shape(0);
  axis = onnx_format::checked_axis(axis, shape.size());
  const auto parts = static_cast<std::size_t>(shape[static_cast<std::size_t>(axis)]);
  c.require_outputs(parts);
  for (std::size_t i = 0; i < parts; ++i) {
    const array which = array::of_integers({}, {static_cast<std::int64_t>(i)});
    give_moved(c, onnx_format::gather(shape, axis, which, c.ceiling()), "Gather", which,
               {{"axis", axis}}, i);
  }
}

NVDLAC_IMPL void give_packed(const conversion& c, std::int64_t axis) {
  axis = onnx_format::checked_axis(axis, c.shape(0).size() + 1);
  c.require_rank(c.shape(0).size() + 1);
  const auto longer = [&](std::size_t i) {
    return onnx_format::unsqueeze(c.shape(i), {axis});
  };
  if (c.all_constant()) {
    std::vector<array> parts;
    for (std::size_t i = 0; i < c.inputs(); ++i) {
      parts.push_back(c.constant(i, "values"));
      parts.back().shape = longer(i);
    }
    return c.give_constant(onnx_format::fold_concat(parts, axis, c.ceiling()));
  }
  names parts;
  for (std::size_t i = 0; i < c.inputs(); ++i)
    parts.push_back(c.reshaped(c.plain(i), longer(i)));
  dims shape = longer(0);
  shape[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(c.inputs());
  c.give_plain(c.node("Concat", c.name(), parts, {{"axis", axis}}), std::move(shape));
}

NVDLAC_IMPL void give_tiled(const conversion& c, const dims& repeats) {
  give_moved(c, onnx_format::tile(c.shape(0), repeats, c.ceiling()), "Tile", list_of(repeats));
}

NVDLAC_IMPL void give_broadcast(const conversion& c, const dims& shape) {
  if (onnx_format::broadcast(c.shape(0), shape) != shape)
    throw error(text("it does not broadcast to ", onnx_format::to_text(shape)));
  give_moved(c, onnx_format::expand(c.shape(0), shape, c.ceiling()), "Expand", list_of(shape));
}

NVDLAC_IMPL void give_reversed(const conversion& c, const dims& axes) {
  const dims shape = c.shape(0);
  constexpr std::int64_t far = std::numeric_limits<std::int32_t>::max();
  dims begin(shape.size(), 0), end(shape.size(), far), step(shape.size(), 1);
  for (const auto given : axes) {
    const auto i = static_cast<std::size_t>(onnx_format::checked_axis(given, shape.size()));
    begin[i] = far;
    end[i] = -far;
    step[i] = -1;
  }
  give_slice(c, begin, end, step);
}

NVDLAC_IMPL void give_rank(const conversion& c) {
  c.give_constant(array::of_integers({}, {static_cast<std::int64_t>(c.shape(0).size())}));
}

NVDLAC_IMPL void give_filled(const conversion& c, const dims& shape, const array& v) {
  if (v.size() != 1) throw error("its value is no single number");
  array one = v;
  one.shape = {};
  c.give_constant(onnx_format::apply(one, onnx_format::expand({}, shape, c.ceiling())));
}

}  // namespace nvdlac::import::translation
