// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/tflite/layers.hpp>
#include <nvdlac/import/tflite/layout.hpp>
#include <nvdlac/import/tflite/post_process.hpp>
#include <nvdlac/import/tflite/svdf.hpp>
#include <nvdlac/import/translation/input_shapes.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import::tflite_format {

struct operator_entry {
  int code;
  int options;  // the type of its options; 0: it has none
  void (*convert)(const conversion&);
};

// The operators that are understood.
inline constexpr operator_entry operators[] = {
    {0, 11, on_add}, {1, 5, on_average_pool}, {2, 10, on_concat}, {3, 1, on_conv},
    {4, 2, on_depthwise_conv}, {5, 94, on_depth_to_space}, {6, 38, on_quantise}, {8, 0, on_floor},
    {9, 8, on_fully_connected}, {11, 12, on_l2_normalisation}, {12, 5, on_l2_pool},
    {13, 13, on_lrn}, {14, 0, on_logistic}, {17, 5, on_max_pool}, {18, 21, on_mul},
    {19, 0, on_relu}, {20, 0, on_relu_n1_to_1}, {21, 0, on_relu6}, {22, 17, on_reshape},
    {23, 15, on_resize_bilinear}, {25, 9, on_softmax}, {26, 19, on_space_to_depth},
    {svdf, 6, on_svdf}, {28, 0, on_tanh}, {34, 22, on_pad}, {36, 23, on_gather},
    {39, 26, on_transpose},
    {40, 27, on_mean}, {41, 28, on_sub}, {42, 29, on_div}, {43, 30, on_squeeze},
    {44, 71, on_sequence_lstm},
    {45, 32, on_strided_slice}, {47, 33, on_exp}, {49, 35, on_split}, {50, 36, on_log_softmax},
    {53, 37, on_cast}, {54, 0, on_prelu}, {55, 39, on_maximum}, {56, 40, on_arg_max},
    {57, 39, on_minimum}, {59, 42, on_neg}, {60, 43, on_pad}, {65, 48, on_slice}, {66, 0, on_sin},
    {67, 49, on_transpose_conv}, {69, 51, on_tile}, {70, 52, on_expand_dims}, {73, 0, on_log},
    {74, 27, on_sum}, {75, 0, on_sqrt}, {76, 0, on_rsqrt}, {77, 55, on_shape}, {78, 56, on_pow},
    {79, 57, on_arg_min}, {81, 27, on_reduce_prod}, {82, 27, on_reduce_max}, {83, 59, on_pack},
    {88, 64, on_unpack}, {89, 27, on_reduce_min}, {92, 66, on_square}, {94, 68, on_fill},
    {95, 72, on_floor_mod}, {97, 74, on_resize_nearest}, {98, 75, on_leaky_relu},
    {99, 76, on_squared_difference}, {100, 77, on_mirror_pad}, {101, 78, on_abs},
    {102, 79, on_split_v}, {104, 0, on_ceil}, {105, 81, on_reverse}, {106, 82, on_add_n},
    {108, 84, on_cos}, {110, 86, on_rank}, {111, 0, on_elu}, {114, 89, on_quantise},
    {116, 0, on_round}, {117, 91, on_hard_swish}, {124, 99, on_densify},
    {126, 101, on_batch_mat_mul},
    {130, 104, on_broadcast_to}, {150, 116, on_gelu}, {152, 0, on_relu_0_to_1}, {158, 123, on_sign},
};
// The custom ones, by their names.
struct custom_entry {
  std::string_view name;
  operator_entry entry;
};
inline constexpr custom_entry custom_operators[] = {
    {post_process_name, {custom_operator, 0, on_post_process}},
};
// ONNX's operators, and those that TensorFlow Lite alone has, under names that no file in ONNX has.
const onnx_format::operator_table& operators_in_terms_of_onnx();

const operator_entry* find_operator(const operation& op);

// Whether the options are those of the operator, with no field that is not understood.
void check_options(const operation& op, const operator_entry& entry);

// Writes a model in ONNX's terms, so that both formats mean the same by the same operator. Layers
// have the names of the tensors that they give.
class translator {
 public:
  // `states`: as in import::part.
  translator(const std::string& file, const model& from, bool states)
      : file_(file), from_(from), states_(states), values_(from, to_, from.limits()),
        problems_(file) {}

  network translate();

 private:

  const tensor& at(std::int32_t index) const { return from_.at(index); }

  void input(std::int32_t index);
  void output(std::int32_t index);

  std::string kind_of(const operation& op) const;
  // Inputs are the file's, which has channels last; outputs were written as the file has them.
  void name_as_in_file(net::graph::node& n) const;

  void convert(const operation& op);

  // The part without the operators that are refused.
  std::string cut() const;

  std::string file_;
  const model& from_;
  bool states_;
  hub::writer to_{translation::opset};
  values values_;
  translation::complaints problems_;
  std::map<std::string, std::vector<std::string>> unsupported_;
  std::set<const operation*> refused_;
};

}  // namespace nvdlac::import::tflite_format

namespace nvdlac::import {

// Reads a TensorFlow Lite model, of real numbers or quantised, as a network for one picture with
// its channels first. Integers become the real numbers that they stand for; the scales of the
// tensors come along. `file` is for messages, and `wanted` names a part of the network. Throws
// `error` with all problems.
network tflite_network_from(const std::string& content, const std::string& file,
                            const part& wanted = {});

network tflite_network(const std::filesystem::path& path, const part& wanted = {});

// The graph of a model that is not quantised; see real_graph.
net::graph tflite_from(const std::string& content, const std::string& file,
                       const part& wanted = {});
net::graph tflite(const std::filesystem::path& path, const part& wanted = {});

// As model.hpp asks for it.
network read_tflite(const named_content& model, const weight_content& weights,
                    const part& wanted);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tflite.ipp>
#endif
