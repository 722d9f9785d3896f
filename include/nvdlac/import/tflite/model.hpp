// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/quantised.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/tflite/schema.hpp>
#include <nvdlac/import/translation/values.hpp>

namespace nvdlac::import::tflite_format {

// The builtin operators that the file format has, by their codes.
inline std::string builtin_name(std::int64_t code) {
  static const char* const names[] = {
      "ADD", "AVERAGE_POOL_2D", "CONCATENATION", "CONV_2D", "DEPTHWISE_CONV_2D", "DEPTH_TO_SPACE",
      "DEQUANTIZE", "EMBEDDING_LOOKUP", "FLOOR", "FULLY_CONNECTED", "HASHTABLE_LOOKUP",
      "L2_NORMALIZATION", "L2_POOL_2D", "LOCAL_RESPONSE_NORMALIZATION", "LOGISTIC",
      "LSH_PROJECTION", "LSTM", "MAX_POOL_2D", "MUL", "RELU", "RELU_N1_TO_1", "RELU6", "RESHAPE",
      "RESIZE_BILINEAR", "RNN", "SOFTMAX", "SPACE_TO_DEPTH", "SVDF", "TANH", "CONCAT_EMBEDDINGS",
      "SKIP_GRAM", "CALL", "CUSTOM", "EMBEDDING_LOOKUP_SPARSE", "PAD",
      "UNIDIRECTIONAL_SEQUENCE_RNN", "GATHER", "BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND",
      "TRANSPOSE", "MEAN", "SUB", "DIV", "SQUEEZE", "UNIDIRECTIONAL_SEQUENCE_LSTM",
      "STRIDED_SLICE", "BIDIRECTIONAL_SEQUENCE_RNN", "EXP", "TOPK_V2", "SPLIT", "LOG_SOFTMAX",
      "DELEGATE", "BIDIRECTIONAL_SEQUENCE_LSTM", "CAST", "PRELU", "MAXIMUM", "ARG_MAX", "MINIMUM",
      "LESS", "NEG", "PADV2", "GREATER", "GREATER_EQUAL", "LESS_EQUAL", "SELECT", "SLICE", "SIN",
      "TRANSPOSE_CONV", "SPARSE_TO_DENSE", "TILE", "EXPAND_DIMS", "EQUAL", "NOT_EQUAL", "LOG",
      "SUM", "SQRT", "RSQRT", "SHAPE", "POW", "ARG_MIN", "FAKE_QUANT", "REDUCE_PROD",
      "REDUCE_MAX", "PACK", "LOGICAL_OR", "ONE_HOT", "LOGICAL_AND", "LOGICAL_NOT", "UNPACK",
      "REDUCE_MIN", "FLOOR_DIV", "REDUCE_ANY", "SQUARE", "ZEROS_LIKE", "FILL", "FLOOR_MOD",
      "RANGE", "RESIZE_NEAREST_NEIGHBOR", "LEAKY_RELU", "SQUARED_DIFFERENCE", "MIRROR_PAD", "ABS",
      "SPLIT_V", "UNIQUE", "CEIL", "REVERSE_V2", "ADD_N", "GATHER_ND", "COS", "WHERE", "RANK",
      "ELU", "REVERSE_SEQUENCE", "MATRIX_DIAG", "QUANTIZE", "MATRIX_SET_DIAG", "ROUND",
      "HARD_SWISH", "IF", "WHILE", "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5",
      "SCATTER_ND", "SELECT_V2", "DENSIFY", "SEGMENT_SUM", "BATCH_MATMUL",
      "PLACEHOLDER_FOR_GREATER_OP_CODES", "CUMSUM", "CALL_ONCE", "BROADCAST_TO", "RFFT2D",
      "CONV_3D", "IMAG", "REAL", "COMPLEX_ABS", "HASHTABLE", "HASHTABLE_FIND",
      "HASHTABLE_IMPORT", "HASHTABLE_SIZE", "REDUCE_ALL", "CONV_3D_TRANSPOSE", "VAR_HANDLE",
      "READ_VARIABLE", "ASSIGN_VARIABLE", "BROADCAST_ARGS", "RANDOM_STANDARD_NORMAL", "BUCKETIZE",
      "RANDOM_UNIFORM", "MULTINOMIAL", "GELU", "DYNAMIC_UPDATE_SLICE", "RELU_0_TO_1",
      "UNSORTED_SEGMENT_PROD", "UNSORTED_SEGMENT_MAX", "UNSORTED_SEGMENT_SUM", "ATAN2",
      "UNSORTED_SEGMENT_MIN", "SIGN", "BITCAST", "BITWISE_XOR", "RIGHT_SHIFT"};
  return code >= 0 && code < static_cast<std::int64_t>(std::size(names))
             ? std::string(names[code])
             : text("number ", code);
}

std::string type_name(std::int64_t type);

// The content of a TensorFlow Lite file in plain structs.
using onnx_format::array;
using onnx_format::constant_grid;
using onnx_format::dims;

enum : std::int8_t { float32 = 0, float16 = 1, int32 = 2, uint8 = 3, int64 = 4, boolean = 6,
                     int16 = 7, int8 = 9 };

// The number of a type of integers in ONNX's TensorProto; 0: it is none.
constexpr std::int64_t onnx_integer(std::int64_t type) {
  switch (type) {
    case uint8: return 2;
    case int8: return 3;
    case int16: return 5;
    case int32: return 6;
    case int64: return 7;
    default: return 0;
  }
}

struct tensor : translation::tensor {
  std::int8_t type = 0;
  std::int64_t axis = 0;                  // of the grid's scales
  std::span<const std::uint8_t> bytes{};  // of a constant
  bool is_state = false;                  // kept from one run to the next
};

// The code of the operators that the format does not know, which have names.
inline constexpr std::int64_t custom_operator = 32;
// The codes of the operators between which a convolution sees each pixel of so many by turns.
inline constexpr std::int64_t batch_to_space = 37, space_to_batch = 38;
inline constexpr std::int64_t svdf = 27, sequence_lstm = 44;

// The blocks around such a convolution: how far its taps are from each other, and its padding, top,
// left, bottom, right.
struct blocks {
  dims sizes{}, pads{};
};

struct operation {
  std::int64_t code = 0;
  std::string custom{};
  std::vector<std::int32_t> inputs{}, outputs{};
  int options_type = 0;
  const options_table* options = nullptr;  // verified by their type
  std::span<const std::uint8_t> custom_options{};
  std::int32_t state = -1;  // the variable of an SVDF
  std::optional<tflite_format::blocks> blocks{};
};

// Values of a type that holds numbers, from the bytes of a file.
template <class Stored, class To>
std::vector<To> unpacked(std::span<const std::uint8_t> bytes, auto convert) {
  std::vector<To> result(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < result.size(); ++i) {
    Stored s;  // little endian, as the machines this runs on are
    std::memcpy(&s, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    result[i] = convert(s);
  }
  return result;
}

// The number of bytes of one element.
std::size_t bytes_of(const tensor& t);

// A constant in real numbers, if it is real or has a scale that counts; else in integers.
array values_of(const tensor& t, bool with_scale);

class model : public translation::source {
 public:
  model(const std::string& file, std::string_view content, const budget& limits);

  std::size_t size() const { return size_; }  // of the file
  const budget& limits() const { return limits_; }
  const std::vector<tensor>& tensors() const { return tensors_; }
  const tensor& at(std::int32_t index) const override {
    return tensors_[static_cast<std::size_t>(index)];
  }
  array constant(std::int32_t index, bool with_scale) const override {
    return values_of(at(index), with_scale);
  }
  const std::vector<operation>& operators() const { return operators_; }
  const std::vector<std::int32_t>& inputs() const { return inputs_; }
  const std::vector<std::int32_t>& outputs() const { return outputs_; }

  // Leaves what is wanted of the network: the operators on which its outputs depend, and the inputs
  // that a part reads. Tensors are called by their names or by their numbers in the file.
  void cut(const part& wanted);

 private:
  template <class T>
  using list = const flatbuffers::Vector<flatbuffers::Offset<T>>*;

  [[noreturn]] void fail(std::string reason, std::string remedy = {}) const {
    throw error(problem{.file = file_, .reason = std::move(reason), .remedy = std::move(remedy)});
  }
  // Parts of the file may be named many times; all together stay within a multiple of its size.
  template <class T>
  std::vector<T> taken(std::vector<T> v) {
    spend(v.size());
    return v;
  }
  void spend(std::size_t n);

  void read(const model_table& root);
  void check_indices(const std::vector<std::int32_t>& indices, bool optional) const;

  void read_tensors(list<tensor_table> from, list<buffer_table> buffers);
  void read_tensor(const tensor_table& from, tensor& t, list<buffer_table> buffers);
  void read_grid(const quantisation_table& q, tensor& t);

  void read_operators(list<operator_table> from, list<operator_code_table> codes);

  std::vector<std::int32_t> called(const std::vector<std::string>& wanted,
                                   diagnostics& problems) const;
  // An LSTM begins with states of 0, or with those that its reader makes; so does an SVDF.
  void leave_states_out(operation& op) const;
  // Convolutions between SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND become those that they are.
  void join_blocks();
  // The operators on which the outputs depend, and the tensors that they read.
  std::pair<std::vector<operation>, std::set<std::int32_t>> needed_behind(
      const std::set<std::int32_t>& starts) const;

  std::string file_;
  budget limits_;
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0, budget_ = 0;
  std::deque<std::vector<std::uint8_t>> dense_{};  // of sparse constants
  std::vector<tensor> tensors_;
  std::vector<operation> operators_;
  std::vector<std::int32_t> inputs_, outputs_;
};

}  // namespace nvdlac::import::tflite_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tflite/model.ipp>
#endif
