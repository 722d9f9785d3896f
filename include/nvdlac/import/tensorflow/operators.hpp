// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <string_view>

#include <nvdlac/import/tensorflow/elementwise.hpp>
#include <nvdlac/import/tensorflow/layout.hpp>

namespace nvdlac::import::tensorflow_format {

struct operator_entry {
  void (*convert)(const conversion&);
  std::size_t typed_by = 0;     // the input whose type the outputs have
  bool of_any_type = false;     // computed integers may come in, too
  bool of_blocks = false;       // what SpaceToBatchND cut may come in, when zeros were taken in
};

// The operators that are understood, but for those that stand for tensors: Placeholder, Const and
// variables.
inline const std::map<std::string_view, operator_entry>& operators() {
  static const std::map<std::string_view, operator_entry> all = {
      {"Abs", {on_abs}}, {"AccumulateNV2", {on_add_n}}, {"Add", {on_add}}, {"AddN", {on_add_n}},
      {"AddV2", {on_add}}, {"ArgMax", {on_arg_max}}, {"ArgMin", {on_arg_min}},
      {"AvgPool", {on_average_pool}}, {"BatchMatMul", {on_batch_mat_mul}},
      {"BatchMatMulV2", {on_batch_mat_mul}},
      {"BatchToSpaceND", {on_batch_to_space, 0, true, true}},
      {"BiasAdd", {on_bias_add, 0, false, true}},
      {"BroadcastTo", {on_broadcast_to, 0, true}}, {"Cast", {on_cast, 0, true}},
      {"Ceil", {on_ceil}}, {"CheckNumerics", {on_identity, 0, true, true}},
      {"ClipByValue", {on_clip}}, {"Concat", {on_concat, 1, true}},
      {"ConcatV2", {on_concat_v2, 0, true}}, {"Conv2D", {on_conv, 0, false, true}},
      {"Conv2DBackpropInput", {on_conv_transpose, 2}}, {"Cos", {on_cos}},
      {"DepthToSpace", {on_depth_to_space, 0, true}},
      {"DepthwiseConv2dNative", {on_depthwise_conv, 0, false, true}}, {"Div", {on_div}},
      {"Elu", {on_elu, 0, false, true}}, {"Erf", {on_erf}}, {"Exp", {on_exp}},
      {"ExpandDims", {on_expand_dims, 0, true, true}},
      {"FakeQuantWithMinMaxArgs", {on_fake_quant_args}},
      {"FakeQuantWithMinMaxVars", {on_fake_quant_vars}},
      {"FakeQuantWithMinMaxVarsPerChannel", {on_fake_quant_vars}}, {"Fill", {on_fill, 1}},
      {"Floor", {on_floor}}, {"FloorDiv", {on_floor_div}}, {"FloorMod", {on_floor_mod}},
      {"FusedBatchNorm", {on_batch_norm, 0, false, true}},
      {"FusedBatchNormV2", {on_batch_norm, 0, false, true}},
      {"FusedBatchNormV3", {on_batch_norm, 0, false, true}}, {"Gather", {on_gather, 0, true}},
      {"GatherV2", {on_gather, 0, true}}, {"Identity", {on_identity, 0, true, true}},
      {"Inv", {on_reciprocal}}, {"LRN", {on_lrn}},
      {"LeakyRelu", {on_leaky_relu, 0, false, true}}, {"Log", {on_log}},
      {"LogSoftmax", {on_log_softmax}}, {"MatMul", {on_mat_mul}}, {"Max", {on_reduce_max}},
      {"MaxPool", {on_max_pool}}, {"Maximum", {on_maximum}}, {"Mean", {on_mean}},
      {"Min", {on_reduce_min}}, {"Minimum", {on_minimum}},
      {"MirrorPad", {on_mirror_pad, 0, true}}, {"Mul", {on_mul}}, {"Neg", {on_neg}},
      {"OnesLike", {on_ones_like, 0, true}}, {"Pack", {on_pack, 0, true}},
      {"Pad", {on_pad, 0, true}}, {"PadV2", {on_pad, 0, true}},
      {"PlaceholderWithDefault", {on_placeholder_with_default, 0, true}}, {"Pow", {on_pow}},
      {"PreventGradient", {on_identity, 0, true, true}}, {"Prod", {on_reduce_prod}},
      {"Range", {on_range}}, {"Rank", {on_rank, 0, true}},
      {"ReadVariableOp", {on_identity, 0, true}}, {"RealDiv", {on_div}},
      {"Reciprocal", {on_reciprocal}}, {"Relu", {on_relu, 0, false, true}},
      {"Relu6", {on_relu6, 0, false, true}}, {"Reshape", {on_reshape, 0, true}},
      {"ResizeBilinear", {on_resize_bilinear}},
      {"ResizeNearestNeighbor", {on_resize_nearest, 0, true}},
      {"ReverseV2", {on_reverse, 0, true}}, {"Rint", {on_round}}, {"Round", {on_round}},
      {"Rsqrt", {on_rsqrt}}, {"Selu", {on_selu}}, {"Shape", {on_shape, 0, true}},
      {"Sigmoid", {on_sigmoid}}, {"Sign", {on_sign}}, {"Sin", {on_sin}},
      {"Size", {on_size, 0, true}}, {"Slice", {on_slice, 0, true}},
      {"Snapshot", {on_identity, 0, true, true}}, {"Softmax", {on_softmax}},
      {"Softplus", {on_softplus}}, {"Softsign", {on_softsign}},
      {"SpaceToBatchND", {on_space_to_batch}}, {"SpaceToDepth", {on_space_to_depth, 0, true}},
      {"Split", {on_split, 1, true}}, {"SplitV", {on_split_v, 0, true}}, {"Sqrt", {on_sqrt}},
      {"Square", {on_square}}, {"SquaredDifference", {on_squared_difference}},
      {"Squeeze", {on_squeeze, 0, true, true}},
      {"StopGradient", {on_identity, 0, true, true}},
      {"StridedSlice", {on_strided_slice, 0, true}}, {"Sub", {on_sub}}, {"Sum", {on_sum}},
      {"Tan", {on_tan}}, {"Tanh", {on_tanh, 0, false, true}}, {"Tile", {on_tile, 0, true}},
      {"Transpose", {on_transpose, 0, true}}, {"Unpack", {on_unpack, 0, true}},
      {"ZerosLike", {on_zeros_like, 0, true}},
  };
  return all;
}

// Tensors of the file itself.
inline bool is_variable(std::string_view op) {
  return op == "VarHandleOp" || op == "Variable" || op == "VariableV2";
}
inline bool is_placeholder(std::string_view op) {
  return op == "Placeholder" || op == "PlaceholderV2";
}

}  // namespace nvdlac::import::tensorflow_format
