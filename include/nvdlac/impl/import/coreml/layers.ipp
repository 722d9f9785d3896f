// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/coreml/conversion.hpp>
#include <nvdlac/import/coreml/layers.hpp>

namespace nvdlac::import::coreml_format {

NVDLAC_IMPL void set_padding(const conversion& c, sliding_window& w) {
  if (c.p.has("same")) {
    w.same = true;
    w.odd_before = c.p.child("same").integer("asymmetryMode") == 1;
  } else if (c.p.has("valid")) {
    w.pads = borders_in(c.p.child("valid"), "paddingAmounts");
  } else {
    throw error("its padding is missing");
  }
}

NVDLAC_IMPL results on_convolution(const conversion& c) {
  const auto& x = c.picture();
  sliding_window w{.kernel = c.pair("kernelSize", 3), .strides = c.pair("stride", 1),
                   .dilations = c.pair("dilationFactor", 1)};
  set_padding(c, w);
  const auto out = c.p.integer("outputChannels"), of_kernel = c.p.integer("kernelChannels");
  const auto groups = std::max<std::int64_t>(c.p.integer("nGroups"), 1);
  const bool transposed = c.p.flag("isDeconvolution", false);
  std::optional<operand> bias;
  if (c.p.flag("hasBias", false)) bias = c.tensor("bias", {out});
  const auto shape = c.p.values<std::int64_t>("outputShape");
  if (!transposed) {
    if (!shape.empty())
      throw error("it has an outputShape, which only transposed convolutions have");
    const auto weights = c.tensor("weights", {out, of_kernel, w.kernel[0], w.kernel[1]});
    return {c.to().convolve(c.name(), x, weights, bias, w, groups)};
  }
  const auto scales = c.p.child("weights").child("quantization").child("linearQuantization");
  if (scales.has("scale") && scales.size("scale") > 1)
    throw error(problem{.reason = "the weights of a transposed convolution have a scale for each "
                                  "channel",
                        .remedy = "quantise them with one scale or with a table"});
  if (w.dilations != dims{1, 1})
    throw error("it is a transposed convolution with a dilationFactor, which is not supported");
  const auto weights = c.tensor("weights", {of_kernel, out / groups, w.kernel[0], w.kernel[1]});
  std::vector<operand> inputs{x, weights};
  if (bias) inputs.push_back(*bias);
  auto how = w.attributes();
  how.push_back({"group", groups});
  if (!shape.empty()) {
    std::erase_if(how, [](const auto& a) { return a.name == "pads" || a.name == "auto_pad"; });
    how.push_back({"output_shape", c.pair("outputShape", 1)});
  }
  return {c.to().node("ConvTranspose", c.name(), inputs, 4, how)};
}

NVDLAC_IMPL results on_inner_product(const conversion& c) {
  auto x = c.one();
  const auto rank = x.rank;
  if (rank < 2 || rank > 4) throw error(text("its input has ", count_of(rank, "dimension")));
  const auto in = c.p.integer("inputChannels"), out = c.p.integer("outputChannels");
  const auto weights = c.tensor("weights", {out, in});
  std::optional<operand> bias;
  if (c.p.flag("hasBias", false)) bias = c.tensor("bias", {out});
  if (rank < 4) return {c.to().fully_connected(c.name(), x, weights, bias)};
  x = c.to().node("Flatten", c.name("list"), {x}, 2, {{"axis", std::int64_t{1}}});
  const auto y = c.to().fully_connected(c.name(), x, weights, bias);
  return {c.to().reshaped(c.name("picture"), y, {0, out, 1, 1})};
}

NVDLAC_IMPL results on_batched_matmul(const conversion& c) {
  c.require_inputs(1, 2);
  const auto turned = [&](const char* step, const operand& x, bool turn) {
    if (!turn) return x;
    if (x.rank < 2) throw error("it transposes what has less than two dimensions");
    auto order = onnx_format::ascending(static_cast<std::int64_t>(x.rank), 1);
    std::swap(order[x.rank - 1], order[x.rank - 2]);
    return c.to().transposed(c.name(step), x, order);
  };
  const auto a = turned("a", c.in(0), c.p.flag("transposeA", false));
  if (c.inputs() == 2) {
    const auto b = turned("b", c.in(1), c.p.flag("transposeB", false));
    return {c.to().node("MatMul", c.name(), {a, b}, std::max(a.rank, b.rank))};
  }
  const auto in = c.p.integer("weightMatrixFirstDimension"),
             out = c.p.integer("weightMatrixSecondDimension");
  const auto b = c.tensor("weights", {in, out});
  if (!c.p.flag("hasBias", false)) return {c.to().node("MatMul", c.name(), {a, b}, a.rank)};
  const auto product = c.to().node("MatMul", c.name("product"), {a, b}, a.rank);
  return {c.to().binary(c.name(), "Add", product, c.tensor("bias", {out}))};
}

NVDLAC_IMPL results on_pooling(const conversion& c) {
  const auto& x = c.picture();
  const auto type = c.p.integer("type");
  if (type < 0 || type > 2) throw error(text("its type is number ", type));
  static constexpr const char* names[] = {"MaxPool", "AveragePool", "LpPool"};
  if (c.p.flag("globalPooling", false))
    return {c.to().node(std::string("Global") + names[type], c.name(), {x}, 4)};
  sliding_window w{.kernel = c.pair("kernelSize", 3), .strides = c.pair("stride", 1),
                   .dilations = {1, 1}};
  if (c.p.has("includeLastPixel")) {
    dims both{0, 0};
    if (const auto given = c.p.child("includeLastPixel").values<std::int64_t>("paddingAmounts");
        !given.empty())
      both = given;
    if (both.size() != 2 || both[0] < 0 || both[1] < 0 || both[0] > net::max_elements ||
        both[1] > net::max_elements)
      throw error(text("its paddingAmounts are ", onnx_format::to_text(both)));
    w.pads = sliding_window::both_sides(both);
    w.ceil = true;
  } else {
    set_padding(c, w);
  }
  if (type == 2) {
    auto how = w.attributes();
    std::erase_if(how, [](const auto& a) { return a.name == "dilations"; });
    how.push_back({"kernel_shape", w.kernel});
    how.push_back({"ceil_mode", std::int64_t{w.ceil}});
    return {c.to().node("LpPool", c.name(), {x}, 4, how)};
  }
  return {c.to().pool(c.name(), names[type], x, w,
                      !c.p.flag("avgPoolExcludePadding", false))};
}

NVDLAC_IMPL results on_batchnorm(const conversion& c) {
  const auto& x = c.picture();
  const dims channels{c.p.integer("channels")};
  const auto epsilon = c.p.number("epsilon", 0) == 0 ? 1e-5F : c.p.number("epsilon");
  const auto gamma = c.tensor("gamma", channels), beta = c.tensor("beta", channels);
  const bool of_instances = c.p.flag("instanceNormalization", false);
  if (of_instances && !c.p.flag("computeMeanVar", false))
    throw error("it normalises instances (instanceNormalization) without computeMeanVar");
  if (!of_instances && !c.p.flag("computeMeanVar", false))
    return {c.to().batch_norm(c.name(), x, gamma, beta, c.tensor("mean", channels),
                              c.tensor("variance", channels), epsilon)};
  if (!of_instances)
    throw error(problem{.reason = "it computes the mean of a batch",
                        .remedy = "a trained mean, or instanceNormalization, is supported"});
  return {c.to().node("InstanceNormalization", c.name(), {x, gamma, beta}, 4,
                      {{"epsilon", epsilon}})};
}

NVDLAC_IMPL results on_lrn(const conversion& c) {
  const auto k = c.p.number("k");
  return {c.to().node("LRN", c.name(), {c.picture()}, 4,
                      {{"size", c.p.integer("localSize")}, {"alpha", c.p.number("alpha")},
                       {"beta", c.p.number("beta")}, {"bias", k == 0 ? 1.0F : k}})};
}

NVDLAC_IMPL results mapped(const conversion& c, const std::string& type,
                           const std::vector<attribute>& attributes) {
  return {c.to().node(type, c.name(), {c.one()}, c.one().rank, attributes)};
}

NVDLAC_IMPL operand of_channels(const conversion& c, const proto::view& kind, const char* field) {
  return c.to().along(c.weights.list(kind.child(field), field), 3, 0);
}

NVDLAC_IMPL results on_activation(const conversion& c) {
  const auto& x = c.one();
  const auto& p = c.p;
  const auto alpha = [&](const char* kind) { return p.child(kind).number("alpha"); };
  const auto beta = [&](const char* kind) { return p.child(kind).number("beta"); };
  const auto binary = [&](const std::string& name, const char* type, const operand& a,
                          const operand& b) { return c.to().binary(name, type, a, b); };
  const auto times = [&](const std::string& name, const operand& a, float factor) {
    return binary(name, "Mul", a, c.to().number(factor));
  };
  if (p.has("linear"))
    return {binary(c.name(), "Add", times(c.name("scale"), x, alpha("linear")),
                   c.to().number(beta("linear")))};
  if (p.has("ReLU")) return mapped(c, "Relu");
  if (p.has("leakyReLU")) return mapped(c, "LeakyRelu", {{"alpha", alpha("leakyReLU")}});
  if (p.has("thresholdedReLU"))
    return mapped(c, "ThresholdedRelu", {{"alpha", alpha("thresholdedReLU")}});
  if (p.has("PReLU"))
    return {c.to().node("PRelu", c.name(), {x, of_channels(c, p.child("PReLU"), "alpha")},
                        x.rank)};
  if (p.has("tanh")) return mapped(c, "Tanh");
  if (p.has("scaledTanh")) {
    const auto inner = times(c.name("scale"), x, beta("scaledTanh"));
    return {times(c.name(), c.to().node("Tanh", c.name("tanh"), {inner}, x.rank),
                  alpha("scaledTanh"))};
  }
  if (p.has("sigmoid")) return mapped(c, "Sigmoid");
  if (p.has("sigmoidHard"))
    return mapped(c, "HardSigmoid", {{"alpha", alpha("sigmoidHard")},
                                     {"beta", beta("sigmoidHard")}});
  if (p.has("ELU")) return mapped(c, "Elu", {{"alpha", alpha("ELU")}});
  if (p.has("softsign")) return mapped(c, "Softsign");
  if (p.has("softplus")) return mapped(c, "Softplus");
  if (p.has("parametricSoftplus")) {
    const auto of = p.child("parametricSoftplus");
    const auto inner = binary(c.name("scale"), "Mul", x, of_channels(c, of, "beta"));
    return {binary(c.name(), "Mul", c.to().node("Softplus", c.name("softplus"), {inner}, x.rank),
                   of_channels(c, of, "alpha"))};
  }
  throw error("its function is not known");
}

NVDLAC_IMPL results on_unary(const conversion& c) {
  auto x = c.one();
  const auto scale = c.p.number("scale"), shift = c.p.number("shift"), alpha = c.p.number("alpha");
  const auto epsilon = c.p.number("epsilon") == 0 ? 1e-6F : c.p.number("epsilon");
  const auto with = [&](const char* step, const char* type, float v) {
    x = c.to().binary(c.name(step), type, x, c.to().number(v));
  };
  if (scale != 0 && scale != 1) with("scale", "Mul", scale);
  if (shift != 0) with("shift", "Add", shift);
  const auto apply = [&](const char* type) { return c.to().node(type, c.name(), {x}, x.rank); };
  switch (c.p.integer("type")) {
    case 0: return {apply("Sqrt")};
    case 1:
      with("epsilon", "Add", epsilon);
      x = c.to().node("Sqrt", c.name("root"), {x}, x.rank);
      return {apply("Reciprocal")};
    case 2: with("epsilon", "Add", epsilon); return {apply("Reciprocal")};
    case 3: return {c.to().binary(c.name(), "Pow", x, c.to().number(alpha))};
    case 4: return {apply("Exp")};
    case 5: return {apply("Log")};
    case 6: return {apply("Abs")};
    case 7: return {c.to().binary(c.name(), "Max", x, c.to().number(alpha))};
    default: throw error(text("its type is number ", c.p.integer("type")));
  }
}

NVDLAC_IMPL results on_gelu(const conversion& c) {
  const auto mode = c.p.integer("mode");
  if (mode == 0 || mode == 1)
    return mapped(c, "Gelu", {{"approximate", std::string(mode == 0 ? "none" : "tanh")}});
  if (mode != 2) throw error(text("its mode is number ", mode));
  const auto inner = c.to().binary(c.name("scale"), "Mul", c.one(), c.to().number(1.702F));
  return {c.to().binary(c.name(), "Mul", c.one(),
                        c.to().node("Sigmoid", c.name("sigmoid"), {inner}, inner.rank))};
}

NVDLAC_IMPL results on_clip(const conversion& c) {
  return {c.to().clipped(c.name(), c.one(), c.p.number("minVal"), c.p.number("maxVal"))};
}

NVDLAC_IMPL results on_clamped_relu(const conversion& c) {
  const auto least = c.to().binary(c.name("min"), "Min", c.one(),
                                   c.to().number(c.p.number("beta")));
  return {c.to().node("LeakyRelu", c.name(), {least}, least.rank,
                      {{"alpha", c.p.number("alpha")}})};
}

NVDLAC_IMPL operand together(const conversion& c, const std::string& type,
                             const std::string& last) {
  const auto all = c.all();
  auto y = all[0];
  for (std::size_t i = 1; i < all.size(); ++i)
    y = c.to().binary(i + 1 == all.size() ? last : text(c.name(), '/', i), type, y, all[i]);
  return y;
}

NVDLAC_IMPL results on_average(const conversion& c) {
  c.require_inputs(2, 1024);
  const auto sum = together(c, "Add", c.name("sum"));
  return {c.to().binary(c.name(), "Mul", sum,
                        c.to().number(1 / static_cast<float>(c.inputs())))};
}

NVDLAC_IMPL operand of_pictures(const conversion& c, const char* field, const char* shape) {
  const auto given = c.p.values<std::int64_t>(shape);
  if (given.size() != 1 && given.size() != 3)
    throw error(text("its ", shape, " is ", onnx_format::to_text(given)));
  return c.to().along(c.weights.read(c.p.child(field), given, field), 3, 0);
}

NVDLAC_IMPL results on_scale(const conversion& c) {
  const auto factors = of_pictures(c, "scale", "shapeScale");
  (void)c.channels_of(c.one());
  if (!c.p.flag("hasBias", false)) return {c.to().binary(c.name(), "Mul", c.one(), factors)};
  const auto product = c.to().binary(c.name("product"), "Mul", c.one(), factors);
  return {c.to().binary(c.name(), "Add", product, of_pictures(c, "bias", "shapeBias"))};
}

NVDLAC_IMPL results on_bias(const conversion& c) {
  (void)c.channels_of(c.one());
  return {c.to().binary(c.name(), "Add", c.one(), of_pictures(c, "bias", "shape"))};
}

NVDLAC_IMPL results on_softmax(const conversion& c) {
  return mapped(c, "Softmax", {{"axis", c.channels_of(c.one())}});
}

NVDLAC_IMPL results on_softmax_nd(const conversion& c) {
  return mapped(c, "Softmax", {{"axis", c.axis(c.p.integer("axis"))}});
}

NVDLAC_IMPL operand reduced(translation::layer_writer& to, const std::string& name,
                            const std::string& type, const operand& x, const dims& axes,
                            bool keep) {
  const auto rank = keep ? x.rank : x.rank - std::min(x.rank, axes.size());
  const std::int64_t kept = keep ? 1 : 0;
  if (type == "ReduceSum")
    return to.node(type, name, {x, to.integers(axes)}, rank, {{"keepdims", kept}});
  return to.node(type, name, {x}, rank, {{"axes", axes}, {"keepdims", kept}});
}

NVDLAC_IMPL results on_reduce(const conversion& c) {
  auto x = c.one();
  const auto mode = c.p.integer("mode"), along = c.p.integer("axis");
  static constexpr const char* types[] = {"ReduceSum", "ReduceMean", "ReduceProd", "ReduceSum",
                                          "ReduceSumSquare", "ReduceL1", "ReduceL2", "ReduceMax",
                                          "ReduceMin"};
  if (mode < 0 || mode > 8 || along < 0 || along > 4)
    throw error(text("its mode ", mode, " along axis ", along, " is not supported"));
  const auto first = c.channels_of(x);
  const dims axes[] = {{first, first + 1, first + 2}, {first + 1, first + 2}, {first}, {first + 1},
                       {first + 2}};
  if (mode == 3) {
    const auto epsilon = c.p.number("epsilon") == 0 ? 1e-6F : c.p.number("epsilon");
    x = c.to().binary(c.name("epsilon"), "Add", x, c.to().number(epsilon));
    x = c.to().node("Log", c.name("log"), {x}, x.rank);
  }
  return {reduced(c.to(), c.name(), types[mode], x, axes[along], true)};
}

}  // namespace nvdlac::import::coreml_format
