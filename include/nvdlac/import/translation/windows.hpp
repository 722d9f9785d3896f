// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators with windows, and fully connected ones. They give a result for the caller to give or to
// work on; its layer is named by the caller.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::translation {

// How windows step over a picture. What padding SAME lacks at odd numbers stands behind.
struct window {
  enum class padding : std::uint8_t { same, valid, given } kind = padding::valid;
  dims strides{1, 1}, dilations{1, 1};
  dims pads{0, 0, 0, 0};               // `given`: top, left, bottom, right
  bool channels_first = false;         // in the file

  order order_in() const { return channels_first ? order::of_file : order::channels_second; }
  std::size_t channel_axis() const { return channels_first ? 1 : 3; }
  std::size_t first_axis() const { return channels_first ? 2 : 1; }
  attribute padding_attribute() const {
    if (kind == padding::given) return {"pads", pads};
    return {"auto_pad", std::string(kind == padding::same ? "SAME_UPPER" : "VALID")};
  }
  // Of an axis of the picture, 0 or 1. The numbers were not checked.
  std::int64_t outputs(std::size_t axis, std::int64_t in, std::int64_t kernel) const {
    const auto stride = std::max<std::int64_t>(strides[axis], 1);
    if (kind == padding::same) return (in + stride - 1) / stride;
    return (in + pads[axis] + pads[axis + 2] - ((kernel - 1) * dilations[axis] + 1)) / stride + 1;
  }
};

inline void require_picture(const conversion& c, std::size_t i, const window& w = {}) {
  if (c.shape(i).size() != 4)
    throw error(text("its input ", i, " has the shape ", onnx_format::to_text(c.shape(i)), ", not ",
                     w.channels_first ? "[1, channels, height, width]"
                                      : "[1, height, width, channels]"));
}

// The result of windows over input i with so many channels.
inline computed windowed(const conversion& c, std::size_t i, const window& w, const dims& kernel,
                         std::int64_t channels, std::string value) {
  dims shape = c.shape(i);
  for (std::size_t k = 0; k < 2; ++k)
    shape[w.first_axis() + k] = w.outputs(k, shape[w.first_axis() + k], kernel[k]);
  shape[w.channel_axis()] = channels;
  return {std::move(value), std::move(shape), w.order_in()};
}

// Weights [kernels][channels of a group][h][w]; the bias is input `bias`, if that is given.
inline computed convolve(const conversion& c, const std::string& layer, const array& weights,
                         std::int64_t groups, const window& w,
                         std::optional<std::size_t> bias = std::nullopt) {
  names inputs{c.in_order(0, w.order_in()), c.all().write(weights, c.name())};
  if (bias && c.given(*bias)) inputs.push_back(c.all().write(c.reals(*bias, "bias values"),
                                                             c.name()));
  auto y = c.node("Conv", layer, inputs,
                  {w.padding_attribute(), {"strides", w.strides}, {"dilations", w.dilations},
                   {"group", groups}});
  return windowed(c, 0, w, {weights.shape[2], weights.shape[3]}, weights.shape[0], std::move(y));
}

// Weights [channels][kernels][h][w]. As in a convolution from the output, whose shape is given, to
// input i, what its windows lack is padding, the smaller half of it before.
inline computed convolve_transposed(const conversion& c, const std::string& layer, std::size_t i,
                                    const dims& size, const array& weights, const window& w,
                                    std::optional<std::size_t> bias = std::nullopt) {
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

inline std::string pooled(const conversion& c, const char* type, const std::string& layer,
                          const std::string& value, const window& w, const dims& kernel) {
  return c.node(type, layer, {value},
                {w.padding_attribute(), {"strides", w.strides}, {"kernel_shape", kernel}});
}
inline computed pool(const conversion& c, const char* type, const std::string& layer,
                     const window& w, const dims& kernel) {
  return windowed(c, 0, w, kernel, c.shape(0)[w.channel_axis()],
                  pooled(c, type, layer, c.in_order(0, w.order_in()), w, kernel));
}
// The root of the mean of squares.
inline computed pool_squares(const conversion& c, const std::string& layer, const window& w,
                             const dims& kernel) {
  const auto x = c.in_order(0, w.order_in());
  const auto mean = pooled(c, "AveragePool", c.name() + "/mean",
                           c.node("Mul", c.name() + "/square", {x, x}), w, kernel);
  return windowed(c, 0, w, kernel, c.shape(0)[w.channel_axis()], c.node("Sqrt", layer, {mean}));
}

// The matrices of the last two dimensions, turned where that is wished.
inline computed multiply_matrices(const conversion& c, bool turn_left, bool turn_right) {
  const auto operand = [&](std::size_t i, bool turn) {
    const auto rank = c.shape(i).size();
    if (rank < 2) throw error(text("its input ", i, " is no matrix"));
    auto m = c.plain(i);
    if (!turn) return m;
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

}  // namespace nvdlac::import::translation
