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

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/pytorch/call.hpp>
#include <nvdlac/import/pytorch/moving.hpp>

namespace nvdlac::import::pytorch_format {

NVDLAC_IMPL results on_view(const call& c) {
  return {c.to().reshaped(c.layer, c.tensor("self"),
                          c.integers(c.has("shape") ? "shape" : "size").value_or(dims{}))};
}

NVDLAC_IMPL results on_flatten(const call& c) {
  const auto x = c.tensor("self");
  const auto first = static_cast<std::size_t>(c.axis("start_dim", x, 0)),
             last = static_cast<std::size_t>(c.axis("end_dim", x, -1));
  if (first > last) throw error("its end_dim lies before its start_dim");
  dims shape(first, 0);  // which keeps a size
  shape.push_back(-1);
  if (last + 1 < x.rank) {
    const auto whole = c.shape("self");
    for (auto i = last + 1; i < whole.size(); ++i) shape.push_back(whole[i]);
  }
  return {c.to().reshaped(c.layer, x, shape)};
}

NVDLAC_IMPL results on_permute(const call& c) {
  const auto x = c.tensor("self");
  auto order = c.integers("dims").value_or(dims{});
  for (auto& a : order) a = onnx_format::checked_axis(a, x.rank);
  return {c.to().transposed(c.layer, x, order)};
}

NVDLAC_IMPL results exchanged(const call& c, const operand& x, std::int64_t a, std::int64_t b) {
  auto order = onnx_format::ascending(static_cast<std::int64_t>(x.rank), 1);
  std::swap(order.at(static_cast<std::size_t>(a)), order.at(static_cast<std::size_t>(b)));
  return {c.to().transposed(c.layer, x, order)};
}

NVDLAC_IMPL results on_transpose(const call& c) {
  const auto x = c.tensor("self");
  return exchanged(c, x, c.axis("dim0", x), c.axis("dim1", x));
}

NVDLAC_IMPL results on_t(const call& c) {
  const auto x = c.tensor("self");
  if (x.rank != 2) return {x};
  return exchanged(c, x, 0, 1);
}

NVDLAC_IMPL results on_unsqueeze(const call& c) {
  const auto x = c.tensor("self");
  const auto axis = onnx_format::checked_axis(c.integer("dim"), x.rank + 1);
  return {c.to().node("Unsqueeze", c.layer, {x, c.to().integers({axis})}, x.rank + 1)};
}

NVDLAC_IMPL results on_squeeze(const call& c) {
  const auto x = c.tensor("self");
  const auto shape = c.shape("self");
  auto given = c.integers("dim").value_or(
      onnx_format::ascending(static_cast<std::int64_t>(x.rank), 1));
  std::erase_if(given, [&](auto& a) {
    a = onnx_format::checked_axis(a, x.rank);
    return shape.at(static_cast<std::size_t>(a)) != 1;
  });
  if (given.empty()) return {x};
  return {c.to().squeezed(c.layer, x, given)};
}

NVDLAC_IMPL results on_slice(const call& c) {
  const auto x = c.tensor("self");
  constexpr auto whole = std::numeric_limits<std::int64_t>::max();
  return {c.to().sliced(c.layer, x, c.axis("dim", x, 0), c.integer("start", 0),
                        c.integer("end", whole), c.integer("step", 1))};
}

NVDLAC_IMPL results on_select(const call& c) {
  const auto x = c.tensor("self");
  const auto axis = c.axis("dim", x), at = c.integer("index");
  const auto end = at == -1 ? std::numeric_limits<std::int64_t>::max() : at + 1;
  const auto one = c.to().sliced(c.layer + "/slice", x, axis, at, end);
  return {c.to().squeezed(c.layer, one, {axis})};
}

NVDLAC_IMPL results parts(const call& c, const operand& x, std::int64_t axis, const dims& lengths) {
  if (lengths.size() != c.outputs.size())
    throw error(text("it has ", c.outputs.size(), " results for ",
                     count_of(lengths.size(), "part")));
  return c.to().several("Split", c.layer, {x, c.to().integers(lengths)},
                        std::vector(lengths.size(), x.rank), {{"axis", axis}});
}

NVDLAC_IMPL results equal_parts(const call& c, const operand& x, std::int64_t length) {
  const auto axis = c.axis("dim", x, 0);
  auto rest = c.shape("self").at(static_cast<std::size_t>(axis));
  if (length < 1 || rest / length > static_cast<std::int64_t>(c.outputs.size()))
    throw error(text("it makes parts of ", length, " of ", rest, " elements"));
  dims lengths;
  for (; rest > 0; rest -= lengths.back()) lengths.push_back(std::min(length, rest));
  return parts(c, x, axis, lengths);
}

NVDLAC_IMPL results on_split(const call& c) {
  return equal_parts(c, c.tensor("self"), c.integer("split_size"));
}

NVDLAC_IMPL results on_chunk(const call& c) {
  const auto x = c.tensor("self");
  const auto n = c.shape("self").at(static_cast<std::size_t>(c.axis("dim", x, 0)));
  const auto chunks = c.integer("chunks");
  if (chunks < 1 || chunks > n) throw error(text("it makes ", chunks, " chunks"));
  return equal_parts(c, x, (n + chunks - 1) / chunks);
}

NVDLAC_IMPL results on_split_with_sizes(const call& c) {
  const auto x = c.tensor("self");
  return parts(c, x, c.axis("dim", x, 0), c.integers("split_sizes").value_or(dims{}));
}

NVDLAC_IMPL results on_concat(const call& c) {
  const auto all = c.tensors("tensors");
  if (all.empty()) throw error("it has no inputs");
  return {c.to().node("Concat", c.layer, all, all[0].rank, {{"axis", c.axis("dim", all[0], 0)}})};
}

NVDLAC_IMPL results on_stack(const call& c) {
  auto all = c.tensors("tensors");
  if (all.empty()) throw error("it has no inputs");
  const auto rank = all[0].rank + 1;
  const auto axis = onnx_format::checked_axis(c.integer("dim", 0), rank);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = c.to().node("Unsqueeze", text(c.layer, "/input", i),
                         {all[i], c.to().integers({axis})}, rank);
  return {c.to().node("Concat", c.layer, all, rank, {{"axis", axis}})};
}

NVDLAC_IMPL results on_unbind(const call& c) {
  const auto x = c.tensor("self");
  const auto axis = c.axis("dim", x, 0);
  auto all = parts(c, x, axis, dims(c.outputs.size(), 1));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = c.to().squeezed(text(c.layer, "/element", i), all[i], {axis});
  return all;
}

NVDLAC_IMPL results on_unflatten(const call& c) {
  const auto x = c.tensor("self");
  const auto axis = c.axis("dim", x);
  const auto sizes = c.integers("sizes").value_or(dims{});
  auto shape = c.shape("self");
  const auto at = shape.erase(shape.begin() + axis);
  shape.insert(at, sizes.begin(), sizes.end());
  return {c.to().reshaped(c.layer, x, shape)};
}

NVDLAC_IMPL results on_view_as(const call& c) {
  return {c.to().reshaped(c.layer, c.tensor("self"), c.shape("other"))};
}

NVDLAC_IMPL results expanded(const call& c, dims size) {
  const auto x = c.tensor("self");
  std::ranges::replace(size, -1, 1);
  return {c.to().node("Expand", c.layer, {x, c.to().integers(size)},
                      std::max(x.rank, size.size()))};
}

NVDLAC_IMPL results on_expand(const call& c) {
  c.ignore({"implicit"});
  return expanded(c, c.integers("size").value_or(dims{}));
}

NVDLAC_IMPL results on_expand_as(const call& c) { return expanded(c, c.shape("other")); }

NVDLAC_IMPL results on_repeat(const call& c) {
  const auto x = c.tensor("self");
  const auto times = c.integers("repeats").value_or(dims{});
  if (times.size() < x.rank)
    throw error(text("it repeats ", count_of(times.size(), "axis", "axes"), " of ", x.rank));
  auto wide = x;
  if (times.size() > x.rank) {
    auto shape = c.shape("self");
    shape.insert(shape.begin(), times.size() - x.rank, 1);
    wide = c.to().reshaped(c.layer + "/axes", x, shape);
  }
  return {c.to().node("Tile", c.layer, {wide, c.to().integers(times)}, times.size())};
}

NVDLAC_IMPL results on_roll(const call& c) {
  auto x = c.tensor("self");
  const auto shape = c.shape("self");
  const auto shifts = c.integers("shifts").value_or(dims{});
  auto axes = c.integers("dims").value_or(dims{});
  if (axes.empty()) throw error("it rolls all elements as one row, which is not supported");
  if (axes.size() != shifts.size())
    throw error(text("it has ", count_of(shifts.size(), "shift"), " for ",
                     count_of(axes.size(), "axis", "axes")));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = onnx_format::checked_axis(axes[i], x.rank);
    const auto n = shape.at(static_cast<std::size_t>(axis));
    dims from;
    for (std::int64_t k = 0; k < n; ++k) from.push_back(((k - shifts[i]) % n + n) % n);
    x = c.to().node("Gather", i + 1 == axes.size() ? c.layer : text(c.layer, "/roll", i),
                    {x, c.to().integers(from)}, x.rank, {{"axis", axis}});
  }
  return {x};
}

NVDLAC_IMPL results on_flip(const call& c) {
  auto x = c.tensor("self");
  constexpr auto first = std::numeric_limits<std::int64_t>::min();
  const auto axes = c.integers("dims").value_or(dims{});
  for (std::size_t i = 0; i < axes.size(); ++i)
    x = c.to().sliced(i + 1 == axes.size() ? c.layer : text(c.layer, "/flip", i), x,
                      onnx_format::checked_axis(axes[i], x.rank), -1, first, -1);
  return {x};
}

NVDLAC_IMPL results padded(const call& c, const char* name, const std::string& mode, float value) {
  const auto x = c.tensor("self");
  const auto given = c.integers(name).value_or(dims{});
  if (given.size() % 2 != 0 || given.size() > 2 * x.rank)
    throw error(text("its pads are ", onnx_format::to_text(given)));
  dims pads(2 * x.rank, 0);
  for (std::size_t i = 0; i < given.size() / 2; ++i) {
    pads[x.rank - 1 - i] = given[2 * i];
    pads[2 * x.rank - 1 - i] = given[2 * i + 1];
  }
  std::vector<operand> inputs{x, c.to().integers(pads)};
  if (mode == "constant") inputs.push_back(c.to().number(value));
  return {c.to().node("Pad", c.layer, inputs, x.rank, {{"mode", mode}})};
}

NVDLAC_IMPL results on_pad(const call& c) {
  const auto mode = c.string("mode", "constant");
  return padded(c, "pad", mode == "replicate" ? "edge" : mode == "circular" ? "wrap" : mode,
                c.number("value", 0));
}

NVDLAC_IMPL results on_constant_pad(const call& c) {
  return padded(c, "pad", "constant", c.number("value", 0));
}

NVDLAC_IMPL results upsampled(const call& c, const std::string& mode) {
  const bool listed = c.has("input");
  const auto x = input_of(c);
  if (x.rank != 4) throw error(text("its input has ", count_of(x.rank, "dimension")));
  const auto in = c.shape(listed ? "input" : "self");
  auto out = c.integers("output_size").value_or(dims{});
  const auto factors = c.numbers("scale_factors").value_or(std::vector<float>{});
  if (out.empty())
    for (std::size_t i = 0; i < factors.size(); ++i)
      out.push_back(static_cast<std::int64_t>(
          static_cast<float>(in.at(std::min<std::size_t>(i + 2, 3))) *
          std::clamp(factors[i], 0.0F, 65535.0F)));
  if (out.size() != 2 || in.size() != 4) throw error("its output_size is missing");
  // PyTorch computes places by the factor that is given, ONNX by that of the sizes.
  for (std::size_t i = 0; i < 2; ++i)
    for (const auto& given :
         {i < factors.size() ? std::optional(factors[i]) : std::nullopt,
          c.given<float>(i == 0 ? "scales_h" : "scales_w")})
      if (given && *given * static_cast<float>(in[i + 2]) != static_cast<float>(out[i]))
        throw error(problem{.reason = text("its factor ", *given, " does not make ", out[i], " of ",
                                           in[i + 2], " elements"),
                            .remedy = "give it the size, or set recompute_scale_factor"});
  const bool corners = mode != "nearest" && c.flag("align_corners");
  return {c.to().resized(c.layer, x, c.to().left_out(),
                         c.to().integers({in[0], in[1], out[0], out[1]}), mode,
                         mode == "nearest" ? "asymmetric"
                         : corners         ? "align_corners"
                                           : "half_pixel")};
}

NVDLAC_IMPL results on_pixel_shuffle(const call& c) {
  const auto x = c.tensor("self");
  return {c.to().node("DepthToSpace", c.layer, {x}, x.rank,
                      {{"blocksize", c.integer("upscale_factor")}, {"mode", std::string("CRD")}})};
}

NVDLAC_IMPL results on_pixel_unshuffle(const call& c) {
  const auto x = c.tensor("self");
  const auto s = c.shape("self");
  const auto by = c.integer("downscale_factor");
  if (s.size() != 4 || by < 1 || s[2] % by != 0 || s[3] % by != 0)
    throw error(text("it divides ", onnx_format::to_text(s), " by ", by));
  const auto apart = c.to().reshaped(c.layer + "/blocks", x,
                                     {s[0], s[1], s[2] / by, by, s[3] / by, by});
  const auto turned = c.to().transposed(c.layer + "/turned", apart, {0, 1, 3, 5, 2, 4});
  return {c.to().reshaped(c.layer, turned, {s[0], s[1] * by * by, s[2] / by, s[3] / by})};
}

}  // namespace nvdlac::import::pytorch_format
