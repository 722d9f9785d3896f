// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/pytorch/attention.hpp>
#include <nvdlac/import/pytorch/call.hpp>
#include <nvdlac/import/pytorch/moving.hpp>
#include <nvdlac/import/pytorch/normalisation.hpp>
#include <nvdlac/import/pytorch/operators.hpp>
#include <nvdlac/import/pytorch/tensor.hpp>

namespace nvdlac::import::pytorch_format {

NVDLAC_IMPL std::size_t spatial(const operand& x) {
  if (x.rank != 3 && x.rank != 4)
    throw error(problem{.reason = text("its input has ", count_of(x.rank, "dimension")),
                        .remedy = "export the model with an input that has a batch of 1"});
  return x.rank - 2;
}

NVDLAC_IMPL results mapped(const call& c, const std::string& type,
                           const std::vector<translation::attribute>& attributes) {
  const auto x = input_of(c);
  return {c.to().node(type, c.layer, {x}, x.rank, attributes)};
}

NVDLAC_IMPL results unchanged(const call& c) {
  for (const auto& o : c.outputs)
    if (!c.size.is_real(o)) throw error("it makes integers of its input");
  return {input_of(c)};
}

NVDLAC_IMPL results on_copy(const call& c) {
  c.ignore({"memory_format"});
  return unchanged(c);
}

NVDLAC_IMPL results on_conversion(const call& c) {
  c.ignore({"memory_format", "dtype", "layout", "device", "pin_memory", "non_blocking", "copy",
            "other"});
  const auto x = input_of(c);
  const auto from = c.tensor_name(c.has("self") ? "self" : "input");
  const bool of_integers = from && !c.size.is_real(*from);
  const auto same = unchanged(c);
  if (!of_integers) return same;
  return {c.to().node("Cast", c.layer, {x}, x.rank, {{"to", std::int64_t{1}}})};
}

NVDLAC_IMPL results on_dropout(const call& c) {
  if (c.flag("train"))
    throw error(problem{.reason = "it is exported in training",
                        .remedy = "call model.eval() before the export"});
  c.ignore({"p"});
  return {input_of(c)};
}

NVDLAC_IMPL results on_clip(const call& c, float low, float high) {
  return {c.to().clipped(c.layer, input_of(c), low, high)};
}

NVDLAC_IMPL results on_hardtanh(const call& c) {
  return on_clip(c, c.number("min_val", -1), c.number("max_val", 1));
}

NVDLAC_IMPL results on_clamp(const call& c) {
  using limits = std::numeric_limits<float>;
  return on_clip(c, c.number("min", limits::lowest()), c.number("max", limits::max()));
}

NVDLAC_IMPL results on_leaky_relu(const call& c) {
  return mapped(c, "LeakyRelu", {{"alpha", c.number("negative_slope", 0.01F)}});
}

NVDLAC_IMPL results on_elu(const call& c) {
  const float scale = c.number("scale", 1), inner = c.number("input_scale", 1),
              alpha = c.number("alpha", 1);
  if (!(inner > 0)) throw error(text("its input_scale is ", inner));
  const std::vector<translation::attribute> how{{"alpha", alpha}};
  const bool celu = std::fabs(alpha * inner - 1) <= std::numeric_limits<float>::epsilon();
  if (scale == 1 && inner == 1) return mapped(c, "Elu", how);
  if (scale == 1 && celu) return mapped(c, "Celu", how);
  auto& to = c.to();
  auto y = input_of(c);
  const auto rank = y.rank;
  if (inner == 1) {
    y = to.node("Elu", c.layer + "/elu", {y}, rank, how);
  } else if (celu) {
    y = to.node("Celu", c.layer + "/celu", {y}, rank, how);
  } else {  // of inner * x, whose part below 0 is brought to the slope of the part above
    const auto times = to.node("Mul", c.layer + "/times", {y, to.number(inner)}, rank);
    const auto curve = to.node("Elu", c.layer + "/elu", {times}, rank, how);
    y = to.node("LeakyRelu", c.layer + "/leaky", {curve}, rank, {{"alpha", inner}});
  }
  return {to.node("Mul", c.layer, {y, to.number(celu ? scale : scale / inner)}, rank)};
}

NVDLAC_IMPL results on_hardsigmoid(const call& c) {
  return mapped(c, "HardSigmoid", {{"alpha", 1.0F / 6}, {"beta", 0.5F}});
}

NVDLAC_IMPL results on_gelu(const call& c) {
  return mapped(c, "Gelu", {{"approximate", c.string("approximate", "none")}});
}

NVDLAC_IMPL results on_silu(const call& c) {
  const auto x = input_of(c);
  const auto gate = c.to().node("Sigmoid", c.layer + "/gate", {x}, x.rank);
  return {c.to().node("Mul", c.layer, {x, gate}, x.rank)};
}

NVDLAC_IMPL results on_softplus(const call& c) {
  const float beta = c.number("beta", 1);
  if (!(beta > 0)) throw error(text("its beta is ", beta));
  // Beyond the threshold PyTorch gives the input itself: from 15 on both are the same to a float.
  if (const float threshold = c.number("threshold", 20); !(threshold >= 15))
    throw error(problem{.reason = text("its threshold is ", threshold),
                        .remedy = "thresholds of 15 and more are supported"});
  if (beta == 1) return mapped(c, "Softplus");
  const auto x = input_of(c);
  auto& to = c.to();
  const auto times = to.node("Mul", c.layer + "/times", {x, to.number(beta)}, x.rank);
  const auto y = to.node("Softplus", c.layer + "/softplus", {times}, x.rank);
  return {to.node("Div", c.layer, {y, to.number(beta)}, x.rank)};
}

NVDLAC_IMPL results on_rsqrt(const call& c) {
  const auto x = input_of(c);
  const auto root = c.to().node("Sqrt", c.layer + "/sqrt", {x}, x.rank);
  return {c.to().node("Reciprocal", c.layer, {root}, x.rank)};
}

NVDLAC_IMPL results on_prelu(const call& c) {
  return {c.to().prelu(c.layer, input_of(c), c.tensor("weight"))};
}

NVDLAC_IMPL results on_square(const call& c) {
  const auto x = input_of(c);
  return {c.to().node("Mul", c.layer, {x, x}, x.rank)};
}

NVDLAC_IMPL results on_glu(const call& c) {
  const auto x = input_of(c);
  const auto axis = c.axis("dim", x, -1);
  const auto all = c.shape(c.has("input") ? "input" : "self").at(static_cast<std::size_t>(axis));
  if (all % 2 != 0) throw error(text("it halves ", all, " elements"));
  const auto halves = c.to().several("Split", c.layer + "/halves",
                                     {x, c.to().integers({all / 2, all / 2})}, {x.rank, x.rank},
                                     {{"axis", axis}});
  const auto gate = c.to().node("Sigmoid", c.layer + "/gate", {halves[1]}, x.rank);
  return {c.to().node("Mul", c.layer, {halves[0], gate}, x.rank)};
}

NVDLAC_IMPL results on_least(const call& c) {
  return on_clip(c, c.number("min", 0), std::numeric_limits<float>::max());
}

NVDLAC_IMPL results on_most(const call& c) {
  return on_clip(c, std::numeric_limits<float>::lowest(), c.number("max", 0));
}

NVDLAC_IMPL results on_power(const call& c) {
  if (const auto base = c.is_number("self")) {
    const auto x = c.tensor("exponent");
    return {c.to().node("Pow", c.layer, {c.to().number(*base), x}, x.rank)};
  }
  const auto x = input_of(c);
  return {c.to().node("Pow", c.layer, {x, c.to().number(c.number("exponent", 1))}, x.rank)};
}

NVDLAC_IMPL results along_axis(const call& c, const std::string& type) {
  const auto x = input_of(c);
  if (c.flag("half_to_float")) throw error("its half_to_float is set, which is not supported");
  c.require_real_type();
  return {c.to().node(type, c.layer, {x}, x.rank, {{"axis", c.axis("dim", x)}})};
}

NVDLAC_IMPL operand other_of(const call& c) {
  const float alpha = c.number("alpha", 1);
  if (const auto number = c.is_number("other")) return c.to().number(*number * alpha);
  auto b = c.tensor("other");
  if (alpha == 1) return b;
  return c.to().node("Mul", c.layer + "/alpha", {b, c.to().number(alpha)}, b.rank);
}

NVDLAC_IMPL results on_divide(const call& c) {
  const auto mode = c.string("rounding_mode", "");
  if (mode.empty()) return binary<"Div">(c);
  if (mode != "floor")
    throw error(problem{.reason = "its rounding_mode is '" + mode + "'",
                        .remedy = "floor is supported"});
  const auto y = c.to().binary(c.layer + "/quotient", "Div", c.tensor("self"), other_of(c));
  return {c.to().node("Floor", c.layer, {y}, y.rank)};
}

NVDLAC_IMPL operand number_or_tensor(const call& c, const char* name) {
  const auto number = c.is_number(name);
  return number ? c.to().number(*number) : c.tensor(name);
}

NVDLAC_IMPL results on_unequal(const call& c) {
  const auto same = c.to().binary(c.layer + "/equal", "Equal", c.tensor("self"),
                                  number_or_tensor(c, "other"));
  return {c.to().node("Not", c.layer, {same}, same.rank)};
}

NVDLAC_IMPL results on_where(const call& c) {
  const auto which = c.tensor("condition"), a = number_or_tensor(c, "self"),
             b = number_or_tensor(c, "other");
  return {c.to().node("Where", c.layer, {which, a, b}, std::max({which.rank, a.rank, b.rank}))};
}

NVDLAC_IMPL results on_masked_fill(const call& c) {
  const auto mask = c.tensor("mask"), x = c.tensor("self");
  return {c.to().node("Where", c.layer, {mask, number_or_tensor(c, "value"), x},
                      std::max(mask.rank, x.rank))};
}

NVDLAC_IMPL results on_reversed_difference(const call& c) {
  const float alpha = c.number("alpha", 1);
  auto x = c.tensor("self");
  if (alpha != 1) x = c.to().node("Mul", c.layer + "/alpha", {x, c.to().number(alpha)}, x.rank);
  const auto number = c.is_number("other");
  return {c.to().binary(c.layer, "Sub", number ? c.to().number(*number) : c.tensor("other"), x)};
}

NVDLAC_IMPL results on_maximum(const call& c) {
  return c.has("other") ? binary<"Max">(c) : reduction<"ReduceMax">(c);
}

NVDLAC_IMPL results on_minimum(const call& c) {
  return c.has("other") ? binary<"Min">(c) : reduction<"ReduceMin">(c);
}

NVDLAC_IMPL results on_vector_norm(const call& c) {
  const float order = c.number("ord", 2);
  if (order == 2) return reduction<"ReduceL2">(c);
  if (order == 1) return reduction<"ReduceL1">(c);
  throw error(problem{.reason = text("its order is ", order),
                      .remedy = "norms of order 1 and 2 are supported"});
}

NVDLAC_IMPL sliding_window window_of(const call& c, std::size_t axes) {
  sliding_window w{.strides = c.per_axis("stride", axes, dims(axes, 1)),
                   .dilations = c.per_axis("dilation", axes, dims(axes, 1))};
  if (c.is_string("padding")) {
    const auto how = c.string("padding", "");
    if (how != "same" && how != "valid") throw error("its padding is '" + how + "'");
    w.same = how == "same";
    w.pads = dims(2 * axes, 0);
  } else {
    w.pads = sliding_window::both_sides(c.per_axis("padding", axes, dims(axes, 0)));
  }
  return w;
}

NVDLAC_IMPL results on_convolution(const call& c) {
  const auto x = c.tensor("input");
  const auto axes = spatial(x);
  const auto w = window_of(c, axes);
  const auto more = c.per_axis("output_padding", axes, dims(axes, 0));
  const auto bias = c.optional_tensor("bias");
  const auto groups = c.integer("groups", 1);
  if (c.flag("transposed"))
    return {c.to().convolve_transposed(c.layer, x, c.tensor("weight"), bias, w, groups, more)};
  return {c.to().convolve(c.layer, x, c.tensor("weight"), bias, w, groups)};
}

NVDLAC_IMPL results on_conv_transpose(const call& c) {
  const auto x = c.tensor("input");
  const auto axes = spatial(x);
  return {c.to().convolve_transposed(c.layer, x, c.tensor("weight"), c.optional_tensor("bias"),
                                     window_of(c, axes), c.integer("groups", 1),
                                     c.per_axis("output_padding", axes, dims(axes, 0)))};
}

NVDLAC_IMPL sliding_window pooling_window(const call& c, std::size_t axes) {
  auto w = window_of(c, axes);
  w.kernel = c.per_axis("kernel_size", axes, {});
  if (w.kernel.empty()) throw error("its kernel_size is missing");
  w.strides = c.per_axis("stride", axes, w.kernel);
  w.ceil = c.flag("ceil_mode");
  return w;
}

NVDLAC_IMPL results on_max_pool(const call& c) {
  const auto x = c.tensor("self");
  return {c.to().pool(c.layer, "MaxPool", x, pooling_window(c, spatial(x)))};
}

NVDLAC_IMPL results on_average_pool(const call& c) {
  const auto x = c.tensor("self");
  auto w = pooling_window(c, spatial(x));
  const bool counts_padding = c.flag("count_include_pad", true);
  if (!c.has("divisor_override"))
    return {c.to().pool(c.layer, "AveragePool", x, w, counts_padding)};
  const auto divisor = c.integer("divisor_override");
  if (divisor == 0) throw error("its divisor_override is 0");
  if (w.ceil) {  // a window that reaches beyond the padding has other means
    const auto in = c.shape("self");
    for (std::size_t i = 0; i < w.kernel.size(); ++i)
      if ((in.at(i + 2) + w.pads[i] + w.pads[i + w.kernel.size()] - w.kernel[i]) %
              w.strides[i] != 0)
        throw error(problem{.reason = "its windows reach beyond its padding, and it has a "
                                      "divisor_override",
                            .remedy = "leave out ceil_mode"});
    w.ceil = false;
  }
  const auto mean = c.to().pool(c.layer + "/mean", "AveragePool", x, w, true);
  const auto factor = static_cast<double>(onnx_format::count(w.kernel)) /
                      static_cast<double>(divisor);
  return {c.to().node("Mul", c.layer, {mean, c.to().number(static_cast<float>(factor))}, x.rank)};
}

namespace detail {

// Windows that differ in size, which may share elements: one after the other along each axis.
NVDLAC_IMPL operand pooled_unevenly(const call& c, operand x, const dims& out, bool maximum) {
  const auto in = c.shape("self");
  const char* const type = maximum ? "ReduceMax" : "ReduceMean";
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i) + 2;
    const auto size = in.at(i + 2);
    const auto name = i + 1 == out.size() ? c.layer : text(c.layer, "/axis", axis);
    std::vector<operand> windows;
    for (std::int64_t k = 0; k < out[i]; ++k) {
      const auto first = k * size / out[i], end = ((k + 1) * size + out[i] - 1) / out[i];
      const auto part = c.to().sliced(text(name, "/part", k), x, axis, first, end);
      windows.push_back(c.to().node(type, text(name, "/window", k), {part}, x.rank,
                                    {{"axes", dims{axis}}, {"keepdims", std::int64_t{1}}}));
    }
    x = c.to().node("Concat", name, windows, x.rank, {{"axis", axis}});
  }
  return x;
}

}  // namespace detail

NVDLAC_IMPL results on_adaptive_pool(const call& c, bool maximum) {
  const auto x = c.tensor("self");
  const auto axes = spatial(x);
  const auto out = c.per_axis("output_size", axes, {});
  if (out.empty()) throw error("its output_size is missing");
  if (out == dims(axes, 1))
    return {c.to().node(maximum ? "GlobalMaxPool" : "GlobalAveragePool", c.layer, {x}, x.rank)};
  const auto in = c.shape("self");
  sliding_window w{.pads = dims(2 * axes, 0), .dilations = dims(axes, 1)};
  bool even = true;
  for (std::size_t i = 0; i < axes; ++i) {
    const auto size = in.at(i + 2);
    if (out[i] < 1 || out[i] > size)
      throw error(text("it makes ", out[i], " elements of ", size));
    even = even && size % out[i] == 0;
    w.kernel.push_back(size / out[i]);
  }
  if (!even) return {detail::pooled_unevenly(c, x, out, maximum)};
  w.strides = w.kernel;
  return {c.to().pool(c.layer, maximum ? "MaxPool" : "AveragePool", x, w)};
}

NVDLAC_IMPL results on_batch_norm(const call& c) {
  if (c.flag("training") || c.flag("train"))
    throw error(problem{.reason = "it is exported in training: its statistics come from the batch",
                        .remedy = "call model.eval() before the export"});
  c.ignore({"momentum", "cudnn_enabled"});
  const auto mean = c.optional_tensor("running_mean"), variance = c.optional_tensor("running_var");
  if (!mean || !variance) throw error("it has no running statistics");
  const auto& shape = mean->numbers("means").shape;
  const auto n = static_cast<std::size_t>(onnx_format::count(shape));
  const auto all = [&](const char* name, float otherwise) {
    const auto given = c.optional_tensor(name);
    return given ? *given : operand::of(array::of_reals(shape, std::vector(n, otherwise)));
  };
  return {c.to().batch_norm(c.layer, c.tensor("input"), all("weight", 1), all("bias", 0), *mean,
                            *variance, c.number("eps", 1e-5F))};
}

NVDLAC_IMPL results on_linear(const call& c) {
  return {c.to().fully_connected(c.layer, c.tensor("input"), c.tensor("weight"),
                                 c.optional_tensor("bias"))};
}

NVDLAC_IMPL results on_add_product(const call& c) {
  return {c.to().node("Gemm", c.layer, {c.tensor("mat1"), c.tensor("mat2"), c.tensor("self")}, 2,
                      {{"alpha", c.number("alpha", 1)}, {"beta", c.number("beta", 1)}})};
}

NVDLAC_IMPL results on_product(const call& c) {
  const auto a = c.tensor("self");
  const auto b = c.tensor(c.has("mat2") ? "mat2" : "other");
  // A vector is a row before a matrix and a column behind one, and the result lacks that dimension.
  const std::size_t vectors = (a.rank == 1 ? 1U : 0U) + (b.rank == 1 ? 1U : 0U);
  const auto rank = std::max(a.rank, b.rank);
  return {c.to().node("MatMul", c.layer, {a, b}, rank - std::min(vectors, rank))};
}

NVDLAC_IMPL results on_einsum(const call& c) {
  c.ignore({"path"});
  auto equation = c.string("equation", "");
  std::erase(equation, ' ');
  const auto arrow = equation.find("->");
  if (arrow == equation.npos || equation.find('.') != equation.npos)
    throw error(problem{.reason = "its equation is '" + equation + "'",
                        .remedy = "equations that name all axes, of the result too, are "
                                  "supported"});
  return {c.to().node("Einsum", c.layer, c.tensors("operands"), equation.size() - arrow - 2,
                      {{"equation", equation}})};
}

NVDLAC_IMPL results on_size(const call& c) {
  const auto shape = c.shape("self");
  const auto axis = onnx_format::checked_axis(c.integer("dim"), shape.size());
  const auto n = shape[static_cast<std::size_t>(axis)];
  for (const auto& o : c.outputs) c.size.know(o, n);
  return {operand::of(array::of_integers({}, {n}))};
}

NVDLAC_IMPL const std::map<std::string_view, operator_entry>& operators() {
  static const std::map<std::string_view, operator_entry> all = {
      {"_adaptive_avg_pool2d", {on_adaptive_average}}, {"_log_softmax", {on_log_softmax}},
      {"_native_batch_norm_legit_no_training", {on_batch_norm}}, {"_softmax", {on_softmax}},
      {"_to_copy", {on_conversion}}, {"_unsafe_view", {on_view}},
      {"abs", {function<"Abs">}}, {"adaptive_avg_pool1d", {on_adaptive_average}},
      {"adaptive_avg_pool2d", {on_adaptive_average}},
      {"adaptive_max_pool2d", {on_adaptive_maximum}}, {"add", {binary<"Add">}},
      {"addmm", {on_add_product}}, {"alias", {unchanged}}, {"alpha_dropout", {on_dropout}},
      {"amax", {reduction<"ReduceMax">}}, {"amin", {reduction<"ReduceMin">}},
      {"avg_pool1d", {on_average_pool}}, {"avg_pool2d", {on_average_pool}},
      {"batch_norm", {on_batch_norm}}, {"bmm", {on_product}}, {"cat", {on_concat}},
      {"ceil", {function<"Ceil">}}, {"chunk", {on_chunk}}, {"clamp", {on_clamp}},
      {"clamp_max", {on_most}}, {"clamp_min", {on_least}}, {"clone", {on_copy}},
      {"constant_pad_nd", {on_constant_pad}}, {"contiguous", {on_copy}},
      {"conv1d", {on_convolution}}, {"conv2d", {on_convolution}},
      {"conv_transpose2d", {on_conv_transpose}}, {"convolution", {on_convolution}},
      {"cos", {function<"Cos">}}, {"detach", {unchanged}}, {"div", {on_divide}},
      {"dropout", {on_dropout}}, {"einsum", {on_einsum}}, {"elu", {on_elu}},
      {"eq", {comparison<"Equal">}}, {"erf", {function<"Erf">}}, {"exp", {function<"Exp">}},
      {"expand", {on_expand}}, {"expand_as", {on_expand_as}},
      {"feature_dropout", {on_dropout}}, {"flatten", {on_flatten}}, {"flip", {on_flip}},
      {"floor", {function<"Floor">}}, {"ge", {comparison<"GreaterOrEqual">}},
      {"gelu", {on_gelu}}, {"glu", {on_glu}}, {"group_norm", {on_group_norm}},
      {"gt", {comparison<"Greater">}}, {"hardsigmoid", {on_hardsigmoid}},
      {"hardswish", {function<"HardSwish">}}, {"hardtanh", {on_hardtanh}},
      {"layer_norm", {on_layer_norm}}, {"le", {comparison<"LessOrEqual">}},
      {"leaky_relu", {on_leaky_relu}}, {"linalg_vector_norm", {on_vector_norm}},
      {"linear", {on_linear}}, {"log", {function<"Log">}},
      {"log_softmax", {on_log_softmax}}, {"logical_and", {comparison<"And">}},
      {"logical_not", {function<"Not">}}, {"logical_or", {comparison<"Or">}},
      {"logsumexp", {reduction<"ReduceLogSumExp">}}, {"lt", {comparison<"Less">}},
      {"masked_fill", {on_masked_fill}}, {"matmul", {on_product}}, {"max", {on_maximum}},
      {"max_pool1d", {on_max_pool}}, {"max_pool2d", {on_max_pool}},
      {"max_pool2d_with_indices", {on_max_pool}}, {"maximum", {binary<"Max">}},
      {"mean", {reduction<"ReduceMean">}}, {"min", {on_minimum}},
      {"minimum", {binary<"Min">}}, {"mish", {function<"Mish">}}, {"mm", {on_product}},
      {"mul", {binary<"Mul">}}, {"native_group_norm", {on_native_group_norm}},
      {"native_layer_norm", {on_layer_norm}}, {"ne", {on_unequal}},
      {"neg", {function<"Neg">}}, {"pad", {on_pad}}, {"permute", {on_permute}},
      {"pixel_shuffle", {on_pixel_shuffle}}, {"pixel_unshuffle", {on_pixel_unshuffle}},
      {"pow", {on_power}}, {"prelu", {on_prelu}}, {"reciprocal", {function<"Reciprocal">}},
      {"reflection_pad2d", {on_reflection_pad}}, {"relu", {function<"Relu">}},
      {"relu6", {on_relu6}}, {"repeat", {on_repeat}},
      {"replication_pad2d", {on_replication_pad}}, {"reshape", {on_view}},
      {"roll", {on_roll}}, {"round", {function<"Round">}}, {"rsqrt", {on_rsqrt}},
      {"rsub", {on_reversed_difference}}, {"scaled_dot_product_attention", {on_attention}},
      {"select", {on_select}}, {"selu", {function<"Selu">}},
      {"sigmoid", {function<"Sigmoid">}}, {"sign", {function<"Sign">}}, {"silu", {on_silu}},
      {"sin", {function<"Sin">}}, {"slice", {on_slice}}, {"softmax", {on_softmax}},
      {"softplus", {on_softplus}}, {"softsign", {function<"Softsign">}},
      {"split", {on_split}}, {"split_with_sizes", {on_split_with_sizes}},
      {"sqrt", {function<"Sqrt">}}, {"square", {on_square}}, {"squeeze", {on_squeeze}},
      {"stack", {on_stack}}, {"sub", {binary<"Sub">}}, {"sum", {reduction<"ReduceSum">}},
      {"sym_size", {on_size}}, {"t", {on_t}}, {"tanh", {function<"Tanh">}},
      {"to", {on_conversion}}, {"transpose", {on_transpose}}, {"unbind", {on_unbind}},
      {"unflatten", {on_unflatten}}, {"unsqueeze", {on_unsqueeze}},
      {"upsample_bicubic2d", {on_upsample_bicubic}},
      {"upsample_bilinear2d", {on_upsample_bilinear}},
      {"upsample_nearest2d", {on_upsample_nearest}}, {"view", {on_view}},
      {"view_as", {on_view_as}}, {"where", {on_where}},
  };
  return all;
}

}  // namespace nvdlac::import::pytorch_format
