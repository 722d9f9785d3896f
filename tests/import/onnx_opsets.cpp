// SPDX-License-Identifier: Apache-2.0
// Operators, each in files of opset 13 to 24: those whose definition stayed give the same result,
// those that were defined anew give it in their new form.
#include "onnx_model.hpp"

#include <functional>
#include <string>
#include <vector>

using namespace onnx_model;

namespace {

constexpr int first = 13, last = 24;
const std::vector<std::int64_t> cube = {1, 4, 4, 4};

// A file of one operator, whose other inputs and attributes are as `opset` has them.
using body = std::function<std::string(int opset)>;
struct subject {
  std::string type;
  body written;
  int since = first;
};

subject same(const std::string& type, const std::string& inputs = "x",
             const std::string& attributes = {}, const std::string& constants = {},
             int since = first) {
  return {type, [=](int) { return constants + node(type, inputs, "y", attributes); }, since};
}
// Axes are an attribute at first, an input from opset `changed` on.
subject reduction(const std::string& type, int changed = 18) {
  return {type, [=](int opset) {
            return opset < changed ? node(type, "x", "y", ints("axes", {2, 3}))
                                   : integers("a", {2, 3}) + node(type, "x a", "y");
          }};
}

const std::string kernel =
    floats("w", {2, 4, 3, 3}, std::vector<float>(72, 0.25F)) + floats("b", {2}, {1, 2});
const std::string channels = floats("c", {4}, {1, 2, 3, 4}), two = floats("t", {2}, {1, 2});
const std::string scale = floats("s", {}, {0.25F}),
                  zero = "initializer { name: 'z' data_type: 3 int32_data: 3 }\n";

std::vector<subject> subjects() {
  std::vector<subject> all{
      same("Conv", "x w b", ints("pads", {1, 1, 1, 1}), kernel),
      same("ConvTranspose", "x w", ints("strides", {2, 2}),
           floats("w", {4, 2, 2, 2}, std::vector<float>(32, 0.5F))),
      same("Gemm", "f w b", integer("transB", 1),
           node("Flatten", "x", "f") + floats("w", {2, 64}, std::vector<float>(128, 0.5F)) + two +
               floats("b", {2}, {1, 2})),
      same("MatMul", "x w", "", floats("w", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})),
      same("BatchNormalization", "x c c c c", "", channels),
      same("InstanceNormalization", "x c c", "", channels),
      same("LayerNormalization", "x c", integer("axis", -1), channels, 17),
      same("LRN", "x", integer("size", 3)),
      same("MaxPool", "x", ints("kernel_shape", {3, 3}) + integer("ceil_mode", 1)),
      same("AveragePool", "x",
           ints("kernel_shape", {3, 3}) + ints("pads", {1, 1, 1, 1})),
      same("GlobalAveragePool"), same("GlobalMaxPool"), same("Softmax"), same("LogSoftmax"),
      same("Flatten"), same("Identity"), same("Transpose", "x", ints("perm", {0, 2, 3, 1})),
      same("Concat", "x x", integer("axis", 1)), same("DepthToSpace", "x", integer("blocksize", 2)),
      same("SpaceToDepth", "x", integer("blocksize", 2)),
      same("Reshape", "x n", "", integers("n", {1, 8, 8, 1})),
      same("Unsqueeze", "f n", "", node("Flatten", "x", "f") + integers("n", {1})),
      same("Squeeze", "g n", "", node("GlobalAveragePool", "x", "g") + integers("n", {2, 3})),
      same("Slice", "x b e a", "",
           integers("b", {1}) + integers("e", {3}) + integers("a", {2})),
      same("Pad", "x p", "", integers("p", {0, 0, 1, 1, 0, 0, 1, 1})),
      same("Resize", "x - r", word("mode", "nearest"), floats("r", {4}, {1, 1, 2, 2})),
      same("Clip", "x l h", "", floats("l", {}, {-1}) + floats("h", {}, {2})),
      same("PRelu", "x p", "", floats("p", {4, 1, 1}, {0.1F, 0.2F, 0.3F, 0.4F})),
      same("Cast", "x", integer("to", 1)),
      same("ReduceSum", "x a", "", integers("a", {2, 3})),
      {"Split",
       [](int) {
         return integers("n", {3, 1}) + node("Split", "x n", "y z", integer("axis", 1));
       }},
      same("HardSwish", "x", "", "", 14), same("Mish", "x", "", "", 18),
      same("Gelu", "x", word("approximate", "tanh"), "", 20),
      same("Swish", "x", "", "", 24),
      same("RMSNormalization", "x c", integer("axis", -1), channels, 23),
      same("DequantizeLinear", "q s z", "",
           scale + zero + node("QuantizeLinear", "x s z", "q")),
      // Scale and bias of groups at first, of channels from opset 21 on.
      {"GroupNormalization",
       [](int opset) {
         const auto groups = integer("num_groups", 2);
         return opset < 21 ? two + node("GroupNormalization", "x t t", "y", groups)
                           : floats("t", {4}, {1, 1, 2, 2}) +
                                 node("GroupNormalization", "x t t", "y", groups);
       },
       18},
  };
  for (const char* type : {"Abs", "Ceil", "Elu", "Erf", "Exp", "Floor", "HardSigmoid", "LeakyRelu",
                           "Neg", "Relu", "Selu", "Sigmoid", "Softplus", "Softsign", "Tanh"})
    all.push_back(same(type));
  for (const char* type : {"Add", "Sub", "Mul", "Div", "Max", "Min"})
    all.push_back(same(type, "x k", "", floats("k", {4, 1, 1}, {1, 2, 3, 4})));
  for (const char* type : {"ReduceMax", "ReduceMean", "ReduceMin", "ReduceL1", "ReduceL2",
                           "ReduceSumSquare"})
    all.push_back(reduction(type));
  return all;
}

}  // namespace

TEST_CASE("the same operators from opset 13 to 24") {
  const auto all = subjects();
  CHECK(all.size() >= 60);
  for (const auto& s : all) {
    INFO(s.type);
    const auto given_by = [&](int opset) {
      numbers y;
      CHECK(complaints([&] { y = run(x_to_y(cube, s.written(opset), opset)); }) == "");
      return y;
    };
    const auto expected = given_by(s.since);
    CHECK(!expected.empty());
    for (int opset = s.since + 1; opset <= last; ++opset) {
      INFO(opset);
      CHECK(given_by(opset) == expected);
    }
  }
}

TEST_CASE("operators are refused before the opset that defines them") {
  for (const char* type : {"Mish", "Swish", "RMSNormalization", "GroupNormalization"}) {
    INFO(type);
    CHECK(mentions(refused(x_to_y(cube, channels + node(type, "x c c", "y"), first)), type));
  }
}

namespace {

// An operator in opset 6 and before, with the attributes `old` that its first definitions had.
struct early {
  std::string type, inputs, attributes, constants, old;
};

std::string overwritten() { return ints("consumed_inputs", {0}); }

std::vector<early> early_ones() {
  const auto over = overwritten();
  std::vector<early> all{
      {"Conv", "x w b", ints("pads", {1, 1, 1, 1}), kernel, ""},
      {"ConvTranspose", "x w", ints("strides", {2, 2}),
       floats("w", {4, 2, 2, 2}, std::vector<float>(32, 0.5F)), ""},
      {"BatchNormalization", "x c c c c", integer("is_test", 1), channels,
       ints("consumed_inputs", {0, 0, 0, 1, 1})},
      {"InstanceNormalization", "x c c", "", channels, over},
      {"PRelu", "x c", "", channels, over},
      {"Clip", "x", number("min", -1) + number("max", 2), "", over},
      {"Add", "x c", integer("broadcast", 1) + integer("axis", 1), channels, over},
      {"Mul", "x c", integer("broadcast", 1) + integer("axis", 1), channels, over},
      {"Sub", "x x", "", "", over},
      {"Pow", "x t", integer("broadcast", 1), floats("t", {1}, {2}), ""},
      {"Dropout", "x", integer("is_test", 1), "", over},
      {"LRN", "x", integer("size", 3), "", ""},
      {"MaxPool", "x", ints("kernel_shape", {3, 3}), "", ""},
      {"AveragePool", "x", ints("kernel_shape", {3, 3}) + ints("pads", {1, 1, 1, 1}), "", ""},
      {"Softmax", "x", "", "", ""}, {"Flatten", "x", "", "", ""},
      {"Concat", "x x", integer("axis", 2), "", ""},
      {"Transpose", "x", ints("perm", {0, 2, 3, 1}), "", ""},
      {"Slice", "x", ints("starts", {1}) + ints("ends", {3}) + ints("axes", {2}), "", ""},
      {"Squeeze", "x", ints("axes", {0}), "", ""},
      {"ReduceMean", "x", ints("axes", {2, 3}), "", ""},
      {"DepthToSpace", "x", integer("blocksize", 2), "", ""},
      {"Sum", "x x", "", "", over}, {"Max", "x x", "", "", over}, {"Mean", "x x", "", "", over},
      {"LeakyRelu", "x", "", "", over}, {"Elu", "x", "", "", over},
      {"HardSigmoid", "x", "", "", over}, {"Selu", "x", number("alpha", 1.5F) +
                                                            number("gamma", 1.25F), "", over}};
  for (const char* type : {"Abs", "Ceil", "Exp", "Floor", "Neg", "Relu", "Sigmoid", "Tanh"})
    all.push_back({type, "x", "", "", over});
  return all;
}

}  // namespace

TEST_CASE("the same operators until opset 6") {
  const auto given_by = [](int opset, const std::string& body) {
    numbers y;
    CHECK(complaints([&] { y = run(x_to_y(cube, body, opset)); }) == "");
    return y;
  };
  const auto all = early_ones();
  CHECK(all.size() >= 36);
  for (const auto& s : all) {
    INFO(s.type);
    const auto plain = s.constants + node(s.type, s.inputs, "y", s.attributes);
    const auto expected = given_by(6, plain);
    CHECK(!expected.empty());
    for (int opset = 1; opset < 6; ++opset) {
      INFO(opset);
      CHECK(given_by(opset, s.constants + node(s.type, s.inputs, "y", s.attributes + s.old)) ==
            expected);
      CHECK(given_by(opset, plain) == expected);
    }
    if (!s.old.empty())
      CHECK(mentions(refused(x_to_y(cube, s.constants + node(s.type, s.inputs, "y",
                                                             s.attributes + s.old), 6)),
                     "attribute 'consumed_inputs' of"));
  }
}

TEST_CASE("what operators until opset 6 had in another form") {
  const auto given_by = [](int opset, const std::string& body) {
    return run(x_to_y(cube, body, opset));
  };
  // An attribute became an input, another name or another default.
  CHECK(given_by(4, node("Reshape", "x", "y", ints("shape", {1, 8, -1, 2}))) ==
        given_by(5, integers("n", {1, 8, -1, 2}) + node("Reshape", "x n", "y")));
  CHECK(given_by(1, node("Pad", "x", "y", ints("paddings", {0, 0, 1, 1, 0, 0, 0, 1}))) ==
        given_by(2, node("Pad", "x", "y", ints("pads", {0, 0, 1, 1, 0, 0, 0, 1}))));
  CHECK(given_by(3, node("Concat", "x x", "y")) ==
        given_by(4, node("Concat", "x x", "y", integer("axis", 1))));
  CHECK(given_by(5, node("Cast", "x", "y", word("to", "FLOAT"))) ==
        given_by(6, node("Cast", "x", "y", integer("to", 1))));
  CHECK(given_by(5, node("Selu", "x", "y")) ==
        given_by(6, node("Selu", "x", "y", number("alpha", 1.6732F) + number("gamma", 1.0507F))));
  CHECK(given_by(6, node("Upsample", "x", "y",
                         number("height_scale", 2) + number("width_scale", 3))) ==
        given_by(7, node("Upsample", "x", "y",
                         "attribute { name: 'scales' type: FLOATS floats: 1 floats: 1 floats: 2 "
                         "floats: 3 } ")));
  const auto refused_by = [](int opset, const std::string& body) {
    return refused(x_to_y(cube, body, opset));
  };
  CHECK(mentions(refused_by(5, node("Cast", "x", "y", word("to", "REAL"))), "the type 'REAL'"));
  CHECK(mentions(refused_by(4, node("Reshape", "x", "y")), "its shape is missing"));
  CHECK(mentions(refused_by(5, integers("n", {1, 1, 1, 1}) + node("Tile", "x n", "y")),
                 "it is Tile of opset 5 (it is understood from opset 6 on)"));
}
