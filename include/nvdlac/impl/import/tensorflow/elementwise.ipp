// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/tensorflow/conversion.hpp>
#include <nvdlac/import/tensorflow/elementwise.hpp>
#include <nvdlac/import/tensorflow/node.hpp>
#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::tensorflow_format {

NVDLAC_IMPL void binary(const conversion& c, const char* type) {
  c.require_inputs(2, 2);
  if (c.type_of(0) != c.type_of(1))
    throw error("its inputs are of the types " + type_name(c.type_of(0)) + " and " +
                type_name(c.type_of(1)));
  if (c.all_constant()) return c.give_constant(translation::fold_binary(c, type));
  c.give(translation::binary(c, type, c.name()));
}

NVDLAC_IMPL void on_floor_div(const conversion& c) {
  c.require_inputs(2, 2);
  if (!c.all_constant()) {
    auto y = translation::binary(c, "Div", c.name() + "/quotient");
    y.value = c.node("Floor", c.name(), {y.value});
    return c.give(std::move(y));
  }
  const array a = c.constant(0, "values"), b = c.constant(1, "values");
  if (a.real)
    return c.give_constant(
        onnx_format::fold_unary("Floor", onnx_format::fold_binary("Div", a, b, c.ceiling())));
  const array rest = onnx_format::fold_binary("Mod", a, b, c.ceiling());
  c.give_constant(
      onnx_format::fold_binary("Div", onnx_format::fold_binary("Sub", a, rest, c.ceiling()), b,
                               c.ceiling()));
}

NVDLAC_IMPL void on_squared_difference(const conversion& c) {
  c.require_inputs(2, 2);
  if (!c.all_constant()) return c.give(translation::squared_difference(c));
  const array d = translation::fold_binary(c, "Sub");
  c.give_constant(onnx_format::fold_binary("Mul", d, d, c.ceiling()));
}

NVDLAC_IMPL void on_add_n(const conversion& c) {
  c.require_inputs(1, 1024);
  c.require_count("N", c.inputs());
  for (std::size_t i = 1; i < c.inputs(); ++i)
    if (c.shape(i) != c.shape(0)) throw error("its inputs are of different shapes");
  if (const auto declared = c.n.message("shape", "shape")) {
    const auto shape = shape_of(*declared);
    if (shape && *shape != c.shape(0))
      throw error(text("attribute 'shape' is ", onnx_format::to_text(*shape),
                       ", but its inputs are ", onnx_format::to_text(c.shape(0))));
  }
  if (c.inputs() == 1) return c.pass();
  c.give(translation::sum_of_all(c));
}

NVDLAC_IMPL void unary(const conversion& c, const char* type,
                       const std::vector<attribute>& attributes) {
  c.require_inputs(1, 1);
  if (c.is_constant(0) && onnx_format::unary_functions().contains(type))
    return c.give_constant(onnx_format::fold_unary(type, c.constant(0, "values")));
  c.give(translation::unary(c, type, attributes));
}

NVDLAC_IMPL void on_leaky_relu(const conversion& c) {
  unary(c, "LeakyRelu", {{"alpha", c.n.number("alpha", 0.2F)}});
}

NVDLAC_IMPL void on_rsqrt(const conversion& c) {
  c.require_inputs(1, 1);
  if (!c.is_constant(0)) return c.give(translation::reciprocal_root(c));
  c.give_constant(onnx_format::fold_unary(
      "Reciprocal", onnx_format::fold_unary("Sqrt", c.reals(0, "values"))));
}

NVDLAC_IMPL void on_square(const conversion& c) {
  c.require_inputs(1, 1);
  if (!c.is_constant(0)) return c.give(translation::square(c));
  const array a = c.constant(0, "values");
  c.give_constant(onnx_format::fold_binary("Mul", a, a, c.ceiling()));
}

NVDLAC_IMPL void on_clip(const conversion& c) {
  c.require_inputs(3, 3);
  const array low = c.reals(1, "bounds"), high = c.reals(2, "bounds");
  if (low.size() != 1 || high.size() != 1) throw error("its bounds are no single numbers");
  c.give(translation::mapped(
      c, [&](const std::string& x) { return c.clipped(x, low.reals[0], high.reals[0]); }));
}

NVDLAC_IMPL void on_softmax(const conversion& c) {
  c.require_inputs(1, 1);
  c.give(translation::along_channels(c, "Softmax", c.name()));
}

NVDLAC_IMPL void on_log_softmax(const conversion& c) {
  c.require_inputs(1, 1);
  c.give(translation::along_channels(c, "LogSoftmax", c.name()));
}

NVDLAC_IMPL void on_lrn(const conversion& c) {
  require_picture(c, 0);
  c.give(translation::local_response(c, c.n.integer("depth_radius", 5), c.n.number("bias", 1),
                                     c.n.number("alpha", 1), c.n.number("beta", 0.5F)));
}

NVDLAC_IMPL void on_identity(const conversion& c) {
  c.require_inputs(1, 1);
  c.pass();
}

NVDLAC_IMPL void on_placeholder_with_default(const conversion& c) {
  c.require_inputs(1, 1);
  if (const auto declared = c.n.message("shape", "shape"))
    if (const auto shape = shape_of(*declared)) {
      const dims& given = c.shape(0);
      bool fits = shape->size() == given.size();
      for (std::size_t i = 0; fits && i < given.size(); ++i)
        fits = (*shape)[i] == -1 || (*shape)[i] == given[i];
      if (!fits)
        throw error(text("attribute 'shape' is ", onnx_format::to_text(*shape),
                         ", but its default is ", onnx_format::to_text(given)));
    }
  if (const auto type = c.n.type("dtype", c.type_of(0)); type != c.type_of(0))
    throw error("attribute 'dtype' is " + type_name(type) + ", but its default is " +
                type_name(c.type_of(0)));
  c.pass();
}

NVDLAC_IMPL void on_cast(const conversion& c) {
  c.require_inputs(1, 1);
  const auto from = c.n.type("SrcT", c.type_of(0)), to = c.n.type("DstT");
  if (from != c.type_of(0))
    throw error("attribute 'SrcT' is " + type_name(from) + ", but its input is " +
                type_name(c.type_of(0)));
  (void)c.n.flag("Truncate", false);  // how real numbers lose digits
  c.set_type(to);
  if (size_of(to) == 0) throw error("it converts to " + type_name(to));
  if (c.is_constant(0)) {
    array a = c.constant(0, "values");
    for (auto& v : a.reals)
      if (!is_real(to)) v = std::trunc(v);
    return c.give_constant(onnx_format::fold_cast(
        std::move(a), is_real(to) ? 1 : to == dt_bool ? 9 : 7));
  }
  if (!is_real(to) && to != from)
    throw error("it converts " + type_name(from) + " to " + type_name(to));
  c.pass();
}

NVDLAC_IMPL fake_grid nudged(float least, float most, std::int64_t bits, bool narrow) {
  if (bits < 2 || bits > 16) throw error(text("its num_bits are ", bits));
  const auto first = std::int64_t{narrow ? 1 : 0}, last = (std::int64_t{1} << bits) - 1;
  const float from = static_cast<float>(first), to = static_cast<float>(last);
  fake_grid g{.scale = (most - least) / (to - from)};
  if (!(g.scale > 0) || !std::isfinite(g.scale))
    throw error(text("its range is ", least, " to ", most));
  const float zero = from - least / g.scale;
  g.zero = zero < from ? first : zero > to ? last : static_cast<std::int64_t>(std::round(zero));
  g.low = (from - static_cast<float>(g.zero)) * g.scale;
  g.high = (to - static_cast<float>(g.zero)) * g.scale;
  return g;
}

NVDLAC_IMPL void fake_quantise(const conversion& c, const std::vector<fake_grid>& grids,
                               std::int64_t bits) {
  if (c.is_constant(0)) {
    array a = c.reals(0, "values");
    for (std::size_t i = 0; i < a.reals.size(); ++i) {
      const auto& g = grids[i % grids.size()];  // along the last dimension
      const float v = std::clamp(a.reals[i], g.low, g.high);
      a.reals[i] = std::floor((v - g.low) / g.scale + 0.5F) * g.scale + g.low;
    }
    return c.give_constant(std::move(a));
  }
  if (grids.size() != 1) throw error("its input is computed, but it has several ranges");
  const auto& g = grids[0];
  const bool wide = bits > 8;
  c.give(translation::mapped(c, [&](const std::string& x) {
    auto& all = c.all();
    const auto scale = all.write_number(g.scale, c.name());
    const auto zero = all.write(array::of_integers({}, {g.zero - (wide ? 32768 : 0)}), c.name(),
                                wide ? 5 : 2);
    const bool whole = g.zero >= 0 && (bits == 8 || bits == 16) &&
                       g.low == -static_cast<float>(g.zero) * g.scale;
    const auto y = whole ? x : c.clipped(x, g.low, g.high);
    return c.node("DequantizeLinear", c.name(),
                  {c.node("QuantizeLinear", c.name(), {y, scale, zero}), scale, zero});
  }));
}

NVDLAC_IMPL void on_fake_quant_args(const conversion& c) {
  c.require_inputs(1, 1);
  fake_quantise(c, {nudged(c.n.number("min", -6), c.n.number("max", 6), bits_of(c), is_narrow(c))},
                bits_of(c));
}

NVDLAC_IMPL void on_fake_quant_vars(const conversion& c) {
  c.require_inputs(3, 3);
  const array low = c.reals(1, "range"), high = c.reals(2, "range");
  const bool each = c.n.op().ends_with("PerChannel");
  if (low.size() != high.size() || low.shape.size() != (each ? 1 : 0) || low.size() == 0 ||
      (each && (c.shape(0).empty() || low.shape[0] != c.shape(0).back())))
    throw error("its ranges do not fit its input");
  std::vector<fake_grid> grids;
  for (std::size_t i = 0; i < low.size(); ++i)
    grids.push_back(nudged(low.reals[i], high.reals[i], bits_of(c), is_narrow(c)));
  fake_quantise(c, grids, bits_of(c));
}

}  // namespace nvdlac::import::tensorflow_format
