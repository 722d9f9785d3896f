// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/reshape.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::caffe_format {

namespace detail {

inline dims reshaped(const context& c, const proto::view& p, const dims& in) {
  const auto wanted = p.child("shape").values<std::int64_t>("dim");
  const auto rank = static_cast<std::int64_t>(in.size());
  const auto axis = p.integer("axis", 0), first = axis < 0 ? axis + rank + 1 : axis;
  const auto axes = p.integer("num_axes", -1), end = axes == -1 ? rank : first + axes;
  if (axes < -1 || first < 0 || first > rank || end > rank)
    throw error(text("it reshapes ", count_of(axes, "axis", "axes"), " from axis ", axis, " of ",
                     rank));
  dims out(in.begin(), in.begin() + first);
  std::size_t open = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::int64_t n = wanted[i];
    if (n == 0) {
      if (first + static_cast<std::int64_t>(i) >= end)
        throw error("it copies an axis that is not there");
      n = in[static_cast<std::size_t>(first) + i];
    } else if (out.empty() && n == c.batch) {
      n = 1;  // the batch for which the file was written
    } else if (out.empty() && n > 0 && c.batch > 1) {
      throw error(problem{.reason = text("it reshapes ", count_of(c.batch, "picture"), " to ", n,
                                         ", which mixes them"),
                          .remedy = "the first dimension is the batch"});
    } else if (n == -1) {
      if (open++ != 0) throw error("its shape has more than one -1");
    } else if (n < 1) {
      throw error(text("its shape has the dimension ", n));
    }
    out.push_back(n);
  }
  out.insert(out.end(), in.begin() + end, in.end());
  std::int64_t total = 1, known = 1;
  for (const auto n : in) total = net::product({total, n});
  for (const auto n : out) known = net::product({known, n == -1 ? 1 : n});
  for (auto& n : out)
    if (n == -1) n = total / known;
  if (out.empty() || out[0] != 1)
    throw error(problem{.reason = text("it reshapes to ", to_text(out), ", which mixes pictures"),
                        .remedy = "the first dimension is the batch, which is 1"});
  return out;
}

}  // namespace detail

NVDLAC_IMPL blob on_flatten(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("flatten_param");
  const auto first = canonical(p.integer("axis", 1), in[0]);
  const auto last = canonical(p.integer("end_axis", -1), in[0]);
  if (first < 1 || last < first)
    throw error(
        text("it flattens the axes ", first, " to ", last, " (1 and above are supported)"));
  dims out(in[0].shape.begin(), in[0].shape.begin() + first);
  std::int64_t joined = 1;
  for (auto i = first; i <= last; ++i) joined *= in[0].shape[static_cast<std::size_t>(i)];
  out.push_back(joined);
  out.insert(out.end(), in[0].shape.begin() + last + 1, in[0].shape.end());
  if (out.size() == 2) return {c.add(l, net::flatten{}, in), out};
  return {c.add(l, net::reshape{cube(out)}, in), out};
}

NVDLAC_IMPL blob on_reshape(context& c, const layer& l, std::span<const blob> in) {
  const dims out = detail::reshaped(c, l.fields.child("reshape_param"), in[0].shape);
  return {c.add(l, net::reshape{cube(out)}, in), out};
}

}  // namespace nvdlac::import::caffe_format
