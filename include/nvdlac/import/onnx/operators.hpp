// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>

#include <nvdlac/import/onnx/activation.hpp>
#include <nvdlac/import/onnx/arithmetic.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/layers.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/import/onnx/rearranging.hpp>
#include <nvdlac/import/onnx/transposed.hpp>

namespace nvdlac::import::onnx_format {

struct operator_entry {
  handler convert;
  bool of_constants = false;  // only where all inputs are known when the file is read
};

// The operators that are understood.
inline const std::map<std::string_view, operator_entry>& operators() {
  static const std::map<std::string_view, operator_entry> all = [] {
    std::map<std::string_view, operator_entry> m = {
        {"Abs", {on_abs}},
        {"AveragePool", {on_pool}},
        {"BatchNormalization", {on_batch_normalization}},
        {"Cast", {on_cast}},
        {"Clip", {on_clip}},
        {"Concat", {on_concat}},
        {"Constant", {on_constant}},
        {"ConstantOfShape", {on_constant_of_shape}},
        {"Conv", {on_conv}},
        {"ConvTranspose", {on_conv_transpose}},
        {"DepthToSpace", {on_depth_to_space}},
        {"Dropout", {on_dropout}},
        {"Expand", {on_expand}},
        {"Flatten", {on_flatten}},
        {"Gather", {on_gather}},
        {"Gemm", {on_gemm}},
        {"GlobalAveragePool", {on_global_pool}},
        {"GlobalMaxPool", {on_global_pool}},
        {"HardSigmoid", {on_hard_sigmoid}},
        {"HardSwish", {on_hard_swish}},
        {"Identity", {on_identity}},
        {"LRN", {on_lrn}},
        {"LeakyRelu", {on_leaky_relu}},
        {"MatMul", {on_mat_mul}},
        {"MaxPool", {on_pool}},
        {"Mean", {on_mean}},
        {"Neg", {on_neg}},
        {"PRelu", {on_prelu}},
        {"Pad", {on_pad}},
        {"Range", {on_range, true}},
        {"ReduceMax", {on_reduce}},
        {"ReduceMean", {on_reduce}},
        {"ReduceMin", {on_reduce, true}},
        {"ReduceProd", {on_reduce, true}},
        {"ReduceSum", {on_reduce}},
        {"Relu", {on_relu}},
        {"Reshape", {on_reshape}},
        {"Resize", {on_resize}},
        {"Shape", {on_shape}},
        {"Size", {on_size}},
        {"Slice", {on_slice}},
        {"Softmax", {on_softmax}},
        {"SpaceToDepth", {on_space_to_depth}},
        {"Split", {on_split}},
        {"Squeeze", {on_squeeze}},
        {"Sum", {on_sum}},
        {"Tile", {on_tile}},
        {"Transpose", {on_transpose}},
        {"Unsqueeze", {on_unsqueeze}},
        {"Upsample", {on_upsample}},
        {"Where", {on_where, true}},
    };
    for (const auto& [type, ignored] : plain_functions()) m.insert({type, {on_function}});
    for (const char* type :
         {"Celu", "Elu", "Gelu", "Reciprocal", "Selu", "Sqrt", "ThresholdedRelu"})
      m.insert({type, {on_function}});
    for (const auto& [type, ignored] : unary_functions()) m.insert({type, {on_unary, true}});
    for (const auto& [type, ignored] : binary_functions()) m.insert({type, {on_binary, true}});
    for (const char* type : {"Add", "Sub", "Mul", "Div", "Max", "Min"})
      m.at(type).of_constants = false;
    for (const char* type : {"Max", "Min"}) m.at(type).convert = on_extremum;
    m.at("Div").convert = on_div;
    m.at("Pow") = {on_pow};
    return m;
  }();
  return all;
}

// The operators that computed tensors may go through, for messages.
inline std::string supported_operators() {
  std::string s;
  for (const auto& [type, entry] : operators())
    if (!entry.of_constants) s += (s.empty() ? "" : ", ") + std::string(type);
  return s;
}

inline bool is_quantised(std::string_view type) {
  for (const std::string_view part :
       {"QLinear", "uantizeLinear", "MatMulInteger", "ConvInteger", "com.microsoft:QGemm"})
    if (type.find(part) != type.npos) return true;
  return false;
}

}  // namespace nvdlac::import::onnx_format
