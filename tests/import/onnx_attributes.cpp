// SPDX-License-Identifier: Apache-2.0
// Every attribute of every ONNX operator that the importer asks for: another value gives another
// result or is refused, and the default's value gives what leaving it out gives.
#include "onnx_model.hpp"

#include <set>
#include <string>
#include <vector>

#include <nvdlac/import/onnx/activation.hpp>
#include <nvdlac/import/onnx/meaning.hpp>

#include "outcome.hpp"

using namespace onnx_model;
namespace format = import::onnx_format;
using std::string;

namespace {

// Stands in place of a complaint where a changed value gives the same result, not another one.
const string same = "the same";

struct attribute {
  string name, another;  // as it is written
  string complaint{};
  string standard{};     // its default as it is written; "": it has none
};
struct operator_test {
  string type, in, needed;            // the inputs' names; the attributes that are not changed
  std::vector<attribute> all{};
  string constants{};
  int opset = 20;
  string out = "y";
  std::vector<std::int64_t> shape{1, 4, 6, 5};
};

string without(string attributes, const string& name) {
  const auto at = attributes.find("attribute { name: '" + name + "'");
  if (at == attributes.npos) return attributes;
  const auto next = attributes.find("attribute {", at + 1);
  return attributes.erase(at, next == attributes.npos ? next : next - at);
}
outcome outcome_of(const operator_test& t, const string& attributes) {
  const auto colon = t.type.find(':');
  const string domain = colon == t.type.npos ? "" : "domain: '" + t.type.substr(0, colon) + "' ";
  const auto type = t.type.substr(colon == t.type.npos ? 0 : colon + 1);
  return ::outcome_of([&] {
    return import::onnx_network_from(
               x_to_y(t.shape, t.constants + node(type, t.in, t.out, domain + attributes), t.opset),
               "net.onnx", {}).graph;
  });
}

attribute of_int(const string& name, std::int64_t v, const string& complaint = {}) {
  return {name, integer(name, v), complaint, {}};
}
attribute of_int(const string& name, std::int64_t v, const string& complaint,
                 std::int64_t standard) {
  return {name, integer(name, v), complaint, integer(name, standard)};
}
attribute of_float(const string& name, float v, float standard, const string& complaint = {}) {
  return {name, number(name, v), complaint, number(name, standard)};
}
attribute of_word(const string& name, const string& v, const string& complaint,
                  const string& standard) {
  return {name, word(name, v), complaint, word(name, standard)};
}
attribute of_ints(const string& name, const std::vector<std::int64_t>& v,
                  const string& complaint = {}, const std::vector<std::int64_t>& standard = {}) {
  return {name, ints(name, v), complaint, standard.empty() ? "" : ints(name, standard)};
}

using attributes = std::vector<attribute>;
attributes operator+(attributes a, const attributes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
string filter(const std::vector<std::int64_t>& shape) {
  std::size_t n = 1;
  for (const auto d : shape) n *= static_cast<std::size_t>(d);
  numbers v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i % 7) - 2.5F;
  return floats("w", shape, v);
}

attributes window() {
  return {of_ints("strides", {2, 1}, "", {1, 1}), of_ints("dilations", {1, 2}, "", {1, 1}),
          of_ints("pads", {1, 0, 0, 1}, "", {0, 0, 0, 0}), of_ints("strides", {0, 1}, "strides"),
          of_word("auto_pad", "SAME_UPPER", "", "NOTSET"),
          of_word("auto_pad", "SAME", "auto_pad 'SAME' is not understood", "NOTSET")};
}
string params(const string& numbers) {
  return "attribute { name: 'activation_params' type: FLOATS floats: [" + numbers + "] } ";
}
std::vector<operator_test> with_windows() {
  const string w = filter({4, 2, 2, 3});
  const string two = integer("group", 2), slope = params("0.5");
  const string kernel = ints("kernel_shape", {2, 3});
  return {
      {"Conv", "x w", two,
       window() + attributes{of_int("group", 1, "do not fit", 1),
                             of_ints("kernel_shape", {3, 3}, "differs from", {2, 3})},
       w},
      {"Conv", "x w", two + ints("pads", {1, 1, 1, 1}),
       {of_word("auto_pad", "SAME_LOWER", "both auto_pad and pads", "NOTSET")}, w},
      {"com.microsoft:FusedConv", "x w", two + word("activation", "LeakyRelu") + slope,
       window() + attributes{of_int("group", 1, "do not fit", 1),
                             of_ints("kernel_shape", {3, 3}, "differs from", {2, 3}),
                             {"activation", word("activation", "Relu"), "has 1 parameters"},
                             {"activation", word("activation", "Softmax"), "is not supported"},
                             {"activation_params", params("0.25")},
                             {"activation_params", params("1.5, 2"), "has 2 parameters"}},
       w},
      {"com.microsoft:FusedGemm", "x w c", word("activation", "LeakyRelu"),
       {of_int("transA", 1, "do not fit", 0), of_int("transB", 1, "", 0),
        of_float("alpha", 2, 1), of_float("beta", 2, 1),
        {"activation", word("activation", "Relu")},
        {"activation", word("activation", "Softmax"), "is not supported"},
        of_float("activation_alpha", 0.5F, 0.01F)},
       filter({4, 4}) + floats("c", {4}, {1, 2, 3, 4}), 13, "y", {1, 4}},
      {"com.microsoft:FusedMatMul", "x w", "",
       {of_float("alpha", 2, 1), of_int("transA", 1, "", 0), of_int("transB", 1, "", 0),
        of_int("transBatchA", 1, "do not fit", 0), of_int("transBatchB", 1, "do not fit", 0)},
       filter({6, 5, 5}), 13, "y", {1, 6, 5, 5}},
      {"ConvTranspose", "x w", "",
       {of_ints("strides", {2, 1}, "", {1, 1}), of_ints("dilations", {1, 2}, "", {1, 1}),
        of_ints("pads", {1, 0, 0, 1}, "", {0, 0, 0, 0}), of_int("group", 2, "", 1),
        of_ints("kernel_shape", {3, 3}, "differs from", {2, 3}),
        of_ints("output_padding", {0, 1}, "", {0, 0}), of_ints("output_shape", {6, 6}),
        of_word("auto_pad", "SAME_UPPER", "", "NOTSET"),
        of_word("auto_pad", "SAME", "auto_pad 'SAME' is not understood", "NOTSET")},
       w},
      {"ConvTranspose", "x w", ints("pads", {1, 0, 0, 1}),
       {of_word("auto_pad", "VALID", "both auto_pad and pads", "NOTSET")}, w},
      {"MaxPool", "x", kernel + ints("strides", {3, 3}),
       window() + attributes{of_ints("kernel_shape", {3, 2}), of_int("ceil_mode", 1, "", 0),
                             of_int("storage_order", 1, "storage_order 1", 0)}},
      {"com.microsoft:NhwcMaxPool", "x", kernel + ints("strides", {3, 3}),
       window() + attributes{of_ints("kernel_shape", {3, 2}), of_int("ceil_mode", 1, "", 0),
                             of_int("storage_order", 1, "storage_order 1", 0)}, "", 20, "y",
       {1, 6, 5, 4}},
      {"AveragePool", "x", kernel + ints("pads", {1, 1, 0, 0}) + ints("strides", {2, 2}),
       {of_ints("kernel_shape", {3, 2}), of_int("ceil_mode", 1, "", 0),
        of_int("count_include_pad", 1, "", 0), of_ints("strides", {3, 3}, "", {1, 1}),
        of_ints("pads", {0, 0, 0, 0}, "", {0, 0, 0, 0}),
        of_ints("dilations", {1, 2}, "", {1, 1}),
        of_word("auto_pad", "SAME_UPPER", "both auto_pad and pads", "NOTSET")}},
      {"LpPool", "x", kernel + ints("pads", {1, 1, 0, 0}) + ints("strides", {2, 2}),
       {of_ints("kernel_shape", {3, 2}), of_int("ceil_mode", 1, "", 0), of_int("p", 3, "", 2),
        of_ints("strides", {3, 3}, "", {1, 1}), of_ints("pads", {0, 0, 0, 0}, "", {0, 0, 0, 0}),
        of_ints("dilations", {1, 2}, "", {1, 1}),
        of_word("auto_pad", "SAME_UPPER", "both auto_pad and pads", "NOTSET")}},
      {"GlobalLpPool", "x", "", {of_int("p", 1, "", 2)}},
      {"Gemm", "x w c", "",
       {of_int("transA", 1, "do not fit", 0), of_int("transB", 1, "", 0),
        of_float("alpha", 2, 1), of_float("beta", 2, 1)},
       filter({4, 4}) + floats("c", {4}, {1, 2, 3, 4}), 13, "y", {1, 4}},
      {"Gemm", "x w", "", {of_int("broadcast", 1, same, 0)}, filter({4, 4}), 6, "y", {1, 4}},
      {"LRN", "x", integer("size", 3),
       {of_int("size", 5), of_float("alpha", 0.5F, 1e-4F), of_float("beta", 0.5F, 0.75F),
        of_float("bias", 2, 1)}},
  };
}
std::vector<operator_test> by_element() {
  const string v = floats("s", {4}, {1, 2, 3, 4}) + floats("b", {4}, {4, 3, 2, 1}) +
                   floats("m", {4}, {0, 1, 0, 1}) + floats("v", {4}, {1, 2, 1, 2});
  const attributes old = {of_int("broadcast", 0, "without the attribute broadcast", 0),
                          of_int("axis", 3, "")};
  std::vector<operator_test> all = {
      {"LeakyRelu", "x", "", {of_float("alpha", 0.5F, 0.01F)}},
      {"HardSigmoid", "x", "", {of_float("alpha", 0.3F, 0.2F), of_float("beta", 0.4F, 0.5F)}},
      {"Elu", "x", "", {of_float("alpha", 2, 1)}},
      {"Celu", "x", "", {of_float("alpha", 2, 1), of_float("alpha", 0, 1, "alpha is 0")}},
      {"Selu", "x", "",
       {{"alpha", number("alpha", 2), "",
         "attribute { name: 'alpha' type: FLOAT f: 1.67326319217681884765625 } "},
        {"gamma", number("gamma", 2), "",
         "attribute { name: 'gamma' type: FLOAT f: 1.05070102214813232421875 } "}}},
      {"ThresholdedRelu", "x", "", {of_float("alpha", 2, 1)}},
      {"Swish", "x", "", {of_float("alpha", 2, 1)}, "", 24},
      {"Gelu", "x", "", {of_word("approximate", "tanh", "", "none"),
                         of_word("approximate", "erf", "is 'erf'", "none")}},
      {"com.microsoft:QuickGelu", "x", "", {of_float("alpha", 1, 1.702F)}},
      {"Shrink", "x", "", {of_float("lambd", 1, 0.5F), of_float("bias", 1, 0)}},
      {"Cast", "x", integer("to", 1),
       {of_int("to", 7, "converts a computed tensor to"),
        of_int("to", 24, "converts a computed tensor to FLOAT8E8M0"),
        of_int("saturate", 0, same, 1), of_word("round_mode", "nearest", same, "up")},
       "", 24},
      {"CastLike", "x s", "",
       {of_int("saturate", 0, same, 1), of_word("round_mode", "nearest", same, "up")}, v, 24},
      {"Dropout", "x", "", {of_float("ratio", 0.9F, 0.5F, same), of_int("seed", 3, same, 0)}, "",
       10},
      {"Dropout", "x", "", {of_int("is_test", 1, same, 0)}, "", 6},
      {"BatchNormalization", "x s b m v", "",
       {of_float("epsilon", 0.5F, 1e-5F), of_float("momentum", 0.5F, 0.9F, same),
        of_int("training_mode", 1, "training_mode is not supported", 0)}, v, 14},
      {"BatchNormalization", "x s b m v", "",
       {of_int("spatial", 0, "spatial: 0 is not", 1), of_int("is_test", 1, same, 0)}, v, 6},
      {"InstanceNormalization", "x s b", "", {of_float("epsilon", 0.5F, 1e-5F)}, v},
      {"GroupNormalization", "x s b", integer("num_groups", 2),
       {of_float("epsilon", 0.5F, 1e-5F), of_int("num_groups", 1),
        of_int("stash_type", 1, same, 1)},
       v, 21},
      {"LayerNormalization", "x s b", "",
       {of_int("axis", 2, "instead of 30", -1), of_float("epsilon", 0.5F, 1e-5F),
        of_int("stash_type", 1, same, 1)},
       floats("s", {5}, {1, 2, 3, 4, 5}) + floats("b", {5}, {5, 4, 3, 2, 1})},
      {"RMSNormalization", "x s", "",
       {of_int("axis", 2, "", -1), of_float("epsilon", 0.5F, 1e-5F),
        of_int("stash_type", 1, same, 1)},
       floats("s", {5}, {1, 2, 3, 4, 5}), 23},
      {"MeanVarianceNormalization", "x", "", {of_ints("axes", {1}, "", {0, 2, 3})}},
      {"LpNormalization", "x", "", {of_int("axis", 1, "", -1), of_int("p", 1, "", 2)}},
      {"ArgMax", "x", "", {of_int("axis", 1), of_int("keepdims", 0, "", 1),
                           of_int("select_last_index", 1, same, 0)}},
      {"ArgMin", "x", "", {of_int("axis", 1), of_int("keepdims", 0, "", 1),
                           of_int("select_last_index", 1, same, 0)}},
      {"CumSum", "x i", "", {of_int("exclusive", 1, "", 0), of_int("reverse", 1, "", 0)},
       integers("i", {2}), 14},
  };
  for (const char* type : {"Softmax", "LogSoftmax", "Hardmax"})
    all.push_back({type, "x", "", {of_int("axis", 1, "", -1), of_int("axis", 7, "axis 7")}});
  const string placed = integer("broadcast", 1) + integer("axis", 1);
  for (const char* type : {"Add", "Sub", "Mul", "Div"})
    all.push_back({type, "x w", placed, old, floats("w", {4}, {1, 2, 3, 4}), 6, "y", {1, 4, 6, 4}});
  all.push_back({"Pow", "x w", placed, {old[0], of_int("axis", 9, "axis 9")},
                 floats("w", {1}, {2}), 6});
  for (const auto& [type, ignored] : format::reducers()) {
    const string name(type);
    const int by_input = name == "ReduceSum" ? 13 : 18;  // the first opset with axes as an input
    const std::vector<std::int64_t> few{1, 4, 2, 2};
    const attribute keep = of_int("keepdims", 0, "", 1);
    all.push_back({name, "x", ints("axes", {3}), {keep, of_ints("axes", {1})}, "", 11, "y", few});
    all.push_back({name, "x axes", "", {keep}, integers("axes", {2, 3}), by_input, "y", few});
    all.push_back({name, "x", "", {of_int("noop_with_empty_axes", 1, "", 0)}, "", by_input, "y",
                   few});
  }
  return all;
}
string of_scales(int rows) {
  return text("attribute { name: 'scales' type: FLOATS floats: [1, 1, ", rows, ", 2] } ");
}
std::vector<operator_test> moving() {
  const string indices = integers("i", {1, 0});
  const string size = floats("none", {0}, {}) + integers("size", {1, 4, 9, 7});
  return {
      {"Transpose", "x", "", {of_ints("perm", {0, 2, 1}, "", {2, 1, 0}),
                              of_ints("perm", {0, 2, 2}, "no permutation")}, "", 13, "y",
       {4, 6, 5}},
      {"Reshape", "x n", "", {of_int("allowzero", 1, "reshapes", 0)}, integers("n", {0, 4, 5, 6})},
      {"Flatten", "x", "", {of_int("axis", 7, "axis 7", 1)}},
      {"Squeeze", "x", ints("axes", {0}), {of_ints("axes", {1}, "which is 4")}, "", 11},
      {"Squeeze", "x i", "", {of_ints("axes", {0}, "as an attribute and as input")},
       integers("i", {0})},
      {"Unsqueeze", "x", ints("axes", {0}), {of_ints("axes", {9}, "axis 9")}, "", 11, "y",
       {4, 6, 5}},
      {"Slice", "x", ints("starts", {1}) + ints("ends", {3}) + ints("axes", {1}),
       {of_ints("starts", {2}), of_ints("ends", {4}), of_ints("axes", {2}, "", {0})}, "", 9},
      {"Slice", "x i j", "", {of_ints("starts", {1}, "as an attribute and as input"),
                              of_ints("ends", {1}, "as an attribute and as input")},
       integers("i", {0}) + integers("j", {1})},
      {"Split", "x", integer("axis", 1), {of_int("axis", 2, "", 0)}, "", 11, "y z"},
      {"Split", "x", integer("axis", 1) + ints("split", {2, 2}), {of_ints("split", {1, 3}, "")},
       "", 11, "y z"},
      {"Split", "x", integer("axis", 1), {of_int("num_outputs", 3, "num_outputs is 3", 2)}, "", 18,
       "y z"},
      {"Concat", "x x", integer("axis", 1), {of_int("axis", 2, "", 1)}, "", 13},
      {"Gather", "x i", integer("axis", 1), {of_int("axis", 2, "", 0)}, indices},
      {"Pad", "x", ints("pads", {0, 0, 1, 1, 0, 0, 0, 0}),
       {of_ints("pads", {0, 0, 1, 0, 0, 0, 0, 1}), of_word("mode", "edge", "", "constant"),
        of_word("mode", "mirror", "is not understood", "constant"), of_float("value", 2, 0)},
       "", 10},
      {"Pad", "x i", "", {of_ints("pads", {0, 0, 0, 0, 0, 0, 0, 1}, "as an attribute and as")},
       integers("i", {0, 0, 1, 1, 0, 0, 0, 0})},
      {"DepthToSpace", "x", integer("blocksize", 2),
       {of_int("blocksize", 1), of_word("mode", "CRD", "", "DCR"),
        of_word("mode", "RCD", "is not understood", "DCR")}, "", 13, "y", {1, 8, 3, 2}},
      {"SpaceToDepth", "x", integer("blocksize", 2), {of_int("blocksize", 1)}, "", 13, "y",
       {1, 2, 6, 4}},
      {"Resize", "x - none size", "",
       {of_word("mode", "linear", "", "nearest"),
        of_word("mode", "best", "is not understood", "nearest"),
        of_word("coordinate_transformation_mode", "align_corners", "", "half_pixel"),
        of_word("coordinate_transformation_mode", "tf_crop_and_resize", "is not supported",
                "half_pixel"),
        of_word("nearest_mode", "ceil", "", "round_prefer_floor"),
        of_int("antialias", 1, "it picks the nearest elements with antialias", 0),
        of_word("keep_aspect_ratio_policy", "not_larger", "", "stretch"),
        of_word("keep_aspect_ratio_policy", "square", "is not understood", "stretch"),
        of_float("extrapolation_value", 1, 0, same),
        of_ints("axes", {3, 2, 1, 0}, "more than one picture", {0, 1, 2, 3})}, size},
      {"Resize", "x - none size", word("mode", "cubic"),
       {of_float("cubic_coeff_a", -0.5F, -0.75F), of_int("exclude_outside", 1, "", 0)}, size},
      {"Upsample", "x", of_scales(2), {{"scales", of_scales(3)}}, "", 7},
      {"GridSample", "x g", "",
       {of_word("mode", "nearest", "", "linear"), of_word("mode", "cubic", "", "linear"),
        of_word("mode", "best", "is not understood", "linear"),
        of_word("padding_mode", "border", "", "zeros"),
        of_word("padding_mode", "none", "is not understood", "zeros"),
        of_int("align_corners", 1, "", 0)},
       floats("g", {1, 1, 2, 2}, {0.3F, -0.8F, 1.2F, 0.1F})},
      {"DFT", "x", "", {of_int("axis", 2, "", 1), of_int("inverse", 1, "", 0),
                        of_int("onesided", 1, "", 0)}, "", 17, "y", {1, 4, 6, 1}},
      {"QuantizeLinear", "x s z", "",
       {of_int("axis", 2, same, 1), of_int("block_size", 2, "for each block", 0),
        of_int("saturate", 0, same, 1), of_int("output_dtype", 2, "its output_dtype is", 0),
        of_int("precision", 10, same, 0), of_int("precision", 3, "its precision is INT8", 0)},
       floats("s", {}, {0.1F}) + "initializer { name: 'z' data_type: 3 int32_data: 1 }", 23},
      {"Upsample", "x s", "", {of_word("mode", "linear", "", "nearest")},
       floats("s", {4}, {1, 1, 2, 2}), 9},
  };
}

const std::vector<operator_test>& tests() {
  static const std::vector<operator_test> all = [] {
    std::vector<operator_test> t = with_windows();
    for (const auto& more : {by_element(), moving()}) t.insert(t.end(), more.begin(), more.end());
    return t;
  }();
  return all;
}

// The attributes that were asked for while this model was read.
std::set<string> asked(const operator_test& t) {
  const auto complaint = outcome_of(t, t.needed + integer("no_such", 1)).complaint;
  const string known = "of " + t.type + " is not understood (";
  const auto at = complaint.find("attribute 'no_such' " + known);
  INFO(complaint);
  REQUIRE(at != complaint.npos);
  string list = complaint.substr(at);
  list = list.substr(0, list.find(')'));
  std::set<string> names;
  const string start = "understood are ";
  if (list.find(start) == list.npos) return names;
  list = list.substr(list.find(start) + start.size()) + ", ";
  for (std::size_t i = 0, end; (end = list.find(", ", i)) != list.npos; i = end + 2)
    names.insert(list.substr(i, end - i));
  return names;
}

}  // namespace

TEST_CASE("ONNX: another value of an attribute gives another result or is refused") {
  for (const auto& t : tests()) {
    const auto before = outcome_of(t, t.needed);
    INFO(t.type, " of opset ", t.opset);
    CHECK(before.complaint == "");
    for (const auto& a : t.all) {
      INFO(a.another);
      const auto rest = without(t.needed, a.name);
      const auto after = outcome_of(t, rest + a.another);
      if (a.complaint.empty() || a.complaint == same) {
        CHECK(after.complaint == "");
        CHECK(before.same_result(after) == (a.complaint == same));
      } else {
        CHECK_MESSAGE(mentions(after.complaint, a.complaint), after.complaint);
      }
      if (!a.standard.empty()) CHECK(outcome_of(t, rest + a.standard) == outcome_of(t, rest));
    }
  }
}

TEST_CASE("ONNX: every attribute that an operator asks for has a test") {
  std::map<string, std::set<string>> tested, known;
  for (const auto& t : tests()) {
    for (const auto& a : t.all) tested[t.type].insert(a.name);
    known[t.type].merge(asked(t));
  }
  for (const auto& [type, names] : known) {
    INFO(type);
    CHECK(tested[type] == names);
  }
  // Operators that ask for none, of one input, of two and of constants.
  for (const auto& [type, ignored] : format::plain_functions()) known.try_emplace(string(type));
  for (const char* type : {"Abs", "GlobalAveragePool", "GlobalMaxPool", "HardSwish", "Identity",
                           "Neg", "Reciprocal", "Relu", "Sqrt", "Clip", "Size",
                           "com.microsoft:FastGelu", "com.microsoft:Gelu"})
    known.try_emplace(type);
  for (const auto& [type, names] : known)
    if (!tested.contains(type)) CHECK_MESSAGE(asked({type, "x", ""}).empty(), type);
  const string w = floats("w", {1, 4, 1, 1}, {1, 2, 3, 4}), n = integers("n", {1, 1, 1, 2});
  for (const char* type : {"Max", "Min", "Sum", "Mean", "PRelu", "com.microsoft:BiasGelu"}) {
    CHECK_MESSAGE(asked({type, "x w", "", {}, w}).empty(), type);
    known.try_emplace(type);
  }
  CHECK(asked({"MatMul", "x w", "", {}, filter({5, 3})}).empty());
  CHECK(asked({"Tile", "x n", "", {}, n}).empty());
  CHECK(asked({"Expand", "x n", "", {}, integers("n", {1, 4, 6, 5})}).empty());
  // Other tests look at these: constants, operators of integers and of sequences, what selects, and
  // QONNX's.
  std::set<string> elsewhere = {"And", "Constant", "ConstantOfShape", "Einsum", "Equal", "Expand",
                                "GRU", "GatherElements", "GatherND", "Greater", "GreaterOrEqual",
                                "LSTM", "Less", "LessOrEqual", "MatMul", "Mod",
                                "NonMaxSuppression", "Not", "Or", "RNN", "Range", "ScatterND",
                                "Shape", "Tile", "TopK", "Where"};
  for (const string domain : {"finn.custom_op.general", "onnx.brevitas", "qonnx.custom_op.general"})
    for (const char* type : {":Quant", ":BipolarQuant", ":Trunc"}) elsewhere.insert(domain + type);
  for (const auto& [type, ignored] : format::operators())
    CHECK_MESSAGE((known.contains(string(type)) || elsewhere.contains(string(type)) ||
                   format::is_of_integers(type)), type);
}
