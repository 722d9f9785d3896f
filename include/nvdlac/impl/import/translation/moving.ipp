// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/translation/conversion.hpp>
#include <nvdlac/import/translation/moving.hpp>

namespace nvdlac::import::translation {

NVDLAC_IMPL std::int64_t single(const dims& d, const char* what) {
  if (d.size() != 1) throw error(text("its ", what, " is no single number"));
  return d[0];
}

NVDLAC_IMPL array fold_concat(const conversion& c, std::size_t first, std::size_t n,
                              std::int64_t axis) {
  std::vector<array> parts;
  for (std::size_t i = first; i < first + n; ++i) parts.push_back(c.constant(i, "values"));
  return onnx_format::fold_concat(parts, axis, c.ceiling());
}

NVDLAC_IMPL computed concat(const conversion& c, std::size_t first, std::size_t n,
                            std::int64_t axis, const std::string& layer) {
  names inputs;
  const auto order = c.common_order(first + n);
  for (std::size_t i = first; i < first + n; ++i) inputs.push_back(c.in_order(i, order));
  dims shape = c.shape(first);
  const auto along = onnx_format::checked_axis(axis, shape.size());
  auto& length = shape[static_cast<std::size_t>(along)];
  for (std::size_t i = first + 1; i < first + n; ++i)
    if (c.shape(i).size() == shape.size()) length += c.shape(i)[static_cast<std::size_t>(along)];
  const auto in_model = c.axis_in(order, shape.size(), axis);
  return {c.node("Concat", layer, inputs, {{"axis", in_model}}), std::move(shape), order};
}

NVDLAC_IMPL void give_reshaped(const conversion& c, const dims& shape, std::size_t i) {
  if (c.is_constant(i)) {
    array a = c.constant(i, "values");
    a.shape = shape;
    return c.give_constant(std::move(a));
  }
  c.give_plain(c.reshaped(c.plain(i), shape), shape);
}

NVDLAC_IMPL void give_transposed(const conversion& c, const dims& order) {
  if (c.is_constant(0)) {
    const array a = c.constant(0, "values");
    return c.give_constant(
        onnx_format::apply(a, onnx_format::transpose(a.shape, order, c.ceiling())));
  }
  c.give_plain(c.node("Transpose", c.name(), {c.plain(0)}, {{"perm", order}}),
               onnx_format::transpose(c.shape(0), order, c.ceiling()).shape);
}

NVDLAC_IMPL dims checked_pads(const conversion& c, const dims& given) {
  if (given.size() != 2 * c.shape(0).size()) throw error(text("it has ", given.size(), " pads"));
  return given;
}

NVDLAC_IMPL dims padded_shape(const conversion& c, const dims& pads) {
  dims shape = c.shape(0);
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] += pads[2 * i] + pads[2 * i + 1];
  return shape;
}

NVDLAC_IMPL computed pad(const conversion& c, const dims& given, const char* mode,
                         const std::optional<array>& filling) {
  const dims pairs = checked_pads(c, given);
  const auto order = c.common_order();
  const auto rank = c.shape(0).size();
  dims pads(2 * rank);  // as ONNX orders them
  for (std::size_t i = 0; i < rank; ++i) {
    const auto to = static_cast<std::size_t>(
        c.axis_in(order, rank, static_cast<std::int64_t>(i)));
    pads[to] = pairs[2 * i];
    pads[to + rank] = pairs[2 * i + 1];
  }
  names inputs{c.in_order(0, order), c.all().write_integers(pads, c.name())};
  if (filling) {
    array v = *filling;
    if (v.size() != 1) throw error("its padding has several values");
    v.shape = {};
    inputs.push_back(c.all().write(v, c.name()));
  }
  return {c.node("Pad", c.name(), inputs, {{"mode", std::string(mode)}}), padded_shape(c, pairs),
          order};
}

NVDLAC_IMPL dims mirrored(std::int64_t n, std::int64_t before, std::int64_t after,
                          const onnx_format::element_ceiling& most) {
  if (before < 0 || after < 0 || before > n || after > n)
    throw error(text("it mirrors ", before, " and ", after, " of ", n, " elements"));
  onnx_format::require_movable({before + n + after}, most);
  dims from;
  for (auto i = -before; i < n + after; ++i)
    from.push_back(i < 0 ? -1 - i : i < n ? i : 2 * n - 1 - i);
  return from;
}

NVDLAC_IMPL computed mirror_pad(const conversion& c, const dims& given, bool symmetric) {
  if (!symmetric) return pad(c, given, "reflect");
  const dims pads = checked_pads(c, given), shape = c.shape(0);
  auto x = c.plain(0);
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (pads[2 * i] != 0 || pads[2 * i + 1] != 0)
      x = c.node("Gather", c.name(),
                 {x, c.all().write_integers(mirrored(shape[i], pads[2 * i], pads[2 * i + 1],
                                                     c.ceiling()),
                                            c.name())},
                 {{"axis", static_cast<std::int64_t>(i)}});
  return {x, padded_shape(c, pads)};
}

NVDLAC_IMPL void give_slice(const conversion& c, const dims& begin, const dims& end,
                            const dims& step) {
  give_slice(c, begin, end, step, [](const dims& d) { return d; });
}

NVDLAC_IMPL dims spread(dims& begin, dims& end, dims& step, slice_masks& masks, std::size_t rank) {
  if (masks.ellipsis == 0 && masks.new_axis == 0) return {};
  std::size_t named = 0;
  for (std::size_t i = 0; i < begin.size(); ++i)
    if (!has_bit(masks.ellipsis, i) && !has_bit(masks.new_axis, i)) ++named;
  if (named > rank) throw error("its begins, ends and steps are not of one length");
  dims b, e, s, added;
  slice_masks m;
  std::int64_t place = 0;
  bool dots = false;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (has_bit(masks.ellipsis, i)) {
      if (std::exchange(dots, true)) throw error("it has two ellipses");
      for (std::size_t k = named; k < rank; ++k, ++place) {
        m.begin |= std::int64_t{1} << b.size();
        m.end |= std::int64_t{1} << b.size();
        b.push_back(0);
        e.push_back(0);
        s.push_back(1);
      }
    } else if (has_bit(masks.new_axis, i)) {
      added.push_back(place++);
    } else {
      const auto bit = std::int64_t{1} << b.size();
      if (has_bit(masks.begin, i)) m.begin |= bit;
      if (has_bit(masks.end, i)) m.end |= bit;
      if (has_bit(masks.shrunk, i)) m.shrunk |= bit;
      else ++place;
      b.push_back(begin[i]);
      e.push_back(end[i]);
      s.push_back(step[i]);
    }
  }
  begin = b;
  end = e;
  step = s;
  masks = m;
  return added;
}

NVDLAC_IMPL void give_strided_slice(const conversion& c, dims begin, dims end, dims step,
                                    slice_masks masks) {
  const dims shape = c.shape(0);
  if (begin.size() != end.size() || begin.size() != step.size() || begin.size() > 32)
    throw error("its begins, ends and steps are not of one length");
  const dims added = spread(begin, end, step, masks, shape.size());
  if (begin.size() > shape.size())
    throw error("its begins, ends and steps are not of one length");
  dims shrunk;
  constexpr std::int64_t far = std::numeric_limits<std::int32_t>::max();
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (has_bit(masks.shrunk, i)) {  // one element, whose dimension vanishes
      if (begin[i] < 0) begin[i] += shape[i];
      end[i] = begin[i] + 1;
      step[i] = 1;
      shrunk.push_back(static_cast<std::int64_t>(i));
      continue;
    }
    if (has_bit(masks.begin, i)) begin[i] = step[i] < 0 ? far : 0;
    if (has_bit(masks.end, i)) end[i] = step[i] < 0 ? -far : far;
  }
  give_slice(c, begin, end, step, [&](const dims& d) {
    return onnx_format::unsqueeze(onnx_format::squeeze(d, shrunk), added);
  });
}

NVDLAC_IMPL void give_part(const conversion& c, const dims& begin, const dims& size) {
  const dims shape = c.shape(0);
  if (begin.size() != shape.size() || size.size() != shape.size())
    throw error("its begins and sizes are not one for each dimension");
  dims end(size.size());
  for (std::size_t i = 0; i < size.size(); ++i) {
    end[i] = size[i] == -1 ? shape[i] : begin[i] + size[i];
    if (begin[i] < 0 || end[i] < begin[i] || end[i] > shape[i])
      throw error(text("it takes elements ", begin[i], " to ", end[i], " of ", shape[i]));
  }
  give_slice(c, begin, end, dims(size.size(), 1));
}

NVDLAC_IMPL void give_split(const conversion& c, std::size_t i, std::int64_t axis,
                            const dims& sizes) {
  if (!onnx_format::operators().contains("Split")) throw error(conversion::not_supported());
  names parts;
  for (std::size_t k = 0; k < sizes.size(); ++k) parts.push_back(c.all().fresh(c.out(k).name));
  const auto order = c.common_order(i + 1);
  c.all().to().node("Split", c.name(),
                    {c.in_order(i, order), c.all().write_integers(sizes, c.name())}, parts,
                    {{"axis", c.axis_in(order, c.shape(i).size(), axis)}});
  dims shape = c.shape(i);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    shape[static_cast<std::size_t>(onnx_format::checked_axis(axis, shape.size()))] = sizes[k];
    c.give({parts[k], shape, order}, k);
  }
}

NVDLAC_IMPL void give_split(const conversion& c, std::int64_t axis, dims sizes) {
  if (sizes.size() != c.outputs()) throw error("its sizes are not one for each output");
  std::int64_t rest = c.shape(0)[static_cast<std::size_t>(axis)];
  for (const auto s : sizes) rest -= std::max<std::int64_t>(s, 0);
  for (auto& s : sizes) s = s == -1 ? rest : s;
  give_split(c, 0, axis, sizes);
}

NVDLAC_IMPL computed resize(const conversion& c, bool linear, const dims& size, bool corners,
                            bool half) {
  if (size.size() != 2) throw error(text("its size is ", onnx_format::to_text(size)));
  if (corners && half) throw error("it aligns both corners and centres");
  const dims in = c.shape(0);
  std::vector<attribute> how = {
      {"mode", std::string(linear ? "linear" : "nearest")},
      {"coordinate_transformation_mode",
       std::string(corners ? "align_corners" : half ? "half_pixel" : "asymmetric")}};
  // Half a pixel before it is rounded down, or an aligned corner, is rounded to the nearest.
  if (!linear)
    how.push_back({"nearest_mode", std::string(corners || half ? "round_prefer_ceil" : "floor")});
  return {c.node("Resize", c.name(),
                 {c.picture(0), "", "",
                  c.all().write_integers({in[0], in[3], size[0], size[1]}, c.name())},
                 how),
          {in[0], size[0], size[1], in[3]}, order::channels_second};
}

NVDLAC_IMPL computed by_blocks(const conversion& c, bool to_space, std::int64_t block) {
  dims shape = c.shape(0);
  const auto area = block > 0 && block < 65536 ? block * block : 1;
  for (std::size_t k = 1; k < 3; ++k)
    shape[k] = to_space ? shape[k] * block : shape[k] / std::max<std::int64_t>(block, 1);
  shape[3] = to_space ? shape[3] / area : shape[3] * area;
  return {c.node(to_space ? "DepthToSpace" : "SpaceToDepth", c.name(), {c.picture(0)},
                 {{"blocksize", block}}),
          std::move(shape), order::channels_second};
}

}  // namespace nvdlac::import::translation
