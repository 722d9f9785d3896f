// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/elementwise.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/weights.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import::caffe_format {

namespace detail {

// The second input has the first axes of the first one: the batch and the channels, or all.
inline void require_leading(const proto::view& p, std::span<const blob> in) {
  const auto &whole = in[0].shape, &part = in[1].shape;
  if (canonical(p.integer("axis", 1), in[0]) != 0)
    throw error(problem{.reason = text("axis ", p.integer("axis", 1),
                                       " of a layer with two inputs is not supported"),
                        .remedy = "axis 0 is"});
  const bool fits = (part.size() == 2 || part.size() == whole.size()) &&
                    part.size() <= whole.size() &&
                    std::equal(part.begin(), part.end(), whole.begin());
  if (!fits)
    throw error(text("its inputs have the shapes ", to_text(whole), " and ", to_text(part)));
}

}  // namespace detail

NVDLAC_IMPL blob on_eltwise(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("eltwise_param");
  const auto operation = p.enumerator("operation", "SUM");
  const auto given = p.values<float>("coeff");
  if (operation != "SUM" && !given.empty())
    throw error(text("it has coefficients, which only a SUM does, not a ", operation));
  if (!given.empty() && given.size() != in.size())
    throw error(text("it has ", given.size(), " coefficients for ", count_of(in.size(), "input")));
  for (const auto& b : in)
    if (b.shape != in[0].shape)
      throw error(text("its inputs have different shapes, ", to_text(in[0].shape), " and ",
                       to_text(b.shape)));
  const auto coefficient = [&](std::size_t i) { return given.empty() ? 1.0F : given[i]; };
  assembly::id all = in[0].node;
  for (std::size_t i = 1; i < in.size(); ++i) {
    const auto name = i + 1 == in.size() ? l.name : text(l.name, "/part", i);
    const std::vector inputs{all, in[i].node};
    const float before = i == 1 ? coefficient(0) : 1.0F;
    if (operation == "PROD") all = c.net.add(name, net::multiply{}, inputs, l.line);
    else if (operation == "MAX") all = c.net.add(name, net::extremum{}, inputs, l.line);
    else
      all = c.net.add(name, net::add{.coefficients = {before, coefficient(i)}}, inputs, l.line);
  }
  return {all, in[0].shape};
}

NVDLAC_IMPL blob on_scale(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("scale_param");
  if (in.size() == 2) {
    detail::require_leading(p, in);
    const bool biased = p.flag("bias_term", false);
    const auto name = biased ? l.name + "/factor" : l.name;
    const auto product = c.net.add(name, net::multiply{}, {in[0].node, in[1].node}, l.line);
    if (!biased) return {product, in[0].shape};
    const blob scaled{product, in[0].shape};
    net::scale op{.factor = {1.0F}};
    const bool sound = c.load(l, [&] {
      if (in[1].shape.size() != 2) throw error("its bias is not one value for each channel");
      op.bias = weights::values(c.weights.of(l.name, 1)[0], in[1].shape, "bias");
    });
    return c.keep(l, std::move(op), std::span(&scaled, 1), sound);
  }
  const dims size = per_channel(p, in[0]);
  net::scale op;
  const bool sound = c.load(l, [&] {
    const bool biased = p.flag("bias_term", false);
    const auto& blobs = c.weights.of(l.name, biased ? 2 : 1);
    op.factor = weights::values(blobs[0], size, "factor");
    if (biased) op.bias = weights::values(blobs[1], size, "bias");
  });
  return c.keep(l, std::move(op), in, sound);
}

NVDLAC_IMPL blob on_bias(context& c, const layer& l, std::span<const blob> in) {
  if (in.size() == 2) {
    detail::require_leading(l.fields.child("bias_param"), in);
    return c.keep(l, net::add{}, in);
  }
  const dims size = per_channel(l.fields.child("bias_param"), in[0]);
  net::scale op{.factor = {1.0F}};
  const bool sound = c.load(l, [&] {
    op.bias = weights::values(c.weights.of(l.name, 1)[0], size, "bias");
  });
  return c.keep(l, std::move(op), in, sound);
}

NVDLAC_IMPL blob on_axpy(context& c, const layer& l, std::span<const blob> in) {
  const net::shape factor = cube(in[0].shape), x = cube(in[1].shape);
  if (factor != net::shape{x.c, 1, 1} || in[1].shape != in[2].shape)
    throw error(text("its inputs have the shapes ", to_text(in[0].shape), ", ",
                     to_text(in[1].shape), " and ", to_text(in[2].shape)));
  const auto scaled =
      c.net.add(l.name + "/factor", net::multiply{}, {in[1].node, in[0].node}, l.line);
  return {c.net.add(l.name, net::add{}, {scaled, in[2].node}, l.line), in[1].shape};
}

NVDLAC_IMPL blob on_batch_norm(context& c, const layer& l, std::span<const blob> in) {
  const auto p = l.fields.child("batch_norm_param");
  if (!p.flag("use_global_stats", true))
    throw error(problem{.reason = "use_global_stats: false normalises by the batch at hand",
                        .remedy = "only the trained statistics are supported"});
  net::batch_norm op{.epsilon = p.number("eps", 1e-5F)};
  const bool sound = c.load(l, [&] {
    const auto& blobs = c.weights.of(l.name, 3);
    const std::int64_t channels = c.shape(in[0]).c;
    op.mean = weights::values(blobs[0], {channels}, "mean");
    op.variance = weights::values(blobs[1], {channels}, "variance");
    // The blobs hold sums; the third one says of how many (weighted) batches.
    const float count = weights::values(blobs[2], {1}, "moving-average factor")[0];
    const float factor = count == 0.0F ? 0.0F : 1.0F / count;
    for (auto& v : op.mean) v *= factor;
    for (auto& v : op.variance) v *= factor;
  });
  return c.keep(l, std::move(op), in, sound);
}

}  // namespace nvdlac::import::caffe_format
