// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx/reader.hpp>
#include <nvdlac/import/tflite/layers.hpp>
#include <nvdlac/import/tflite/layout.hpp>
#include <nvdlac/import/translation/input_shapes.hpp>

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
    {28, 0, on_tanh}, {34, 22, on_pad}, {36, 23, on_gather}, {39, 26, on_transpose},
    {40, 27, on_mean}, {41, 28, on_sub}, {42, 29, on_div}, {43, 30, on_squeeze},
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
    {116, 0, on_round}, {117, 91, on_hard_swish}, {126, 101, on_batch_mat_mul},
    {130, 104, on_broadcast_to}, {150, 116, on_gelu}, {152, 0, on_relu_0_to_1}, {158, 123, on_sign},
};
inline const operator_entry* find_operator(std::int64_t code) {
  const auto* found = std::find_if(std::begin(operators), std::end(operators),
                                   [&](const auto& o) { return o.code == code; });
  return found == std::end(operators) ? nullptr : found;
}

// Whether the options are those of the operator, with no field that is not understood.
inline void check_options(const operation& op, const operator_entry& entry) {
  if (op.options == nullptr) return;
  if (op.options_type != entry.options && !(op.options_type == 0 && !op.options->has_any_from(4)))
    throw error(text("its options are of type ", op.options_type, " instead of ", entry.options));
  const auto* known = find_options(entry.options);
  const int fields = known == nullptr ? 0 : static_cast<int>(known->fields.size());
  if (op.options->has_any_from(field(fields)))
    throw error(problem{.reason = text("it has an option that is not understood, behind the first ",
                                       fields),
                        .remedy = "the file is from a later version of the format"});
}

// Writes a model in ONNX's terms, so that both formats mean the same by the same operator. Layers
// have the names of the tensors that they give.
class translator {
 public:
  translator(const std::string& file, const model& from)
      : file_(file), from_(from), values_(from, to_), problems_(file) {}

  network translate() {
    problems_.attempt("", [&] { require_within(&budget::nodes, from_.operators().size()); });
    problems_.check();
    for (const auto i : from_.inputs()) problems_.attempt(values_.at(i).name, [&] { input(i); });
    for (const auto& op : from_.operators()) convert(op);
    for (const auto i : from_.outputs()) problems_.attempt(values_.at(i).name, [&] { output(i); });
    for (const auto& [kind, layers] : unsupported_)
      problems_.add(layers.front(), error(text("the operator ", kind, " is not supported (",
                                          layers.size(),
                                          layers.size() == 1 ? " node)" : " nodes)")));
    problems_.check();
    auto result = onnx_format::reader(file_, to_.model(), {}, from_.size()).read();
    for (net::graph::id n = 0; n < result.graph.size(); ++n) name_as_in_file(result.graph[n]);
    for (const auto i : from_.outputs())
      if (const tensor& t = at(i); t.type != float32 && t.type != float16)
        result.notes.push_back(
            {.file = file_, .layer = t.name,
             .reason = text("the file gives this output as integers of type ", type_name(t.type),
                            "; it is given as the real numbers that they stand for"),
             .remedy = t.grid && t.grid->scales.size() == 1
                           ? text("integer = real / ", t.grid->scales[0], " + ", t.grid->zeros[0])
                           : "whole numbers"});
    return result;
  }

 private:

  const tensor& at(std::int32_t index) const { return from_.at(index); }

  void input(std::int32_t index) {
    const tensor& t = at(index);
    values_.set_broken(index);
    values_.require_sound(index);
    if (t.type != float32 && !t.holds_integers)
      throw error(problem{.reason = "the input has values of type " + type_name(t.type),
                          .remedy = "FLOAT32, UINT8, INT8 and INT16 are supported"});
    const bool picture = t.shape.size() == 4, on_grid = t.grid && t.holds_integers;
    to_.input(t.name, picture ? translation::channels_second(t.shape) : t.shape,
              on_grid ? t.onnx_type : 1);
    values_.compute(index, {on_grid ? values_.off_grid(t, t.name) : t.name, t.shape,
                            picture ? translation::order::channels_second
                                    : translation::order::of_file});
  }
  void output(std::int32_t index) {
    if (!values_.is_known(index)) throw error("nothing produces this output");
    if (values_.is_constant(index)) throw error("this output is constant");
    if (values_.is_broken(index)) return;
    const tensor& t = at(index);
    const auto& value = values_.result(index).value;
    if (t.shape.size() != 4) return to_.output(value);
    to_.output(values_.node("Transpose", t.name, {value}, {{"perm", dims{0, 2, 3, 1}}}));
  }

  std::string kind_of(const operation& op) const {
    if (op.code == 32)
      return "'" + (escape::is_printable(op.custom) ? op.custom : "?") + "' (CUSTOM)";
    return builtin_name(op.code);
  }
  // Inputs are the file's, which has channels last; outputs were written as the file has them.
  void name_as_in_file(net::graph::node& n) const {
    if (const auto* in = std::get_if<net::input>(&n.op)) {
      for (const auto i : from_.inputs())
        if (values_.at(i).name == n.name && values_.at(i).shape.size() == 4)
          n.in_file = {channels_last_in_file(n.name, in->shape)};
      return;
    }
    for (auto& form : n.in_file)
      form.name = values_.at(from_.outputs()[static_cast<std::size_t>(form.place)]).name;
  }

  void convert(const operation& op) {
    const std::string layer = op.outputs.empty() ? kind_of(op) : values_.at(op.outputs[0]).name;
    const auto* entry = find_operator(op.code);
    bool sound = entry != nullptr;
    if (entry == nullptr) unsupported_[kind_of(op)].push_back(layer);
    sound = problems_.attempt(layer, [&] {
      if (op.outputs.empty()) throw error("it has no output");
      for (const auto i : op.inputs) {
        if (i < 0) continue;
        if (!values_.is_known(i)) {
          if (entry == nullptr && !values_.at(i).wrong.empty()) continue;  // it is refused already
          values_.require_sound(i);
          throw error("nothing produces its input '" + values_.at(i).name + "'");
        }
        if (values_.is_broken(i)) sound = false;
      }
      for (const auto i : op.outputs) {
        values_.require_sound(i);
        if (values_.is_known(i)) throw error("its output is already produced");
      }
      if (!sound) return;
      check_options(op, *entry);
      try {
        entry->convert(conversion(op, values_));
      } catch (const error& e) {
        if (e.problems().front().reason != conversion::not_supported()) throw;
        unsupported_[kind_of(op)].push_back(layer);
      }
    }) && sound;
    for (const auto i : op.outputs)
      if (!values_.is_known(i)) values_.set_broken(i);
  }

  std::string file_;
  const model& from_;
  onnx_format::writer to_{translation::opset};
  values values_;
  translation::complaints problems_;
  std::map<std::string, std::vector<std::string>> unsupported_;
};

}  // namespace nvdlac::import::tflite_format

namespace nvdlac::import {

// Reads a TensorFlow Lite model, of real numbers or quantised, as a network for one picture with
// its channels first. Integers become the real numbers that they stand for; the scales of the
// tensors come along. `file` is for messages. Throws `error` with all problems.
inline network tflite_network_from(const std::string& content, const std::string& file) {
  const auto kind = recognise(content);
  if (kind.kind != file_kind::tflite)
    throw error(problem{.file = file, .reason = "this is " + kind.name + ", not a TFLite file",
                        .remedy = kind.remedy});
  const tflite_format::model model(file, content);
  return tflite_format::translator(file, model).translate();
}

inline network tflite_network(const std::filesystem::path& path) {
  return tflite_network_from(read_file(path), path.string());
}

// The graph of a model that is not quantised; see real_graph.
inline net::graph tflite_from(const std::string& content, const std::string& file) {
  return real_graph(tflite_network_from(content, file), file);
}
inline net::graph tflite(const std::filesystem::path& path) {
  return tflite_from(read_file(path), path.string());
}

}  // namespace nvdlac::import
