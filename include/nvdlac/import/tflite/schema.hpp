// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tables of a TensorFlow Lite model (version 3 of its schema), by the numbers of their fields.
#include <cstdint>
#include <string_view>
#include <vector>

#include <nvdlac/base/verified_table.hpp>

namespace nvdlac::import::tflite_format {

constexpr flatbuffers::voffset_t field(int number) {
  return static_cast<flatbuffers::voffset_t>(4 + 2 * number);
}

// The fields of the options that are understood, by the number of their table in the union: b a
// byte, i an int, f a float, v a vector of ints.
struct option_fields {
  int type;
  std::string_view fields;
};
inline constexpr option_fields known_options[] = {
    {1, "biibiib"},  // Conv2D: padding, stride w and h, activation, dilation w and h, bias type
    {2, "biiibii"},  // DepthwiseConv2D: padding, stride w and h, multiplier, activation, dilation
    {5, "biiiib"},   // Pool2D: padding, stride w and h, window w and h, activation
    {6, "ibb"},      // SVDF: rank, activation, hybrid
    {8, "bbbbb"},    // FullyConnected: activation, weights format, keep dims, hybrid, bias type
    {9, "f"},        // Softmax: beta
    {10, "ib"},      // Concatenation: axis, activation
    {11, "bb"},      // Add: activation, power-of-two scales
    {12, "b"},       // L2Norm: activation
    {13, "ifff"},    // LocalResponseNormalization: radius, bias, alpha, beta
    {15, "iibb"},    // ResizeBilinear: two unused, align corners, half-pixel centres
    {17, "v"},       // Reshape: shape
    {19, "i"},       // SpaceToDepth: block
    {21, "b"},       // Mul: activation
    {22, ""},        // Pad
    {23, "ii"},      // Gather: axis, dimensions of the batch
    {26, ""},        // Transpose
    {27, "b"},       // Reducer: keep dims
    {28, "bb"},      // Sub: activation, power-of-two scales
    {29, "b"},       // Div: activation
    {30, "v"},       // Squeeze: axes
    {32, "iiiiib"},  // StridedSlice: masks of begin, end, ellipsis, new axis, shrunk axis; offset
    {33, ""},        // Exp
    {35, "i"},       // Split: parts
    {36, ""},        // LogSoftmax
    {37, "bb"},      // Cast: from, to
    {38, ""},        // Dequantize
    {39, ""},        // MaximumMinimum
    {40, "b"},       // ArgMax: type
    {42, ""},        // Neg
    {43, ""},        // PadV2
    {48, ""},        // Slice
    {49, "biibb"},   // TransposeConv: padding, stride w and h, activation, bias type
    {51, ""},        // Tile
    {52, ""},        // ExpandDims
    {55, "b"},       // Shape: type
    {56, ""},        // Pow
    {57, "b"},       // ArgMin: type
    {59, "ii"},      // Pack: values, axis
    {64, "ii"},      // Unpack: parts, axis
    {66, ""},        // Square
    {68, ""},        // Fill
    {71, "bffbbb"},  // UnidirectionalSequenceLSTM: activation, clips, time first, two of how
    {72, ""},        // FloorMod
    {74, "bb"},      // ResizeNearestNeighbor: align corners, half-pixel centres
    {75, "f"},       // LeakyRelu: slope
    {76, ""},        // SquaredDifference
    {77, "b"},       // MirrorPad: mode
    {78, ""},        // Abs
    {79, "i"},       // SplitV: parts
    {81, ""},        // ReverseV2
    {82, ""},        // AddN
    {84, ""},        // Cos
    {86, ""},        // Rank
    {89, ""},        // Quantize
    {91, ""},        // HardSwish
    {94, "i"},       // DepthToSpace: block
    {99, ""},        // Densify
    {101, "bbb"},    // BatchMatMul: left and right turned, hybrid
    {104, ""},       // BroadcastTo
    {116, "b"},      // Gelu: approximated
    {123, ""},       // Sign
};
const option_fields* find_options(int type);

struct options_table : verified_table<options_table> {
  bool fields(flatbuffers::Verifier&) const { return true; }
  bool verify_as(flatbuffers::Verifier& v, const option_fields* known) const;
};

struct quantisation_table : verified_table<quantisation_table> {
  static constexpr auto scale = field(2), zero_point = field(3), details = field(4),
                        axis = field(6);
  bool fields(flatbuffers::Verifier& v) const;
};

// A list of numbers in one of three widths.
struct index_table : verified_table<index_table> {
  static constexpr auto values = field(0);
  bool verify_as(flatbuffers::Verifier& v, int width) const;
  bool fields(flatbuffers::Verifier&) const { return true; }
};

struct dimension_table : verified_table<dimension_table> {
  static constexpr auto format = field(0), dense_size = field(1), segments_type = field(2),
                        segments = field(3), indices_type = field(4), indices = field(5);
  bool fields(flatbuffers::Verifier& v) const;
  // The numbers of a list; its field, and that of its type.
  std::vector<std::int64_t> list(flatbuffers::voffset_t type, flatbuffers::voffset_t field) const;
};

struct sparsity_table : verified_table<sparsity_table> {
  static constexpr auto order = field(0), blocks = field(1), dimensions = field(2);
  bool fields(flatbuffers::Verifier& v) const;
};

struct tensor_table : verified_table<tensor_table> {
  static constexpr auto shape = field(0), type = field(1), buffer = field(2), name = field(3),
                        quantisation = field(4), is_variable = field(5), sparsity = field(6);
  bool fields(flatbuffers::Verifier& v) const;
  const quantisation_table* grid() const {
    return table<quantisation_table>(quantisation);
  }
  const sparsity_table* sparse() const { return table<sparsity_table>(sparsity); }
};

struct buffer_table : verified_table<buffer_table> {
  static constexpr auto data = field(0), offset = field(1), size = field(2);
  bool fields(flatbuffers::Verifier& v) const;
};

struct operator_code_table : verified_table<operator_code_table> {
  static constexpr auto old_code = field(0), custom = field(1), code = field(3);
  bool fields(flatbuffers::Verifier& v) const {
    return scalar<std::int8_t>(v, old_code) && string(v, custom) && scalar<std::int32_t>(v, code);
  }
};

struct operator_table : verified_table<operator_table> {
  static constexpr auto code = field(0), inputs = field(1), outputs = field(2),
                        options_type = field(3), options = field(4), custom_options = field(5),
                        custom_format = field(6), custom_offset = field(9);
  bool fields(flatbuffers::Verifier& v) const;
  const options_table* given_options() const {
    return table<options_table>(options);
  }
};

struct subgraph_table : verified_table<subgraph_table> {
  static constexpr auto tensors = field(0), inputs = field(1), outputs = field(2),
                        operators = field(3);
  bool fields(flatbuffers::Verifier& v) const;
};

struct model_table : verified_table<model_table> {
  static constexpr auto version = field(0), operator_codes = field(1), subgraphs = field(2),
                        buffers = field(4);
  bool fields(flatbuffers::Verifier& v) const;
};

}  // namespace nvdlac::import::tflite_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tflite/schema.ipp>
#endif
