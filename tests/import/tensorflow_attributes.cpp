// SPDX-License-Identifier: Apache-2.0
// Attribute by attribute: another value changes the result, or is refused.
#include "tensorflow_model.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace tensorflow_model;

namespace {

floats ramp(std::size_t n) {
  floats v;
  for (std::size_t i = 0; i < n; ++i) v.push_back(static_cast<float>(i % 7) * 0.5F - 1.25F);
  return v;
}

struct change {
  std::string from, to;  // texts of attributes
};
struct operation {
  std::string op;
  ints input;
  std::string constants;  // nodes
  std::string inputs;
  std::vector<std::string> attributes;
  std::vector<change> changes;
};

const std::string real = type("T", "DT_FLOAT"), twice = type("T", "DT_DOUBLE");
const std::string four = integers("axes", {1, 2}), sizes = integers("s", {4, 6});
const std::string weights = constant("w", {3, 3, 2, 4}, ramp(72));
const std::string one_each = list("strides", {1, 1, 1, 1}), same = word("padding", "SAME");
const std::string channels = constant("c", {2}, {1, 2}) + constant("d", {2}, {0.5F, 0.25F});

std::vector<operation> operations() {
  std::vector<operation> all = {
      {"Conv2D", {1, 5, 5, 2}, weights, "x w",
       {real, one_each, same, list("dilations", {1, 1, 1, 1}), word("data_format", "NHWC"),
        list("explicit_paddings", {})},
       {{one_each, list("strides", {1, 2, 1, 1})},
        {one_each, list("strides", {2, 1, 1, 1})},
        {same, word("padding", "VALID")},
        {same, word("padding", "EXPLICIT")},
        {list("dilations", {1, 1, 1, 1}), list("dilations", {1, 1, 2, 1})},
        {list("explicit_paddings", {}), list("explicit_paddings", {0, 0, 1, 1, 1, 1, 0, 0})},
        {word("data_format", "NHWC"), word("data_format", "NCHW")}}},
      {"DepthwiseConv2dNative", {1, 5, 5, 2}, weights, "x w",
       {real, one_each, same, word("data_format", "NHWC")},
       {{one_each, list("strides", {1, 2, 2, 1})},
        {same, word("padding", "VALID")},
        {word("data_format", "NHWC"), word("data_format", "NCHW")}}},
      {"Conv2DBackpropInput", {1, 5, 5, 4}, integers("o", {1, 10, 10, 2}) + weights, "o w x",
       {real, list("strides", {1, 2, 2, 1}), same, word("data_format", "NHWC")},
       {{list("strides", {1, 2, 2, 1}), one_each},
        {same, word("padding", "VALID")},
        {word("data_format", "NHWC"), word("data_format", "NCHW")}}},
      {"MaxPool", {1, 5, 5, 2}, "", "x",
       {real, list("ksize", {1, 3, 3, 1}), one_each, same, word("data_format", "NHWC")},
       {{list("ksize", {1, 3, 3, 1}), list("ksize", {1, 2, 3, 1})},
        {list("ksize", {1, 3, 3, 1}), list("ksize", {1, 3, 3, 2})},
        {one_each, list("strides", {1, 2, 1, 1})},
        {same, word("padding", "VALID")},
        {word("data_format", "NHWC"), word("data_format", "NCHW")}}},
      {"AvgPool", {1, 5, 5, 2}, "", "x",
       {real, list("ksize", {1, 3, 3, 1}), one_each, same},
       {{list("ksize", {1, 3, 3, 1}), list("ksize", {1, 2, 3, 1})},
        {one_each, list("strides", {1, 2, 1, 1})},
        {same, word("padding", "VALID")}}},
      {"MatMul", {1, 4}, constant("w", {4, 4}, ramp(16)), "x w",
       {real, flag("transpose_a", false), flag("transpose_b", false)},
       {{flag("transpose_a", false), flag("transpose_a", true)},
        {flag("transpose_b", false), flag("transpose_b", true)}}},
      {"BatchMatMul", {1, 4, 4}, constant("w", {1, 4, 4}, ramp(16)), "x w",
       {real, flag("adj_x", false), flag("adj_y", false)},
       {{flag("adj_x", false), flag("adj_x", true)}, {flag("adj_y", false), flag("adj_y", true)}}},
      {"BiasAdd", {1, 2, 3, 2}, channels, "x c", {real, word("data_format", "NHWC")},
       {{word("data_format", "NHWC"), word("data_format", "NCHW")},
        {word("data_format", "NHWC"), word("data_format", "NDHWC")}}},
      {"FusedBatchNormV3", {1, 3, 3, 2}, channels, "x c d d c",
       {real, type("U", "DT_FLOAT"), number("epsilon", 0.001F), flag("is_training", false),
        word("data_format", "NHWC")},
       {{number("epsilon", 0.001F), number("epsilon", 0.1F)},
        {flag("is_training", false), flag("is_training", true)},
        {flag("is_training", false), ""},
        {type("U", "DT_FLOAT"), type("U", "DT_HALF")},
        {word("data_format", "NHWC"), word("data_format", "NCHW")}}},
      {"LeakyRelu", {1, 4}, "", "x", {real, number("alpha", 0.1F)},
       {{number("alpha", 0.1F), number("alpha", 0.3F)}, {number("alpha", 0.1F), ""}}},
      {"LRN", {1, 2, 2, 4}, "", "x",
       {real, integer("depth_radius", 1), number("bias", 1), number("alpha", 0.5F),
        number("beta", 0.75F)},
       {{integer("depth_radius", 1), integer("depth_radius", 2)},
        {number("bias", 1), number("bias", 2)},
        {number("alpha", 0.5F), number("alpha", 0.25F)},
        {number("beta", 0.75F), number("beta", 0.5F)}}},
      {"ConcatV2", {1, 2, 2, 2}, integers("a", {}, {3}), "x x a",
       {real, integer("N", 2), type("Tidx", "DT_INT32")},
       {{integer("N", 2), integer("N", 3)}, {type("Tidx", "DT_INT32"), type("Tidx", "DT_INT64")}}},
      {"AddN", {1, 4}, "", "x x", {real, integer("N", 2)}, {{integer("N", 2), integer("N", 1)}}},
      {"Pack", {1, 4}, "", "x x", {real, integer("N", 2), integer("axis", 1)},
       {{integer("N", 2), integer("N", 3)}, {integer("axis", 1), integer("axis", 2)}}},
      {"Squeeze", {1, 1, 4, 1}, "", "x", {real, list("squeeze_dims", {1})},
       {{list("squeeze_dims", {1}), list("squeeze_dims", {3})},
        {list("squeeze_dims", {1}), list("squeeze_dims", {2})}}},
      {"Mean", {1, 3, 3, 2}, four, "x axes",
       {real, type("Tidx", "DT_INT32"), flag("keep_dims", true)},
       {{flag("keep_dims", true), flag("keep_dims", false)}}},
      {"ArgMax", {1, 3, 4}, integers("a", {}, {2}), "x a",
       {real, type("Tidx", "DT_INT32"), type("output_type", "DT_INT64")},
       {{type("output_type", "DT_INT64"), type("output_type", "DT_FLOAT")}}},
      {"StridedSlice", {1, 6, 4},
       integers("b", {0, 1, 1}) + integers("e", {1, 5, 3}) + integers("p", {1, 2, 1}), "x b e p",
       {real, type("Index", "DT_INT32"), integer("begin_mask", 0), integer("end_mask", 0),
        integer("ellipsis_mask", 0), integer("new_axis_mask", 0), integer("shrink_axis_mask", 0)},
       {{integer("begin_mask", 0), integer("begin_mask", 2)},
        {integer("end_mask", 0), integer("end_mask", 4)},
        {integer("ellipsis_mask", 0), integer("ellipsis_mask", 2)},
        {integer("new_axis_mask", 0), integer("new_axis_mask", 2)},
        {integer("shrink_axis_mask", 0), integer("shrink_axis_mask", 4)}}},
      {"ResizeBilinear", {1, 2, 3, 2}, sizes, "x s",
       {real, flag("align_corners", false), flag("half_pixel_centers", false)},
       {{flag("align_corners", false), flag("align_corners", true)},
        {flag("half_pixel_centers", false), flag("half_pixel_centers", true)}}},
      {"ResizeNearestNeighbor", {1, 2, 4, 2}, integers("s", {5, 7}), "x s",
       {real, flag("align_corners", false), flag("half_pixel_centers", false)},
       {{flag("align_corners", false), flag("align_corners", true)},
        {flag("half_pixel_centers", false), flag("half_pixel_centers", true)}}},
      {"DepthToSpace", {1, 2, 2, 16}, "", "x",
       {real, integer("block_size", 2), word("data_format", "NHWC")},
       {{integer("block_size", 2), integer("block_size", 4)},
        {word("data_format", "NHWC"), word("data_format", "NCHW")}}},
      {"SpaceToDepth", {1, 4, 4, 2}, "", "x", {real, integer("block_size", 2)},
       {{integer("block_size", 2), integer("block_size", 4)}}},
      {"MirrorPad", {1, 4, 4, 2}, integers("p", {4, 2}, {0, 0, 1, 1, 1, 1, 0, 0}), "x p",
       {real, type("Tpaddings", "DT_INT32"), word("mode", "REFLECT")},
       {{word("mode", "REFLECT"), word("mode", "SYMMETRIC")},
        {word("mode", "REFLECT"), word("mode", "CONSTANT")}}},
      {"FakeQuantWithMinMaxArgs", {1, 4}, "", "x",
       {number("min", -1), number("max", 2), integer("num_bits", 8), flag("narrow_range", false)},
       {{number("min", -1), number("min", -2)},
        {number("max", 2), number("max", 1)},
        {integer("num_bits", 8), integer("num_bits", 4)},
        {flag("narrow_range", false), flag("narrow_range", true)}}},
      {"Cast", {1, 4}, "", "x",
       {type("SrcT", "DT_FLOAT"), type("DstT", "DT_FLOAT")},
       {{type("SrcT", "DT_FLOAT"), type("SrcT", "DT_UINT8")},
        {type("DstT", "DT_FLOAT"), type("DstT", "DT_INT32")}}},
  };
  for (const char* op : {"Relu", "Relu6", "Elu", "Selu", "Sigmoid", "Tanh", "Abs", "Neg", "Square",
                         "Softmax", "LogSoftmax", "Exp", "Rsqrt", "Floor", "Identity", "Softplus"})
    all.push_back({op, {1, 4}, "", "x", {real}, {}});
  for (const char* op : {"Add", "AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Minimum",
                         "SquaredDifference"})
    all.push_back({op, {1, 2, 2, 2}, channels, "x c", {real}, {}});
  for (auto& o : all)
    if (o.attributes[0] == real) o.changes.push_back({real, twice});
  return all;
}

std::string graph_of(const operation& o, const change& c = {}) {
  std::string attributes;
  for (const auto& a : o.attributes) attributes += a == c.from ? c.to : a;
  return placeholder("x", o.input) + o.constants + node(o.op, "y", o.inputs, attributes);
}
// The scales that the network gives, by layer; empty if it is refused.
std::string told_by(const std::string& graph) {
  try {
    std::string s;
    for (const auto& e : import::tensorflow_network_from(graph, "").scales.entries)
      s += text(e.layer, ' ', e.range.step(), '\n');
    return s;
  } catch (const error&) {
    return {};
  }
}

}  // namespace

TEST_CASE("TensorFlow: another attribute gives another result or is refused") {
  std::size_t changes = 0;
  for (const auto& o : operations()) {
    INFO(o.op);
    const auto base = outcome_for(graph_of(o));
    CHECK(base.complaint == "");
    for (const auto& c : o.changes) {
      INFO(c.from << " -> " << c.to);
      const auto changed = outcome_for(graph_of(o, c));
      const bool differs = !changed.accepted() || !changed.same_result(base) ||
                           told_by(graph_of(o, c)) != told_by(graph_of(o));
      CHECK(differs);
      ++changes;
    }
    const auto strange = graph_of(o, {o.attributes[0], o.attributes[0] + integer("strange", 1)});
    CHECK(mentions(refused(strange), "attribute 'strange' of " + o.op + " is not understood"));
    const auto noted = graph_of(o, {o.attributes[0], o.attributes[0] + integer("_strange", 1)});
    CHECK(outcome_for(noted) == base);
    const auto doubled = graph_of(o, {o.attributes[0], o.attributes[0] + o.attributes[0]});
    CHECK(mentions(refused(doubled), "is given twice"));
  }
  CHECK(changes >= 100);
}
