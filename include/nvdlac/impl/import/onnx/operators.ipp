// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/arg_max.hpp>
#include <nvdlac/import/onnx/activation.hpp>
#include <nvdlac/import/onnx/arithmetic.hpp>
#include <nvdlac/import/onnx/comparison.hpp>
#include <nvdlac/import/onnx/einsum.hpp>
#include <nvdlac/import/onnx/fold.hpp>
#include <nvdlac/import/onnx/host.hpp>
#include <nvdlac/import/onnx/layers.hpp>
#include <nvdlac/import/onnx/matrix.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/onnx/pooling.hpp>
#include <nvdlac/import/onnx/qlinear.hpp>
#include <nvdlac/import/onnx/quantised.hpp>
#include <nvdlac/import/onnx/rearranging.hpp>
#include <nvdlac/import/onnx/recurrent.hpp>
#include <nvdlac/import/onnx/reduction.hpp>
#include <nvdlac/import/onnx/sampling.hpp>
#include <nvdlac/import/onnx/selection.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL std::string supported_opsets() {
  return text("opsets ", first_opset, " to ", last_opset, " are supported");
}

NVDLAC_IMPL std::int64_t version_for(const versions& all, const std::string& domain) {
  const bool onnx = domain == "ai.onnx" || domain == "com.microsoft";
  const auto found = all.find(onnx ? std::string() : domain);
  return found == all.end() ? 0 : found->second;
}

NVDLAC_IMPL void check_version(const versions& all) {
  const auto opset = version_for(all, "");
  if (opset < 1 || opset > last_opset)
    throw error(problem{.reason = opset == 0 ? "it names no version of ONNX's operators (opset)"
                                             : text("it uses opset ", opset),
                        .remedy = supported_opsets()});
}

// Long because it is a table.
NVDLAC_IMPL const operator_table& operators() {
  static const operator_table all = [] {
    operator_table m = {
        {"Abs", {on_abs}},
        {"ArgMax", {on_arg_max}},
        {"ArgMin", {on_arg_max}},
        {"AveragePool", {on_pool}},
        {"BatchNormalization", {on_batch_normalization}},
        {"Cast", {on_cast}},
        {"CastLike", {on_cast, false, 15}},
        {"Clip", {on_clip}},
        {"Concat", {on_concat}},
        {"Constant", {on_constant}},
        {"ConstantOfShape", {on_constant_of_shape}},
        {"Conv", {on_conv}},
        {"ConvTranspose", {on_conv_transpose}},
        {"CumSum", {on_cum_sum, false, 11}},
        {"DFT", {on_dft}},
        {"DepthToSpace", {on_depth_to_space}},
        {"Dropout", {on_dropout}},
        {"Einsum", {on_einsum, false, 12}},
        {"Expand", {on_expand}},
        {"Flatten", {on_flatten}},
        {"Gather", {on_gather}},
        {"GatherElements", {on_gather_elements}},
        {"GatherND", {on_gather_nd}},
        {"GRU", {on_gru}},
        {"Gemm", {on_gemm}},
        {"GlobalAveragePool", {on_global_pool}},
        {"GlobalLpPool", {on_global_lp_pool, false, 2}},
        {"GlobalMaxPool", {on_global_pool}},
        {"GridSample", {on_grid_sample}},
        {"GroupNormalization", {on_group_normalization, false, 18}},
        {"HardSigmoid", {on_hard_sigmoid}},
        {"HardSwish", {on_hard_swish}},
        {"Hardmax", {on_choice<host::hard_max>}},
        {"Identity", {on_identity}},
        {"InstanceNormalization", {on_instance_normalization}},
        {"LRN", {on_lrn}},
        {"LSTM", {on_lstm}},
        {"LayerNormalization", {on_layer_normalization}},
        {"LeakyRelu", {on_leaky_relu}},
        {"Log", {on_log}},
        {"LogSoftmax", {on_choice<host::log_softmax>}},
        {"LpNormalization", {on_lp_normalization}},
        {"LpPool", {on_lp_pool, false, 2}},
        {"MatMul", {on_mat_mul}},
        {"MaxPool", {on_pool}},
        {"Mean", {on_mean}},
        {"MeanVarianceNormalization", {on_mean_variance_normalization}},
        {"Neg", {on_neg}},
        {"NonMaxSuppression", {on_non_max_suppression}},
        {"PRelu", {on_prelu}},
        {"Pad", {on_pad}},
        {"RNN", {on_rnn}},
        {"RMSNormalization", {on_rms_normalization, false, 23}},
        {"Range", {on_range, true}},
        {"Relu", {on_relu}},
        {"Reshape", {on_reshape}},
        {"Resize", {on_resize}},
        {"ScatterND", {on_scatter_nd}},
        {"Shape", {on_shape}},
        {"Size", {on_size}},
        {"Slice", {on_slice}},
        {"Softmax", {on_softmax}},
        {"Shrink", {on_shrink}},
        {"SpaceToDepth", {on_space_to_depth}},
        {"Split", {on_split}},
        {"Squeeze", {on_squeeze}},
        {"Sum", {on_sum}},
        {"Tile", {on_tile, false, 6}},
        {"TopK", {on_top_k}},
        {"Transpose", {on_transpose}},
        {"Unsqueeze", {on_unsqueeze}},
        {"Upsample", {on_upsample}},
        {"Where", {on_where}},
    };
    for (const auto& [type, ignored] : plain_functions()) m.insert({type, {on_function}});
    for (const auto& [type, ignored] : reducers()) m.insert({type, {on_reduce}});
    for (const char* type :
         {"Celu", "Elu", "Gelu", "Reciprocal", "Selu", "Sqrt", "ThresholdedRelu"})
      m.insert({type, {on_function}});
    m.insert({"Swish", {on_function, false, 24}});
    const std::pair<std::string_view, operator_entry> of_integers[] = {
        {"ConvInteger", {on_conv_integer}},
        {"DequantizeLinear", {on_dequantize_linear}},
        {"DynamicQuantizeLinear", {on_dynamic_quantize_linear}},
        {"MatMulInteger", {on_mat_mul_integer}},
        {"QLinearConv", {on_qlinear_conv<on_conv>}},
        {"QLinearMatMul", {on_qlinear_mat_mul}},
        {"QuantizeLinear", {on_quantize_linear}},
        {"com.microsoft:DequantizeLinear", {on_dequantize_linear}},
        {"com.microsoft:QGemm", {on_qgemm}},
        {"com.microsoft:QLinearAdd", {on_qlinear_binary}},
        {"com.microsoft:QLinearAveragePool", {on_qlinear_unary<with_either_order<on_pool>>}},
        {"com.microsoft:QLinearConcat", {on_qlinear_concat}},
        {"com.microsoft:QLinearConv", {on_qlinear_conv<with_either_order<on_conv>>}},
        {"com.microsoft:QLinearGlobalAveragePool",
         {on_qlinear_unary<with_either_order<real_global_average>>}},
        {"com.microsoft:QLinearLeakyRelu", {on_qlinear_unary<on_leaky_relu>}},
        {"com.microsoft:QLinearMul", {on_qlinear_binary}},
        {"com.microsoft:QLinearReduceMean", {on_qlinear_unary<real_mean>}},
        {"com.microsoft:QLinearSigmoid", {on_qlinear_unary<real_sigmoid>}},
        {"com.microsoft:QLinearSoftmax", {on_qlinear_unary<real_softmax>}},
        {"com.microsoft:QLinearWhere", {on_qlinear_where}},
        {"com.microsoft:QuantizeLinear", {on_quantize_linear}},
    };
    m.insert(std::begin(of_integers), std::end(of_integers));
    // The domains that versions of Brevitas and QONNX write.
    const std::pair<std::string_view, operator_entry> of_bits[] = {
        {"finn.custom_op.general:BipolarQuant", {on_bipolar_quant, false, 1}},
        {"finn.custom_op.general:Quant", {on_quant, false, 1}},
        {"finn.custom_op.general:Trunc", {on_trunc, false, 1}},
        {"onnx.brevitas:BipolarQuant", {on_bipolar_quant, false, 1}},
        {"onnx.brevitas:Quant", {on_quant, false, 1}},
        {"onnx.brevitas:Trunc", {on_trunc, false, 1}},
        {"qonnx.custom_op.general:BipolarQuant", {on_bipolar_quant, false, 1}},
        {"qonnx.custom_op.general:Quant", {on_quant, false, 1}},
        {"qonnx.custom_op.general:Trunc", {on_trunc, false, 1}},
    };
    m.insert(std::begin(of_bits), std::end(of_bits));
    const std::pair<std::string_view, operator_entry> fused[] = {
        {"com.microsoft:BiasGelu", {on_fused_gelu<net::function::gelu>}},
        {"com.microsoft:FastGelu", {on_fused_gelu<net::function::gelu_tanh>}},
        {"com.microsoft:FusedConv", {on_fused_conv}},
        {"com.microsoft:FusedGemm", {on_fused_gemm}},
        {"com.microsoft:FusedMatMul", {on_fused_mat_mul}},
        {"com.microsoft:Gelu", {on_fused_gelu<net::function::gelu>}},
        {"com.microsoft:NhwcMaxPool", {with_channels_last<on_pool>}},
        {"com.microsoft:QuickGelu", {on_quick_gelu}},
    };
    m.insert(std::begin(fused), std::end(fused));
    for (const auto& [type, ignored] : unary_functions()) m.insert({type, {on_unary, true}});
    for (const auto& [type, ignored] : binary_functions()) m.insert({type, {on_binary, true}});
    for (const char* type : {"Add", "Sub", "Mul", "Div", "Max", "Min"})
      m.at(type).of_constants = false;
    for (const char* type : {"Max", "Min"}) m.at(type).convert = on_extremum;
    for (const char* type : {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"})
      m.at(type) = {on_comparison};
    for (const char* type : {"And", "Or"}) m.at(type) = {on_truths};
    m.at("Not") = {on_not};
    m.at("Div").convert = on_div;
    m.at("Mod").convert = on_mod;
    m.at("Pow") = {on_pow};
    return m;
  }();
  return all;
}

NVDLAC_IMPL std::vector<std::string> supported_operators(const operator_table& all) {
  std::vector<std::string> names;
  for (const auto& [type, entry] : all)
    if (!entry.of_constants) names.emplace_back(type);
  return names;
}

NVDLAC_IMPL std::string_view own_domain(std::string_view type) {
  const auto domain = type.substr(0, std::min(type.find(':'), type.size()));
  return domain == type || domain == "com.microsoft" ? std::string_view() : domain;
}

}  // namespace nvdlac::import::onnx_format
