// SPDX-License-Identifier: Apache-2.0
// ATen's operators in archives of torch.export: what they compute, and what is refused.
#include "pytorch_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <nvdlac/import/pytorch.hpp>
#include <nvdlac/import/pytorch/operators.hpp>

#ifdef NVDLAC_PYTORCH

using namespace pytorch_model;

namespace {

const std::string x_as_self = tensor("self", "x"), x_as_input = tensor("input", "x");

program one(const std::string& op, const std::string& arguments,
            std::vector<weight> weights = {}, shape input = {1, 2, 4, 4}) {
  return {.input = std::move(input), .nodes = node(op, arguments), .weights = std::move(weights)};
}
bool near(const floats& found, const floats& expected) {
  return found.size() == expected.size() &&
         std::equal(found.begin(), found.end(), expected.begin(), [](float a, float b) {
           return std::fabs(a - b) <= 1e-5F * (1 + std::fabs(b));
         });
}
std::string complaint_of(const std::string& op, const std::string& arguments,
                         std::vector<weight> weights = {}) {
  return refused(archive_of(one(op, arguments, std::move(weights))));
}

}  // namespace

TEST_CASE("PyTorch's functions of elements") {
  struct function {
    const char *op, *arguments;
    float (*expected)(float);
  };
  const auto sigmoid = [](float v) { return 1 / (1 + std::exp(-v)); };
  const function functions[] = {
      {"relu.default", "", [](float v) { return std::max(v, 0.0F); }},
      {"relu_.default", "", [](float v) { return std::max(v, 0.0F); }},
      {"relu6.default", "", [](float v) { return std::clamp(v, 0.0F, 6.0F); }},
      {"hardtanh.default", "", [](float v) { return std::clamp(v, -1.0F, 1.0F); }},
      {"hardtanh_.default", R"(, "min_val": {"as_int": 0}, "max_val": {"as_float": 6.0})",
       [](float v) { return std::clamp(v, 0.0F, 6.0F); }},
      {"clamp.default", R"(, "min": {"as_float": -0.5}, "max": {"as_none": true})",
       [](float v) { return std::max(v, -0.5F); }},
      {"leaky_relu.default", "", [](float v) { return v < 0 ? 0.01F * v : v; }},
      {"leaky_relu.default", R"(, "negative_slope": {"as_float": 0.25})",
       [](float v) { return v < 0 ? 0.25F * v : v; }},
      {"elu.default", "", [](float v) { return v < 0 ? std::expm1(v) : v; }},
      {"sigmoid.default", "", sigmoid},
      {"silu.default", "", [](float v) { return v / (1 + std::exp(-v)); }},
      {"tanh.default", "", [](float v) { return std::tanh(v); }},
      {"hardswish.default", "", [](float v) { return v * std::clamp(v + 3, 0.0F, 6.0F) / 6; }},
      {"hardsigmoid.default", "", [](float v) { return std::clamp(v + 3, 0.0F, 6.0F) / 6; }},
      {"gelu.default", "", [](float v) { return v * 0.5F * (1 + std::erf(v / std::sqrt(2.0F))); }},
      {"softplus.default", "", [](float v) { return std::log1p(std::exp(v)); }},
      {"neg.default", "", [](float v) { return -v; }},
      {"add.Tensor", R"(, "other": {"as_float": 1.5}, "alpha": {"as_int": 2})",
       [](float v) { return v + 3; }},
      {"sub.Tensor", R"(, "other": {"as_int": 2})", [](float v) { return v - 2; }},
      {"mul.Tensor", R"(, "other": {"as_float": -0.5})", [](float v) { return v * -0.5F; }},
      {"div.Tensor", R"(, "other": {"as_int": 4})", [](float v) { return v / 4; }},
      {"clone.default", "", [](float v) { return v; }},
      {"rsub.Scalar", R"(, "other": {"as_int": 2}, "alpha": {"as_int": 3})",
       [](float v) { return 2 - 3 * v; }},
      {"clamp_min.default", R"(, "min": {"as_float": -0.5})",
       [](float v) { return std::max(v, -0.5F); }},
      {"clamp_max.default", R"(, "max": {"as_float": 0.5})",
       [](float v) { return std::min(v, 0.5F); }},
      {"softplus.default", R"(, "beta": {"as_int": 2})",
       [](float v) { return std::log1p(std::exp(2 * v)) / 2; }},
      {"elu.default", R"(, "alpha": {"as_float": 0.5}, "scale": {"as_float": 2.0})",
       [](float v) { return 2 * (v < 0 ? 0.5F * std::expm1(v) : v); }},
      {"elu.default", R"(, "alpha": {"as_float": 0.5}, "input_scale": {"as_float": 2.0})",
       [](float v) { return v < 0 ? 0.5F * std::expm1(2 * v) : v; }},
      {"elu.default",
       R"(, "alpha": {"as_float": 0.5}, "scale": {"as_int": 2}, "input_scale": {"as_float": 1.5})",
       [](float v) { return 2 * (v < 0 ? 0.5F * std::expm1(1.5F * v) : v); }},
      {"div.Tensor_mode",
       R"(, "other": {"as_float": 0.37}, "rounding_mode": {"as_string": "floor"})",
       [](float v) { return std::floor(v / 0.37F); }},
      {"square.default", "", [](float v) { return v * v; }},
      {"erf.default", "", [](float v) { return std::erf(v); }},
      {"pow.Tensor_Scalar", R"(, "exponent": {"as_int": 2})", [](float v) { return v * v; }},
  };
  for (const auto& f : functions) {
    INFO(f.op << f.arguments);
    floats expected(32);
    for (std::size_t i = 0; i < expected.size(); ++i)
      expected[i] = f.expected(0.5F * static_cast<float>(i) - 7);
    const auto p = one(f.op, x_as_self + f.arguments);
    CHECK(near(result_of(p, 0.5F, 7), expected));
  }
  CHECK(near(result_of(one("dropout.default",
                           x_as_input + R"(, "p": {"as_float": 0.5}, "train": {"as_bool": false})",
                           {}, {1, 2, 1, 2})),
             {0, 1, 2, 3}));
  CHECK(mentions(complaint_of("dropout.default", x_as_input + R"(, "train": {"as_bool": true})"),
                 "model.eval()"));
}

TEST_CASE("PyTorch's choices by truth values that are computed") {
  const auto run = [](const std::string& nodes) {
    program p{.input = {1, 1, 2, 4}, .nodes = nodes};
    return result_of(p, 0.5F, 1.5F);  // -1.5, -1, .., 2
  };
  const auto compared = [](const std::string& op, const char* number) {
    return node(op + ".Scalar", x_as_self + R"(, "other": {"as_float": )" + number + "}", {"t"});
  };
  const auto chosen = [](const std::string& more) {
    return "," + node("where.self", tensor("condition", "t") + more);
  };
  const auto one_or_two = chosen(R"(, "self": {"as_float": 1.0}, "other": {"as_float": 2.0})");
  CHECK(near(run(compared("gt", "0.5") + one_or_two), {2, 2, 2, 2, 2, 1, 1, 1}));
  CHECK(near(run(compared("ge", "0.5") + one_or_two), {2, 2, 2, 2, 1, 1, 1, 1}));
  CHECK(near(run(compared("lt", "0.5") + one_or_two), {1, 1, 1, 1, 2, 2, 2, 2}));
  CHECK(near(run(compared("le", "0.5") + one_or_two), {1, 1, 1, 1, 1, 2, 2, 2}));
  CHECK(near(run(compared("eq", "0.5") + one_or_two), {2, 2, 2, 2, 1, 2, 2, 2}));
  CHECK(near(run(compared("ne", "0.5") + one_or_two), {1, 1, 1, 1, 2, 1, 1, 1}));
  CHECK(near(run(compared("gt", "0.5") +
                 chosen(", " + tensor("self", "x") + R"(, "other": {"as_float": 0.25})")),
             {0.25F, 0.25F, 0.25F, 0.25F, 0.25F, 1, 1.5F, 2}));
  CHECK(near(run(compared("gt", "0.5") + "," +
                 node("masked_fill.Scalar",
                      x_as_self + ", " + tensor("mask", "t") + R"(, "value": {"as_int": 0})")),
             {-1.5F, -1, -0.5F, 0, 0.5F, 0, 0, 0}));
  CHECK(near(run(node("pow.Scalar", R"("self": {"as_float": 2.0}, )" + tensor("exponent", "x"))),
             {0.35355338F, 0.5F, 0.70710677F, 1, 1.41421354F, 2, 2.82842708F, 4}));
}

TEST_CASE("PyTorch's normalisations by what they read") {
  // x is 0, 1, .., 15 in two channels of 2 x 4.
  const auto norm_of = [](const std::string& op, const std::string& more) {
    return result_of(one(op, x_as_input + more, {{"g", {2}, {2, 3}}, {"b", {2}, {1, -1}}},
                         {1, 2, 2, 4}));
  };
  // Whole numbers from 0 on, so many, less their mean and by their deviation.
  const auto even = [](std::size_t count, std::size_t i) {
    const auto n = static_cast<float>(count);
    return (static_cast<float>(i) - (n - 1) / 2) / std::sqrt((n * n - 1) / 12 + 1e-5F);
  };
  floats lines, channels, all;
  for (std::size_t i = 0; i < 16; ++i) {
    lines.push_back(even(4, i % 4));
    channels.push_back(i < 8 ? 2 * even(8, i) + 1 : 3 * even(8, i - 8) - 1);
    all.push_back(even(16, i));
  }
  CHECK(near(norm_of("layer_norm.default", R"(, "normalized_shape": {"as_ints": [4]})"), lines));
  const auto of_channels = ", " + tensor("weight", "p_g") + ", " + tensor("bias", "p_b");
  CHECK(near(norm_of("group_norm.default", of_channels + R"(, "num_groups": {"as_int": 2})"),
             channels));
  CHECK(near(norm_of("group_norm.default", R"(, "num_groups": {"as_int": 1})"), all));
  CHECK(mentions(complaint_of("layer_norm.default",
                              x_as_input + R"(, "normalized_shape": {"as_ints": [5]})"),
                 "its normalized_shape is [5], its input [1, 2, 4, 4]"));
}

TEST_CASE("PyTorch's attention sees no later places where it is causal") {
  const auto attention = [](const std::string& more) {
    return result_of(one("scaled_dot_product_attention.default",
                         tensor("query", "x") + ", " + tensor("key", "x") + ", " +
                             tensor("value", "x") + more,
                         {}, {1, 1, 2, 1}));
  };
  // The tokens 0 and 1: scores of 0 for the first, of 0 and 1 for the second.
  const float share = std::exp(1.0F) / (1 + std::exp(1.0F));
  CHECK(near(attention(""), {0.5F, share}));
  CHECK(near(attention(R"(, "is_causal": {"as_bool": true})"), {0, share}));
  const float twice = std::exp(2.0F) / (1 + std::exp(2.0F));
  CHECK(near(attention(R"(, "scale": {"as_float": 2.0})"), {0.5F, twice}));
}

TEST_CASE("PyTorch's operators that turn, repeat and part elements") {
  const auto moved = [](const std::string& op, const std::string& more, const shape& input) {
    return result_of(one(op, x_as_self + more, {}, input));
  };
  CHECK(near(moved("roll.default", R"(, "shifts": {"as_ints": [1]}, "dims": {"as_ints": [3]})",
                   {1, 1, 1, 4}),
             {3, 0, 1, 2}));
  CHECK(near(moved("roll.default", R"(, "shifts": {"as_ints": [-1]}, "dims": {"as_ints": [-1]})",
                   {1, 1, 1, 4}),
             {1, 2, 3, 0}));
  CHECK(near(moved("flip.default", R"(, "dims": {"as_ints": [3]})", {1, 1, 1, 3}), {2, 1, 0}));
  CHECK(near(moved("pixel_unshuffle.default", R"(, "downscale_factor": {"as_int": 2})",
                   {1, 1, 2, 4}),
             {0, 2, 1, 3, 4, 6, 5, 7}));
  CHECK(near(moved("repeat.default", R"(, "repeats": {"as_ints": [1, 2, 1, 1]})", {1, 1, 1, 2}),
             {0, 1, 0, 1}));
  CHECK(near(moved("expand.default", R"(, "size": {"as_ints": [-1, -1, 2, -1]})", {1, 1, 1, 2}),
             {0, 1, 0, 1}));
  CHECK(near(moved("glu.default", R"(, "dim": {"as_int": 1})", {1, 2, 1, 1}),
             {0}));
  CHECK(near(moved("max.dim", R"(, "dim": {"as_int": 1})", {1, 3, 1, 2}), {4, 5}));
}

TEST_CASE("PyTorch's softplus turns into its input only where both are the same") {
  const auto y = [](const char* threshold) {
    return complaint_of("softplus.default",
                        x_as_self + R"(, "threshold": {"as_int": )" + threshold + '}');
  };
  CHECK(y("20") == "");
  CHECK(y("15") == "");
  CHECK(mentions(y("5"), "its threshold is 5"));
}

TEST_CASE("PyTorch's operators in place") {
  const auto read = [](const std::vector<std::string>& nodes, const shape& input = {1, 2, 1, 2}) {
    program p{.input = input};
    for (const auto& n : nodes) p.nodes += (p.nodes.empty() ? "" : ",") + n;
    return p;
  };
  const auto on = [](const std::string& op, const char* in, const std::string& out) {
    return node(op + ".default", tensor("self", in), {out});
  };
  const auto sum = [](const char* a, const char* b) {
    return node("add.Tensor", tensor("self", a) + ", " + tensor("other", b));
  };
  // Nothing reads an older name: accepted.
  CHECK(near(result_of(read({on("neg", "x", "a"), on("relu_", "a", "b"), sum("b", "x")})),
             {0, 1, 2, 3}));
  const auto flat = node("flatten.using_ints", x_as_self + R"(, "start_dim": {"as_int": 1})",
                         {"v"});
  CHECK(near(result_of(read({flat, on("neg_", "v", "w"), sum("w", "w")})), {0, -2, -4, -6}));
  CHECK(near(result_of(read({on("clone", "x", "v"), on("neg_", "v", "w"), sum("w", "x")})),
             {0, 0, 0, 0}));
  // A view in place and dropout leave the elements as they are.
  CHECK(near(result_of(read({on("detach_", "x", "v"), on("dropout_", "v", "w"), sum("w", "x")})),
             {0, 2, 4, 6}));
  // The base, another view, and the tensor itself.
  const auto view = [](const char* in, const std::string& out) {
    return node("permute.default",
                tensor("self", in) + R"(, "dims": {"as_ints": [0, 1, 3, 2]})", {out});
  };
  const auto refused_for = [&](const program& p, const std::string& name) {
    const auto found = refused(archive_of(p));
    INFO(found);
    CHECK(mentions(found, "'" + name + "' is read after an operator in place"));
    CHECK(mentions(found, "run_decompositions()"));
  };
  refused_for(read({view("x", "v"), on("relu_", "v", "w"), on("neg", "x", "y")}), "x");
  refused_for(read({view("x", "v"), on("relu_", "x", "w"), on("neg", "v", "y")}), "v");
  refused_for(read({view("x", "v"), view("v", "u"), on("relu_", "v", "w"), on("neg", "u", "y")}),
              "u");
  refused_for(read({on("relu_", "x", "w"), sum("w", "x")}), "x");
  refused_for(read({node("chunk.default", x_as_self + R"(, "chunks": {"as_int": 2},
                                                        "dim": {"as_int": 1})", {"a", "b"}),
                    on("relu_", "a", "c"), sum("c", "b")}), "b");
  refused_for(read({on("relu_", "x", "w"),
                    node("cat.default", R"("tensors": {"as_tensors": [{"name": "x"},
                                           {"name": "w"}]}, "dim": {"as_int": 1})")}), "x");
  // An output.
  refused_for(read({view("x", "y"), on("relu_", "y", "w")}), "y");
}

TEST_CASE("what PyTorch's operators do not give is refused where it is read") {
  program p{.input = {1, 1, 4, 4}};
  p.nodes = node("max_pool2d_with_indices.default",
                 x_as_self + R"(, "kernel_size": {"as_ints": [2, 2]})", {"a", "places"}) +
            ',' + node("neg.default", tensor("self", "places"), {"b"}) + ',' +
            node("abs.default", tensor("self", "a"));
  p.outputs = {"y", "b"};
  const auto found = refused(archive_of(p));
  CHECK(mentions(found, "layer 'b'"));
  CHECK(mentions(found, "the layer 'a' (max_pool2d_with_indices) gives no output 1"));
  p.outputs = {"y", "places"};
  CHECK(mentions(refused(archive_of(p)), "gives no output 1"));
  p.outputs = {"y"};
  CHECK(near(result_of(p), {5, 7, 13, 15}));
}

TEST_CASE("PyTorch's convolutions") {
  const weight k{"k", {1, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1}}, b{"b", {1}, {0.5F}};
  const auto args = x_as_input + ", " + tensor("weight", "p_k");
  const shape in{1, 2, 2, 2};  // 0 .. 7
  CHECK(near(result_of(one("conv2d.default", args, {k}, in)), {28}));
  CHECK(near(result_of(one("conv2d.default", args + ", " + tensor("bias", "p_b") +
                               R"(, "stride": {"as_ints": [2, 2]}, "padding": {"as_ints": [1, 1]})",
                           {k, b}, in)),
             {4.5F, 6.5F, 8.5F, 10.5F}));
  CHECK(near(result_of(one("conv2d.padding", args + R"(, "padding": {"as_string": "same"})", {k},
                           in)),
             {28, 14 + 2, 16 + 2, 10}));
  const auto core = [](bool transposed) {
    return std::string(R"(, "stride": {"as_ints": [1]}, "padding": {"as_ints": [0]},
      "dilation": {"as_ints": [1]}, "output_padding": {"as_ints": [0]}, "groups": {"as_int": 1},
      "bias": {"as_none": true}, "transposed": {"as_bool": )") +
           (transposed ? "true}" : "false}");
  };
  CHECK(near(result_of(one("convolution.default", args + core(false), {k}, in)), {28}));
  const weight up{"k", {2, 1, 2, 2}, {1, 2, 3, 4, 0, 0, 0, 1}};
  CHECK(near(result_of(one("convolution.default", args + core(true), {up}, {1, 2, 1, 1})),
             {0, 0, 0, 1}));
  CHECK(mentions(complaint_of("conv2d.default", args + R"(, "odd": {"as_int": 3})", {k}),
                 "argument odd"));
  CHECK(mentions(complaint_of("conv2d.default", args + R"(, "stride": {"as_ints": [1, 2, 3]})",
                              {k}),
                 "stride is [1, 2, 3]"));
}

TEST_CASE("PyTorch's poolings and means") {
  const shape in{1, 1, 3, 3};
  const auto kernel = x_as_self + R"(, "kernel_size": {"as_ints": [2, 2]})";
  CHECK(near(result_of(one("max_pool2d.default", kernel, {}, in)), {4}));
  CHECK(near(result_of(one("max_pool2d.default", kernel + R"(, "ceil_mode": {"as_bool": true})",
                           {}, in)),
             {4, 5, 7, 8}));
  CHECK(near(result_of(one("max_pool2d.default", kernel + R"(, "stride": {"as_ints": [1]})", {},
                           in)),
             {4, 5, 7, 8}));
  const auto padded = kernel + R"(, "padding": {"as_ints": [1]})";
  CHECK(near(result_of(one("avg_pool2d.default", padded, {}, in)), {0, 0.75F, 2.25F, 6}));
  CHECK(near(result_of(one("avg_pool2d.default",
                           padded + R"(, "count_include_pad": {"as_bool": false})", {}, in)),
             {0, 1.5F, 4.5F, 6}));
  // The sum of a window by another number than that of its elements.
  const auto by_three = padded + R"(, "divisor_override": {"as_int": 3})";
  CHECK(near(result_of(one("avg_pool2d.default", by_three, {}, in)), {0, 1, 3, 8}));
  CHECK(near(result_of(one("avg_pool2d.default",
                           by_three + R"(, "ceil_mode": {"as_bool": true})", {}, {1, 1, 2, 2})),
             {0, 1 / 3.0F, 2 / 3.0F, 1}));
  CHECK(mentions(complaint_of("avg_pool2d.default",
                              kernel + R"(, "stride": {"as_int": 3}, "divisor_override":
                              {"as_int": 3}, "ceil_mode": {"as_bool": true})"),
                 "its windows reach beyond its padding"));
  CHECK(near(result_of(one("adaptive_avg_pool2d.default",
                           x_as_self + R"(, "output_size": {"as_ints": [1, 1]})", {}, in)),
             {4}));
  CHECK(near(result_of(one("adaptive_avg_pool2d.default",
                           x_as_self + R"(, "output_size": {"as_ints": [2, 2]})", {},
                           {1, 1, 2, 4})),
             {0.5F, 2.5F, 4.5F, 6.5F}));
  const auto uneven = x_as_self + R"(, "output_size": {"as_ints": [2, 2]})";
  CHECK(near(result_of(one("adaptive_avg_pool2d.default", uneven, {}, in)), {2, 3, 5, 6}));
  CHECK(near(result_of(one("adaptive_max_pool2d.default", uneven, {}, in)), {4, 5, 7, 8}));
  CHECK(mentions(complaint_of("adaptive_avg_pool2d.default",
                              x_as_self + R"(, "output_size": {"as_ints": [5, 3]})"),
                 "it makes 5 elements of 4"));
  CHECK(near(result_of(one("mean.dim", x_as_self + R"(, "dim": {"as_ints": [-1, -2]})", {}, in)),
             {4}));
  auto two = one("", "", {}, in);
  two.nodes = node("max_pool2d_with_indices.default", kernel, {"y", "places"});
  CHECK(near(result_of(two), {4}));
  two.outputs = {"places"};
  CHECK(refused(archive_of(two)) != "");
}

TEST_CASE("PyTorch's normalisation and products") {
  const std::vector<weight> of_norm{{"w", {2}, {2, 3}}, {"b", {2}, {1, 0}}, {"m", {2}, {0.5F, 2}},
                                    {"v", {2}, {4 - 1e-5F, 1 - 1e-5F}}};
  const auto norm = x_as_input + ", " + tensor("weight", "p_w") + ", " + tensor("bias", "p_b") +
                    ", " + tensor("running_mean", "p_m") + ", " + tensor("running_var", "p_v") +
                    R"(, "momentum": {"as_float": 0.1}, "eps": {"as_float": 1e-05})";
  const auto evaluated = norm + R"(, "training": {"as_bool": false}, "cudnn_enabled":
                                   {"as_bool": true})";
  CHECK(near(result_of(one("batch_norm.default", evaluated, of_norm, {1, 2, 1, 2})),
             {0.5F, 1.5F, 0, 3}));
  CHECK(near(result_of(one("_native_batch_norm_legit_no_training.default", norm, of_norm,
                           {1, 2, 1, 2})),
             {0.5F, 1.5F, 0, 3}));
  CHECK(mentions(complaint_of("batch_norm.default", norm + R"(, "training": {"as_bool": true})",
                              of_norm),
                 "model.eval()"));
  const std::vector<weight> of_linear{{"w", {2, 3}, {1, 0, 2, 0, 1, 0}}, {"b", {2}, {10, 20}}};
  const auto linear = x_as_input + ", " + tensor("weight", "p_w") + ", " + tensor("bias", "p_b");
  CHECK(near(result_of(one("linear.default", linear, of_linear, {1, 3})), {14, 21}));
  CHECK(near(result_of(one("linear.default", linear, of_linear, {1, 2, 3})), {14, 21, 23, 24}));
  program core{.input = {1, 3}, .weights = of_linear};
  core.nodes = node("permute.default", tensor("self", "p_w") + R"(, "dims": {"as_ints": [1, 0]})",
                    {"turned"}) +
               ',' + node("addmm.default", tensor("self", "p_b") + ", " + tensor("mat1", "x") +
                                               ", " + tensor("mat2", "turned"));
  CHECK(near(result_of(core), {14, 21}));
  CHECK(near(result_of(one("prelu.default", x_as_self + ", " + tensor("weight", "p_w"),
                           {{"w", {2}, {0.5F, 0.25F}}}, {1, 2, 1, 2}),
                       1, 4),
             {-2, -1.5F, -0.5F, -0.25F}));
  CHECK(near(result_of(one("softmax.int", x_as_self + R"(, "dim": {"as_int": 1})", {}, {1, 2}), 0),
             {0.5F, 0.5F}));
}

TEST_CASE("PyTorch's products with vectors lack a dimension") {
  const weight v{"v", {3}, {1, 10, 100}};
  program p{.input = {2, 3}, .weights = {v}};
  const auto unsqueezed = node("unsqueeze.default", tensor("self", "m") +
                                                        R"(, "dim": {"as_int": -1})");
  p.nodes = node("matmul.default", x_as_self + ", " + tensor("other", "p_v"), {"m"}) + ',' +
            unsqueezed;
  CHECK(near(result_of(p), {210, 543}));
  p.input = {1, 3, 2};
  p.nodes = node("matmul.default", tensor("self", "p_v") + ", " + tensor("other", "x"), {"m"}) +
            ',' + unsqueezed;
  CHECK(near(result_of(p), {420, 531}));
}

TEST_CASE("PyTorch's operators that move elements") {
  const shape in{1, 2, 2, 2};
  const auto moved = [&](const char* op, const std::string& more) {
    return result_of(one(op, x_as_self + more, {}, in));
  };
  CHECK(near(moved("view.default", R"(, "size": {"as_ints": [1, -1]})"), {0, 1, 2, 3, 4, 5, 6, 7}));
  CHECK(near(moved("flatten.using_ints", R"(, "start_dim": {"as_int": 1})"),
             {0, 1, 2, 3, 4, 5, 6, 7}));
  CHECK(near(moved("permute.default", R"(, "dims": {"as_ints": [0, 3, 2, 1]})"),
             {0, 4, 2, 6, 1, 5, 3, 7}));
  CHECK(near(moved("transpose.int", R"(, "dim0": {"as_int": -1}, "dim1": {"as_int": 2})"),
             {0, 2, 1, 3, 4, 6, 5, 7}));
  CHECK(near(moved("slice.Tensor", R"(, "dim": {"as_int": 3}, "start": {"as_int": 1},
                                      "end": {"as_int": 9223372036854775807})"),
             {1, 3, 5, 7}));
  CHECK(near(moved("select.int", R"(, "dim": {"as_int": 1}, "index": {"as_int": -1})"),
             {4, 5, 6, 7}));
  CHECK(near(moved("constant_pad_nd.default", R"(, "pad": {"as_ints": [0, 1]},
                                                 "value": {"as_float": 9.0})"),
             {0, 1, 9, 2, 3, 9, 4, 5, 9, 6, 7, 9}));
  CHECK(near(moved("upsample_nearest2d.default", R"(, "output_size": {"as_ints": [2, 4]})"),
             {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7}));
  CHECK(near(result_of(one("upsample_nearest2d.vec",
                           x_as_input + R"(, "scale_factors": {"as_floats": [1.0, 2.0]})", {}, in)),
             {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7}));
  CHECK(near(result_of(one("pixel_shuffle.default", x_as_self + R"(, "upscale_factor":
                           {"as_int": 2})", {}, {1, 4, 1, 1})),
             {0, 1, 2, 3}));
  CHECK(near(result_of(one("cat.default", R"("tensors": {"as_tensors": [{"name": "x"},
                           {"name": "x"}]}, "dim": {"as_int": 1})", {}, {1, 1, 1, 2})),
             {0, 1, 0, 1}));
  program halves{.input = in};
  halves.nodes = node("chunk.default", x_as_self + R"(, "chunks": {"as_int": 2},
                                                     "dim": {"as_int": 1})", {"a", "b"}) +
                 ',' + node("sub.Tensor", tensor("self", "b") + ", " + tensor("other", "a"));
  CHECK(near(result_of(halves), {4, 4, 4, 4}));
}

TEST_CASE("sizes that an export leaves open") {
  program p{.input = {1, 2, 2, 2}};
  p.nodes = node("sym_size.int", x_as_self + R"(, "dim": {"as_int": 0})", {"n"}) + ',' +
            node("view.default", x_as_self + R"(, "size": {"as_sym_ints": [{"as_name": "n"},
                                                  {"as_int": 8}]})");
  auto model = model_of(p);
  auto& size = model["graph_module"]["graph"]["tensor_values"]["x"]["sizes"];
  size[0] = {{"as_expr", {{"expr_str", "s0"}}}};
  const auto content = [&] {
    return archived::archive_of(members_of(p, model, config_of(p)));
  };
  CHECK(import::pytorch_network_from(content(), "open").graph.size() >= 1);
  size[2] = {{"as_expr", {{"expr_str", "s1"}}}};
  CHECK(mentions(refused(content()), "--shape x=1,2,224,2"));
  import::part wanted;
  wanted.shapes["x"] = {1, 2, 2, 2};
  CHECK(import::pytorch_network_from(content(), "open", wanted).graph.size() >= 1);
}

TEST_CASE("all problems of an archive of torch.export are told together") {
  program p;
  p.nodes = node("cumsum.default", x_as_self, {"a"}) + ',' +
            node("relu.default", x_as_self + R"(, "more": {"as_int": 1})", {"b"}) + ',' +
            node("add.Tensor", tensor("self", "a") + ", " + tensor("other", "b"));
  const auto all = refused(archive_of(p));
  CHECK(mentions(all, "the operator cumsum is not supported (1 layer)"));
  CHECK(mentions(all, "supported are"));
  CHECK(mentions(all, "layer 'b'"));
  CHECK(mentions(all, "argument more"));
  CHECK_FALSE(mentions(all, "layer 'y'"));
}

TEST_CASE("an argument that a call of ATen has twice is refused") {
  const program given{.nodes = node("relu.default", x_as_self)};
  auto model = model_of(given);
  auto& inputs = model["graph_module"]["graph"]["nodes"][0]["inputs"];
  inputs.push_back(inputs[0]);
  const auto content = archived::archive_of(members_of(given, model, config_of(given)), false);
  CHECK(mentions(refused(content), "its argument self is given twice"));
}

TEST_CASE("parts of an archive of torch.export") {
  program p;
  p.nodes = node("relu.default", x_as_self, {"a"}) + ',' +
            node("neg.default", tensor("self", "a"), {"b"}) + ',' +
            node("abs.default", tensor("self", "b"));
  const auto n = import::pytorch_network_from(
      archive_of(p), "net.pt2",
      {.from = {"a"}, .to = {"b"}, .shapes = {{"a", {1, 2, 4, 4}}}});
  CHECK(n.graph.size() == 2);
  CHECK(n.graph[net::input_nodes(n.graph).at(0)].name == "a");
  CHECK(mentions(refused(archive_of(p), {.to = {"c"}}), "no such layer"));
  CHECK(mentions(refused(archive_of(p), {.shapes = {{"a", {1}}}}), "it is no input"));
}

TEST_CASE("the page of PyTorch lists its operators") {
  CHECK(missing_in("pytorch.md", import::pytorch_format::operators()) == "");
}

#endif
