// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers that combine blobs element by element, and those that scale and shift.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/import/caffe/conversion.hpp>

namespace nvdlac::import::caffe_format {

class elementwise_layers : public conversion {
 public:
  using conversion::conversion;

  blob eltwise(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("eltwise_param");
    const auto operation = p.enumerator("operation", "SUM");
    const auto given = p.values<float>("coeff");
    if (operation != "SUM" && !given.empty())
      throw error(text("it has coefficients, which only a SUM does, not a ", operation));
    if (!given.empty() && given.size() != in.size())
      throw error(text("it has ", given.size(), " coefficients for ", in.size(), " inputs"));
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
      if (operation == "PROD") all = net_.add(name, net::multiply{}, inputs, l.line);
      else if (operation == "MAX") all = net_.add(name, net::extremum{}, inputs, l.line);
      else
        all = net_.add(name, net::add{.coefficients = {before, coefficient(i)}}, inputs, l.line);
    }
    return {all, in[0].shape};
  }

  blob scale(const layer& l, std::span<const blob> in) {
    const auto p = l.fields.child("scale_param");
    if (in.size() == 2) {
      require_leading(p, in);
      const bool biased = p.flag("bias_term", false);
      const auto name = biased ? l.name + "/factor" : l.name;
      const auto product =
          net_.add(name, net::multiply{}, {in[0].node, in[1].node}, l.line);
      if (!biased) return {product, in[0].shape};
      const blob scaled{product, in[0].shape};
      net::scale op{.factor = {1.0F}};
      load(l, [&] {
        if (in[1].shape.size() != 2) throw error("its bias is not one value for each channel");
        op.bias = weights::values(weights_.of(l.name, 1)[0], in[1].shape, "bias");
      });
      return {add(l, std::move(op), std::span(&scaled, 1)), in[0].shape};
    }
    const dims size = per_channel(p, in[0]);
    net::scale op;
    load(l, [&] {
      const bool biased = p.flag("bias_term", false);
      const auto& blobs = weights_.of(l.name, biased ? 2 : 1);
      op.factor = weights::values(blobs[0], size, "factor");
      if (biased) op.bias = weights::values(blobs[1], size, "bias");
    });
    return {add(l, std::move(op), in), in[0].shape};
  }

  blob bias(const layer& l, std::span<const blob> in) {
    if (in.size() == 2) {
      require_leading(l.fields.child("bias_param"), in);
      return {add(l, net::add{}, in), in[0].shape};
    }
    const dims size = per_channel(l.fields.child("bias_param"), in[0]);
    net::scale op{.factor = {1.0F}};
    load(l, [&] { op.bias = weights::values(weights_.of(l.name, 1)[0], size, "bias"); });
    return {add(l, std::move(op), in), in[0].shape};
  }

  // Of SENet: the first input is a factor for each channel of the second; the third is added.
  blob axpy(const layer& l, std::span<const blob> in) {
    const net::shape factor = cube(in[0].shape), x = cube(in[1].shape);
    if (factor != net::shape{x.c, 1, 1} || in[1].shape != in[2].shape)
      throw error(text("its inputs have the shapes ", to_text(in[0].shape), ", ",
                       to_text(in[1].shape), " and ", to_text(in[2].shape)));
    const auto scaled =
        net_.add(l.name + "/factor", net::multiply{}, {in[1].node, in[0].node}, l.line);
    return {net_.add(l.name, net::add{}, {scaled, in[2].node}, l.line), in[1].shape};
  }

 private:
  // The second input has the first axes of the first one: the batch and the channels, or all.
  static void require_leading(const proto::view& p, std::span<const blob> in) {
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
};

}  // namespace nvdlac::import::caffe_format
