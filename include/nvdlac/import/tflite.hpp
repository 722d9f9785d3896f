// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/import/cut_node.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/tflite/layers.hpp>
#include <nvdlac/import/tflite/layout.hpp>
#include <nvdlac/import/tflite/post_process.hpp>
#include <nvdlac/import/tflite/svdf.hpp>
#include <nvdlac/import/translation/input_shapes.hpp>
#include <nvdlac/import/translation/shared_operators.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import::tflite_format {

struct operator_entry {
  int code;
  int options;  // the type of its options; 0: it has none
  void (*convert)(const conversion&);
};

// The operators that are understood.
inline constexpr auto operators = [] {
  constexpr operator_entry own[] = {
      {0, 11, sum_of<"Add">}, {2, 10, on_concat}, {3, 1, on_conv}, {4, 2, on_depthwise_conv},
      {6, 38, on_quantise}, {9, 8, on_fully_connected}, {11, 12, on_l2_normalisation},
      {12, 5, on_l2_pool}, {13, 13, on_lrn}, {18, 21, activated_binary_of<"Mul">},
      {20, 0, clip_to<-1, 1>}, {22, 17, on_reshape}, {23, 15, on_resize_bilinear},
      {25, 9, on_softmax}, {svdf, 6, on_svdf}, {34, 22, on_pad}, {36, 23, on_gather},
      {39, 26, on_transpose}, {41, 28, sum_of<"Sub">}, {42, 29, activated_binary_of<"Div">},
      {43, 30, on_squeeze}, {44, 71, on_sequence_lstm}, {45, 32, on_strided_slice},
      {49, 35, on_split}, {50, 36, on_log_softmax}, {53, 37, on_cast}, {54, 0, on_prelu},
      {60, 43, on_pad}, {65, 48, on_slice}, {67, 49, on_transpose_conv}, {69, 51, on_tile},
      {70, 52, on_expand_dims}, {76, 0, on_rsqrt}, {77, 55, on_shape}, {83, 59, on_pack},
      {88, 64, on_unpack}, {92, 66, on_square}, {94, 68, on_fill},
      {97, 74, on_resize_nearest}, {98, 75, on_leaky_relu}, {99, 76, on_squared_difference},
      {100, 77, on_mirror_pad}, {102, 79, on_split_v}, {105, 81, on_reverse},
      {106, 82, on_add_n}, {110, 86, on_rank}, {114, 89, on_quantise},
      {117, 91, unary_of<"HardSwish">}, {124, 99, on_densify}, {126, 101, on_batch_mat_mul},
      {130, 104, on_broadcast_to}, {150, 116, on_gelu}, {152, 0, clip_to<0, 1>},
  };
  constexpr auto& shared = translation::shared_operators<conversion>;
  std::array<operator_entry, std::size(own) + std::size(shared)> all{};
  auto to = std::ranges::copy(own, all.begin()).out;
  for (const auto& o : shared) *to++ = {o.tflite, o.options, o.convert};
  return all;
}();
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
  std::vector<cut_node> nodes() const;

  std::string file_;
  const model& from_;
  bool states_;
  hub::writer to_{translation::opset};
  values values_;
  translation::layer_problems problems_;
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
