// SPDX-License-Identifier: Apache-2.0
// Argument by argument of Caffe2's operators: another value changes the result, or is refused.
#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/caffe2.hpp>

#include "caffe2_model.hpp"
#include "outcome.hpp"

using namespace caffe2_model;

namespace {

std::string whole(const char* name, std::int64_t v) {
  return text("arg { name: '", name, "' i: ", v, " } ");
}
std::string real_of(const char* name, float v) {
  return text("arg { name: '", name, "' f: ", v, " } ");
}
std::string worded(const char* name, const char* v) {
  return text("arg { name: '", name, "' s: '", v, "' } ");
}
std::string wholes(const char* name, const shape& v) {
  return text("arg { name: '", name, "'", listed("ints", v), " } ");
}

struct caffe2_subject {
  std::string type;
  shape input;
  std::string inputs, init;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> changes{};  // from one argument to another
};

std::string filling(const std::string& blob, const shape& sizes, float first) {
  floats v;
  for (std::int64_t i = 0; i < import::onnx_format::count(sizes); ++i)
    v.push_back(first + 0.25F * static_cast<float>(i % 5));
  return fill(blob, sizes, v);
}

std::vector<caffe2_subject> caffe2_subjects() {
  const shape picture{1, 4, 5, 6};
  const std::string x = "input: 'x' ", weighted = x + "input: 'w' ",
                    biased = weighted + "input: 'b'";
  const auto of_conv = filling("w", {2, 4, 3, 3}, -0.5F) + filling("b", {2}, 0.5F);
  const auto of_vector = filling("v", {4}, 0.5F);
  std::vector<caffe2_subject> all{
      {"Conv", picture, biased, of_conv,
       {whole("kernel", 3), whole("stride", 1), whole("pad", 1), whole("dilation", 1),
        whole("group", 1), whole("no_bias", 0), whole("legacy_pad", 0), worded("order", "NCHW")},
       {{whole("kernel", 3), whole("kernel", 2)},
        {whole("kernel", 3), whole("kernel_h", 3)},
        {whole("kernel", 3), real_of("kernel", 3)},
        {whole("kernel", 3), whole("kernel", 3) + wholes("kernels", {2, 2})},
        {whole("stride", 1), whole("stride", 2)},
        {whole("stride", 1), whole("stride_h", 2)},
        {whole("pad", 1), whole("pad", 0)},
        {whole("pad", 1), whole("pad", 1) + wholes("pads", {0, 0, 1, 1})},
        {whole("pad", 1), whole("pad_t", 1)},
        {whole("dilation", 1), whole("dilation", 2)},
        {whole("group", 1), whole("group", 2)},
        {whole("no_bias", 0), whole("no_bias", 1)},
        {whole("legacy_pad", 0), whole("legacy_pad", 3)},
        {worded("order", "NCHW"), worded("order", "NHWC")}}},
      {"Conv", picture, weighted, of_conv,
       {wholes("kernels", {3, 3}), wholes("pads", {1, 1, 1, 1})},
       {{wholes("pads", {1, 1, 1, 1}), wholes("pads", {1, 1, 0, 0})},
        {wholes("pads", {1, 1, 1, 1}), "arg { name: 'pads' floats: 1 floats: 1 } "},
        {wholes("kernels", {3, 3}), wholes("kernels", {3, 3}) + whole("kernel", 2)}}},
      {"ConvTranspose", picture, weighted, filling("w", {4, 2, 3, 3}, -0.5F),
       {whole("kernel", 3), whole("stride", 2), whole("pad", 1), whole("adj", 0)},
       {{whole("kernel", 3), whole("kernel", 2)},
        {whole("stride", 2), whole("stride", 1)},
        {whole("pad", 1), whole("pad", 0)},
        {whole("adj", 0), whole("adj", 1)},
        {whole("adj", 0), whole("dilation", 2)},
        {whole("adj", 0), whole("group", 2)}}},
      {"MaxPool", picture, x, "",
       {whole("kernel", 2), whole("stride", 2), whole("pad", 0), whole("legacy_pad", 0),
        whole("global_pooling", 0)},
       {{whole("kernel", 2), whole("kernel", 3)},
        {whole("stride", 2), whole("stride", 1)},
        {whole("pad", 0), whole("pad_l", 1)},
        {whole("legacy_pad", 0), whole("legacy_pad", 3)},
        {whole("legacy_pad", 0), whole("legacy_pad", 1)},
        {whole("global_pooling", 0), whole("global_pooling", 1)}}},
      {"AveragePool", picture, x, "",
       {whole("kernel", 3), whole("stride", 1), whole("pad", 1), whole("count_include_pad", 0)},
       {{whole("kernel", 3), whole("kernel", 2)},
        {whole("stride", 1), whole("stride", 2)},
        {whole("pad", 1), whole("pad", 0)},
        {whole("count_include_pad", 0), whole("count_include_pad", 1)},
        {whole("count_include_pad", 0), whole("global_pooling", 1)}}},
      {"FC", {1, 2, 3, 1}, biased, filling("w", {2, 6}, -1) + filling("b", {2}, 1),
       {whole("axis", 1), whole("axis_w", 1)},
       {{whole("axis", 1), whole("axis", 2)}, {whole("axis_w", 1), whole("axis_w", 0)}}},
      {"SpatialBN", picture, x + "input: 'v' input: 'v' input: 'v' input: 'v'", of_vector,
       {whole("is_test", 1), real_of("epsilon", 0.001F), whole("spatial", 1)},
       {{whole("is_test", 1), whole("is_test", 0)},
        {real_of("epsilon", 0.001F), real_of("epsilon", 0.5F)},
        {whole("spatial", 1), whole("spatial", 0)}}},
      {"Add", {1, 4, 5, 4}, x + "input: 'v'", of_vector, {whole("broadcast", 1) + whole("axis", 1)},
       {{whole("broadcast", 1) + whole("axis", 1), whole("broadcast", 1) + whole("axis", 3)},
        {whole("broadcast", 1) + whole("axis", 1), whole("broadcast", 0) + whole("axis", 1)},
        {whole("broadcast", 1) + whole("axis", 1), whole("broadcast", 1)}}},
      {"LeakyRelu", picture, x, "", {real_of("alpha", 0.1F)},
       {{real_of("alpha", 0.1F), real_of("alpha", 0.3F)}, {real_of("alpha", 0.1F), ""}}},
      {"Elu", picture, x, "", {real_of("alpha", 1)},
       {{real_of("alpha", 1), real_of("alpha", 0.5F)}}},
      {"Clip", picture, x, "", {real_of("min", -1), real_of("max", 1)},
       {{real_of("min", -1), real_of("min", 0)}, {real_of("max", 1), real_of("max", 2)}}},
      {"PRelu", picture, x + "input: 'v'", of_vector, {},
       {{"", whole("shared", 1)}}},
      {"LRN", picture, x, "",
       {whole("size", 3), real_of("alpha", 0.5F), real_of("beta", 0.75F), real_of("bias", 1)},
       {{whole("size", 3), whole("size", 5)},
        {real_of("alpha", 0.5F), real_of("alpha", 0.25F)},
        {real_of("beta", 0.75F), real_of("beta", 0.5F)},
        {real_of("bias", 1), real_of("bias", 2)}}},
      {"Softmax", {1, 4, 1, 6}, x, "", {whole("axis", 1)},
       {{whole("axis", 1), whole("axis", 3)}, {whole("axis", 1), whole("axis", 7)}}},
      {"Concat", picture, x + x, "", {whole("axis", 1), whole("add_axis", 0)},
       {{whole("axis", 1), whole("axis", 2)}, {whole("add_axis", 0), whole("add_axis", 1)}}},
      {"Reshape", picture, x, "", {wholes("shape", {0, 2, -1})},
       {{wholes("shape", {0, 2, -1}), wholes("shape", {0, -1})},
        {wholes("shape", {0, 2, -1}), wholes("shape", {0, 7})}}},
      {"Flatten", picture, x, "", {whole("axis", 1)}, {{whole("axis", 1), whole("axis", 2)}}},
      {"Transpose", picture, x, "", {wholes("axes", {0, 2, 3, 1})},
       {{wholes("axes", {0, 2, 3, 1}), wholes("axes", {0, 1, 3, 2})},
        {wholes("axes", {0, 2, 3, 1}), wholes("axes", {0, 1})}}},
      {"Squeeze", {1, 4, 1, 1}, x, "", {wholes("dims", {2})},
       {{wholes("dims", {2}), wholes("dims", {2, 3})}, {wholes("dims", {2}), wholes("dims", {1})}}},
      {"ExpandDims", {1, 4, 5}, x, "", {wholes("dims", {2})},
       {{wholes("dims", {2}), wholes("dims", {3})}, {wholes("dims", {2}), wholes("dims", {9})}}},
      {"Dropout", picture, x, "", {whole("is_test", 1)},
       {{whole("is_test", 1), whole("is_test", 0)}}},
      {"ResizeNearest", picture, x, "", {real_of("height_scale", 2), real_of("width_scale", 1)},
       {{real_of("height_scale", 2), real_of("height_scale", 3)},
        {real_of("width_scale", 1), real_of("width_scale", 2)}}},
      {"Sum", picture, x + x, "", {}},
  };
  for (const char* type : {"Relu", "Sigmoid", "Tanh", "Copy", "StopGradient"})
    all.push_back({type, picture, x, "", {}});
  for (const char* type : {"Sub", "Mul", "Div"})
    all.push_back({type, {1, 4, 5, 4}, x + "input: 'v'", of_vector,
                   {whole("broadcast", 1) + whole("axis", 1)},
                   {{whole("broadcast", 1) + whole("axis", 1), whole("broadcast", 1)}}});
  return all;
}

outcome caffe2_outcome(const caffe2_subject& s, const std::string& from = {},
                       const std::string& to = {}, const std::string& more = {}) {
  std::string arguments;
  for (const auto& a : s.arguments) arguments += !from.empty() && a == from ? to : a;
  if (from.empty()) arguments += to;
  const auto predict = net_def(ends + op(s.type, s.inputs + more, arguments));
  const auto init = net_def(s.init.empty() ? fill("none", {1}, {0}) : s.init);
  return outcome_of([&] {
    return import::caffe2_network_from({"predict.pb", predict}, {"init.pb", init},
                                       {.shapes = {{"x", s.input}}}).graph;
  });
}

}  // namespace

TEST_CASE("Caffe2: another argument gives another result or is refused") {
  std::size_t changes = 0;
  std::set<std::string_view> seen;
  const auto all = caffe2_subjects();
  for (const auto& s : all) {
    INFO(s.type);
    seen.insert(s.type);
    const auto base = caffe2_outcome(s);
    CHECK(base.complaint == "");
    for (const auto& [from, to] : s.changes) {
      INFO(from << " -> " << to);
      const auto changed = caffe2_outcome(s, from, to);
      const bool differs = !changed.accepted() || !changed.same_result(base);
      CHECK(differs);
      ++changes;
    }
    CHECK(mentions(caffe2_outcome(s, "", whole("strange", 1)).complaint,
                   "its argument strange (1) is not understood"));
    CHECK(mentions(caffe2_outcome(s, "", "arg { name: 'axis' i: 1 f: 2 } ").complaint,
                   s.arguments.empty() || !mentions(s.arguments[0], "'axis'")
                       ? "values of several kinds" : "is given twice"));
    CHECK(caffe2_outcome(s, "", whole("exhaustive_search", 1)) == base);
    const auto longer = caffe2_outcome(s, "", "", "input: 'x' ");
    const bool noticed = !longer.accepted() || !longer.same_result(base);
    CHECK(noticed);
  }
  CHECK(changes >= 70);
  for (const auto& [name, ignored] : import::caffe2_format::operators()) {
    INFO(name);
    CHECK(seen.contains(name));
  }
}

TEST_CASE("what Caffe2's fills tell beside shape and values is refused") {
  const auto with = [](const std::string& more) {
    auto init = filling("v", {4}, 0.5F);
    init.insert(init.rfind("} }") + 2, more);
    return complaints([&] {
      (void)network_of(ends + op("Mul", "input: 'x' input: 'v'", ""), init, {1, 4, 1, 4});
    });
  };
  CHECK(with("") == "");
  CHECK(with(whole("run_once", 0)) == "");
  CHECK(mentions(with(wholes("extra_shape", {1})), "extra_shape ([1]) is not understood"));
  CHECK(mentions(with(whole("input_as_shape", 1)), "input_as_shape (1) is not understood"));
}
