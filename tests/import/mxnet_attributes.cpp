// SPDX-License-Identifier: Apache-2.0
// Attribute by attribute of MXNet's operators: another value changes the result, or is refused.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/mxnet.hpp>

#include "mxnet_model.hpp"
#include "outcome.hpp"

using namespace mxnet_model;

namespace {

using attribute_map = std::map<std::string, std::string>;

struct mxnet_subject {
  std::string op;
  shape input;
  attribute_map attributes{};
  std::vector<parameter> weights{};
  std::vector<std::pair<std::string, std::string>> changes{};
  std::size_t reads = 1;  // how often data is read, before the weights
};

parameter filled(const std::string& name, const shape& sizes, float first) {
  parameter p{"arg:" + name, sizes, {}};
  const auto n = import::onnx_format::count(sizes);
  for (std::int64_t i = 0; i < n; ++i)
    p.values.push_back(first + 0.25F * static_cast<float>(i % 5));
  return p;
}

std::vector<mxnet_subject> mxnet_subjects() {
  const shape picture{1, 4, 5, 6};
  const std::vector<parameter> of_convolution{filled("w", {2, 4, 3, 3}, -0.5F),
                                              filled("b", {2}, 0.5F)},
      of_transposed{filled("w", {4, 2, 3, 3}, -0.5F)},
      of_norm{filled("g", {4}, 2), filled("b", {4}, 1), filled("m", {4}, 0.5F),
              filled("v", {4}, 0.5F)};
  std::vector<mxnet_subject> all{
      {"Convolution", picture,
       {{"kernel", "(3, 3)"}, {"num_filter", "2"}, {"num_group", "1"}, {"stride", "(1, 1)"},
        {"dilate", "(1, 1)"}, {"pad", "(1, 1)"}, {"no_bias", "False"}, {"layout", "NCHW"}},
       of_convolution,
       {{"kernel", "(2, 3)"}, {"num_filter", "3"}, {"num_group", "2"}, {"stride", "(2, 1)"},
        {"dilate", "(2, 2)"}, {"pad", "(0, 1)"}, {"no_bias", "True"}, {"layout", "NHWC"},
        {"pad", "(1,)"}, {"stride", "x"}}},
      {"Deconvolution", picture,
       {{"kernel", "(3, 3)"}, {"num_filter", "2"}, {"stride", "(2, 2)"}, {"pad", "(1, 1)"},
        {"adj", "(0, 0)"}, {"no_bias", "True"}},
       of_transposed,
       {{"kernel", "(2, 3)"}, {"num_filter", "3"}, {"stride", "(1, 2)"}, {"pad", "(0, 1)"},
        {"adj", "(1, 1)"}, {"no_bias", "False"}, {"dilate", "(2, 2)"}, {"num_group", "2"},
        {"target_shape", "(12, 12)"}, {"layout", "NHWC"}}},
      {"FullyConnected", {1, 2, 3, 1}, {{"num_hidden", "2"}, {"no_bias", "False"}},
       {filled("w", {2, 6}, -1), filled("b", {2}, 1)},
       {{"num_hidden", "3"}, {"no_bias", "True"}, {"flatten", "False"}}},
      {"BatchNorm", picture, {{"eps", "0.001"}, {"fix_gamma", "False"}, {"axis", "1"}}, of_norm,
       {{"eps", "0.5"}, {"fix_gamma", "True"}, {"axis", "3"}}},
      {"Activation", picture, {{"act_type", "relu"}}, {},
       {{"act_type", "tanh"}, {"act_type", "sigmoid"}, {"act_type", "softrelu"},
        {"act_type", "softsign"}, {"act_type", "mine"}}},
      {"LeakyReLU", picture, {{"act_type", "leaky"}, {"slope", "0.25"}}, {},
       {{"slope", "0.5"}, {"act_type", "elu"}, {"act_type", "rrelu"}, {"act_type", "selu"},
        {"act_type", "gelu"}, {"act_type", "prelu"}, {"act_type", "mine"}}},
      {"LeakyReLU", picture,
       {{"act_type", "rrelu"}, {"lower_bound", "0.125"}, {"upper_bound", "0.375"}}, {},
       {{"lower_bound", "0.25"}, {"upper_bound", "0.5"}}},
      {"Pooling", picture,
       {{"kernel", "(2, 3)"}, {"pool_type", "avg"}, {"stride", "(2, 3)"}, {"pad", "(0, 0)"},
        {"pooling_convention", "valid"}, {"global_pool", "False"}},
       {},
       {{"kernel", "(3, 3)"}, {"pool_type", "max"}, {"pool_type", "sum"}, {"pool_type", "lp"},
        {"stride", "(1, 3)"}, {"pad", "(1, 1)"}, {"pooling_convention", "full"},
        {"pooling_convention", "same"}, {"global_pool", "True"}, {"layout", "NHWC"},
        {"p_value", "2"}, {"dilate", "(2, 2)"}}},
      {"Pooling", picture,
       {{"kernel", "(3, 3)"}, {"pool_type", "avg"}, {"pad", "(1, 1)"},
        {"count_include_pad", "True"}},
       {}, {{"count_include_pad", "False"}}},
      {"LRN", picture, {{"nsize", "3"}, {"alpha", "0.5"}, {"beta", "0.75"}, {"knorm", "2"}}, {},
       {{"nsize", "5"}, {"alpha", "0.25"}, {"beta", "0.5"}, {"knorm", "1"}}},
      {"SoftmaxOutput", picture, {{"multi_output", "True"}}, {},
       {{"multi_output", "False"}, {"preserve_shape", "x"}, {"odd", "1"}}},
      {"SoftmaxActivation", picture, {{"mode", "channel"}}, {},
       {{"mode", "instance"}, {"mode", "x"}}},
      {"softmax", picture, {{"axis", "1"}}, {},
       {{"axis", "-1"}, {"axis", "9"}, {"temperature", "2.0"}, {"use_length", "True"},
        {"dtype", "int32"}}},
      {"Concat", picture, {{"dim", "1"}, {"num_args", "2"}}, {},
       {{"dim", "2"}, {"dim", "7"}, {"num_args", "3"}}, 2},
      {"add_n", picture, {{"num_args", "2"}}, {}, {{"num_args", "1"}}, 2},
      {"ElementWiseSum", picture, {{"num_args", "2"}}, {}, {{"num_args", "3"}}, 2},
      {"Reshape", picture, {{"shape", "(0, 2, -1)"}, {"reverse", "False"}}, {},
       {{"shape", "(0, -1)"}, {"shape", "(0, 0, -3)"}, {"shape", "(0, 7)"}, {"reverse", "True"},
        {"target_shape", "(1, 120)"}}},
      {"transpose", picture, {{"axes", "(0, 2, 3, 1)"}}, {},
       {{"axes", "(0, 1, 3, 2)"}, {"axes", "(0, 1)"}, {"axes", "(0, 1, 1, 2)"}}},
      {"SwapAxis", picture, {{"dim1", "2"}, {"dim2", "3"}}, {},
       {{"dim1", "1"}, {"dim2", "1"}, {"dim2", "8"}}},
      {"expand_dims", {1, 4, 5}, {{"axis", "2"}}, {}, {{"axis", "3"}, {"axis", "9"}}},
      {"slice_axis", picture, {{"axis", "1"}, {"begin", "1"}, {"end", "3"}}, {},
       {{"axis", "2"}, {"begin", "2"}, {"end", "2"}, {"end", "None"}, {"begin", "x"}}},
      {"SliceChannel", picture, {{"num_outputs", "2"}, {"axis", "1"}}, {},
       {{"num_outputs", "4"}, {"num_outputs", "3"}, {"axis", "3"}, {"squeeze_axis", "True"}}},
      {"Pad", picture,
       {{"mode", "constant"}, {"pad_width", "(0,0,0,0,1,1,1,0)"}, {"constant_value", "2"}}, {},
       {{"mode", "edge"}, {"mode", "reflect"}, {"mode", "x"}, {"pad_width", "(0,0,0,0,1,1,1,1)"},
        {"pad_width", "(1, 1)"}, {"constant_value", "3"}}},
      {"UpSampling", picture, {{"scale", "2"}, {"sample_type", "nearest"}, {"num_args", "1"}}, {},
       {{"scale", "3"}, {"sample_type", "bilinear"}, {"num_args", "2"}}},
      {"mean", picture, {{"axis", "(2, 3)"}, {"keepdims", "True"}}, {},
       {{"axis", "(1,)"}, {"keepdims", "False"}, {"exclude", "True"}, {"axis", "(9,)"}}},
      {"clip", picture, {{"a_min", "-1"}, {"a_max", "2"}}, {}, {{"a_min", "0"}, {"a_max", "1"}}},
      {"Cast", picture, {{"dtype", "float32"}}, {}, {{"dtype", "int8"}, {"dtype", "uint8"}}},
      {"Dropout", picture, {{"mode", "training"}}, {}, {{"mode", "always"}}},
      {"Flatten", picture}, {"LinearRegressionOutput", picture},
      {"LogisticRegressionOutput", picture}, {"MakeLoss", picture}, {"BlockGrad", picture},
  };
  for (const char* op : {"_DivScalar", "_MinusScalar", "_MulScalar", "_PlusScalar", "_div_scalar",
                         "_minus_scalar", "_mul_scalar", "_plus_scalar", "_rminus_scalar"})
    all.push_back({op, picture, {{"scalar", "2"}}, {}, {{"scalar", "0.5"}, {"scalar", "x"}}});
  for (const char* op :
       {"_Div", "_Minus", "_Mul", "_Plus", "_maximum", "_minimum", "_minus", "_mul", "_plus",
        "broadcast_add", "broadcast_div", "broadcast_maximum", "broadcast_minimum",
        "broadcast_mul", "broadcast_sub", "elemwise_add", "elemwise_div", "elemwise_mul",
        "elemwise_sub"})
    all.push_back({op, picture, {}, {filled("c", {4, 1, 1}, 0.5F)}});
  for (const char* op : {"_copy", "exp", "flatten", "identity", "relu", "sigmoid", "sqrt", "tanh"})
    all.push_back({op, picture});
  // Other names of the same.
  for (std::size_t i = 0, n = all.size(); i < n; ++i)
    for (const auto& [first, second] : {std::pair{"SliceChannel", "split"}, {"Reshape", "reshape"},
                                        {"Pad", "pad"}, {"SoftmaxOutput", "Softmax"}})
      if (all[i].op == first) {
        auto same = all[i];
        same.op = second;
        all.push_back(std::move(same));
      }
  return all;
}

// With an attribute set, and data read so many times more.
outcome mxnet_outcome(const mxnet_subject& s,
                      const std::pair<std::string, std::string>& change = {},
                      std::size_t more = 0) {
  auto attributes = s.attributes;
  if (!change.first.empty()) attributes[change.first] = change.second;
  std::string listed, inputs;
  for (const auto& [name, value] : attributes)
    listed += (listed.empty() ? "\"" : ", \"") + name + "\": \"" + value + '"';
  for (std::size_t i = 0; i < s.reads; ++i) inputs += i == 0 ? "[0, 0]" : ", [0, 0]";
  for (std::size_t i = 0; i < s.weights.size(); ++i) inputs += text(", [", i + 1, ", 0, 0]");
  for (std::size_t i = 0; i < more; ++i) inputs += ", [0, 0]";
  return outcome_of([&] {
    return network_of(symbol_of(s.op, listed, s.weights, inputs), s.weights, s.input).graph;
  });
}

}  // namespace

TEST_CASE("MXNet: another attribute gives another result or is refused") {
  std::size_t changes = 0;
  std::set<std::string_view> seen;
  const auto all = mxnet_subjects();
  for (const auto& s : all) {
    INFO(s.op);
    seen.insert(s.op);
    const auto base = mxnet_outcome(s);
    CHECK(base.complaint == "");
    for (const auto& c : s.changes) {
      INFO(c.first << " = " << c.second);
      const auto changed = mxnet_outcome(s, c);
      const bool differs = !changed.accepted() || !changed.same_result(base);
      CHECK(differs);
      ++changes;
    }
    CHECK(mentions(mxnet_outcome(s, {"strange", "1"}).complaint,
                   "its attribute strange (1) is not understood"));
    CHECK(mxnet_outcome(s, {"__noted__", "1"}) == base);
    // An input more is a label, where there may be one, and never overlooked elsewhere.
    const bool labels = s.op.ends_with("Output") || s.op == "Softmax";
    const auto longer = mxnet_outcome(s, {}, labels ? 2 : 1);
    const bool noticed = !longer.accepted() || !longer.same_result(base);
    CHECK(noticed);
  }
  CHECK(changes >= 120);
  for (const auto& [name, ignored] : import::mxnet_format::operators()) {
    INFO(name);
    CHECK(seen.contains(name));
  }
}

TEST_CASE("what MXNet's attributes tell of training alone changes nothing") {
  const auto all = mxnet_subjects();
  const std::pair<const char*, std::pair<std::string, std::string>> told[] = {
      {"Convolution", {"workspace", "1024"}}, {"Convolution", {"cudnn_tune", "fastest"}},
      {"BatchNorm", {"momentum", "0.5"}}, {"BatchNorm", {"use_global_stats", "True"}},
      {"Dropout", {"p", "0.9"}}, {"SoftmaxOutput", {"grad_scale", "3"}},
      {"SoftmaxOutput", {"use_ignore", "True"}}, {"MakeLoss", {"grad_scale", "2"}},
      {"FullyConnected", {"weight_lr_mult", "2"}}};
  for (const auto& [op, attribute] : told)
    for (const auto& s : all) {
      if (s.op != op) continue;
      INFO(op << ' ' << attribute.first);
      CHECK(mxnet_outcome(s, attribute) == mxnet_outcome(s));
    }
}
