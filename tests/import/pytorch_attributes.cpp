// SPDX-License-Identifier: Apache-2.0
// Argument by argument of ATen's operators: another value changes the result, or is refused.
#include "pytorch_model.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/pytorch.hpp>
#include <nvdlac/import/pytorch/operators.hpp>

#include "outcome.hpp"

#ifdef NVDLAC_PYTORCH

using namespace pytorch_model;

namespace {

using argument_map = std::map<std::string, std::string>;

struct aten_subject {
  std::string op;
  shape input;
  argument_map arguments;
  std::vector<weight> weights{};
  std::vector<std::pair<std::string, std::string>> changes{};
  std::vector<std::string> results{"y"};
  std::string before{}, behind{};  // nodes, for what it reads and for what reads it
};

std::string whole(int v) { return text(R"({"as_int": )", v, '}'); }
std::string real_of(const char* v) { return text(R"({"as_float": )", v, '}'); }
std::string wholes(const char* v) { return text(R"({"as_ints": [)", v, "]}"); }
std::string truth(bool v) { return text(R"({"as_bool": )", v ? "true" : "false", '}'); }
std::string worded(const char* v) { return text(R"({"as_string": ")", v, "\"}"); }
std::string typed(int v) { return text(R"({"as_scalar_type": )", v, '}'); }
std::string of(const char* t) { return text(R"({"as_tensor": {"name": ")", t, "\"}}"); }
std::string twice_x() { return R"({"as_tensors": [{"name": "x"}, {"name": "x"}]})"; }

weight ramp(const char* name, const shape& sizes, float first = -0.5F) {
  weight w{name, sizes, {}};
  for (std::int64_t i = 0; i < import::onnx_format::count(sizes); ++i)
    w.values.push_back(first + 0.25F * static_cast<float>(i % 5));
  return w;
}

std::vector<aten_subject> aten_subjects() {
  const shape picture{1, 4, 5, 6};
  const auto x = of("x");
  const std::vector<weight> of_conv{ramp("w", {2, 4, 3, 3}), ramp("b", {2})};
  const std::vector<weight> of_norm{ramp("g", {4}, 1), ramp("b", {4}), ramp("m", {4}),
                                    ramp("v", {4}, 0.5F)};
  return {
      {"conv2d.default", picture,
       {{"input", x}, {"weight", of("p_w")}, {"bias", of("p_b")}, {"stride", wholes("1, 1")},
        {"padding", wholes("1, 1")}, {"dilation", wholes("1, 1")}, {"groups", whole(1)}},
       of_conv,
       {{"bias", ""}, {"stride", wholes("2, 1")}, {"padding", wholes("0, 1")},
        {"padding", worded("full")}, {"dilation", wholes("2, 2")}, {"groups", whole(2)},
        {"stride", wholes("1, 1, 1")}, {"weight", ""}, {"input", ""}}},
      {"convolution.default", picture,
       {{"input", x}, {"weight", of("p_w")}, {"bias", of("p_b")}, {"stride", wholes("1, 1")},
        {"padding", wholes("0, 0")}, {"dilation", wholes("1, 1")}, {"transposed", truth(false)},
        {"output_padding", wholes("0, 0")}, {"groups", whole(1)}},
       of_conv,
       {{"transposed", truth(true)}, {"stride", wholes("2, 2")}, {"padding", wholes("1, 0")},
        {"groups", whole(4)}}},
      {"conv_transpose2d.input", picture,
       {{"input", x}, {"weight", of("p_w")}, {"stride", wholes("2, 2")},
        {"padding", wholes("1, 1")}, {"output_padding", wholes("0, 0")}, {"groups", whole(1)},
        {"dilation", wholes("1, 1")}},
       {ramp("w", {4, 2, 3, 3})},
       {{"stride", wholes("1, 2")}, {"padding", wholes("0, 1")},
        {"output_padding", wholes("1, 1")}, {"groups", whole(2)},
        {"dilation", wholes("2, 2")}}},
      {"max_pool2d.default", picture,
       {{"self", x}, {"kernel_size", wholes("2, 2")}, {"stride", wholes("2, 2")},
        {"padding", wholes("0, 0")}, {"dilation", wholes("1, 1")}, {"ceil_mode", truth(false)}},
       {},
       {{"kernel_size", wholes("3, 3")}, {"kernel_size", ""}, {"stride", wholes("1, 1")},
        {"padding", wholes("1, 1")}, {"dilation", wholes("2, 2")}, {"ceil_mode", truth(true)}}},
      {"avg_pool2d.default", picture,
       {{"self", x}, {"kernel_size", wholes("3, 3")}, {"stride", wholes("2, 2")},
        {"padding", wholes("1, 1")}, {"ceil_mode", truth(false)},
        {"count_include_pad", truth(true)}},
       {},
       {{"kernel_size", wholes("2, 3")}, {"stride", wholes("2, 1")}, {"padding", wholes("0, 1")},
        {"count_include_pad", truth(false)}, {"divisor_override", whole(4)}}},
      {"adaptive_avg_pool2d.default", {1, 4, 6, 6}, {{"self", x}, {"output_size", wholes("2, 2")}},
       {},
       {{"output_size", wholes("3, 2")}, {"output_size", wholes("4, 4")},
        {"output_size", wholes("1, 1")}, {"output_size", ""}}},
      {"batch_norm.default", picture,
       {{"input", x}, {"weight", of("p_g")}, {"bias", of("p_b")}, {"running_mean", of("p_m")},
        {"running_var", of("p_v")}, {"training", truth(false)}, {"momentum", real_of("0.1")},
        {"eps", real_of("0.001")}, {"cudnn_enabled", truth(true)}},
       of_norm,
       {{"weight", ""}, {"bias", ""}, {"running_mean", ""}, {"running_var", ""},
        {"training", truth(true)}, {"eps", real_of("0.5")}}},
      {"linear.default", {1, 6}, {{"input", x}, {"weight", of("p_w")}, {"bias", of("p_b")}},
       {ramp("w", {3, 6}), ramp("b", {3})}, {{"bias", ""}, {"weight", ""}}},
      {"addmm.default", {1, 6},
       {{"self", of("p_b")}, {"mat1", x}, {"mat2", of("p_w")}, {"alpha", whole(1)},
        {"beta", whole(1)}},
       {ramp("w", {6, 3}), ramp("b", {3})}, {{"alpha", whole(2)}, {"beta", whole(0)}}},
      {"add.Tensor", picture, {{"self", x}, {"other", of("p_c")}, {"alpha", whole(1)}},
       {ramp("c", {4, 1, 1})},
       {{"alpha", whole(2)}, {"other", real_of("0.5")}, {"other", ""}}},
      {"sub.Tensor", picture, {{"self", x}, {"other", of("p_c")}}, {ramp("c", {4, 1, 1})},
       {{"alpha", real_of("0.5")}}},
      {"div.Tensor_mode", picture, {{"self", x}, {"other", of("p_c")}}, {ramp("c", {4, 1, 1}, 1)},
       {{"rounding_mode", worded("floor")}, {"rounding_mode", worded("trunc")}}},
      {"clamp.default", picture, {{"self", x}, {"min", real_of("-1")}, {"max", real_of("1")}}, {},
       {{"min", real_of("0")}, {"max", real_of("2")}, {"min", ""}, {"max", ""}}},
      {"hardtanh.default", picture,
       {{"self", x}, {"min_val", real_of("-1")}, {"max_val", real_of("1")}}, {},
       {{"min_val", real_of("0")}, {"max_val", real_of("2")}}},
      {"leaky_relu.default", picture, {{"self", x}, {"negative_slope", real_of("0.1")}}, {},
       {{"negative_slope", real_of("0.3")}, {"negative_slope", ""}}},
      {"elu.default", picture, {{"self", x}, {"alpha", real_of("1")}}, {},
       {{"alpha", real_of("0.5")}, {"scale", real_of("2")}, {"input_scale", real_of("2")}}},
      {"gelu.default", picture, {{"self", x}, {"approximate", worded("none")}}, {},
       {{"approximate", worded("tanh")}, {"approximate", worded("x")}}},
      {"softplus.default", picture, {{"self", x}, {"beta", whole(1)}, {"threshold", whole(20)}},
       {}, {{"beta", whole(2)}, {"threshold", whole(1)}}},
      {"pow.Tensor_Scalar", picture, {{"self", x}, {"exponent", whole(2)}}, {},
       {{"exponent", whole(3)}, {"self", whole(2)}}},
      {"softmax.int", {1, 4}, {{"self", x}, {"dim", whole(1)}, {"dtype", typed(7)}}, {},
       {{"dim", whole(0)}, {"dim", whole(5)}, {"dtype", typed(5)}, {"dim", ""}}},
      {"_softmax.default", {1, 4},
       {{"self", x}, {"dim", whole(1)}, {"half_to_float", truth(false)}}, {},
       {{"half_to_float", truth(true)}}},
      {"mean.dim", picture,
       {{"self", x}, {"dim", wholes("2, 3")}, {"keepdim", truth(true)}, {"dtype", typed(7)}}, {},
       {{"dim", wholes("1")}, {"keepdim", truth(false)}, {"dtype", typed(4)},
        {"dim", wholes("9")}}},
      {"sum.dim_IntList", picture, {{"self", x}, {"dim", wholes("1")}, {"keepdim", truth(true)}},
       {}, {{"dim", wholes("3")}, {"keepdim", truth(false)}, {"dtype", typed(5)}}},
      {"amax.default", picture, {{"self", x}, {"dim", wholes("3")}, {"keepdim", truth(true)}}, {},
       {{"dim", wholes("2")}, {"keepdim", truth(false)}}},
      {"dropout.default", picture, {{"input", x}, {"p", real_of("0.5")}, {"train", truth(false)}},
       {}, {{"train", truth(true)}}},
      {"view.default", picture, {{"self", x}, {"size", wholes("1, 20, 6")}}, {},
       {{"size", wholes("1, 4, 30")}, {"size", wholes("1, 7")}}},
      {"permute.default", picture, {{"self", x}, {"dims", wholes("0, 2, 3, 1")}}, {},
       {{"dims", wholes("0, 1, 3, 2")}, {"dims", wholes("0, 1")}}},
      {"transpose.int", picture, {{"self", x}, {"dim0", whole(2)}, {"dim1", whole(3)}}, {},
       {{"dim0", whole(1)}, {"dim1", whole(1)}, {"dim1", whole(9)}}},
      {"unsqueeze.default", {1, 4, 5}, {{"self", x}, {"dim", whole(2)}}, {},
       {{"dim", whole(3)}, {"dim", whole(9)}}},
      {"slice.Tensor", picture,
       {{"self", x}, {"dim", whole(3)}, {"start", whole(1)}, {"end", whole(5)},
        {"step", whole(1)}},
       {},
       {{"dim", whole(2)}, {"start", whole(2)}, {"end", whole(4)}, {"step", whole(2)}}},
      {"select.int", picture, {{"self", x}, {"dim", whole(1)}, {"index", whole(1)}}, {},
       {{"dim", whole(2)}, {"index", whole(2)}, {"index", whole(-1)}}},
      {"cat.default", picture, {{"tensors", twice_x()}, {"dim", whole(1)}}, {},
       {{"dim", whole(2)}, {"dim", whole(9)}}},
      {"constant_pad_nd.default", picture,
       {{"self", x}, {"pad", wholes("1, 0, 1, 1")}, {"value", real_of("0.5")}}, {},
       {{"pad", wholes("0, 1, 1, 1")}, {"value", real_of("1.5")}, {"pad", wholes("1")}}},
      {"pad.default", picture, {{"self", x}, {"pad", wholes("1, 1")}, {"mode", worded("constant")}},
       {},
       {{"mode", worded("reflect")}, {"mode", worded("replicate")}, {"mode", worded("x")}}},
      {"pixel_shuffle.default", picture, {{"self", x}, {"upscale_factor", whole(2)}}, {},
       {{"upscale_factor", whole(1)}, {"upscale_factor", whole(3)}}},
      {"upsample_bilinear2d.default", picture,
       {{"self", x}, {"output_size", wholes("10, 12")}, {"align_corners", truth(false)}}, {},
       {{"output_size", wholes("5, 12")}, {"align_corners", truth(true)},
        {"scales_h", real_of("1.5")}}},
  };
}

// Beside them those that set all that an operator asks for.
std::vector<aten_subject> complete_aten_subjects() {
  const shape picture{1, 4, 5, 6}, row{1, 4, 6};
  const auto x = of("x"), no = truth(false), one = whole(1);
  const auto memory = R"({"as_memory_format": 1})";
  const std::vector<weight> four{ramp("w", {4, 1, 1}, 1)};
  const std::vector<weight> of_norm{ramp("g", {4}, 1), ramp("b", {4}), ramp("m", {4}),
                                    ramp("v", {4}, 0.5F)};
  std::vector<aten_subject> all;
  for (const char* op :
       {"abs", "alias", "ceil", "cos", "detach", "erf", "exp", "floor", "hardsigmoid",
        "hardswish", "log", "mish", "neg", "reciprocal", "relu", "relu6", "round", "rsqrt",
        "selu", "sigmoid", "sign", "silu", "sin", "softsign", "sqrt", "square", "tanh"})
    all.push_back({op, picture, {{"self", x}}});
  for (const char* op : {"add", "sub", "mul", "div", "maximum", "minimum", "rsub"})
    all.push_back({op, picture, {{"self", x}, {"other", of("p_w")}, {"alpha", one}}, four});
  for (const char* op : {"mean", "sum", "amax", "amin", "logsumexp", "max.dim", "min.dim"})
    all.push_back({op, picture,
                   {{"self", x}, {"dim", wholes("2")}, {"keepdim", no}, {"dtype", typed(7)}}});
  for (const char* op : {"max.other", "min.other"})
    all.push_back({op, picture, {{"self", x}, {"other", of("p_w")}, {"alpha", one}}, four});
  all.push_back({"linalg_vector_norm", picture,
                 {{"self", x}, {"ord", whole(1)}, {"dim", wholes("2")}, {"keepdim", no},
                  {"dtype", typed(7)}}});
  for (const char* op : {"softmax", "_softmax", "log_softmax", "_log_softmax"})
    all.push_back({op, {1, 4},
                   {{"self", x}, {"dim", one}, {"half_to_float", no}, {"dtype", typed(7)}}});
  for (const char* op : {"dropout", "alpha_dropout", "feature_dropout"})
    all.push_back({op, picture, {{"input", x}, {"p", real_of("0.5")}, {"train", no}}});
  for (const char* op : {"clone", "contiguous"})
    all.push_back({op, picture, {{"self", x}, {"memory_format", memory}}});
  for (const char* op : {"to", "_to_copy"})
    all.push_back({op, picture,
                   {{"self", x}, {"memory_format", memory}, {"dtype", typed(7)},
                    {"layout", R"({"as_layout": 7})"}, {"device", R"({"as_device": {}})"},
                    {"pin_memory", no}, {"non_blocking", no}, {"copy", no}, {"other", x}}});
  for (const char* op : {"view", "_unsafe_view", "reshape"})
    for (const char* name : {"size", "shape"})
      all.push_back({op, picture, {{"self", x}, {name, wholes("1, 20, 6")}}});
  for (const char* op : {"mm", "bmm", "matmul"})
    for (const char* name : {"mat2", "other"}) {
      const bool flat = op == std::string("mm");
      all.push_back({op, flat ? shape{1, 6} : shape{1, 5, 6}, {{"self", x}, {name, of("p_w")}},
                     {ramp("w", flat ? shape{6, 3} : shape{1, 6, 3})}});
    }
  for (const char* op :
       {"max_pool1d", "max_pool2d", "max_pool2d_with_indices", "avg_pool1d", "avg_pool2d"}) {
    const std::string name(op);
    all.push_back({op, name.ends_with("1d") ? row : picture,
                   {{"self", x}, {"kernel_size", wholes("3")}, {"stride", wholes("2")},
                    {"padding", wholes("0")}, {"dilation", wholes("1")}, {"ceil_mode", no}}});
    if (name.ends_with("indices")) all.back().results.push_back("i");
    if (name.starts_with("max")) continue;
    all.back().arguments["padding"] = wholes("1");
    all.back().arguments["count_include_pad"] = truth(true);
    all.back().changes = {{"divisor_override", whole(4)}};
  }
  for (const char* op : {"_adaptive_avg_pool2d", "adaptive_avg_pool2d", "adaptive_avg_pool1d"}) {
    const bool flat = std::string(op).ends_with("1d");
    all.push_back({op, flat ? row : shape{1, 4, 6, 6},
                   {{"self", x}, {"output_size", wholes(flat ? "2" : "2, 2")}}});
  }
  all.push_back({"adaptive_max_pool2d", {1, 4, 6, 6},
                 {{"self", x}, {"output_size", wholes("2, 2")}}, {}, {}, {"y", "i"}});
  const argument_map of_convolution{
      {"input", x}, {"weight", of("p_w")}, {"bias", of("p_b")}, {"stride", wholes("1")},
      {"padding", wholes("1")}, {"dilation", wholes("1")}, {"groups", one}, {"transposed", no},
      {"output_padding", wholes("0")}};
  for (const char* op : {"conv1d", "conv2d", "convolution"}) {
    const bool flat = std::string(op).ends_with("1d");
    all.push_back({op, flat ? row : picture, of_convolution,
                   {ramp("w", flat ? shape{2, 4, 3} : shape{2, 4, 3, 3}), ramp("b", {2})}});
  }
  auto up = all.back();
  up.op = "conv_transpose2d.input";
  up.arguments.erase("transposed");
  up.weights[0] = ramp("w", {4, 2, 3, 3});
  up.arguments["stride"] = wholes("2");
  all.push_back(up);
  up.op = "convolution";
  up.arguments["transposed"] = truth(true);
  all.push_back(up);
  for (const char* op : {"batch_norm", "_native_batch_norm_legit_no_training"})
    all.push_back({op, picture,
                   {{"input", x}, {"weight", of("p_g")}, {"bias", of("p_b")},
                    {"running_mean", of("p_m")}, {"running_var", of("p_v")}, {"training", no},
                    {"train", no}, {"momentum", real_of("0.1")}, {"eps", real_of("0.001")},
                    {"cudnn_enabled", truth(true)}},
                   of_norm, {}, {"y", "m", "v"}});
  const argument_map of_norms{{"input", x}, {"weight", of("p_g")}, {"bias", of("p_b")},
                              {"eps", real_of("0.001")}};
  for (const char* op : {"layer_norm", "native_layer_norm"}) {
    all.push_back({op, picture, of_norms, {ramp("g", {6}, 1), ramp("b", {6})}});
    all.back().arguments["normalized_shape"] = wholes("6");
    all.back().arguments["cudnn_enable"] = truth(true);
    if (op == std::string("native_layer_norm")) all.back().results = {"y", "m", "v"};
  }
  all.push_back({"group_norm", picture, of_norms, {ramp("g", {4}, 1), ramp("b", {4})}});
  all.back().arguments["num_groups"] = whole(2);
  all.back().arguments["cudnn_enabled"] = truth(true);
  all.push_back({"native_group_norm", picture, of_norms, {ramp("g", {4}, 1), ramp("b", {4})},
                 {}, {"y", "m", "v"}});
  for (const auto& [name, n] : {std::pair{"N", 1}, {"C", 4}, {"HxW", 30}, {"group", 2}})
    all.back().arguments[name] = whole(n);
  all.push_back({"scaled_dot_product_attention", {1, 2, 5, 6},
                 {{"query", x}, {"key", x}, {"value", x}, {"attn_mask", of("p_m")},
                  {"dropout_p", real_of("0.0")}, {"is_causal", no}, {"scale", real_of("0.5")},
                  {"enable_gqa", no}},
                 {ramp("m", {5, 5})}});
  all.push_back({"einsum", picture,
                 {{"equation", worded("nchw, wk -> nchk")},
                  {"operands", R"({"as_tensors": [{"name": "x"}, {"name": "p_w"}]})"},
                  {"path", wholes("0")}},
                 {ramp("w", {6, 3})}});
  for (const char* op : {"expand_as", "view_as"})
    all.push_back({op, op == std::string("view_as") ? picture : shape{1, 4, 1, 6},
                   {{"self", x}, {"other", of("p_o")}},
                   {ramp("o", op == std::string("view_as") ? shape{1, 4, 30} : picture)}});
  all.push_back({"expand", {1, 4, 1, 6},
                 {{"self", x}, {"size", wholes("-1, 4, 5, 6")}, {"implicit", no}}, {},
                 {{"size", wholes("-1, 4, 7, 6")}}});
  all.push_back({"stack", picture, {{"tensors", twice_x()}, {"dim", one}}});
  all.push_back({"unbind", {1, 2, 5, 6}, {{"self", x}, {"dim", one}}, {}, {}, {"y", "z"}});
  const std::pair<const char*, argument_map> others[] = {
      {"clamp_min", {{"min", real_of("0.5")}}},
      {"clamp_max", {{"max", real_of("0.5")}}},
      {"glu", {{"dim", one}}},
      {"unflatten", {{"dim", one}, {"sizes", wholes("2, 2")}}},
      {"repeat", {{"repeats", wholes("1, 2, 1, 1")}}},
      {"roll", {{"shifts", wholes("1")}, {"dims", wholes("2")}}},
      {"flip", {{"dims", wholes("2")}}},
      {"flatten", {{"start_dim", one}, {"end_dim", whole(2)}}},
      {"split", {{"split_size", whole(3)}, {"dim", whole(3)}}},
      {"split_with_sizes", {{"split_sizes", wholes("2, 4")}, {"dim", whole(3)}}},
      {"chunk", {{"chunks", whole(2)}, {"dim", whole(3)}}},
      {"pad", {{"pad", wholes("1, 1")}, {"mode", worded("constant")}, {"value", one}}},
      {"reflection_pad2d", {{"padding", wholes("1, 1, 1, 0")}}},
      {"replication_pad2d", {{"padding", wholes("1, 1, 1, 0")}}},
      {"prelu", {{"weight", of("p_w")}}}};
  for (auto [op, arguments] : others) {
    arguments["self"] = x;
    all.push_back({op, picture, arguments, {ramp("w", {4})}});
    if (arguments.contains("dim") && std::string(op) != "glu" && std::string(op) != "unflatten")
      all.back().results.push_back("z");
  }
  // Truth values, which choose between two numbers.
  const auto truths = [&](const char* name, const char* above) {
    return node("gt.Scalar", "\"self\": " + x + ", \"other\": " + real_of(above), {name});
  };
  const auto choice = node("where.Scalar", "\"condition\": " + of("t") + ", \"self\": " + one +
                                               ", \"other\": " + whole(2));
  for (const char* op : {"eq", "ge", "gt", "le", "lt", "ne"})
    all.push_back({.op = op, .input = picture,
                   .arguments = {{"self", x}, {"other", std::string(op) == "eq" ||
                                                        std::string(op) == "ne"
                                                            ? x : real_of("0.25")}},
                   .results = {"t"}, .behind = choice});
  const auto both = truths("a", "0.25") + "," + truths("b", "0.75");
  for (const char* op : {"logical_and", "logical_or"})
    all.push_back({.op = op, .input = picture, .arguments = {{"self", of("a")}, {"other", of("b")}},
                   .results = {"t"}, .before = both, .behind = choice});
  all.push_back({.op = "logical_not", .input = picture, .arguments = {{"self", of("a")}},
                 .results = {"t"}, .before = truths("a", "0.25"), .behind = choice});
  all.push_back({.op = "masked_fill", .input = picture,
                 .arguments = {{"self", x}, {"mask", of("a")}, {"value", real_of("0.5")}},
                 .before = truths("a", "0.25")});
  all.push_back({.op = "where", .input = picture,
                 .arguments = {{"condition", of("a")}, {"self", x}, {"other", real_of("0.5")}},
                 .before = truths("a", "0.25")});
  all.push_back({"t", {1, 6}, {{"self", x}}});
  all.push_back({"squeeze", {1, 4, 1, 5}, {{"self", x}, {"dim", whole(2)}}});
  all.push_back({"pixel_unshuffle", {1, 2, 6, 6}, {{"self", x}, {"downscale_factor", whole(2)}}});
  for (const std::string mode : {"bilinear", "bicubic", "nearest"}) {
    const auto op = "upsample_" + mode + "2d";
    argument_map sized{{"self", x}, {"output_size", wholes("10, 12")},
                       {"scales_h", real_of("2")}, {"scales_w", real_of("2")}},
        scaled{{"input", x}, {"scale_factors", R"({"as_floats": [2.0, 2.0]})"}};
    if (mode != "nearest") sized["align_corners"] = scaled["align_corners"] = no;
    all.push_back({op, picture, sized});
    all.push_back({op, picture, scaled});
  }
  return all;
}

// Whether an argument tells nothing of the values, by operator.
bool is_idle(const std::string& type, const std::string& argument) {
  static const std::map<std::string, std::set<std::string>> all = {
      {"dropout", {"p"}}, {"alpha_dropout", {"p"}}, {"feature_dropout", {"p"}},
      {"batch_norm", {"momentum", "cudnn_enabled"}},
      {"_native_batch_norm_legit_no_training", {"momentum", "cudnn_enabled"}},
      {"layer_norm", {"cudnn_enable"}}, {"native_layer_norm", {"cudnn_enable"}},
      {"group_norm", {"cudnn_enabled"}}, {"einsum", {"path"}}, {"expand", {"implicit"}},
      {"clone", {"memory_format"}}, {"contiguous", {"memory_format"}},
      {"to", {"memory_format", "dtype", "layout", "device", "pin_memory", "non_blocking", "copy",
              "other"}},
      {"_to_copy", {"memory_format", "dtype", "layout", "device", "pin_memory", "non_blocking",
                    "copy", "other"}},
      // Convolutions that are not transposed, as in PyTorch.
      {"conv1d", {"output_padding"}}, {"conv2d", {"output_padding"}},
      {"convolution", {"output_padding"}}};
  const auto found = all.find(type);
  return found != all.end() && found->second.contains(argument);
}

// Another value of an argument: the next number, the other truth, a strange word, a type of
// integers, fewer tensors, or nothing.
std::string another(const std::string& value) {
  auto v = json::parse(value);
  const std::string kind = v.begin().key();
  auto& content = v.begin().value();
  if (kind == "as_int") content = content.get<int>() + 1;
  else if (kind == "as_float") content = content.get<double>() + 1;
  else if (kind == "as_ints") content[0] = content[0].get<int>() + 1;
  else if (kind == "as_floats") content[0] = content[0].get<double>() + 1;
  else if (kind == "as_bool") content = !content.get<bool>();
  else if (kind == "as_string") content = "strange";
  else if (kind == "as_scalar_type") content = 5;
  else if (kind == "as_tensors") content.erase(0);
  else return {};
  return v.dump();
}

outcome aten_outcome(const aten_subject& s,
                     const std::pair<std::string, std::string>& change = {}) {
  auto arguments = s.arguments;
  if (!change.first.empty()) arguments[change.first] = change.second;
  std::string listed;
  for (const auto& [name, value] : arguments)
    if (!value.empty()) listed += (listed.empty() ? "\"" : ", \"") + name + "\": " + value;
  const program p{.input = s.input,
                  .nodes = (s.before.empty() ? "" : s.before + ",") +
                           node(s.op, listed, s.results) +
                           (s.behind.empty() ? "" : "," + s.behind),
                  .weights = s.weights};
  return outcome_of([&] { return import::pytorch_network_from(archive_of(p), "n.pt2").graph; });
}

}  // namespace

TEST_CASE("PyTorch: another argument gives another result or is refused") {
  std::map<std::string, std::set<std::string>> asked, changing;
  auto subjects = aten_subjects();
  for (auto& s : complete_aten_subjects()) subjects.push_back(std::move(s));
  for (const auto& s : subjects) {
    const auto type = s.op.substr(0, s.op.find('.'));
    CAPTURE(s.op);
    const auto base = aten_outcome(s);
    CHECK(base.complaint == "");
    const auto changes_result = [&](const std::pair<std::string, std::string>& c) {
      const auto changed = aten_outcome(s, c);
      const bool differs = !changed.accepted() || !changed.same_result(base);
      if (differs) changing[type].insert(c.first);
      return differs;
    };
    std::set<std::string> by_hand;
    for (const auto& c : s.changes) {
      CAPTURE(c.first);
      CAPTURE(c.second);
      CHECK(changes_result(c));
      by_hand.insert(c.first);
    }
    for (const auto& [name, value] : s.arguments) {
      CAPTURE(name);
      const bool differs = changes_result({name, another(value)});
      CHECK((differs || by_hand.contains(name) || is_idle(type, name)));
    }
    const auto complaint = aten_outcome(s, {"strange", whole(1)}).complaint;
    CHECK(mentions(complaint, "its argument strange"));
    const std::string before = "understood are ";
    for (auto i = complaint.find(before) + before.size(); i < complaint.size();) {
      const auto end = complaint.find_first_of(",;)", i);
      asked[type].insert(complaint.substr(i, end - i));
      if (end == complaint.npos || complaint[end] != ',') break;
      i = end + 2;
    }
  }
  for (const auto& [type, ignored] : import::pytorch_format::operators()) {
    const std::string op(type);
    CAPTURE(op);
    if (op == "sym_size") continue;  // it gives integers, to which other tests look
    CHECK_FALSE(asked[op].empty());
    for (const auto& name : asked[op]) {
      CAPTURE(name);
      // The input is called by either name.
      const bool other_name = (name == "self" && changing[op].contains("input")) ||
                              (name == "input" && changing[op].contains("self"));
      CHECK((changing[op].contains(name) || other_name || is_idle(op, name)));
    }
  }
}

#endif
