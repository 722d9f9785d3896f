// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that TensorFlow and TensorFlow Lite have alike. Their functions take a conversion of
// either format and call what it has for operators of their kind.
#include <string_view>

#include <nvdlac/base/label.hpp>
#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::translation {

// Functions of each element, by ONNX's names.
template <fixed_string Type, class Conversion>
void unary_of(const Conversion& c) {
  unary(c, Type.text);
}
template <fixed_string Type, class Conversion>
void binary_of(const Conversion& c) {
  binary(c, Type.text);
}
template <int Low, int High, class Conversion>
void clip_to(const Conversion& c) {
  c.give(clip(c, Low, High));
}

template <fixed_string Type, class Conversion>
void pool_of(const Conversion& c) {
  pool(c, Type.text);
}

// One number of all elements along some axes.
template <fixed_string Type, class Conversion>
void reduce_of(const Conversion& c) {
  reduce(c, Type.text);
}
template <class Conversion>
void on_arg_max(const Conversion& c) {
  arg_max(c, false);
}
template <class Conversion>
void on_arg_min(const Conversion& c) {
  arg_max(c, true);
}

template <class Conversion>
void on_depth_to_space(const Conversion& c) {
  by_blocks(c, true);
}
template <class Conversion>
void on_space_to_depth(const Conversion& c) {
  by_blocks(c, false);
}

// An operator in both formats. TensorFlow's computed integers and blocks: as in its own table.
template <class Conversion>
struct shared_operator {
  std::string_view tensorflow;
  int tflite;   // its code
  int options;  // the type of its options in TensorFlow Lite; 0: it has none
  void (*convert)(const Conversion&);
  bool of_any_type = false, of_blocks = false;
};

template <class Conversion>
inline constexpr shared_operator<Conversion> shared_operators[] = {
    {"Abs", 101, 78, unary_of<"Abs">},
    {"ArgMax", 56, 40, on_arg_max},
    {"ArgMin", 79, 57, on_arg_min},
    {"AvgPool", 1, 5, pool_of<"AveragePool">},
    {"Ceil", 104, 0, unary_of<"Ceil">},
    {"Cos", 108, 84, unary_of<"Cos">},
    {"DepthToSpace", 5, 94, on_depth_to_space, true},
    {"Elu", 111, 0, unary_of<"Elu">, false, true},
    {"Exp", 47, 33, unary_of<"Exp">},
    {"Floor", 8, 0, unary_of<"Floor">},
    {"FloorMod", 95, 72, binary_of<"Mod">},
    {"Log", 73, 0, unary_of<"Log">},
    {"Max", 82, 27, reduce_of<"ReduceMax">},
    {"MaxPool", 17, 5, pool_of<"MaxPool">},
    {"Maximum", 55, 39, binary_of<"Max">},
    {"Mean", 40, 27, reduce_of<"ReduceMean">},
    {"Min", 89, 27, reduce_of<"ReduceMin">},
    {"Minimum", 57, 39, binary_of<"Min">},
    {"Neg", 59, 42, unary_of<"Neg">},
    {"Pow", 78, 56, binary_of<"Pow">},
    {"Prod", 81, 27, reduce_of<"ReduceProd">},
    {"Relu", 19, 0, unary_of<"Relu">, false, true},
    {"Relu6", 21, 0, clip_to<0, 6>, false, true},
    {"Round", 116, 0, unary_of<"Round">},
    {"Sigmoid", 14, 0, unary_of<"Sigmoid">},
    {"Sign", 158, 123, unary_of<"Sign">},
    {"Sin", 66, 0, unary_of<"Sin">},
    {"SpaceToDepth", 26, 19, on_space_to_depth, true},
    {"Sqrt", 75, 0, unary_of<"Sqrt">},
    {"Sum", 74, 27, reduce_of<"ReduceSum">},
    {"Tanh", 28, 0, unary_of<"Tanh">, false, true},
};

}  // namespace nvdlac::import::translation
