// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/translation/conversion.hpp>
#include <nvdlac/import/translation/values.hpp>

namespace nvdlac::import::translation {

NVDLAC_IMPL bool conversion::all_constant() const {
  for (std::size_t i = 0; i < inputs(); ++i)
    if (given(i) && !is_constant(i)) return false;
  return true;
}

NVDLAC_IMPL void conversion::require_inputs(std::size_t least, std::size_t most) const {
  if (inputs() < least || inputs() > most) throw error(text("it has ",
                                                            count_of(inputs(), "input")));
  for (std::size_t i = 0; i < least; ++i)
    if (!given(i)) throw error(text("its input ", i, " is missing"));
}

NVDLAC_IMPL array conversion::constant(std::size_t i, const char* what, bool with_scale) const {
  if (!is_constant(i))
    throw error(problem{.reason = text("its ", what, " are not constant"),
                        .remedy = "they must be known when the file is read"});
  return all_.constant(index(i), with_scale);
}

NVDLAC_IMPL array conversion::reals(std::size_t i, const char* what) const {
  array a = constant(i, what);
  if (!a.real) throw error(text("its ", what, " are integers without a scale"));
  return a;
}

NVDLAC_IMPL dims conversion::integers(std::size_t i, const char* what) const {
  const array a = constant(i, what, false);
  if (a.real) throw error(text("its ", what, " are no integers"));
  return a.integers;
}

NVDLAC_IMPL order conversion::common_order(std::size_t n) const {
  bool second = out().has_shape;
  for (std::size_t i = 0; i < n; ++i)
    if (given(i) && !is_constant(i) && shape(i).size() == 4)
      second = second || all_.result(index(i)).order == order::channels_second;
  return second ? order::channels_second : order::of_file;
}

NVDLAC_IMPL std::string conversion::in_order(std::size_t i, order wanted) const {
  const bool transposes = shape(i).size() == 4 && wanted == order::channels_second;
  if (is_constant(i)) {
    const array a = wanted == order::channels_second ? reals(i, "values") : constant(i, "values");
    return all_.write(transposes ? channels_second(a, ceiling()) : a, name());
  }
  const computed& x = all_.result(index(i));
  if (shape(i).size() != 4 || x.order == wanted) return x.value;
  return node("Transpose", name(), {x.value}, {{"perm", transposes ? to_channels_second()
                                                              : to_channels_last()}});
}

NVDLAC_IMPL std::string conversion::aligned(std::size_t i, order wanted) const {
  if (shape(i).size() == 4) return in_order(i, wanted);
  dims longer = shape(i);
  longer.insert(longer.begin(), 4 - longer.size(), 1);
  if (is_constant(i)) {
    array a = reals(i, "values");
    a.shape = longer;
    return all_.write(wanted == order::of_file ? a : channels_second(a, ceiling()), name());
  }
  auto x = reshaped(all_.result(index(i)).value, longer);
  return wanted == order::of_file ? x : with_channels_second(x);
}

NVDLAC_IMPL std::int64_t conversion::axis_in(order of, std::size_t rank, std::int64_t axis) const {
  axis = onnx_format::checked_axis(axis, rank);
  return rank == 4 && of == order::channels_second ? axis_with_channels_second(axis) : axis;
}

NVDLAC_IMPL std::string conversion::node(const std::string& type, const std::string& layer,
                                         const names& inputs,
                                         const std::vector<attribute>& attributes) const {
  const auto known = onnx_format::operators().find(type);
  if (known == onnx_format::operators().end() || known->second.of_constants)
    throw error(not_supported());
  return all_.node(type, layer, inputs, attributes);
}

NVDLAC_IMPL std::string conversion::clipped(const std::string& value, float low, float high) const {
  return node("Clip", name(),
              {value, all_.write_number(low, name()), all_.write_number(high, name())});
}

NVDLAC_IMPL void conversion::give(computed c, std::size_t i) const {
  const tensor& t = out(i);
  if (t.has_shape) {
    if (t.shape.size() == 4 && c.order == order::of_file)
      c.value = with_channels_second(c.value);
    c.order = t.shape.size() == 4 ? order::channels_second : order::of_file;
    c.shape = t.shape;
  }
  c.value = all_.on_grid(t, std::move(c.value));
  all_.compute(outputs_[i], std::move(c));
}

NVDLAC_IMPL void conversion::require_rank(std::size_t rank, std::size_t i) const {
  if (out(i).has_shape && out(i).shape.size() != rank)
    throw error(text("its output ", onnx_format::to_text(out(i).shape), " does not have ",
                     count_of(rank, "dimension")));
}

NVDLAC_IMPL std::int32_t conversion::index(std::size_t i) const {
  if (!given(i)) throw error(text("its input ", i, " is missing"));
  return inputs_[i];
}

NVDLAC_IMPL std::int64_t window::outputs(std::size_t axis, std::int64_t in,
                                         std::int64_t kernel) const {
  const auto stride = std::max<std::int64_t>(strides[axis], 1);
  if (kind == padding::same) return (in + stride - 1) / stride;
  return (in + pads[axis] + pads[axis + 2] - ((kernel - 1) * dilations[axis] + 1)) / stride + 1;
}

NVDLAC_IMPL void require_picture(const conversion& c, std::size_t i, const window& w) {
  if (c.shape(i).size() != 4)
    throw error(text("its input ", i, " has the shape ", onnx_format::to_text(c.shape(i)), ", not ",
                     w.channels_first ? "[1, channels, height, width]"
                                      : "[1, height, width, channels]"));
}

NVDLAC_IMPL computed windowed(const conversion& c, std::size_t i, const window& w,
                              const dims& kernel, std::int64_t channels, std::string value) {
  dims shape = c.shape(i);
  for (std::size_t k = 0; k < 2; ++k)
    shape[w.first_axis() + k] = w.outputs(k, shape[w.first_axis() + k], kernel[k]);
  shape[w.channel_axis()] = channels;
  return {std::move(value), std::move(shape), w.order_in()};
}

NVDLAC_IMPL computed convolve(const conversion& c, const std::string& layer, const array& weights,
                              std::int64_t groups, const window& w,
                              std::optional<std::size_t> bias) {
  names inputs{c.in_order(0, w.order_in()), c.all().write(weights, c.name())};
  if (bias && c.given(*bias)) inputs.push_back(c.all().write(c.reals(*bias, "bias values"),
                                                             c.name()));
  auto y = c.node("Conv", layer, inputs,
                  {w.padding_attribute(), {"strides", w.strides}, {"dilations", w.dilations},
                   {"group", groups}});
  return windowed(c, 0, w, {weights.shape[2], weights.shape[3]}, weights.shape[0], std::move(y));
}

NVDLAC_IMPL computed convolve_transposed(const conversion& c, const std::string& layer,
                                         std::size_t i, const dims& size, const array& weights,
                                         const window& w, std::optional<std::size_t> bias) {
  dims pads(4), rest(2);
  for (std::size_t k = 0; k < 2; ++k) {
    const auto in = c.shape(i)[w.first_axis() + k], out = size[w.first_axis() + k];
    const auto stride = w.strides[k];
    if (stride < 1 || stride > 65535) throw error(text("its stride is ", stride));
    const auto more = (in - 1) * stride + (weights.shape[k + 2] - 1) * w.dilations[k] + 1 - out;
    const auto all = std::max<std::int64_t>(more, 0);
    if (w.kind == window::padding::valid && all != 0)
      throw error(text("its output ", onnx_format::to_text(size), " is smaller than VALID gives"));
    pads[k] = all / 2;
    pads[k + 2] = all - all / 2;
    rest[k] = std::max<std::int64_t>(-more, 0);
  }
  names inputs{c.in_order(i, w.order_in()), c.all().write(weights, c.name())};
  if (bias && c.given(*bias)) inputs.push_back(c.all().write(c.reals(*bias, "bias values"),
                                                             c.name()));
  std::vector<attribute> how{{"pads", pads}, {"strides", w.strides}, {"output_padding", rest}};
  if (w.dilations != dims{1, 1}) how.push_back({"dilations", w.dilations});
  return {c.node("ConvTranspose", layer, inputs, how), size, w.order_in()};
}

NVDLAC_IMPL std::string pooled(const conversion& c, const char* type, const std::string& layer,
                               const std::string& value, const window& w, const dims& kernel) {
  return c.node(type, layer, {value},
                {w.padding_attribute(), {"strides", w.strides}, {"kernel_shape", kernel}});
}

NVDLAC_IMPL computed pool(const conversion& c, const char* type, const std::string& layer,
                          const window& w, const dims& kernel) {
  return windowed(c, 0, w, kernel, c.shape(0)[w.channel_axis()],
                  pooled(c, type, layer, c.in_order(0, w.order_in()), w, kernel));
}

NVDLAC_IMPL computed pool_squares(const conversion& c, const std::string& layer, const window& w,
                                  const dims& kernel) {
  const auto x = c.in_order(0, w.order_in());
  const auto mean = pooled(c, "AveragePool", c.name() + "/mean",
                           c.node("Mul", c.name() + "/square", {x, x}), w, kernel);
  return windowed(c, 0, w, kernel, c.shape(0)[w.channel_axis()], c.node("Sqrt", layer, {mean}));
}

NVDLAC_IMPL computed multiply_matrices(const conversion& c, bool turn_left, bool turn_right) {
  const auto operand = [&](std::size_t i, bool transposed) {
    const auto rank = c.shape(i).size();
    if (rank < 2) throw error(text("its input ", i, " is no matrix"));
    auto m = c.plain(i);
    if (!transposed) return m;
    dims order = onnx_format::ascending(static_cast<std::int64_t>(rank), 1);
    std::swap(order[rank - 1], order[rank - 2]);
    return c.node("Transpose", c.name(), {m}, {{"perm", order}});
  };
  dims a = c.shape(0), b = c.shape(1);
  c.require_rank(std::max(a.size(), b.size()));
  const auto left = operand(0, turn_left), right = operand(1, turn_right);
  const auto rows = a[a.size() - (turn_left ? 1 : 2)], columns = b[b.size() - (turn_right ? 2 : 1)];
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  dims shape = onnx_format::broadcast(a, b);
  shape.insert(shape.end(), {rows, columns});
  return {c.node("MatMul", c.name(), {left, right}), std::move(shape)};
}

NVDLAC_IMPL operands aligned(const conversion& c) {
  const bool picture = std::max(c.shape(0).size(), c.shape(1).size()) == 4;
  const auto order = c.common_order(2);
  const auto operand = [&](std::size_t i) {
    return picture ? c.aligned(i, order) : c.in_order(i, order);
  };
  auto a = operand(0), b = operand(1);
  dims shape = c.out().has_shape ? dims{} : onnx_format::broadcast(c.shape(0), c.shape(1));
  return {std::move(a), std::move(b), {{}, std::move(shape), order}};
}

NVDLAC_IMPL array fold_binary(const conversion& c, const char* type) {
  return onnx_format::fold_binary(type, c.constant(0, "values"), c.constant(1, "values"),
                                  c.ceiling());
}

NVDLAC_IMPL computed binary(const conversion& c, const char* type, const std::string& layer) {
  auto [a, b, y] = aligned(c);
  y.value = c.node(type, layer, {a, b});
  return y;
}

NVDLAC_IMPL computed squared_difference(const conversion& c) {
  auto [a, b, y] = aligned(c);
  const auto d = c.node("Sub", c.name() + "/difference", {a, b});
  y.value = c.node("Mul", c.name(), {d, d});
  return y;
}

NVDLAC_IMPL computed sum_of_all(const conversion& c) {
  c.require_inputs(1, 1024);
  names inputs;
  const auto order = c.common_order(c.inputs());
  for (std::size_t i = 0; i < c.inputs(); ++i) inputs.push_back(c.in_order(i, order));
  return {c.node("Sum", c.name(), inputs), c.shape(0), order};
}

NVDLAC_IMPL computed unary(const conversion& c, const char* type,
                           const std::vector<attribute>& attributes) {
  c.require_inputs(1, 1);
  return mapped(c, [&](const std::string& x) { return c.node(type, c.name(), {x}, attributes); });
}

NVDLAC_IMPL computed clip(const conversion& c, float low, float high) {
  c.require_inputs(1, 1);
  return mapped(c, [&](const std::string& x) { return c.clipped(x, low, high); });
}

NVDLAC_IMPL computed reciprocal_root(const conversion& c) {
  c.require_inputs(1, 1);
  return mapped(c, [&](const std::string& x) {
    return c.node("Reciprocal", c.name(), {c.node("Sqrt", c.name() + "/sqrt", {x})});
  });
}

NVDLAC_IMPL computed square(const conversion& c) {
  c.require_inputs(1, 1);
  return mapped(c, [&](const std::string& x) { return c.node("Mul", c.name(), {x, x}); });
}

NVDLAC_IMPL computed along_channels(const conversion& c, const char* type, const std::string& layer,
                                    const std::vector<attribute>& further) {
  const auto order = c.common_order();
  std::vector<attribute> attributes{{"axis", c.last_axis(0, order)}};
  attributes.insert(attributes.end(), further.begin(), further.end());
  return {c.node(type, layer, {c.in_order(0, order)}, attributes), c.shape(0), order};
}

NVDLAC_IMPL computed local_response(const conversion& c, std::int64_t radius, float bias,
                                    float alpha, float beta) {
  c.require_inputs(1, 1);
  if (radius < 0 || radius > 65535) throw error(text("its radius is ", radius));
  const auto size = 2 * radius + 1;
  return {c.node("LRN", c.name(), {c.picture(0)},
                 {{"size", size}, {"bias", bias}, {"alpha", alpha * static_cast<float>(size)},
                  {"beta", beta}}),
          c.shape(0), order::channels_second};
}

}  // namespace nvdlac::import::translation
